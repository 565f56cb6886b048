"""A survey with the counts of its reports, which are read only where counts do not suffice."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from deniable.analysis import intervals
from deniable.analysis.counts.tally import Tally, count_reports
from deniable.analysis.privacy.disclosure import LEAST
from deniable.analysis.results import Results, summarise
from deniable.analysis.waves import ItemReports
from deniable.study import crossing, shares
from deniable.study.base import LEVEL, BaseStudy
from deniable.study.study import Study
from deniable.study.weighing import Margins
from deniable.survey import Survey
from deniable.survey.items import Item


class Summaries:
    """A cache of the last summaries of tallies.

    A desk shows new reports by whole batches only, and people look often.
    """

    MOST: Final = 32

    def __init__(self) -> None:
        # By everything that a summary depends on, the oldest first.
        self._kept: dict[Hashable, Results] = {}

    def of(
        self,
        survey: Survey,
        tally: Tally,
        level: float,
        method: str,
        *,
        min_cell_size: int,
        only: str | None = None,
    ) -> Results:
        """Summarise a tally as `summarise` does; estimates of one question are not kept."""
        if only is not None:
            return summarise(survey, tally, level, method, min_cell_size=min_cell_size, only=only)
        counts = tuple(each.tobytes() for each in tally.counts)
        key = (survey.number, survey.slug, tally.n, counts, level, method, min_cell_size)
        results = self._kept.get(key)
        if results is None:
            results = summarise(survey, tally, level, method, min_cell_size=min_cell_size)
            while len(self._kept) >= self.MOST:
                self._kept.pop(next(iter(self._kept), None), None)
            self._kept[key] = results
        return results


SUMMARIES: Final = Summaries()
"""Those of this process."""


@dataclass(frozen=True, eq=False)
class CountedStudy(BaseStudy):
    """A survey with its tallies, as the desk and ``deniable estimate`` ask them.

    Parameters
    ----------
    tallies : dict of (int: Tally)
        Of each wave that has reports, or of the first.
    read : callable, optional
        Reads the reports, with what hides few people among them, if anything may need them.
    min_cell_size : int
        How many people a direct answer needs to be published.
    margins : Margins
        Of the population, to which all estimates are weighted; for these the reports are read.
    others : tuple of str
        Whether reports to other revisions are counted, in a sentence each.
    """

    survey: Survey = field(repr=False)
    tallies: dict[int, Tally] = field(repr=False)
    read: Callable[[], Study] | None = field(default=None, repr=False)
    source: str = ""
    min_cell_size: int = LEAST
    margins: Margins = field(default_factory=dict)
    others: tuple[str, ...] = ()

    @cached_property
    def reports(self) -> Study:
        """The reports, for analyses of several questions."""
        assert self.read is not None  # noqa: S101  for the type checker: margins come with it
        return self.read()

    def tally(self, wave: int) -> Tally:
        """Return the tally of a wave, which may have no reports."""
        return self.tallies.get(wave) or count_reports([], self.survey)

    def unweighted(
        self, wave: int, level: float = LEVEL, method: str = intervals.DEFAULT
    ) -> Results:
        """Estimate a wave, whatever the margins; `method` may be always valid."""
        return self._summarised(self.tally(wave), level, method, None)

    def among(self, asked: Item, groups: Sequence[Item] = ()) -> Study:  # type: ignore[override]  # of the reports
        """Return the people of whom an item may be told in groups of others."""
        return self.reports.among(asked, groups)

    def reports_on(self, wave: int, item: Item) -> ItemReports:
        """Return the reports of a wave on an item, weighted to the margins if there are some."""
        if self.margins:
            return self.reports.reports_on(wave, item)
        return super().reports_on(wave, item)

    def _of_one(self, wave: int) -> CountedStudy:
        return replace(
            self,
            tallies={wave: self.tally(wave)},
            read=lambda: self.reports.wave(wave),
            source=self._source_of(wave),
        )

    def _results_by_wave(
        self, level: float, method: str, only: str | None = None
    ) -> dict[int, Results]:
        found = super()._results_by_wave(level, method, only)
        return self.reports.weigh_waves(found) if self.margins else found

    def _summarised(self, tally: Tally, level: float, method: str, only: str | None) -> Results:
        return SUMMARIES.of(
            self.survey, tally, level, method, min_cell_size=self.min_cell_size, only=only
        )

    def _responses(self, item: Item, groups: Item | None) -> Mapping[int, shares.GroupedReports]:
        return self.reports._responses(item, groups)

    def _pair(self, one: Item, other: Item) -> crossing.Pair:
        return self.reports._pair(one, other)
