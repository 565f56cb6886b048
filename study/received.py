"""The reports to a survey and to its other revisions: which of them are counted, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from deniable.analysis.counts.pooling import least_of_one, match, pool_answers, pool_rows
from deniable.analysis.counts.rows import Rows, direct_places
from deniable.analysis.counts.tally import Tally, count_kept, count_waves
from deniable.analysis.privacy.disclosure import LEAST
from deniable.study.counted import CountedStudy
from deniable.study.study import Study
from deniable.study.weighing import Margins
from deniable.survey import Survey
from deniable.survey.grouped import wanted_columns


@dataclass(frozen=True, eq=False)
class Received:
    """The reports that came to a survey, as a store has them or a desk shows them.

    Parameters
    ----------
    survey : Survey
        The revision whose questions are asked for.
    revisions : tuple of (Survey, int)
        Every revision with the number of its reports.
    read_rows : callable
        Reads the answers to a revision, as `deniable.server.store.Store.answers`.
    is_chosen : bool
        Whether `survey` was chosen, so that its reports alone are counted, and not those to all.
    least : int
        How many people a direct answer needs to be published; with 1 nothing is hidden.
    wanted : tuple of str
        The direct columns that come first in files: those that left already, and those of the
        survey's file, as `deniable.survey.grouped.write_columns` writes them.
    """

    survey: Survey
    revisions: tuple[tuple[Survey, int], ...]
    read_rows: Callable[[Survey], Iterable[bytes]] = field(repr=False)
    is_chosen: bool = False
    least: int = LEAST
    wanted: tuple[str, ...] = ()

    @property
    def answered(self) -> list[Survey]:
        """The revisions that have reports."""
        return [one for one, n in self.revisions if n]

    @cached_property
    def pooled(self) -> list[Survey]:
        """The answered revisions that ask any question as the survey does."""
        return [one for one in self.answered if match(self.survey, one).is_pooled]

    @property
    def counted(self) -> list[Survey]:
        """The revisions whose reports are counted."""
        return [self.survey] if self.is_chosen else self.pooled

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """The check number of each counted revision with the number of its reports."""
        known = {one.revision: n for one, n in self.revisions}
        return tuple(
            (one.shown_number, known[one.revision])
            for one in self.counted
            if known.get(one.revision)
        )

    @cached_property
    def min_cell_size(self) -> int:
        """How many people a direct answer needs to be published among the counted reports."""
        hides_all = self.is_chosen and self.least > 1
        return (
            max(least_of_one(self.survey, self.answered), self.least) if hides_all else self.least
        )

    @property
    def may_hide_people(self) -> bool:
        """Whether few people may have a pattern of their own, so that rows are counted.

        Direct answers are then counted as in every other output (`Rows`). The intake refuses gaps
        of a survey's only revision (`server.store.catalogue.Catalogue.is_alone`).
        """
        return self.least > 1 and len(self.revisions) > 1 and bool(direct_places(self.survey))

    def answers(self) -> Iterator[bytes]:
        """Read the counted reports, as reports to the survey."""
        return pool_answers(self.survey, ((one, self.read_rows(one)) for one in self.counted))

    def tallies(self) -> dict[int, Tally]:
        """Count the reports of each wave that has some, or of the first."""
        if self.may_hide_people:
            return count_kept(self.rows)
        return count_waves(self.answers(), self.survey)

    @cached_property
    def rows(self) -> Rows:
        """The counted reports, with what distinguishes people."""
        return self._rows(self.counted, self.min_cell_size) if self.is_chosen else self._everybody

    @cached_property
    def _everybody(self) -> Rows:
        return self._rows(self.answered, self.least)

    def _rows(self, revisions: Iterable[Survey], least: int) -> Rows:
        received = ((one, self.read_rows(one)) for one in revisions)
        wanted = wanted_columns(self.survey, *self.wanted)
        return pool_rows(self.survey, received, least, wanted)

    @property
    def others(self) -> tuple[str, ...]:
        """Whether the reports to the other revisions are counted, in sentences."""
        others = [
            (one, n) for one, n in self.revisions if n and one.revision != self.survey.revision
        ]
        if self.is_chosen:
            n = sum(n for _, n in others)
            return (f"Reports to other revisions are not in this: {n:,}.",) if n else ()
        return tuple(match(self.survey, one).told(n) for one, n in others)

    def study(
        self, tallies: dict[int, Tally], source: str = "", margins: Margins | None = None
    ) -> CountedStudy:
        """Return the survey with tallies of the counted reports, and a way to the reports.

        The reports are always those to all revisions: else the difference between all revisions and
        one could show the answers of few.
        """
        weighted = margins or {}
        return CountedStudy(
            self.survey,
            tallies,
            read_reports=lambda: Study.shown(self._everybody, source, weighted),
            source=source,
            min_cell_size=self.min_cell_size,
            margins=weighted,
            others=self.others,
        )
