"""The desk's pages on which surveys are written: the drafts, and the editor of one.

A draft is the text of a survey file, kept as it was typed. The adversary is a colleague who asks
for somebody's draft by its address: only who writes it sees it, and administrators do.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import replace
from http import HTTPStatus
from typing import Final, TypeAlias

from flask import Blueprint, Response, abort, flash, redirect, render_template, request, url_for
from flask.json import jsonify
from werkzeug.wrappers import Response as BaseResponse

from deniable.analysis.planning.advice import PLANNED
from deniable.server.desk.context import link_of, store
from deniable.server.desk.editor.lint_worker import the_checker
from deniable.server.desk.editor.planner import packet, planner_page
from deniable.server.desk.editor.registration import TakenError, begin_trial_of
from deniable.server.desk.editor.starters import BLANK, examples, title_of
from deniable.server.desk.permissions import signed_in
from deniable.server.store import Draft
from deniable.server.web.body import MAX_BODY
from deniable.survey import Survey
from deniable.survey.kind import trial_slug
from deniable.survey_file import json_schema

Answer: TypeAlias = BaseResponse | tuple[str | Response, HTTPStatus]

MAX_TEXT: Final = 3 * MAX_BODY // 4
"""Bytes of a text: a request has room for them, with a line's end of two bytes as forms send it."""

_PAGES: Final = {"plan": "editor.plan", "ethics": "editor.ethics", "publish": "publishing.page"}
"""Where a draft is taken to as soon as it is saved, by the button that saves it."""

_MANY: Final = 10**9
"""People that may be expected at most."""


_UNDONE: Final = {one: f"Nothing was {one}" for one in ("published", "planned", "written", "tried")}


def mend(draft: str, undone: str) -> BaseResponse:
    """Lead to what is wrong with a draft, and say what was not done with it for that."""
    return redirect(url_for("editor.page", draft=draft, mend=undone), HTTPStatus.SEE_OTHER)


def find_draft(id: str) -> Draft:
    """Return a draft of whoever is signed in, or any to an administrator; else answer 404."""
    try:
        draft = store.draft(id)
    except KeyError:
        abort(HTTPStatus.NOT_FOUND)
    if draft.owner != signed_in().name and not signed_in().administers:
        abort(HTTPStatus.NOT_FOUND)
    return draft


def new_draft(text: str, survey: str = "") -> BaseResponse:
    """Keep a draft of whoever is signed in, and lead to its editor."""
    draft = Draft(secrets.token_hex(8), text, signed_in().name, survey)
    store.keep_draft(draft)
    return redirect(url_for("editor.page", draft=draft.id), HTTPStatus.SEE_OTHER)


editor = Blueprint("editor", __name__, url_prefix="/desk")


def _page(mistake: str = "") -> str:
    person = signed_in()
    drafts = store.drafts(None if person.administers else person.name)
    named = sorted((title_of(draft.text), draft) for draft in drafts) if drafts else []
    return render_template(
        "desk/drafts.html",
        drafts=named,
        examples={name: title_of(text) for name, text in examples().items()},
        kilobytes=MAX_TEXT // 1024,
        mistake=mistake,
    )


def _refused(mistake: str) -> tuple[str, HTTPStatus]:
    return _page(mistake), HTTPStatus.UNPROCESSABLE_ENTITY


@editor.get("/editor/drafts")
def drafts() -> str:
    """List the drafts."""
    return _page()


@editor.post("/editor/drafts")
def begin() -> Answer:
    """Begin a draft: empty, from an example, or from a file."""
    uploaded, name = request.files.get("file"), request.form.get("example", "")
    if uploaded is None:
        if name and name not in examples():
            abort(HTTPStatus.BAD_REQUEST)
        return new_draft(examples()[name] if name else BLANK)
    try:
        text = uploaded.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        return _refused("A survey file is a text in UTF-8. This file is something else.")
    if not text.strip():
        return _refused("Choose a file that is not empty.")
    if _is_too_long(text):
        return _refused(f"A survey file can be up to {MAX_TEXT // 1024} kB here.")
    return new_draft(_lines(text))


@editor.get("/editor/drafts/<draft>")
def page(draft: str) -> str:
    """Show the editor of a draft."""
    found = find_draft(draft)
    trial = _trial_beside(found) if request.args.get("beside") == "yes" else None
    return _editor(found, beside="" if trial is None else link_of(trial))


@editor.post("/editor/drafts/<draft>")
def keep(draft: str) -> Answer:
    """Save a draft."""
    found, text = find_draft(draft), _text()
    shown = request.form.get("shown", "")
    if shown and shown != digest(found.text) and text != found.text:
        # Another tab, or an administrator. Whoever reads this may still choose this text.
        if _is_by_script():
            return jsonify(shown=digest(found.text)), HTTPStatus.CONFLICT
        page = _editor(replace(found, text=text), shown=digest(found.text))
        return page, HTTPStatus.CONFLICT
    store.keep_draft(replace(found, text=text))
    if _is_by_script():
        return jsonify(shown=digest(text))
    then = request.form.get("then")
    if then in ("try", "beside"):
        # The form goes on there, with its token: a trial is begun by a form alone.
        beside = "yes" if then == "beside" else None
        there = url_for("editor.try_out", draft=draft, beside=beside)
        return redirect(there, HTTPStatus.TEMPORARY_REDIRECT)
    if then in _PAGES:
        return redirect(url_for(_PAGES[then], draft=draft), HTTPStatus.SEE_OTHER)
    there = url_for("editor.page", draft=draft, respondents=_respondents())
    return redirect(there, HTTPStatus.SEE_OTHER)


@editor.post("/editor/drafts/<draft>/copy")
def copy(draft: str) -> BaseResponse:
    """Copy a draft."""
    # A survey of its own, as soon as its name is another one.
    return new_draft(find_draft(draft).text)


@editor.post("/editor/drafts/<draft>/remove")
def remove(draft: str) -> BaseResponse:
    """Delete a draft."""
    found = find_draft(draft)
    store.remove_draft(found.id)
    flash(f"The draft “{title_of(found.text)}” is gone.")
    return redirect(url_for("editor.drafts"), HTTPStatus.SEE_OTHER)


@editor.get("/editor/drafts/<draft>/plan")
def plan(draft: str) -> Answer:
    """Show the planner of a draft."""
    survey = the_checker().compile(find_draft(draft).text)
    if survey is None:
        return mend(draft, "planned")
    return planner_page(survey, request.args, back=url_for("editor.page", draft=draft), kept={})


@editor.get("/editor/drafts/<draft>/ethics")
def ethics(draft: str) -> BaseResponse | str:
    """Show the ethics packet of a draft."""
    text = find_draft(draft).text
    survey = the_checker().compile(text)
    if survey is None:
        return mend(draft, "written")
    return packet(survey, text, request.args, back=url_for("editor.page", draft=draft), kept={})


@editor.post("/editor/drafts/<draft>/try")
def try_out(draft: str) -> BaseResponse:
    """Begin the trial of a draft."""
    survey = the_checker().compile(find_draft(draft).text)
    if survey is None:
        return mend(draft, "tried")
    try:
        trial = begin_trial_of(store, signed_in(), survey)
    except TakenError:
        flash(
            f"Nothing was tried: the name {survey.slug!r} is taken. Give the survey another "
            "one, after 'survey:'."
        )
        return redirect(url_for("editor.page", draft=draft), HTTPStatus.SEE_OTHER)
    if request.args.get("beside") == "yes":
        there = url_for("editor.page", draft=draft, beside="yes", _anchor="beside")
        return redirect(there, HTTPStatus.SEE_OTHER)
    flash("The trial is ready. It has no answers yet.")
    return redirect(url_for("preview.page", slug=trial.slug, draft=draft), HTTPStatus.SEE_OTHER)


@editor.post("/editor/check")
def check() -> Response:
    """Check the text that the editor sends."""
    return jsonify(the_checker().check(_text(), _respondents()))


@editor.get("/editor/schema.json")
def schema() -> Response:
    """Return the JSON Schema of survey files."""
    return jsonify(json_schema())


@editor.post("/surveys/<slug>/edit")
def edit(slug: str) -> BaseResponse:
    """Open a draft of a survey, or make one."""
    own = [one for one in store.drafts(signed_in().name) if one.survey == slug]
    if own:
        return redirect(url_for("editor.page", draft=own[0].id), HTTPStatus.SEE_OTHER)
    try:
        text = store.source(slug, store.current_revision(slug))
    except KeyError:
        abort(HTTPStatus.NOT_FOUND)
    if text and not _is_too_long(text):
        return new_draft(_lines(text), slug)
    flash(
        f"The file of {slug} is too long to be edited here. Edit the file, and serve it again."
        if text
        else f"The file of {slug} is not in this store. Upload it below to edit it, or serve "
        "it once more: 'deniable serve' keeps what it serves."
    )
    return redirect(url_for("editor.drafts"), HTTPStatus.SEE_OTHER)


def _trial_beside(draft: Draft) -> Survey | None:
    """Return the trial of a draft, if there is one and whoever is signed in began it."""
    survey = the_checker().compile(draft.text)
    if survey is None:
        return None
    try:
        trial = store.survey(trial_slug(survey.slug))
    except KeyError:
        return None
    return trial if signed_in().may_change(trial) else None


def _editor(draft: Draft, *, shown: str = "", beside: str = "") -> str:
    """Write the page of a draft.

    With `shown` it is of a text that somebody else has changed, and with `beside` the trial that
    this link leads to stands beside the text.
    """
    respondents = _respondents()
    return render_template(
        "desk/editor.html",
        draft=draft,
        title=title_of(draft.text),
        checked=the_checker().check(draft.text, respondents),
        respondents=respondents,
        many=_MANY,
        shown=shown or digest(draft.text),
        changed=bool(shown),
        undone=_UNDONE.get(request.args.get("mend", "")),
        linked=_linked(draft),
        beside=beside,
    )


def _linked(draft: Draft) -> str:
    """Return the slug of the survey that a draft is of, if whoever is signed in may see it."""
    try:
        survey = store.survey(draft.survey)
    except KeyError:
        return ""
    return "" if signed_in().role_in(survey) is None else draft.survey


def digest(text: str) -> str:
    """Return by what a form knows the text that it was made for."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _text() -> str:
    """Return the text that was sent; one that is too long, or none, is no form of the desk's."""
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
    """Return a text with the ends of lines as the editor counts them."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _is_too_long(text: str) -> bool:
    return len(text.encode()) > MAX_TEXT


def _respondents() -> int:
    """Return how many respondents are expected."""
    written = request.values.get("respondents", "")
    if not (written.isascii() and written.isdigit() and len(written) <= len(str(_MANY))):
        return PLANNED
    return min(max(int(written), 1), _MANY)
