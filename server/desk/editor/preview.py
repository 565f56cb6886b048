"""The page that tries a survey: as a phone shows it, and answered by simulated respondents.

The adversary is a page that another page frames. The respondents' program lets the desk's origin
frame trials and nothing else (`deniable.server.respondent.headers`). The desk lets only this page
and a draft's editor hold a frame, of the respondents' origin, in which no script reaches the desk.
"""

import threading
from collections.abc import Iterable
from contextlib import suppress
from http import HTTPStatus
from itertools import chain
from typing import Final

from flask import Blueprint, abort, render_template, request
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.desk.context import catalogue, see_other, store
from deniable.server.desk.editor.lint_worker import the_checker
from deniable.server.desk.permissions import Right, signed_in
from deniable.server.store import Draft, Store
from deniable.server.store.accounts import NOBODY, Role
from deniable.survey import Survey
from deniable.survey.kind import survey_tried, trial_slug
from deniable.survey.revisions import differences
from deniable.survey.trial import trial_of

MOST_PEOPLE: Final = 5_000
"""Maximum number of simulated respondents at once: a page of the desk waits for them."""

# If two people take a name at the same moment, the second is refused.
one_at_a_time = threading.Lock()


class TakenError(ValueError):
    """An error for a survey whose name belongs to another account's survey."""


def begin_trial(store: Store, survey: Survey, draft: str = "") -> Survey:
    """Begin the trial of a survey or draft anew; delete an earlier one with its reports."""
    trial = trial_of(survey, draft)
    with suppress(KeyError):
        store.delete(trial.slug)
    store.register(trial)
    return trial


def end_trials(store: Store, draft: str) -> None:
    """Delete the trials of a draft with their reports, whatever names the draft has had."""
    for slug in [one.survey.slug for one in store.surveys() if one.survey.kind == "trial"]:
        if slug.endswith(f".{draft}"):
            store.delete(slug)


def answer_trial(store: Store, trial: Survey, people: int, rates: Iterable[str] = ()) -> None:
    """Store the reports of simulated respondents to a trial, in the current wave.

    Without `rates` their true answers are uniformly distributed. They are randomised as on real
    devices. A meeting that is rehearsed is a trial, too: it removes them before a class begins.
    """
    if trial.kind not in ("trial", "meeting"):
        raise ValueError(f"expected a trial, found {trial.slug!r}")
    if not 1 <= people <= MOST_PEOPLE:
        raise ValueError(f"expected 1 to {MOST_PEOPLE:,} people, found {people}")
    # Imported only here: the rest of the desk needs no client.
    from deniable.client.panel import simulate_panel  # noqa: PLC0415
    from deniable.client.population import read_population  # noqa: PLC0415
    from deniable.client.simulation import draw_ids, make_reports  # noqa: PLC0415

    on, panel = store.wave(trial.slug), simulate_panel(read_population(trial, rates), people)
    answered = (one for one in panel if one.wave == on)
    answers = chain.from_iterable(
        make_reports(trial, draw_ids(len(one.answers)), one.answers, one.wave) for one in answered
    )
    store.insert_reports([*answers])


_BESIDE: Final = "beside"
"""Part of the name of a trial beside a form, which begins anew with each change."""


def begin_trial_of(survey: Survey, draft: Draft, *, beside: bool, anew: bool = True) -> Survey:
    """Begin the trial of a draft, or of its survey once published, or the one `beside` its form.

    Unless `anew`, the trial of a draft that has not changed stays, with its reports.
    """
    refuse_taken(survey.slug)
    tried = catalogue.found(trial_named(survey.slug, draft.id))
    if tried and not beside and not anew and not changes_since(draft, tried):
        return tried
    name = f"{_BESIDE}.{draft.id}" if beside else draft.id
    end_trials(store, name)
    is_own = beside or survey.slug not in catalogue
    trial = begin_trial(store, survey, name if is_own else "")
    if is_own:
        own(trial.slug)
    return trial


def is_beside(slug: str) -> bool:
    """Return whether this is the name of a trial beside a form, which the list leaves out."""
    return f".{_BESIDE}." in slug


def trial_named(slug: str, draft: str) -> str:
    """Return the name of a draft's trial; once it is published, of its survey's trial."""
    survey = catalogue.found(slug)
    return trial_slug(slug, "" if survey and signed_in().may_change(survey) else draft)


def changes_since(draft: Draft, tried: Survey) -> tuple[str, ...]:
    """Return what has changed in a draft since its trial, in the words of a survey file."""
    survey = the_checker().compile(draft.text)
    if survey is None:
        return ("it has mistakes now, or the desk is busy",)
    own = "" if tried.slug == trial_slug(survey.slug) else draft.id
    return differences(trial_of(survey, own), tried)


def refuse_taken(slug: str) -> None:
    """Raise `TakenError` if a survey that the signed-in person may not change has this name."""
    survey = catalogue.found(slug)
    if survey is not None and not signed_in().may_change(survey):
        raise TakenError


def why_taken(slug: str) -> str:
    """Say why a draft cannot have this name; empty if it can."""
    try:
        refuse_taken(slug)
    except TakenError:
        return "Another survey has this name"
    return "A survey had this name and was deleted" * store.was_deleted(slug)


def own(slug: str) -> None:
    """Make the signed-in person an owner of a survey or a trial."""
    if signed_in().name != NOBODY:
        store.share(slug, signed_in().name, Role.OWNER)


preview = Blueprint("preview", __name__, url_prefix="/desk/surveys/<slug>/trial")


def _survey_and_trial(slug: str) -> tuple[Survey | None, Survey | None]:
    """Find a survey and its trial by the address of either."""
    there = catalogue.found(slug)
    if there is not None and there.kind == "trial":
        return catalogue.found(survey_tried(slug, there.parent)), there
    return there, catalogue.found(trial_slug(slug))


def _draft() -> Draft | None:
    """Find the trial's draft, if the address names it and the signed-in person owns it."""
    own = store.drafts(signed_in().name)
    return next((one for one in own if one.id == request.args.get("draft")), None)


def _back(slug: str, told: str) -> BaseResponse:
    draft = _draft()
    return see_other("preview.page", told, slug=slug, draft=None if draft is None else draft.id)


@preview.get("", needs=Right.READ)
def page(slug: str) -> str:
    """Show a trial in a phone's frame."""
    # A draft has a trial before it is a survey: until then only the trial can be found.
    survey, tried = _survey_and_trial(slug)
    shown = survey or tried
    if shown is None:
        abort(HTTPStatus.NOT_FOUND)
    draft = _draft()
    return render_template(
        "desk/preview.html",
        survey=shown,
        can_begin=survey is not None,
        draft=draft,
        changed=changes_since(draft, tried) if draft and tried else (),
        trial=tried,
        standing=None if tried is None else (store.state(tried.slug), store.snapshot(tried.slug)),
        outdated=survey is not None
        and tried is not None
        and trial_of(survey).revision != tried.revision,
        most=MOST_PEOPLE,
    )


@preview.post("", needs=Right.CHANGE)
def begin(slug: str) -> BaseResponse:
    """Begin a trial, or begin it anew."""
    survey, _ = _survey_and_trial(slug)
    if survey is None:
        abort(HTTPStatus.NOT_FOUND)
    begin_trial(store, survey)
    return _back(survey.slug, "The trial is ready. It has no answers yet.")


@preview.post("/answers", needs=Right.CHANGE)
def answer(slug: str) -> BaseResponse:
    """Take the form that lets simulated respondents answer a trial."""
    (_, tried), typed = _survey_and_trial(slug), request.form.get("people", "")
    if tried is None:
        abort(HTTPStatus.NOT_FOUND)
    if not (state := store.state(tried.slug)).takes_reports:
        return _back(slug, f"Nothing was answered: the trial is {state}.")
    try:
        answer_trial(store, tried, int(typed))
    except ValueError:
        return _back(slug, f"Nothing was answered: give a number from 1 to {MOST_PEOPLE:,}.")
    return _back(slug, f"{int(typed):,} simulated respondents answered the trial.")
