"""The desk's page about a survey that is under way: how many reports, and what they say so far.

The adversary is impatience. Whoever looks at ordinary intervals again and again, and stops when
they look good, is wrong more often than they say. So the intervals here hold at all looks together.
Everything comes from the snapshot: looking again and again tells nobody when a report came.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flask import Blueprint, Response, json, render_template

from deniable.analysis.findings import QuestionResults
from deniable.analysis.intervals import ALWAYS_VALID
from deniable.results.headlines import Headline, headlines
from deniable.server.desk.context import find_survey, or_404, store
from deniable.server.desk.results.query import LEVELS, query
from deniable.server.store.schedule import Schedule, State, told_schedule
from deniable.survey import Survey
from deniable.survey.history import history
from deniable.survey_file import PlanFields, plan_of
from deniable.text.timestamps import write_moment


@dataclass(frozen=True)
class Status:
    """How a survey stands: the reports of its snapshot, its questions with their headlines.

    `people`, `date`: how many the reports are to be of and by when, by its schedule or its file's
    `plan`; None and empty if unknown.
    """

    survey: Survey
    state: State
    schedule: Schedule
    reports: int
    people: int | None
    date: str
    wave: int | None
    questions: Sequence[tuple[QuestionResults, tuple[Headline, ...]]]


status = Blueprint("status", __name__, url_prefix="/desk/surveys/<slug>")


def arrived(reports: int, survey: Survey) -> str:
    """Say how many reports are known to have arrived; before the first batch, fewer than one."""
    return f"{reports:,}" if reports or survey.batch == 1 else f"under {survey.batch}"


def people_wanted(survey: Survey, schedule: Schedule) -> int | None:
    """Return how many reports a survey is to have, if its cap or its file says so."""
    return schedule.cap or _plan(survey).people


def date_wanted(survey: Survey, schedule: Schedule) -> str:
    """Return the day by which it is to have them, by its file or its schedule; else nothing."""
    closes = "" if schedule.closes is None else write_moment(schedule.closes)
    return _plan(survey).until or closes.partition("T")[0]


def _plan(survey: Survey) -> PlanFields:
    return plan_of(store.source(survey.slug, survey.revision))


def _look(slug: str) -> Status:
    schedule, state = or_404(store.schedule, slug), or_404(store.state, slug)
    found = query.results(slug, ALWAYS_VALID)
    wave = query.wave(found.survey)
    shown = found.questions
    return Status(
        found.survey,
        state,
        schedule,
        query.snapshot(slug).count(),
        people_wanted(find_survey(slug), schedule),
        date_wanted(find_survey(slug), schedule),
        wave,
        [(one, headlines(one)) for one in shown],
    )


@status.get("/status")
def page(slug: str) -> str:
    """Show how a survey stands."""
    seen = _look(slug)
    return render_template(
        "desk/status.html",
        seen=seen,
        survey=seen.survey,
        corrected=history(seen.survey),
        aims=_plan(seen.survey).aims().values(),
        told=told_schedule(replace(seen.schedule, access_word=None), seen.state),
        level=query.level(),
        choice=query.revision(),
    )


@status.get("/status.json")
def numbers(slug: str) -> Response:
    """Return the same as JSON."""
    seen = _look(slug)
    document = {
        "survey": seen.survey.slug,
        "revision": seen.survey.revision,
        "state": seen.state,
        "opens": seen.schedule.opens,
        "closes": seen.schedule.closes,
        "cap": seen.schedule.cap,
        "reports": seen.reports,
        "people": seen.people,
        "wanted_by": seen.date or None,
        "batch": seen.survey.batch,
        "wave": seen.wave,
        "interval": ALWAYS_VALID,
        "level": LEVELS[query.level()],
        "questions": [
            {
                "id": found.question.id,
                "text": found.question.text,
                "n": found.items[0].n,
                "estimates": [*map(_written, lines)],
            }
            for found, lines in seen.questions
        ],
    }
    return Response(json.dumps(document), mimetype="application/json")


def _written(line: Headline) -> dict[str, object]:
    return {
        "item": line.item.id,
        "answer": None if line.answer is None else line.answer.code,
        "estimate": line.told.estimate,
        "low": line.told.low,
        "high": line.told.high,
    }
