"""The desk's page of results, its figures and its files."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from http import HTTPStatus

from flask import Blueprint, Response, abort, render_template

from deniable.analysis.privacy.disclosure import EVERYBODY
from deniable.analysis.results import QuestionResults, Results
from deniable.analysis.waves import Waves
from deniable.results.files import FORMATS
from deniable.results.headlines import Headline, headlines
from deniable.results.shares import remarks, said_to_apply
from deniable.results.table import Table
from deniable.server.desk.context import catalogue, store
from deniable.server.desk.permissions import Right
from deniable.server.desk.results.files import estimates_file, figure_file, reports_file
from deniable.server.desk.results.poisoning import is_unweighted, poisoning_table
from deniable.server.desk.results.query import Choice, choice_of
from deniable.server.desk.results.study import received_by, snapshot_of, study_of
from deniable.study.counted import CountedStudy
from deniable.survey.kind import trial_slug

results = Blueprint("results", __name__, url_prefix="/desk/surveys/<slug>")


@dataclass(frozen=True)
class Shown:
    """The estimates on a page of results."""

    study: CountedStudy
    choice: Choice

    @cached_property
    def waves(self) -> Waves:
        """The estimates of all waves."""
        return self.study.estimates(self.choice.confidence, self.choice.method)

    @cached_property
    def results(self) -> Results:
        """The estimates of the chosen wave, which may have no reports."""
        choice = self.choice
        return self.waves.of(choice.wave) or self.study.unweighted(
            choice.wave, choice.confidence, choice.method
        )

    @cached_property
    def lines(self) -> dict[str, tuple[Headline, ...]]:
        """The first lines of each question, by its id."""
        return {one.question.id: headlines(one) for one in self.results.questions}

    @cached_property
    def trial(self) -> str:
        """The survey's trial, if it has reports."""
        slug = trial_slug(self.choice.survey.slug)
        return slug if slug in catalogue and snapshot_of(slug).count() else ""

    @property
    def hides_direct(self) -> bool:
        """Whether all direct answers are hidden: of one revision, the others would follow."""
        return self.study.min_cell_size == EVERYBODY

    @property
    def least(self) -> int:
        """How many people a direct answer needs to be shown, over all revisions."""
        return received_by(self.choice.survey, self.choice.revision).least

    @property
    def why_hidden(self) -> str:
        """Why a dash stands for a direct answer."""
        if self.hides_direct:
            return (
                "A dash stands for a direct answer. These are shown for all revisions together: "
                "less those of one revision they would show the answers of few."
            )
        return (
            f"A dash stands for a direct answer that fewer than {self.least} people gave, and for "
            "others from which it could be worked out."
        )

    def is_unweighted(self, one: QuestionResults) -> bool:
        """Return whether a question has no weights, although results are weighted."""
        return is_unweighted(self.results, one)

    def remarks(self, one: QuestionResults) -> Sequence[str]:
        """Return the remarks on a question, in sentences."""
        id = one.question.id
        return [
            *self.results.notes.get(id, ()),
            *(said for of, said in said_to_apply(self.results) if of == id),
            *remarks(one, self.waves.verdict),
        ]

    @property
    def poisoning(self) -> Table:
        """How far invented reports could move each estimate."""
        return poisoning_table(self.results)


@results.get("", needs=Right.READ)
def page(slug: str) -> str:
    """Show the results of a survey."""
    return render_template(
        "desk/results.html",
        shown=Shown(study_of(slug), choice_of(slug)),
        state=store.state(slug),
        schedule=store.schedule(slug),
        snapshot=snapshot_of(slug),
        revisions=catalogue.revisions(slug),
        current=catalogue.current(slug),
        public=store.is_public(slug),
    )


# matplotlib is loaded at the first figure: it takes as long to load as the rest of the desk.
@results.get("/figures/<question>.<form>", needs=Right.READ)
def figure(slug: str, question: str, form: str) -> Response:
    """Return the figure of a question."""
    from deniable.results.figures.question import question_figure  # noqa: PLC0415

    choice, waves = choice_of(slug), _waves_of(slug, question, only_chosen=True)
    draw = partial(question_figure, waves[0][1], choice.confidence)
    return figure_file(choice.survey, question, draw, form)


@results.get("/trends/<question>.<form>", needs=Right.READ)
def trend(slug: str, question: str, form: str) -> Response:
    """Return the figure of a question over the waves."""
    choice, waves = choice_of(slug), _waves_of(slug, question)
    if not study_of(slug).n:
        abort(HTTPStatus.NOT_FOUND)
    from deniable.results.figures.trend import trend_figure  # noqa: PLC0415

    draw = partial(trend_figure, waves, choice.confidence)
    return figure_file(choice.survey, f"{question}-trend", draw, form)


def _waves_of(
    slug: str, question: str, *, only_chosen: bool = False
) -> tuple[tuple[int, QuestionResults], ...]:
    """Estimate a question in each wave that has reports, or in the chosen one; 404 for others."""
    choice, study = choice_of(slug), study_of(slug)
    if question not in {one.id for one in choice.survey.questions}:
        abort(HTTPStatus.NOT_FOUND)
    study = study.wave(choice.wave) if only_chosen else study
    found = study.estimates(choice.confidence, choice.method, question)
    each = zip(found.waves, found.results, strict=True)
    return tuple((wave, one.questions[0]) for wave, one in each)


@results.get("/estimates.<form>", needs=Right.READ)
def estimates(slug: str, form: str) -> Response:
    """Return the estimates as a file."""
    if form not in FORMATS:
        abort(HTTPStatus.NOT_FOUND)
    return estimates_file(slug, form)


@results.get("/reports.csv", needs=Right.READ)
def reports(slug: str) -> Response:
    """Return the noisy reports as a file."""
    return reports_file(slug)
