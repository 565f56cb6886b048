"""The desk's page that publishes a draft: what publishing begins or changes, and the button.

The adversary is a colleague who gives a survey the name of another owner's survey, or haste: only
the survey that the page has shown is published, over the revision that it has shown.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from http import HTTPStatus
from itertools import takewhile
from typing import Final, NamedTuple

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from deniable.analysis.counts.pooling import match
from deniable.analysis.counts.reports_csv import columns
from deniable.analysis.planning.advice import advice, aims_met, people_expected
from deniable.analysis.planning.budgets import measure_of
from deniable.paper import draws_on_sheet
from deniable.server.desk.context import catalogue, or_404, see_other, store
from deniable.server.desk.editor.edits import edited
from deniable.server.desk.editor.lint_worker import the_checker
from deniable.server.desk.editor.preview import (
    MOST_PEOPLE,
    TakenError,
    answer_trial,
    begin_trial,
    end_trials,
    one_at_a_time,
    own,
    refuse_taken,
    trial_named,
)
from deniable.server.desk.editor.routes import compiled
from deniable.server.desk.editor.spoken import names_of, spoken
from deniable.server.desk.editor.starters import title_of
from deniable.server.desk.editor.translations import left_to_translate, texts_table
from deniable.server.desk.permissions import Right, signed_in
from deniable.server.store import Draft, StoreError, StoreUnavailable, SurveyChanged
from deniable.server.store.registering import register
from deniable.server.store.schedule import State
from deniable.server.web.words import words
from deniable.survey import Survey, wordings
from deniable.survey.questions import Question
from deniable.survey.revisions import check_reworded, corrections, differences, follow, told_place
from deniable.survey_file import plan_of
from deniable.survey_file.located import parse

_TAKEN: Final = "The name {!r} is taken. Give the survey another one, after 'survey:'."
_RENAMED: Final = "A name below is changed and not kept. Press “Change the names” first."
_CHANGED: Final = (
    "The draft or the survey was changed since you opened this page. This is how they are now."
)


def publish(survey: Survey, source: str, *, seen: str | None = None) -> bool:
    """Make this the current revision of its survey; return whether the survey is new.

    Its trial stays. The signed-in person owns a new survey. `seen`: the revision that must be
    current before, empty for none; None for no check.
    """
    with one_at_a_time:
        is_new = survey.slug not in catalogue
        refuse_taken(survey.slug)
        register(store, survey, source, seen=seen)
        if is_new:
            own(survey.slug)
    return is_new


@dataclass(frozen=True)
class Change:
    """What another revision of a survey does to the reports that it has.

    Earlier reports still count for the `same` questions; for `partly`, some options or rows do.
    """

    differing: tuple[str, ...]
    same: list[Question]
    partly: list[Question]
    new: list[Question]
    gone: list[Question]


def change_between(current: Survey, survey: Survey) -> Change:
    """Return what becomes of each question when a survey is published as another revision."""
    found = match(survey, current)
    same: list[Question] = []
    partly: list[Question] = []
    new: list[Question] = []
    for question in survey.questions:
        places = [found.places[place] is not None for place in survey.places[question.id]]
        (same if all(places) else partly if any(places) else new).append(question)
    counted = {place for place in found.places if place is not None}
    ids = {question.id for question in survey.questions}
    gone = [
        question
        for question in current.questions
        if question.id not in ids and counted.isdisjoint(current.places[question.id])
    ]
    return Change(differences(survey, current), same, partly, new, gone)


publishing = Blueprint("publishing", __name__, url_prefix="/desk/editor/drafts/<draft>/publish")


def _compiled(draft: Draft) -> Survey:
    """Compile a draft as it would be published: a survey by invitation stays so."""
    survey = compiled(draft, "published")
    if not signed_in().may_change(survey):
        return survey
    with suppress(KeyError, ValueError):  # it is new, or refused when it is published
        current = catalogue.current(survey.slug)
        return follow(survey.as_kept(current), current)
    return survey


class _Published(NamedTuple):
    """The current revision of a survey, and what another one would do."""

    current: Survey
    state: State
    reports: int
    change: Change
    corrections: list[tuple[str, tuple[str, str, str], tuple[str, str, str]]]


def _published(current: Survey, survey: Survey) -> _Published:
    first, *others = survey.languages
    about = {f"about/{key}": text for key, text in survey.document.get("about", {}).items()}
    texts = {**about, **wordings.split(survey.document)[1][first]}
    # A new language has the first one's words until they are translated.
    untranslated = {(f"{one}/{place}", text) for one in others for place, text in texts.items()}
    return _Published(
        current,
        store.state(survey.slug),
        store.snapshot(survey.slug).count(),
        change_between(current, survey),
        [
            (
                f"{told_place(survey, place)}, {words(place.partition('/')[0]).name}",
                _marked(before, after),
                _marked(after, before),
            )
            for place, before, after in corrections(survey, current)
            if before or (after and (place, after) not in untranslated)
        ],
    )


def _page(draft: Draft, survey: Survey, mistake: str = "", undone: str = "published") -> str:
    current = catalogue.found(survey.slug)
    plan = plan_of(draft.text)
    people = people_expected(plan)
    if taken := current is not None and not signed_in().may_change(survey):
        current = None
    base = "" if current is None else store.source(survey.slug, current.revision)
    value = parse(draft.text, "").value
    measure = measure_of(plan)
    found = advice(survey, people, names_of(value), measure)
    # Each with the fragment of the editor's address that leads to its field.
    advised = [(spoken(one.said, value), f"at-{','.join(map(str, one.place))}") for one in found]
    untranslated = _untranslated(draft.text, base, survey.languages[0])
    return render_template(
        "desk/publish.html",
        draft=draft,
        survey=survey,
        refusal=(f"Nothing was {undone}", _TAKEN.format(survey.slug) if taken else mistake),
        taken=taken,
        published=None if current is None else _published(current, survey),
        wanted=(people, aims_met(plan, survey, people)),
        notes=(advised, untranslated, draws_on_sheet(survey)),
        columns=_columns(survey),
    )


def _untranslated(text: str, base: str, first: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Say how many texts each language still lacks, with the names and fields of the texts.

    `base`: the published text.
    """
    told = "Texts missing or perhaps out of date in {}: {}. A missing one is shown in {}."
    left = left_to_translate(texts_table(text, base))
    return [
        (told.format(words(one).name, len(those), words(first).name), those)
        for one, those in left.items()
        if those
    ]


def _columns(survey: Survey) -> dict[str, list[str]]:
    """Return the names of each question's columns in files, by its id."""
    names = columns(survey)
    return {id: [names[place] for place in places] for id, places in survey.places.items()}


def _refusal(
    draft: Draft, survey: Survey, mistake: str, undone: str = "published"
) -> tuple[str, HTTPStatus]:
    return _page(draft, survey, mistake, undone), HTTPStatus.UNPROCESSABLE_ENTITY


@publishing.get("", needs=Right.DRAFT)
def page(draft: str) -> ResponseReturnValue:
    """Show what publishing a draft begins or changes."""
    found = or_404(store.draft, draft)
    survey = _compiled(found)
    return _page(found, survey, _trouble(survey))


def _trouble(survey: Survey) -> str:
    """Say why a survey cannot follow its current revision; empty if it can."""
    current = catalogue.found(survey.slug)
    try:
        if current is not None and signed_in().may_change(survey):
            before = (store.revision(survey.slug, one) for one in store.revisions(survey.slug))
            check_reworded(survey, current, *before)
            if survey.revision == current.revision:
                follow(survey, current)
    except ValueError as mistake:
        return str(mistake)
    return ""


def _marked(text: str, other: str) -> tuple[str, str, str]:
    """Split a text into the words before, in and after its difference from another text.

    Examples
    --------
    >>> _marked("Was a superviser told?", "Was a supervisor told?")
    ('Was a ', 'superviser', ' told?')
    """
    words, theirs = (re.split("( )", one) for one in (text, other))
    start = _common_length(words, theirs)
    last = len(words) - _common_length(words[start:][::-1], theirs[start:][::-1])
    return "".join(words[:start]), "".join(words[start:last]), "".join(words[last:])


def _common_length(words: list[str], theirs: list[str]) -> int:
    pairs = zip(words, theirs, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


@publishing.post("/names", needs=Right.DRAFT)
def rename(draft: str) -> ResponseReturnValue:
    """Change the names of a draft and its questions in addresses and files: all, or none."""
    found = or_404(store.draft, draft)
    survey, text = _compiled(found), found.text
    slug, *ids = _typed(survey)
    mistake = next(_clashes(survey, ids), "")
    if survey.slug in catalogue:
        mistake = f"The names of {survey.slug!r} are published, so they stay."
    if request.form.get("number") != survey.check_number:
        mistake = _CHANGED
    if not mistake:
        for number, id in enumerate(ids):
            text = edited(text, {"do": "name", "number": number, "value": id}, {})
        text = edited(text, {"do": "set", "place": ["survey"], "value": slug}, {})
        checked = the_checker().check(text, people_expected(plan_of(text)))
        mistake = next((one["said"] for one in checked["mistakes"]), checked["failed"])
    if mistake:
        return _refusal(found, survey, mistake, "changed")
    store.keep_draft(replace(found, text=text))
    return see_other("publishing.page", "The names are changed.", draft=draft)


def _typed(survey: Survey) -> list[str]:
    """Return the names that are typed for a survey and its questions, or those that they have."""
    names = {"survey": survey.slug} | {f"id.{n}": one.id for n, one in enumerate(survey.questions)}
    return [request.form.get(name, now).strip() for name, now in names.items()]


def _clashes(survey: Survey, ids: list[str]) -> Iterator[str]:
    """Say which questions would have a name that another one has or gets."""
    each = [*enumerate(zip(survey.questions, ids, strict=True), start=1)]
    for number, (_, id) in each:
        for other, (question, theirs) in each:
            if number != other and id in (question.id, theirs):
                yield (
                    f"Each question needs a name of its own: “{id}” is that of question {number} "
                    f"and of question {other}."
                )


@publishing.post("", needs=Right.DRAFT)
def send(draft: str) -> ResponseReturnValue:
    """Publish a draft."""
    found = or_404(store.draft, draft)
    survey = _compiled(found)
    if request.form.get("number") != survey.check_number:
        return _refusal(found, survey, _CHANGED)
    if _typed(survey) != [survey.slug, *(one.id for one in survey.questions)]:
        return _refusal(found, survey, _RENAMED)
    trial = trial_named(survey.slug, draft)
    answers = store.snapshot(trial).count() if trial in catalogue else None
    current = catalogue.found(survey.slug)
    try:
        seen = request.form.get("current", "")
        publish(survey, found.text, seen=seen)
    except TakenError:
        return _refusal(found, survey, "")
    except SurveyChanged:
        return _refusal(found, survey, _CHANGED)
    except StoreUnavailable:
        raise
    except StoreError as mistake:
        return _refusal(found, survey, str(mistake).partition(": ")[2])
    end_trials(store, draft)
    if answers is not None and (current is None or current.revision == survey.revision):
        # A tried draft keeps a trial, under the survey's own name and with corrected wordings.
        kept = begin_trial(store, survey)
        if answers:
            answer_trial(store, kept, min(answers, MOST_PEOPLE))
    store.keep_draft(replace(found, survey=survey.slug))
    told = f"“{title_of(found.text)}” is published."
    if current is None and request.form.get("then") == "paused":
        store.set_state(survey.slug, State.PAUSED)
        told += " It is paused: make invitations or set a schedule, then open it."
    return see_other("collection.page", told, slug=survey.slug)
