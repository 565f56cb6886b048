"""The list of surveys, and the buttons that set a state, begin a wave, or delete a survey.

The adversary is haste, and a wrong belief. A wave that has ended cannot be begun again, and a
survey that is deleted does not come back. So a page first says what ends, and what remains
elsewhere (backups, downloaded files, and the memory of devices), and does nothing unconfirmed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from flask import Blueprint, abort, flash, render_template, request
from werkzeug.wrappers import Response as BaseResponse

from deniable.server.desk.context import catalogue, find_survey, or_404, see_other, store
from deniable.server.desk.editor.beginnings import to_begin_with
from deniable.server.desk.editor.preview import is_beside
from deniable.server.desk.permissions import Right, signed_in
from deniable.server.desk.results.study import snapshot_of
from deniable.server.desk.steps import Next, next_of
from deniable.server.desk.surveys.status import Progress, date_wanted, progress_of
from deniable.server.store.records import SurveyRecord
from deniable.server.store.retention import told_of
from deniable.server.store.schedule import SET, Schedule, State, read_schedule
from deniable.survey import Survey
from deniable.survey.kind import survey_tried, trial_slug

surveys = Blueprint("surveys", __name__, url_prefix="/desk/surveys")


@dataclass(frozen=True)
class _Row:
    """A survey in the list; `date`: the day by which it should have its reports."""

    survey: Survey
    state: State
    schedule: Schedule
    wave: int
    reports: int
    progress: Progress
    date: str
    next: Next
    trial: str
    made_up: int
    promised: str


_ORDER: Final[dict[str, Callable[[_Row], Any]]] = {
    "state": lambda row: [*State].index(row.state),
    "title": lambda _: "",
    "reports": lambda row: row.reports,
    "date": lambda row: row.date or "9999",
}
"""The keys by which the list can be sorted, the usual one first; ties are sorted by title."""


@surveys.get("", needs=Right.SIGNED_IN)
def index() -> str:
    """List the surveys."""
    own = {
        record.survey.slug: record
        for record in store.surveys()
        if signed_in().role_in(record.survey) and not is_beside(record.survey.slug)
    }
    trials = {survey_tried(slug, one.survey.parent): slug for slug, one in own.items()}
    by = request.args.get("by", "")
    by = by if by in _ORDER else next(iter(_ORDER))
    promised = store.retentions()
    # A trial is listed under its survey. The trial of a draft has no survey yet.
    rows = [
        _row(record, trials.get(slug, ""), told_of(promised, slug))
        for slug, record in own.items()
        if survey_tried(slug, record.survey.parent) not in own
    ]
    rows.sort(key=lambda row: (_ORDER[by](row), row.survey.title.casefold()))
    return render_template("desk/surveys.html", rows=rows, by=by, **to_begin_with())


def _row(record: SurveyRecord, trial: str, promised: str) -> _Row:
    survey, slug = record.survey, record.survey.slug
    schedule, wave, snapshot = store.schedule(slug), store.wave(slug), snapshot_of(slug)
    reports = snapshot.count()
    return _Row(
        survey,
        record.state,
        schedule,
        wave,
        reports,
        progress_of(survey, schedule, snapshot, min(wave, survey.waves)),
        date_wanted(survey, schedule),
        next_of(survey, record.state, reports),
        trial,
        snapshot_of(trial).count() if trial else 0,
        promised,
    )


@surveys.post("/<slug>/state", needs=Right.CHANGE)
def set_state(slug: str) -> BaseResponse:
    """Open, pause or close a survey."""
    state = request.form.get("state")
    if state not in SET:
        abort(HTTPStatus.BAD_REQUEST)
    try:
        schedule = or_404(store.schedule, slug)
        if request.form.get("cap") and state == State.OPEN:
            store.set_schedule(slug, read_schedule({"cap": request.form["cap"]}, schedule))
        store.set_state(slug, State(state))
    except ValueError as reason:
        told = f"The survey stays {store.state(slug)}: {reason}."
        return see_other("collection.page", told, slug=slug)
    if request.form.get("page") == "collect":
        return see_other("collection.page", slug=slug)
    return see_other("status.page", slug=slug)


@surveys.post("/<slug>/public", needs=Right.CHANGE_SURVEY)
def set_public(slug: str) -> BaseResponse:
    """Publish a survey's results, or withdraw them."""
    store.set_public(slug, public=request.form.get("public") == "yes")
    return see_other("results.page", slug=slug, _anchor="public")


@surveys.get("/<slug>/delete", needs=Right.CHANGE)
def delete_page(slug: str, *, unconfirmed: bool = False) -> str:
    """Ask for a confirmation to delete a survey."""
    return render_template(
        "desk/delete.html",
        survey=find_survey(slug),
        # From the snapshot, as everywhere on the desk.
        reports=store.snapshot(slug).count(),
        revisions=len(store.revisions(slug)),
        has_trial=trial_slug(slug) in catalogue,
        unconfirmed=unconfirmed,
    )


@surveys.post("/<slug>/delete", needs=Right.CHANGE)
def delete(slug: str) -> BaseResponse | tuple[str, HTTPStatus]:
    """Delete a survey."""
    survey = find_survey(slug)
    if request.form.get("typed", "").strip() != slug:
        return delete_page(slug, unconfirmed=True), HTTPStatus.UNPROCESSABLE_ENTITY
    clean = or_404(store.delete, slug)  # or it was deleted from another tab in this moment
    flash(f"{survey.title} ({slug}) is deleted, with all its reports.")
    if not clean:
        flash(
            "Another program was reading the store, so its traces on disk are not overwritten "
            "yet. The server does this when no reports come for a while, or when it stops."
        )
    return see_other("surveys.index")


def _find_next(slug: str) -> tuple[Survey, int]:
    """Return a survey and its current wave; answer 404 if that is the last one."""
    survey, on = find_survey(slug), or_404(store.wave, slug)
    if on >= survey.waves:
        abort(HTTPStatus.NOT_FOUND)
    return survey, on


@surveys.get("/<slug>/wave", needs=Right.CHANGE)
def wave_page(slug: str, *, unconfirmed: bool = False) -> str:
    """Ask for a confirmation to begin the next wave."""
    survey, on = _find_next(slug)
    return render_template(
        "desk/begin_wave.html",
        survey=survey,
        on=on,
        state=store.state(slug),
        reports=store.snapshot(slug).count(wave=on),
        unconfirmed=unconfirmed,
    )


@surveys.post("/<slug>/wave", needs=Right.CHANGE)
def begin_wave(slug: str) -> BaseResponse | tuple[str, HTTPStatus]:
    """Begin the next wave."""
    survey, on = _find_next(slug)
    # The page asked about one wave, which another tab may have begun since.
    if request.form.get("wave") != str(on + 1):
        abort(HTTPStatus.BAD_REQUEST)
    if request.form.get("confirmed") != "yes":
        return wave_page(slug, unconfirmed=True), HTTPStatus.UNPROCESSABLE_ENTITY
    try:
        store.begin_wave(slug, on + 1)
    except ValueError:  # or another tab has begun it in this moment
        abort(HTTPStatus.BAD_REQUEST)
    state = store.state(slug)
    send = "Send" if state.takes_reports else f"The survey is {state}: open it, and then send"
    spoken = " or ".join(f"&lang={one}" for one in survey.languages if len(survey.languages) > 1)
    people = "again to the same people" if survey.keeps_noise else "to the next people"
    told = (
        f"Wave {on + 1} has begun, and wave {on} has ended. {send} the same link "
        f"{people}{spoken and f', with {spoken} at its end for the language'}."
    )
    return see_other("status.page", told, slug=slug)
