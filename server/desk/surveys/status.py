"""The desk's page on a survey that is under way: how many people have answered.

The adversary is impatience. A researcher who looks at intervals again and again, and stops when
they look good, is wrong more often than the intervals say. So no estimate is shown here. Everything
comes from the snapshot: repeated looks tell nobody when a report came.
"""

from dataclasses import asdict, dataclass, replace

from flask import Blueprint, Response, json, render_template

from deniable.server.desk.context import find_survey, or_404, store
from deniable.server.desk.permissions import Right
from deniable.server.desk.results.study import snapshot_of
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
    """The status of a survey in the wave that is on, by the reports of its snapshot.

    `date`: the day by which it should have its reports, by its file's `plan` or its schedule, or
    empty.
    """

    survey: Survey
    wave: int
    state: State
    schedule: Schedule
    snapshot: Snapshot
    progress: Progress
    date: str

    @property
    def next(self) -> Next:
        """The next thing to do for the survey."""
        return next_of(self.survey, self.state, self.reports)

    @property
    def reports(self) -> int:
        """The reports of the wave that is on."""
        return self.snapshot.count(wave=self.wave)

    @property
    def other_waves(self) -> dict[int, int]:
        """The reports of each other wave that has some."""
        waves = range(1, self.survey.waves + 1)
        each = {wave: self.snapshot.count(wave=wave) for wave in waves if wave != self.wave}
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
    survey, snapshot = find_survey(slug), snapshot_of(slug)
    wave = min(store.wave(slug), survey.waves)
    return Status(
        survey,
        wave,
        state,
        schedule,
        snapshot,
        progress_of(survey, schedule, snapshot, wave),
        date_wanted(survey, schedule),
    )


@status.get("/status", needs=Right.READ)
def page(slug: str) -> str:
    """Show the status of a survey."""
    seen, invited = _find_status(slug), store.invited(slug)
    return render_template(
        "desk/status.html",
        seen=seen,
        corrected=history(seen.survey),
        aims=_plan(seen.survey).aims().values(),
        rate=invited.told(seen.survey, seen.wave) if invited else "",
        told=told_schedule(replace(seen.schedule, access_word=None), seen.state),
    )


@status.get("/status.json", needs=Right.READ)
def numbers(slug: str) -> Response:
    """Return the status of a survey as JSON."""
    seen = _find_status(slug)
    survey, invited = seen.survey, store.invited(slug)
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
        "wave": seen.wave,
        "reports_in_wave": seen.reports,
        "response": asdict(invited.rate(survey, seen.wave)) if invited else None,
    }
    return Response(json.dumps(document), mimetype="application/json")
