"""Shares and means of a population, from a sample with weights, strata or clusters."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from deniable.analysis.joint.ratios import Ratio, ratio_of
from deniable.analysis.means import mean_is_identifiable
from deniable.analysis.sampling.contrasts import difference
from deniable.analysis.sampling.debiased import debiased_shares, debiased_values
from deniable.analysis.sampling.design import SamplingDesign
from deniable.analysis.sampling.effective import kish
from deniable.analysis.sampling.of_items import sampled_results
from deniable.report import NOT_ASKED
from deniable.study.shares import Asking, CountedGroups, Differences, Part
from deniable.survey.items import Item
from deniable.survey.questions import Answer


@dataclass(frozen=True, eq=False)
class SampledGroups:
    """Responses of people who were drawn in some way.

    `reports`, shape (n,): 255 for "not asked". `groups`, shape (n,): who belongs to which group.
    `missing`: how many people gave none.
    """

    reports: npt.NDArray[np.uint8] = field(repr=False)
    groups: Mapping[Answer, npt.NDArray[np.bool_]] = field(repr=False)
    design: SamplingDesign
    missing: int = 0

    @property
    def n_by_group(self) -> Mapping[Answer, int]:
        """How many responses each group has of people who stand for somebody."""
        people, answered = self.design.people, self._answered
        return {group: people(inside & answered) for group, inside in self.groups.items()}

    @property
    def effective(self) -> float | None:
        """How many people of equal weight tell as much; None where each counts for one."""
        answered = self._answered
        if not answered.any() or self.design.is_simple_in(answered):
            return None
        return kish(self.design.weights[answered], self.design.times[answered])

    def estimate(self, asked: Asking, groups: Sequence[Answer], level: float, method: str) -> Part:
        """Estimate the item in these groups."""
        if self.design.is_simple_in(self._answered):
            return self._counted_groups(asked.item, groups).estimate(asked, groups, level, method)
        assert asked.question is not None  # noqa: S101  for the type checker: it is of a survey
        found = tuple(
            sampled_results(
                asked.question,
                asked.of(group),
                self.reports,
                self.design,
                level,
                method,
                domain=self.groups[group],
            )
            for group in groups
        )
        pairs = [*itertools.combinations([self.groups[group] for group in groups], 2)]
        channel, values = asked.item.channel, asked.values
        of_each = (
            Differences([difference(variable, self.design, *two) for two in pairs])
            if variable is not None and pairs
            else None
            for variable in (
                debiased_shares(self.reports, channel) if channel.identifiable else None,
                debiased_values(self.reports, channel, values)
                if values is not None and mean_is_identifiable(channel, values)
                else None,
            )
        )
        return Part(found, *of_each)

    def ratios(self, item: Item, groups: Sequence[Answer], *, odds: bool) -> list[Ratio]:
        """Compare the shares of every two groups, or the odds, by division."""
        if self.design.is_simple_in(self._answered):
            return self._counted_groups(item, groups).ratios(item, groups, odds=odds)
        shares = debiased_shares(self.reports, item.channel)
        pairs = itertools.combinations([self.groups[group] for group in groups], 2)
        compared = [difference(shares, self.design, *two) for two in pairs]
        return [ratio_of(one.first, one.second, one.correlation, odds=odds) for one in compared]

    def _counted_groups(self, item: Item, groups: Sequence[Answer]) -> CountedGroups:
        some, answered = self.groups, self._answered
        rows = {group: some[group] & answered for group in groups}
        n, times = item.channel.reports, self.design.times
        return CountedGroups(
            {
                of: np.bincount(self.reports[each], times[each], n).astype(int)
                for of, each in rows.items()
            }
        )

    @property
    def _answered(self) -> npt.NDArray[np.bool_]:
        some = np.logical_or.reduce([*self.groups.values()])
        return np.asarray(some & (self.reports < NOT_ASKED) & (self.design.weights > 0))
