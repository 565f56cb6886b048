"""A survey with the counts of its reports, which are read only where counts do not suffice.

A tally file has no reports that could be read. It has the counts of all pairs of reports, which
suffice for all but regressions and weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from deniable.analysis import intervals
from deniable.analysis.counts.tally import Tally, count_reports
from deniable.analysis.numerics.arrays import IntArray
from deniable.analysis.privacy.disclosure import LEAST
from deniable.analysis.results import Results, summarise
from deniable.analysis.waves import ItemReports
from deniable.results.result import Result
from deniable.study import crossing, shares
from deniable.study.questions import LEVEL, QuestionStudy
from deniable.study.study import Study
from deniable.study.tallies.file import Tallies
from deniable.study.tallies.full import FullTally, nothing_counted
from deniable.study.weighing import Margins
from deniable.survey import Survey
from deniable.survey.items import Item


@lru_cache(maxsize=32)
def summary(
    survey: Survey, n: int, counts: tuple[bytes, ...], level: float, method: str, min_cell_size: int
) -> Results:
    """Summarise a tally by its counts in bytes; the last summaries of this process are kept."""
    tally = Tally(survey.revision, n, tuple(np.frombuffer(one, dtype=np.int64) for one in counts))
    return summarise(survey, tally, level, method, min_cell_size=min_cell_size)


@dataclass(frozen=True, eq=False)
class CountedStudy(QuestionStudy):
    """A survey with its tallies: what the desk and the commands estimate from.

    `deniable.study.open_tally` makes one of a tally file.

    Parameters
    ----------
    tallies : dict of (int: Tally)
        Of each wave that has reports, or of the first.
    read_reports : callable, optional
        Reads the reports, with what hides few people among them. By default there are none.
    pairs : dict of (int: FullTally), optional
        How often each pair of reports came in the same waves, where no report can be read.
    min_cell_size : int
        How many people a direct answer needs to be published.
    margins : Margins
        Of the population, to which all estimates are weighted; for these the reports are read.
    others : tuple of str
        Whether reports to other revisions are counted, in a sentence each.
    """

    survey: Survey = field(repr=False)
    tallies: dict[int, Tally] = field(repr=False)
    read_reports: Callable[[], Study] | None = field(default=None, repr=False)
    pairs: Mapping[int, FullTally] = field(default_factory=dict, repr=False)
    source: str = ""
    min_cell_size: int = LEAST
    margins: Margins = field(default_factory=dict)
    others: tuple[str, ...] = ()

    @classmethod
    def of(cls, file: Tallies, source: str, min_cell_size: int = 1) -> CountedStudy:
        """Return the study of a tally file."""
        tallies = {wave: counted.tally(file.survey) for wave, counted in file.waves.items()}
        return cls(
            file.survey, tallies, pairs=file.waves, source=source, min_cell_size=min_cell_size
        )

    @cached_property
    def reports(self) -> Study:
        """The reports, for analyses of several questions."""
        return self._read("this needs")

    def _read(self, needing: str) -> Study:
        if self.read_reports is None:
            raise ValueError(
                f"{needing} the reports, expected a store, a CSV of reports or a desk, found a "
                "tally"
            )
        return self.read_reports()

    def weights(self, *columns: Any, **how: Any) -> Study:
        """Take the respondents for a sample, see `Study.weights`."""
        return self._read("weights, strata and clusters need").weights(*columns, **how)

    def regress(self, formula: str, **options: Any) -> Result:
        """Regress an item on others, see `Study.regress`."""
        return self._read(f"{formula}: a regression needs").regress(formula, **options)

    def tally(self, wave: int) -> Tally:
        """Return the tally of a wave, which may have no reports."""
        return self.tallies.get(wave) or count_reports([], self.survey)

    def unweighted(
        self, wave: int, level: float = LEVEL, method: str = intervals.DEFAULT
    ) -> Results:
        """Estimate a wave, whatever the margins."""
        return self._summarise(self.tally(wave), level, method, None)

    def among(self, asked: Item, groups: Sequence[Item] = ()) -> QuestionStudy:  # type: ignore[override]  # of the reports
        """Return the people of whom an item may be told in groups of others."""
        return self if self.read_reports is None else self.reports.among(asked, groups)

    def reports_on(self, wave: int, item: Item) -> ItemReports:
        """Return the reports of a wave on an item, weighted to the margins if there are some."""
        if self.margins:
            return self.reports.reports_on(wave, item)
        return super().reports_on(wave, item)

    def _one_wave(self, wave: int) -> CountedStudy:
        return replace(
            self,
            tallies={wave: self.tally(wave)},
            read_reports=self.read_reports and (lambda: self.reports.wave(wave)),
            pairs={one: counted for one, counted in self.pairs.items() if one == wave},
            source=self._source_of(wave),
        )

    def _results_by_wave(
        self, level: float, method: str, only: str | None = None
    ) -> dict[int, Results]:
        found = super()._results_by_wave(level, method, only)
        return self.reports.weigh_waves(found) if self.margins else found

    def _summarise(self, tally: Tally, level: float, method: str, only: str | None) -> Results:
        if only is not None:
            return super()._summarise(tally, level, method, only)
        counts = tuple(each.tobytes() for each in tally.counts)
        return summary(self.survey, tally.n, counts, level, method, self.min_cell_size)

    def _responses(self, item: Item, groups: Item | None) -> Mapping[int, shares.GroupedReports]:
        if self.read_reports is not None:
            return self.reports._responses(item, groups)
        found = dict[int, shares.GroupedReports]()
        for wave, tally in self.tallies.items():
            of = {shares.EVERYBODY: tally.counts[self._place(item)]}
            if groups is not None:
                of = dict(zip(groups.truths, self._paired(wave, groups, item), strict=False))
            found[wave] = shares.CountedGroups(of, tally.n - sum(int(n.sum()) for n in of.values()))
        return found

    def _pair(self, one: Item, other: Item) -> crossing.Pair:
        if self.read_reports is not None:
            return self.reports._pair(one, other)
        counts = sum(self._paired(wave, one, other) for wave in self.tallies)
        return crossing.pair_of(one, other, np.asarray(counts))

    def _paired(self, wave: int, one: Item, other: Item) -> IntArray:
        """Return the counts of the pairs of reports of two items in a wave."""
        counted = self.pairs.get(wave, nothing_counted(self.survey))
        return counted.pair(self._place(one), self._place(other))

    def _place(self, item: Item) -> int:
        return self.survey.items.index(item)
