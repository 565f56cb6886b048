"""A survey with its tally: every estimate that needs no single report."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NoReturn

from deniable.analysis.counts.tally import Tally
from deniable.study import crossing, shares
from deniable.study.base import BaseStudy
from deniable.study.tallies.file import Tallies
from deniable.study.tallies.full import FullTally, nothing_counted
from deniable.survey import Survey
from deniable.survey.items import Item


@dataclass(frozen=True, eq=False)
class Tallied(BaseStudy):
    """A survey with the tally of its reports. Made by `deniable.study.open_tally`.

    It estimates the same as a `deniable.study.Study` of those reports, with two exceptions: a
    regression, and weights, strata or clusters, need the reports themselves.

    Parameters
    ----------
    by_wave : dict of (int: FullTally)
        Of each wave that has reports, or of the first.
    min_cell_size : int
        How many people a direct answer needs to be published.
    """

    survey: Survey = field(repr=False)
    by_wave: dict[int, FullTally] = field(repr=False)
    source: str
    min_cell_size: int = 1

    @classmethod
    def of(cls, tallies: Tallies, source: str) -> Tallied:
        """Take the tally of a file."""
        return cls(tallies.survey, tallies.waves, source)

    @cached_property
    def tallies(self) -> dict[int, Tally]:
        """The tally of each item by itself, by wave."""
        return {wave: tally.tally(self.survey) for wave, tally in self.by_wave.items()}

    def _of_one(self, wave: int) -> Tallied:
        found = self.by_wave.get(wave, nothing_counted(self.survey))
        return replace(self, by_wave={wave: found}, source=self._source_of(wave))

    def weights(self, *_: object, **__: object) -> NoReturn:
        """Refuse: weights ask which reports a person sent."""
        raise ValueError(
            "weights, strata and clusters need the reports, expected a store, a CSV of reports or "
            "a desk, found a tally"
        )

    def _responses(self, item: Item, groups: Item | None) -> dict[int, shares.GroupedReports]:
        place, found = self._place(item), dict[int, shares.GroupedReports]()
        for wave, tally in self.by_wave.items():
            if groups is None:
                counts = tally.singles[place]
                found[wave] = shares.CountedGroups({shares.EVERYBODY: counts[:-1]}, int(counts[-1]))
            else:
                counts = tally.pair(self._place(groups), place)
                of = dict(zip(groups.truths, counts, strict=False))
                found[wave] = shares.CountedGroups(of, tally.n - int(counts.sum()))
        return found

    def _pair(self, one: Item, other: Item) -> crossing.Pair:
        counts = self._whole.pair(self._place(one), self._place(other))
        return crossing.pair_of(one, other, counts)

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
