"""The source of every file of the zip: a survey with its reports, and the choices."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from deniable.analysis.counts.rows import Rows
from deniable.analysis.counts.tally import count_kept
from deniable.analysis.privacy.columns import grouped, holding, holds, margins_together, too_few
from deniable.analysis.privacy.disclosure import TooFewError
from deniable.analysis.results import Results
from deniable.analysis.waves import Waves, summarise_waves
from deniable.publication.table import Table, make_table
from deniable.publication.weighting import Margins, Weighting, weighting_of
from deniable.survey import Survey
from deniable.survey.grouped import Columns, every_column
from deniable.survey.items import Item


@dataclass(frozen=True, eq=False)
class Material:
    """A survey with its reports, and the choices of what is published."""

    survey: Survey
    # They also decide which direct answers are published, and how many people must share them.
    rows: Rows = field(repr=False)
    # The direct items whose columns are published, in their groups; none by default.
    direct: Columns = field(default_factory=dict)
    level: float = 0.95  # of each interval, between 0 and 1
    origin: str = ""  # a sentence on where the reports come from
    response: str = ""  # a sentence on how many of those invited answered
    # The check number of each revision that is counted, with its reports; empty if the reports do
    # not name their revision.
    revisions: tuple[tuple[str, int], ...] = ()
    # The survey file as the researcher wrote it, if known.
    written: bytes | None = field(default=None, repr=False)
    margins: Margins = field(default_factory=dict)  # of the population

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.rows.n

    @property
    def of_revisions(self) -> str:
        """The number of reports to each revision, in words that follow "803 reports"."""
        own = self.survey.shown_number
        counts = dict(self.revisions)
        others = [f"{n:,} to revision {one}" for one, n in counts.items() if one != own]
        if not counts:
            return f"read as reports to revision {own}"
        if not others:
            return f"all to revision {own}"
        return (
            f"{', '.join([f'{counts.get(own, 0):,} to revision {own}', *others])}, counted where a "
            f"question is the same as in revision {own}"
        )

    def asked(self, item: Item) -> str:
        """Return the number of people who were asked an item, in each wave."""
        found = [
            one.n
            for _, results in self.each()
            for question in results.questions
            for one in question.items
            if one.item == item
        ]
        return " / ".join(f"{n:,}" for n in found)

    @cached_property
    def told(self) -> Rows:
        """The reports with the published direct answers in their groups, the others as sent.

        The estimates are of these, so that readers can recompute them.
        """
        return grouped(
            self.rows, {**every_column(self.rows.survey), **self.direct}, self.rows.least
        )

    @cached_property
    def published(self) -> Rows:
        """The rows of the files, with the published direct columns alone.

        Raises
        ------
        TooFewError
            If few people gave some combination of these.
        """
        if not holds(self.rows, self.direct):
            kept = holding(self.rows, self.direct)
            raise TooFewError(
                too_few(self.rows, kept, [name for name in self.direct if name not in kept])
            )
        return grouped(self.rows, self.direct)

    @cached_property
    def table(self) -> Table:
        """The published columns."""
        return make_table(self.published)

    @cached_property
    def weighting(self) -> Weighting | str:
        """The weighted estimates, or the reason for their lack; empty if there are no margins."""
        try:
            return (
                weighting_of(
                    self.published, self.table, self.told.survey, self._margins, self.level
                )
                if self.margins
                else ""
            )
        except ValueError as mistake:
            return str(mistake)

    @property
    def _margins(self) -> Margins:
        """The margins of the published groups: a weight tells the answers that it is made of."""
        if hidden := [name for name in self.margins if name not in self.direct]:
            raise ValueError(
                "a weight tells the direct answers that it is made of: publish "
                f"{' and '.join(hidden)} too"
            )
        return margins_together(self.margins, self.rows.survey, self.direct)

    @property
    def weights(self) -> list[float | None] | None:
        """The weight of each row of reports.csv, None for no weight; None without a weighting."""
        if isinstance(self.weighting, str):
            return None
        return [None if w != w else w for w in self.weighting.weights.tolist()]  # noqa: PLR0124  nan

    @cached_property
    def results(self) -> Waves:
        """Every estimate of each wave."""
        rows = self.told
        return summarise_waves(rows.survey, count_kept(rows), self.level, min_cell_size=rows.least)

    def each(self) -> Iterator[tuple[int, Results]]:
        """Yield the results of each wave with its number."""
        yield from zip(self.results.waves, self.results.results, strict=True)
