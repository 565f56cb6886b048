"""A survey with its tally: every estimate that needs no single report."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.analysis.results import summarise
from deniable.analysis.tally import Tally
from deniable.analysis.waves import summarise_waves
from deniable.items import Item
from deniable.questions import Protection
from deniable.study import crossing, shares, wave_table
from deniable.study.analysed import Analysed
from deniable.study.asked import Asked, all_shares
from deniable.study.tallies.file import Tallies
from deniable.study.tallies.full import FullTally, nothing_counted
from deniable.survey import Survey


@dataclass(frozen=True, eq=False)
class Tallied(Asked):
    """A survey with the tally of its reports. Made by `deniable.study.open_tally`.

    It estimates the same as a `deniable.study.Study` of those reports, with two exceptions: a
    regression, and weights, strata or clusters, need the reports themselves.

    Parameters
    ----------
    survey : Survey
    by_wave : dict of (int: FullTally)
        Of each wave that has reports; under 0 if there are none.
    source : str
        Where it comes from.
    """

    survey: Survey = field(repr=False)
    by_wave: dict[int, FullTally] = field(repr=False)
    source: str

    @classmethod
    def of(cls, tallies: Tallies, source: str) -> Tallied:
        """Take the tally of a file, with the reports to other revisions that count in it."""
        return cls(tallies.survey, tallies.pooled(), source)

    @property
    def n(self) -> int:
        """Number of reports."""
        return self._whole.n

    @cached_property
    def tallies(self) -> dict[int, Tally]:
        """The tally of each item by itself, by wave."""
        return {wave: tally.tally(self.survey) for wave, tally in self.by_wave.items()}

    def wave(self, wave: int) -> Tallied:
        """Return one wave alone; see `deniable.study.Study.wave`."""
        waves = self._waves_of()
        if not 1 <= wave <= waves:
            raise ValueError(f"expected a wave from 1 to {waves}, found {wave}")
        found = self.by_wave.get(wave, nothing_counted(self.survey))
        return replace(self, by_wave={wave: found}, source=f"{self.source}, wave {wave}")

    def waves(
        self, question: str | None = None, *, level: float = 0.95, method: str = intervals.DEFAULT
    ) -> Analysed:
        """Estimate each wave, and the changes; see `deniable.study.Study.waves`."""
        self._waves_of()
        if not self.by_wave:
            raise ValueError(f"{self.survey.slug} has no reports yet, of any wave")
        found = summarise_waves(self.survey, self.tallies, level, method)
        return wave_table.all_waves(found, self.source, self._asked(question))

    def shares(
        self,
        item: str | None = None,
        *,
        weights: str | None = None,
        strata: str | None = None,
        clusters: str | None = None,
        level: float = 0.95,
        method: str = intervals.DEFAULT,
    ) -> Analysed:
        """Estimate the shares of an item, or of all; see `deniable.study.Study.shares`."""
        self._refuse_samples(weights, strata, clusters)
        if item is None:
            tally = self._whole.tally(self.survey)
            return all_shares(summarise(self.survey, tally, level, method), self.source)
        found = self.item(item)
        counts = self._whole.singles[self._place(found)]
        return shares.compare(
            self._source(found),
            found,
            {shares.EVERYBODY: counts[:-1]},
            by=None,
            values=self._values(found),
            level=level,
            method=method,
            missing=int(counts[-1]),
        )

    def by(
        self,
        group: str,
        item: str,
        *,
        weights: str | None = None,
        strata: str | None = None,
        clusters: str | None = None,
        level: float = 0.95,
        method: str = intervals.DEFAULT,
    ) -> Analysed:
        """Estimate an item within groups of people; see `deniable.study.Study.by`."""
        self._refuse_samples(weights, strata, clusters)
        found, groups = self._two(item, group)
        counts = self._joint(groups, found)
        if groups.protection is not Protection.DIRECT:
            pair = crossing.pair_of(groups, found, counts)
            return crossing.within(self._source(found), pair, level)
        rows = dict(zip(groups.truths, counts, strict=False))
        return self._compared(found, groups, rows, self.n - int(counts.sum()), level, method)

    def cross(self, first: str, second: str, *, level: float = 0.95) -> Analysed:
        """Estimate the pairs of answers to two items; see `deniable.study.Study.cross`."""
        one, other = self._two(first, second)
        pair = crossing.pair_of(one, other, self._joint(one, other))
        return crossing.cross(self._source(other), pair, level)

    def regress(self, formula: str, **_: object) -> NoReturn:
        """Refuse: a regression asks what each person answered to several questions.

        Raises
        ------
        ValueError
            Always; it says what a regression needs.
        """
        raise ValueError(
            f"{formula}: a regression needs the reports, expected a store, a CSV of reports or a "
            "desk, found a tally"
        )

    @cached_property
    def _whole(self) -> FullTally:
        return sum(self.by_wave.values(), nothing_counted(self.survey))

    def _place(self, item: Item) -> int:
        return self.survey.items.index(item)

    def _joint(self, one: Item, other: Item) -> npt.NDArray[np.int64]:
        return self._whole.pair(self._place(one), self._place(other))

    def _two(self, first: str, second: str) -> tuple[Item, Item]:
        one, other = self.item(first), self.item(second)
        if one is other:
            raise ValueError(f"expected two different items, found {one.id!r} twice")
        return one, other

    def _refuse_samples(self, *named: str | None) -> None:
        if any(named):
            raise ValueError(
                "weights, strata and clusters need the reports, expected a store, a CSV of reports "
                "or a desk, found a tally"
            )
