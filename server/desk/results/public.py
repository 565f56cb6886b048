"""The results that everybody may see, if the survey's owner makes them public.

The adversary is the public: a reader who looks again and again, or looks for a person. So only
estimates of randomised answers are public, from the snapshot that the desk sees. Nobody promised
respondents that only researchers will see these estimates: every report is safe to show by itself,
by its own ε. Direct answers are not, and stay with the researchers. Until a survey ends, reports
are added in whole batches only, so that nobody learns when a report came; if a batch is smaller
than usual, nothing is public before the survey ends.

A page has no choices, and is made once for each snapshot: looking costs next to nothing.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from flask import Blueprint, Response, current_app, render_template

from deniable.analysis import intervals
from deniable.analysis.counts.tally import Tally
from deniable.analysis.results import Results, summarise
from deniable.results.files import FORMATS, Export
from deniable.results.headlines import headlines
from deniable.results.rows import lay_out
from deniable.results.shares import narrow_remarks
from deniable.server.desk.context import catalogue, store
from deniable.server.desk.permissions import Right
from deniable.server.desk.results.study import received_by, snapshot_of, study_with
from deniable.server.store.schedule import State, told_state
from deniable.survey import BATCH, Survey
from deniable.survey.questions import Protection

LEVEL: Final = 0.95

BEFORE_ITS_END: Final = intervals.ALWAYS_VALID
"""The interval of a survey that has not ended: valid however often, and whenever, it is read."""


@dataclass(frozen=True)
class _Made:
    """The page and the numbers made for a snapshot; `of`: all that they depend on."""

    of: object
    page: str
    numbers: str


public = Blueprint("public", __name__, url_prefix="/public")


def _newest(slug: str) -> _Made:
    # One at a time: a crowd that comes at once causes one computation, not many.
    lock, made = current_app.extensions.setdefault("public", (threading.Lock(), {}))
    with lock:
        survey, told = catalogue.current(slug), told_state(store.state(slug), store.schedule(slug))
        of = (survey.check_number, told, snapshot_of(slug))
        known: _Made | None = made.get(slug)
        if known is None or known.of != of:
            known = made[slug] = _make(survey, of)
        return known


@public.get("/<slug>", needs=Right.PUBLIC)
def page(slug: str) -> str:
    """Show the results that everybody may see."""
    return _newest(slug).page


@public.get("/<slug>/results.json", needs=Right.PUBLIC)
def numbers(slug: str) -> Response:
    """Return the results that everybody may see as JSON."""
    return Response(_newest(slug).numbers, mimetype="application/json")


def _make(survey: Survey, of: object) -> _Made:
    state = store.state(survey.slug)
    batch = min(one.batch for one in (survey, *received_by(survey).answered))
    found = results_of(survey, study_with(survey).tallies, batch, state)
    page = render_template(
        "desk/public.html",
        survey=survey,
        state=state,
        told=told_state(state, store.schedule(survey.slug)),
        waves=[
            (
                wave,
                results,
                [(one, headlines(one), [*narrow_remarks(one)]) for one in results.questions],
            )
            for wave, results in found.items()
        ],
        level=f"{100 * LEVEL:g}",
        left_out=bool(survey.asked_directly),
    )
    return _Made(of, page, write_results(survey, found, state))


def write_results(survey: Survey, found: Mapping[int, Results], state: State) -> str:
    """Return the results of `results_of` as the JSON that everybody may have."""
    exported = [(wave, lay_out(results)) for wave, results in found.items()]
    rows = [
        {**(survey.if_repeated({"wave": wave}) or {}), **row}
        for wave, export in exported
        for row in export.rows
    ]
    document: dict[str, Any] = {
        "survey": survey.slug,
        "title": survey.title,
        "revision": survey.revision,
        "n": sum(results.n for results in found.values()),
        "state": state,
    }
    return str(FORMATS["json"].write(Export((), rows, document)))


def results_of(
    survey: Survey, tallies: Mapping[int, Tally], batch: int, state: State
) -> dict[int, Results]:
    """Return the public results of each wave; `batch`: the smallest of all revisions."""
    if not state.has_ended and batch < BATCH:
        return {}
    method = intervals.DEFAULT if state.has_ended else BEFORE_ITS_END
    found = {}
    for wave, tally in tallies.items():
        results = summarise(survey, tally, LEVEL, method)
        questions = tuple(
            one
            for one in results.questions
            if one.question.protection is not Protection.DIRECT and one.items[0].n
        )
        if questions:
            found[wave] = replace(results, questions=questions)
    return found
