"""The desk's page on a survey that is under way: its reports, and the estimates so far.

The adversary is impatience. A researcher who looks at ordinary intervals again and again, and stops
when they look good, is wrong more often than the intervals say. So the intervals here hold at all
looks together. Everything comes from the snapshot: repeated looks tell nobody when a report came.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from flask import Blueprint, Response, json, render_template

from deniable.analysis.intervals import ALWAYS_VALID
from deniable.analysis.results import QuestionResults
from deniable.results.headlines import Headline, headlines
from deniable.server.desk.context import find_survey, or_404, store
from deniable.server.desk.permissions import Right
from deniable.server.desk.results.query import Choice, choice_of
from deniable.server.desk.results.study import snapshot_of, study_of
from deniable.server.desk.steps import Next, next_of
from deniable.server.store.records import Snapshot
from deniable.server.store.schedule import Schedule, State, told_schedule
from deniable.survey import Survey
from deniable.survey.revisions import history
from deniable.survey_file import PlanFields, plan_of
from deniable.text.timestamps import write_moment


@dataclass(frozen=True)
class Progress:
    """The progress of a collection: its reports, and the number that is wanted if known.

    A person reports once a wave, so people are counted in one wave. `is_of_all`: whether it is of
    all waves, which a cap counts, as it is if only a cap is known.
    """

    reports: int
    wanted: int | None
    is_of_all: bool = False


@dataclass(frozen=True)
class Status:
    """The status of a survey: the reports of its snapshot, its questions with their headlines.

    `date`: the day by which it should have its reports, by its file's `plan` or its schedule, or
    empty. `is_weighted`: whether its results are weighted, as these estimates never are.
    """

    choice: Choice
    state: State
    schedule: Schedule
    snapshot: Snapshot
    progress: Progress
    date: str
    questions: Sequence[tuple[QuestionResults, tuple[Headline, ...]]]
    is_weighted: bool

    @property
    def next(self) -> Next:
        """The next thing to do for the survey."""
        return next_of(self.choice.survey, self.state, self.reports)

    @property
    def reports(self) -> int:
        """The reports of the wave that is shown."""
        return self.snapshot.count(wave=self.choice.wave)

    @property
    def other_waves(self) -> dict[int, int]:
        """The reports of each other wave that has some."""
        waves = range(1, self.choice.survey.waves + 1)
        each = {wave: self.snapshot.count(wave=wave) for wave in waves if wave != self.choice.wave}
        return {wave: reports for wave, reports in each.items() if reports}


status = Blueprint("status", __name__, url_prefix="/desk/surveys/<slug>")


def progress_of(survey: Survey, schedule: Schedule, snapshot: Snapshot, wave: int) -> Progress:
    """Return the progress of a survey in this wave."""
    people = _plan(survey).people
    if not survey.is_repeated or (people is None and schedule.cap):
        return Progress(snapshot.count(), schedule.cap or people, is_of_all=True)
    return Progress(snapshot.count(wave=wave), people)


def date_wanted(survey: Survey, schedule: Schedule) -> str:
    """Return the day by which a survey should have its reports, by file or schedule; or empty."""
    closes = "" if schedule.closes is None else write_moment(schedule.closes)
    return _plan(survey).until or closes.partition("T")[0]


def _plan(survey: Survey) -> PlanFields:
    return plan_of(store.source(survey.slug, survey.revision))


def _find_status(slug: str) -> Status:
    schedule, state = or_404(store.schedule, slug), or_404(store.state, slug)
    choice, snapshot = choice_of(slug), snapshot_of(slug)
    study = study_of(slug)
    found = study.unweighted(choice.wave, choice.confidence, ALWAYS_VALID)
    return Status(
        choice,
        state,
        schedule,
        snapshot,
        progress_of(find_survey(slug), schedule, snapshot, choice.wave),
        date_wanted(find_survey(slug), schedule),
        [(one, headlines(one)) for one in found.questions],
        bool(study.margins),
    )


@status.get("/status", needs=Right.READ)
def page(slug: str) -> str:
    """Show the status of a survey."""
    seen, invited = _find_status(slug), store.invited(slug)
    return render_template(
        "desk/status.html",
        seen=seen,
        corrected=history(seen.choice.survey),
        aims=_plan(seen.choice.survey).aims().values(),
        rate=invited.told(seen.choice.survey, seen.choice.wave) if invited else "",
        told=told_schedule(replace(seen.schedule, access_word=None), seen.state),
    )


@status.get("/status.json", needs=Right.READ)
def numbers(slug: str) -> Response:
    """Return the status of a survey as JSON."""
    seen = _find_status(slug)
    survey, wave = seen.choice.survey, seen.choice.wave
    invited = store.invited(slug)
    document = {
        "survey": survey.slug,
        "revision": survey.revision,
        "state": seen.state,
        "opens": seen.schedule.opens,
        "closes": seen.schedule.closes,
        "cap": seen.schedule.cap,
        "reports": seen.snapshot.count(),
        "people": seen.progress.wanted,
        "wanted_by": seen.date or None,
        "batch": survey.batch,
        "wave": wave,
        "reports_in_wave": seen.reports,
        "response": asdict(invited.rate(survey, wave)) if invited else None,
        "interval": ALWAYS_VALID,
        "level": seen.choice.confidence,
        "questions": [
            {
                "id": found.question.id,
                "text": found.question.text,
                "n": found.items[0].n,
                "estimates": [*map(_headline_document, lines)],
            }
            for found, lines in seen.questions
        ],
    }
    return Response(json.dumps(document), mimetype="application/json")


def _headline_document(line: Headline) -> dict[str, object]:
    return {
        "item": line.item.id,
        "answer": None if line.answer is None else line.answer.code,
        "estimate": line.told.estimate,
        "low": line.told.low,
        "high": line.told.high,
    }
