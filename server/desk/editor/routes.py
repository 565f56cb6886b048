"""The desk's pages for writing surveys: the drafts, and a draft's editor.

A draft is the text of a survey file, kept as it was typed. The adversary is a colleague who
requests another account's draft by its address: only its owner and administrators see it.
"""

import hashlib
import json
import secrets
from collections import ChainMap, Counter
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from itertools import chain, count
from typing import Any, Final

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.json import jsonify
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response as BaseResponse

from deniable.analysis.planning.advice import people_expected
from deniable.server.desk.context import attachment, catalogue, link_of, or_404, see_other, store
from deniable.server.desk.editor.beginnings import (
    COPY,
    MAX_TEXT,
    draft_state,
    shipped,
    to_begin_with,
)
from deniable.server.desk.editor.edits import edited
from deniable.server.desk.editor.form import form_of, unreadable
from deniable.server.desk.editor.kept import kept_file
from deniable.server.desk.editor.lint import Checked, failure
from deniable.server.desk.editor.lint_worker import the_checker
from deniable.server.desk.editor.planner import Source, planner_page
from deniable.server.desk.editor.preview import TakenError, begin_trial_of, end_trials, why_taken
from deniable.server.desk.editor.starters import (
    BLANK,
    is_made_of,
    name_of,
    slug_of,
    title_of,
    under,
)
from deniable.server.desk.editor.told import told_of, widths_changed
from deniable.server.desk.editor.translations import (
    keep_origins,
    keep_right,
    left_to_translate,
    names,
    texts_csv,
    texts_table,
    with_csv,
)
from deniable.server.desk.permissions import Right, signed_in
from deniable.server.desk.steps import steps_of_draft
from deniable.server.store import Draft
from deniable.survey import Survey
from deniable.survey_file import SurveyFileError, plan_of
from deniable.survey_file.patch import Editable, comments
from deniable.text.languages import LANGUAGES
from deniable.text.safety import counted

_PAGES: Final = {
    **dict.fromkeys(("plan", "planned", "used", "ways"), "editor.plan"),
    **{"ethics": "editor.ethics", "publish": "publishing.page"},
}
"""The page that follows the saving of a draft, by the button that saves it."""

_KEPT: Final = {
    "planned": "Kept in the draft. Every page uses these numbers now.",
    "used": "Changed in the draft, as you chose, and the numbers of this page are kept. Undo, at "
    "the step Write, goes back.",
}
"""What the planner's buttons have done."""

_MANY: Final = 10**9
"""Maximum number of respondents that may be expected."""

_NO_FILE: Final = "The file of {} is not in this store. Upload it below to edit it."

_UNDONE: Final = {
    one: f"Nothing was {one}" for one in ("published", "planned", "written", "tried", "translated")
}


def mend(draft: str, undone: str) -> BaseResponse:
    """Redirect to a draft's mistakes, and name the action that they prevented."""
    return see_other("editor.page", draft=draft, mend=undone)


def compiled(draft: Draft, undone: str) -> Survey:
    """Return the survey of a draft; if it has mistakes, lead to them as `mend` does."""
    survey = the_checker().compile(draft.text)
    if survey is None:
        abort(mend(draft.id, undone))
    return survey


def new_draft(text: str, survey: str = "", told: str = "") -> BaseResponse:
    """Keep a draft of the signed-in person, and redirect to its editor."""
    draft = Draft(secrets.token_hex(8), text, signed_in().name, survey)
    store.keep_draft(draft)
    return see_other("editor.page", told, draft=draft.id)


editor = Blueprint("editor", __name__, url_prefix="/desk")


def _copy_of(slug: str) -> str:
    """Return a survey's file under a new name; answer 400 if the person may not see the survey."""
    survey = catalogue.found(slug)
    if survey is None or survey.parent is not None or not signed_in().role_in(survey):
        abort(HTTPStatus.BAD_REQUEST)
    return under(_lines(kept_file(slug, survey.revision)), _free(f"{slug}-copy"))


def _free(slug: str) -> str:
    """Return this name; if a survey or one of their drafts has it, with the first free number."""
    drafts = store.drafts(signed_in().name)
    taken = {name_of(draft.text) for draft in drafts}
    names = chain([slug], (f"{slug}-{number}" for number in count(2)))
    return next(
        one
        for one in names
        if one not in taken and one not in catalogue and not store.was_deleted(one)
    )


@editor.get("/editor/drafts", needs=Right.WRITE)
def drafts(mistake: str = "") -> str:
    """List the drafts."""
    return render_template("desk/drafts.html", mistake=mistake, **to_begin_with())


def _refusal(mistake: str) -> tuple[str, HTTPStatus]:
    return drafts(mistake), HTTPStatus.UNPROCESSABLE_ENTITY


@editor.post("/editor/drafts", needs=Right.WRITE)
def begin() -> ResponseReturnValue:
    """Begin a draft: empty, from a survey, an example or a study's question, or from a file."""
    uploaded, name = request.files.get("file"), request.form.get("example", "")
    if uploaded is None:
        if name.startswith(COPY):
            text = _copy_of(slug := name.removeprefix(COPY))
            return new_draft(text) if text else see_other("editor.drafts", _NO_FILE.format(slug))
        texts = {"": under(BLANK, _free("my-survey")), **ChainMap(*map(dict, shipped().values()))}
        if name not in texts:
            abort(HTTPStatus.BAD_REQUEST)
        return new_draft(texts[name])
    try:
        text = uploaded.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        return _refusal("A survey file is a text in UTF-8. This file is something else.")
    if not text.strip():
        return _refusal("Choose a file that is not empty.")
    if _is_too_long(text):
        return _refusal(f"A survey file can be up to {MAX_TEXT // 1024} kB here.")
    return new_draft(_lines(text))


@editor.get("/editor/drafts/<draft>", needs=Right.DRAFT)
def page(draft: str) -> str:
    """Show the editor of a draft."""
    return _editor(or_404(store.draft, draft))


@editor.post("/editor/drafts/<draft>", needs=Right.DRAFT)
def keep(draft: str) -> ResponseReturnValue:
    """Save a draft."""
    found, text = or_404(store.draft, draft), _text()
    shown = request.form.get("shown", "")
    if shown and shown != digest(found.text) and text != found.text:
        # Changed in another tab, or by an administrator. The writer may still choose this text.
        if _is_by_script():
            return jsonify(shown=digest(found.text)), HTTPStatus.CONFLICT
        page = _editor(replace(found, text=text), shown=digest(found.text))
        return page, HTTPStatus.CONFLICT
    store.keep_draft(replace(found, text=text))
    keep_origins(text, found.text)
    if _is_by_script():
        return jsonify(shown=digest(text))
    then = request.form.get("then")
    if then == "try":
        # The form is sent on there, with its token: only a form begins a trial.
        there = url_for("editor.try_out", draft=draft)
        return redirect(there, HTTPStatus.TEMPORARY_REDIRECT)
    if then in _PAGES:
        ways = {"look": "1", "_anchor": "ways"} if then == "ways" else {}
        return see_other(_PAGES[then], _KEPT.get(then, ""), draft=draft, **ways)
    return see_other("editor.page", draft=draft)


@editor.post("/editor/drafts/<draft>/copy", needs=Right.DRAFT)
def copy(draft: str) -> BaseResponse:
    """Copy a draft, under another name: published, it is a survey of its own."""
    text = or_404(store.draft, draft).text
    name = name_of(text)
    if not name:
        return new_draft(text)
    other = _free(f"{name}-copy")
    return new_draft(under(text, other), told=f"A copy, named {other}: it is another survey.")


@editor.post("/editor/drafts/<draft>/remove", needs=Right.DRAFT)
def remove(draft: str) -> BaseResponse:
    """Delete a draft."""
    found = or_404(store.draft, draft)
    end_trials(store, found.id)
    store.remove_draft(found.id)
    return see_other("editor.drafts", f"The draft “{title_of(found.text)}” is gone.")


@editor.get("/editor/drafts/<draft>/plan", needs=Right.DRAFT)
def plan(draft: str) -> ResponseReturnValue:
    """Show the planner of a draft."""
    found = or_404(store.draft, draft)
    survey = compiled(found, "planned")
    return planner_page(survey, _source(found), steps_of_draft(found, survey.slug), {})


@editor.post("/editor/drafts/<draft>/try", needs=Right.DRAFT)
def try_out(draft: str) -> BaseResponse:
    """Begin the trial of a draft."""
    found = or_404(store.draft, draft)
    survey = compiled(found, "tried")
    beside = _is_by_script()
    try:
        trial = begin_trial_of(survey, found, beside=beside, anew="then" not in request.form)
    except TakenError:
        told = f"Nothing was tried: the name {survey.slug!r} is taken. Change it after 'survey:'."
        return see_other("editor.page", told, draft=draft)
    if beside:
        return jsonify(link=link_of(trial))
    told = "" if store.count(trial.slug) else "The trial is ready. It has no answers yet."
    return see_other("preview.page", told, slug=trial.slug, draft=draft)


@editor.post("/editor/drafts/<draft>/form", needs=Right.DRAFT)
def form(draft: str) -> str:
    """Apply one edit of the form to the sent text, and return the form of the new text."""
    found, text, told, card = or_404(store.draft, draft), _text(), "", -1
    edit, base = request.form.get("edit"), _published(found) or request.form.get("base", "")
    before, asked = failure(""), {}
    if edit is not None:
        try:
            asked = json.loads(edit)
            before = the_checker().check(text, _respondents(text)) | _known(text, base)
            if asked["do"] == "right":
                keep_right(text, asked)
            else:
                text = _name_after_title(text, edited(text, asked, before))
            if asked["do"] in ("add", "copy", "lines"):
                card = int(asked.get("number", -1)) + (asked["do"] == "copy")
        except ValueError as refused:
            told = f"Nothing was changed: {refused}."
        except (KeyError, TypeError, IndexError, AttributeError):
            abort(HTTPStatus.BAD_REQUEST)
        if _is_too_long(text):
            abort(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    checked = the_checker().check(text, _respondents(text))
    if checked["cost"] is None:
        # The units that chance draws are unknown while there is a mistake: their fields stay.
        checked = {**checked, "units": (before["cost"] or {}).get("units", [])}
    drawn = _form_of_text(text, base, checked, found.text)
    if asked.get("do") == "needs" and not asked.get("needed"):
        drawn["begun"] = ["questions", asked.get("number"), "ask_if"]
    if not told:
        told = told_of(asked, before, checked)
    elif isinstance(asked, dict):
        drawn["refused"] = {"number": asked.get("number"), "said": told}
    if 0 <= card < len(drawn["cards"] or ()) and checked["cost"]:
        without = Editable(text).remove(("questions", card)).text
        alone = the_checker().check(without, _respondents(text))
        drawn["cards"][card]["protection"]["takes"] = widths_changed(alone, checked)
    return render_template(
        "desk/form_answer.html",
        draft=replace(found, text=text),
        told=told,
        checked=checked,
        form=drawn,
    )


def _known(text: str, base: str) -> dict[str, Any]:
    """Return what an edit needs to know: an earlier text, and whether the survey is published."""
    return {"base": base, "published": name_of(text) in catalogue}


def _name_after_title(before: str, text: str) -> str:
    """Let a survey's name follow its title, unless it is published or has another name."""
    old, new, name = slug_of(title_of(before)), slug_of(title_of(text)), name_of(text)
    if not (name and old and new) or old == new or name in catalogue:
        return text
    if not is_made_of(name, old):
        return text
    return Editable(text).put(("survey",), _free(new)).text


def _form_of_text(text: str, base: str, checked: Checked, saved: str) -> dict[str, Any]:
    """Return the form of a text, with its translations; `base`: an earlier version of the text.

    It also lists the comments of the `saved` text that this text has lost, without those that a
    blank draft begins with: nobody wrote them.
    """
    try:
        rows = texts_table(text, base)
        form = form_of(text, checked | _known(text, base))
    except SurveyFileError as error:
        return unreadable(error)
    _mark_taken(form)
    _price_merging(form["cards"], text, checked)
    others = [one for one in LANGUAGES if one not in form["languages"]]
    named = {"named": names(form["languages"]), "more_languages": names(others)}
    known = Counter(comments(text) + comments(BLANK))
    lost = [*(Counter(comments(saved)) - known).elements()]
    return form | named | {"texts": rows, "missing": left_to_translate(rows), "lost": lost}


def _price_merging(cards: list[dict[str, Any]], text: str, checked: Checked) -> None:
    """Say how precise the questions are once a follow-up is one with the question it follows."""
    following = [card for card in cards if card["follows"] is not None and checked["cost"]]
    for card in following[:4]:  # of more it would take too long
        with suppress(ValueError):
            merged = edited(text, {"do": "merge", "number": card["number"]}, checked)
            after = the_checker().check(merged, _respondents(text))
            card["wins"] = widths_changed(after, checked, "{was} instead of {now}")


def _mark_taken(form: dict[str, Any]) -> None:
    for field in form["first"]:
        if field["place"] == ["survey"] and (taken := why_taken(field["value"])):
            field["free"], field["call"] = _free(field["value"]), "Call it"
            field["mistakes"] += [{"said": f"{taken}. {field['free']} is free."}]


@editor.get("/editor/drafts/<draft>/survey.yaml", needs=Right.DRAFT)
def download(draft: str) -> BaseResponse:
    """Offer the survey file of a draft, as the commands read it."""
    text = or_404(store.draft, draft).text
    return attachment(text, "application/yaml", f"{name_of(text) or 'survey'}.yaml")


@editor.get("/editor/drafts/<draft>/texts.csv", needs=Right.DRAFT)
def texts(draft: str) -> BaseResponse:
    """Offer the texts of a draft for a translator."""
    found = or_404(store.draft, draft)
    try:
        return attachment(texts_csv(found.text), "text/csv", "texts.csv")
    except SurveyFileError:
        return mend(draft, "written")


@editor.post("/editor/drafts/<draft>/texts.csv", needs=Right.DRAFT)
def keep_texts(draft: str) -> BaseResponse:
    """Write the translations of an uploaded CSV into a draft: all of them, or none."""
    found, sheet = or_404(store.draft, draft), request.files.get("file")
    if sheet is None:
        abort(HTTPStatus.BAD_REQUEST)
    try:
        text, count, wrong = with_csv(found.text, sheet.read().decode("utf-8-sig"))
    except UnicodeDecodeError:
        text, count, wrong = "", 0, ["This file is not a text in UTF-8"]
    except SurveyFileError:
        return mend(draft, "translated")
    if not wrong and _is_too_long(text):
        wrong = [f"The draft would be longer than {MAX_TEXT // 1024} kB"]
    if not wrong:
        store.keep_draft(replace(found, text=text))
    changed = f"{counted(count, 'text')} changed"
    told = ". ".join(["Nothing was changed", *wrong]) if wrong else changed
    return see_other("editor.page", f"{told}.", draft=draft, _anchor="languages")


@editor.post("/surveys/<slug>/edit", needs=Right.CHANGE_SURVEY)
def edit(slug: str) -> BaseResponse:
    """Open a draft of a survey, or make one; a text that is sent becomes a new draft."""
    if "text" in request.form:
        return new_draft(_text(), slug, "This is a new draft, changed as you chose.")
    text = or_404(lambda: kept_file(slug, store.current_revision(slug)))
    own = [one for one in store.drafts(signed_in().name) if one.survey == slug]
    # Of several drafts, the one that is published: an older one would undo what is published.
    own.sort(key=lambda one: one.text != text)
    if own:
        return see_other("editor.page", draft=own[0].id)
    if text and not _is_too_long(text):
        return new_draft(_lines(text), slug)
    told = (
        f"The file of {slug} is too long to be edited here. Edit the file, and serve it again."
        if text
        else _NO_FILE.format(slug)
    )
    return see_other("editor.drafts", told)


_CHANGED_ELSEWHERE: Final = (
    "This draft was changed elsewhere since you opened it. Your text stands below. If you save it "
    "now, it replaces that change."
)


def _editor(draft: Draft, *, shown: str = "") -> str:
    """Return the page of the editor with a draft's text.

    `shown`: after a conflict, the digest of the text that is stored now and that the next save will
    replace; empty if there was none.
    """
    respondents, linked, base = _respondents(draft.text), _linked(draft), _published(draft)
    checked = the_checker().check(draft.text, respondents)
    undone, refusals = _UNDONE.get(request.args.get("mend", "")), []
    if undone and (checked["mistakes"] or checked["failed"]):
        hint = "Mend the mistakes first." if checked["mistakes"] else "Try again."
        refusals.append((undone, hint))
    if shown:
        refusals.append(("Nothing was saved", _CHANGED_ELSEWHERE))
    return render_template(
        "desk/editor.html",
        draft=draft,
        checked=checked,
        form=_form_of_text(draft.text, base or draft.text, checked, draft.text),
        refusals=refusals,
        linked=linked,
        source=_source(draft, shown),
    )


def _source(draft: Draft, shown: str = "") -> Source:
    keep = url_for("editor.keep", draft=draft.id)
    return Source(draft.text, keep, shown or digest(draft.text), draft_state(draft))


def _linked(draft: Draft) -> str:
    """Return the slug of a draft's survey; empty if the signed-in person may not see it."""
    survey = catalogue.found(draft.survey)
    return draft.survey if survey and signed_in().role_in(survey) else ""


def _published(draft: Draft) -> str:
    slug = _linked(draft)
    return store.source(slug, store.current_revision(slug)) if slug else ""


def digest(text: str) -> str:
    """Return a text's digest, by which a form knows the text that it was made for."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _text() -> str:
    """Return the sent text; answer 400 if there is none, and 413 if it is too long."""
    text = request.form.get("text")
    if text is None:
        abort(HTTPStatus.BAD_REQUEST)
    text = _lines(text)
    if _is_too_long(text):
        abort(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    return text


def _is_by_script() -> bool:
    return request.accept_mimetypes.best == "application/json"


def _lines(text: str) -> str:
    # With line ends as the editor counts them.
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _is_too_long(text: str) -> bool:
    return len(text.encode()) > MAX_TEXT


def _respondents(text: str) -> int:
    return min(people_expected(plan_of(text)), _MANY)
