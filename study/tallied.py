"""A survey with its tally: every estimate that needs no single report."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.analysis.counts.tally import Tally
from deniable.analysis.mean_of_waves import summarise_mean
from deniable.analysis.results import summarise
from deniable.analysis.waves import summarise_waves
from deniable.results.changes import all_waves
from deniable.results.result import Result
from deniable.study import crossing, shares
from deniable.study.base import BaseStudy, all_shares, refuse_sample
from deniable.study.tallies.file import Tallies
from deniable.study.tallies.full import FullTally, nothing_counted
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Protection


@dataclass(frozen=True, eq=False)
class Tallied(BaseStudy):
    """A survey with the tally of its reports. Made by `deniable.study.open_tally`.

    It estimates the same as a `deniable.study.Study` of those reports, with two exceptions: a
    regression, and weights, strata or clusters, need the reports themselves.

    Parameters
    ----------
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
    def n_by_wave(self) -> dict[int, int]:
        """How many people answered in each wave that has reports; under 0 if there are no waves."""
        return {wave: tally.n for wave, tally in self.by_wave.items()}

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
    ) -> Result:
        """Estimate each wave, and the changes; see `deniable.study.Study.waves`."""
        self._waves_of()
        if not self.by_wave:
            raise ValueError(f"{self.survey.slug} has no reports yet, of any wave")
        found = summarise_waves(self.survey, self.tallies, level, method)
        return all_waves(found, self.source, self._asked(question))

    def shares(
        self,
        item: str | None = None,
        *,
        wave: int | None = None,
        weights: str | None = None,
        strata: str | None = None,
        clusters: str | None = None,
        level: float = 0.95,
        method: str = intervals.DEFAULT,
    ) -> Result:
        """Estimate the shares of an item, or of all; see `deniable.study.Study.shares`."""
        self._refuse_samples(weights, strata, clusters)
        if wave is not None:
            return self.wave(wave).shares(item, level=level, method=method)
        if item is None:
            if self.survey.waves is None or not self.by_wave:
                tally = self._whole.tally(self.survey)
                return all_shares(summarise(self.survey, tally, level, method), self.source)
            return all_shares(summarise_mean(self.survey, self.tallies, level, method), self.source)
        found = self.item(item)
        place = self._place(found)
        of_waves = {
            wave: shares.Counted({shares.EVERYBODY: counts[:-1]}, int(counts[-1]))
            for wave, tally in self._each_wave().items()
            for counts in (tally.singles[place],)
        }
        return shares.estimate_item(
            self._source(found), self._asking(found), of_waves, level=level, method=method
        )

    def by(  # noqa: PLR0913  what can be asked
        self,
        group: str,
        item: str,
        *,
        wave: int | None = None,
        weights: str | None = None,
        strata: str | None = None,
        clusters: str | None = None,
        level: float = 0.95,
        method: str = intervals.DEFAULT,
    ) -> Result:
        """Estimate an item within groups of people; see `deniable.study.Study.by`."""
        self._refuse_samples(weights, strata, clusters)
        if wave is not None:
            return self.wave(wave).by(group, item, level=level, method=method)
        found, groups = self._two(item, group)
        if groups.protection is not Protection.DIRECT:
            self._check_single_wave(f"groups of {groups.id!r}, which was randomised")
            pair = crossing.pair_of(groups, found, self._joint(groups, found))
            return crossing.within(self._source(found), pair, level)
        places = self._place(groups), self._place(found)
        of_waves = {
            wave: shares.Counted(
                dict(zip(groups.truths, counts, strict=False)), tally.n - int(counts.sum())
            )
            for wave, tally in self._each_wave().items()
            for counts in (tally.pair(*places),)
        }
        return shares.estimate_item(
            self._source(found),
            self._asking(found, groups.id),
            of_waves,
            level=level,
            method=method,
        )

    def cross(
        self,
        first: str,
        second: str,
        *,
        wave: int | None = None,
        level: float = 0.95,
        **sample: str,
    ) -> Result:
        """Estimate the pairs of answers to two items; see `deniable.study.Study.cross`."""
        refuse_sample("a table of two questions", sample)
        if wave is not None:
            return self.wave(wave).cross(first, second, level=level)
        self._check_single_wave("two questions together")
        one, other = self._two(first, second)
        pair = crossing.pair_of(one, other, self._joint(one, other))
        return crossing.cross(self._source(other), pair, level)

    def regress(self, formula: str, **_: object) -> NoReturn:
        """Refuse: a regression asks what each person answered to several questions."""
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

    def _each_wave(self) -> dict[int, FullTally]:
        return self.by_wave or {0: self._whole}

    def _refuse_samples(self, *named: str | None) -> None:
        if any(named):
            raise ValueError(
                "weights, strata and clusters need the reports, expected a store, a CSV of reports "
                "or a desk, found a tally"
            )
