"""Shares, means and comparisons of groups, of the responses to one item."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations, product
from operator import attrgetter
from typing import ClassVar, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.analysis.estimation import estimate
from deniable.analysis.findings import Contrast, findings_of
from deniable.analysis.joint import groups as by_group
from deniable.analysis.joint.association import ChiSquareTest, homogeneity
from deniable.analysis.joint.groups import less, pairwise
from deniable.analysis.joint.ratios import Ratio, ratio_of
from deniable.analysis.mean_of_waves import (
    ends_of_mean,
    error_of_mean,
    mean_of_items,
    method_of_each,
    waves_named,
)
from deniable.analysis.means import estimate_mean, mean_is_identifiable
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.results import ItemResults, item_results, results_of
from deniable.analysis.sampling.contrasts import difference
from deniable.analysis.sampling.debiased import debiased_shares, debiased_values
from deniable.analysis.sampling.design import SamplingDesign
from deniable.analysis.sampling.effective import kish
from deniable.analysis.sampling.of_items import sampled_results
from deniable.estimator import least_variance
from deniable.report import NOT_ASKED
from deniable.results.compared import Comparison
from deniable.results.item import ItemEstimate, Sample
from deniable.results.result import Result
from deniable.results.source import Source
from deniable.survey.items import Item
from deniable.survey.questions import Answer, Question

EVERYBODY: Final = Answer("", "")
"""The group of all, where groups are not compared."""


class Differences(NamedTuple):
    """How every two groups differ in one wave, in the order of `itertools.combinations`.

    `p_value`: theirs by themselves, shape (pairs, answers); None where a person may count for
    several. `test`: whether all groups are alike, by the counts.
    """

    pairs: Sequence[by_group.Difference]
    p_value: FloatArray | None = None
    test: ChiSquareTest | None = None


@dataclass(frozen=True, eq=False)
class Part:
    """What the responses of one wave, or all of them, say of an item in groups of people.

    `groups`: one a group, or a single one. `shares`, `means`: how the groups differ; None if there
    is a single one, or these cannot be told.
    """

    groups: tuple[ItemResults, ...]
    shares: Differences | None = None
    means: Differences | None = None


@dataclass(frozen=True, eq=False)
class Asking:
    """What was asked, and what is to be estimated of it.

    `values`: what each truth counts for, if a mean is wanted. `question`: the item's, in a survey.
    `groups`: the item whose answers make the groups; None for a single one.
    """

    item: Item
    values: Sequence[float] | None
    question: Question | None = None
    groups: Item | None = None

    @property
    def by(self) -> str | None:
        """What the groups differ in."""
        return None if self.groups is None else self.groups.id

    def of(self, group: Answer) -> Item:
        """Return the item as that of a group, under whose name it is shown."""
        return (
            self.item if self.groups is None else replace(self.item, id=group.text, text=group.text)
        )


@dataclass(frozen=True, eq=False)
class CountedGroups:
    """Responses of people who count alike, each by themselves.

    `counts`, shape (reports,): how often each report came in each group. `missing`: how many people
    gave none.
    """

    counts: Mapping[Answer, npt.NDArray[np.int64]]
    missing: int = 0
    effective: ClassVar[None] = None  # each counts for one

    @property
    def n_by_group(self) -> Mapping[Answer, int]:
        """How many responses each group has."""
        return {group: int(each.sum()) for group, each in self.counts.items()}

    def estimate(self, asked: Asking, groups: Sequence[Answer], level: float, method: str) -> Part:
        """Estimate the item in these groups."""
        counts, channel = [self.counts[group] for group in groups], asked.item.channel
        found = tuple(
            item_results(asked.of(group), each, level, method, values=asked.values)
            if asked.question is None
            else results_of(asked.question, asked.of(group), each, level, method)
            for group, each in zip(groups, counts, strict=True)
        )
        if len(groups) < 2:
            return Part(found)
        means = shares = None
        if asked.values is not None and mean_is_identifiable(channel, asked.values):
            each_mean = [estimate_mean(each, channel, asked.values).part(0) for each in counts]
            of_means = [*itertools.starmap(less, combinations(each_mean, 2))]
            means = Differences(of_means, np.array([one.p_value() for one in of_means]))
        if channel.identifiable:
            pairs = pairwise(counts, channel).differences
            # Of a single difference it would be another test of the same, with another p.
            single = len(groups) == 2 and channel.truths == 2
            shares = Differences(
                pairs,
                np.array([one.p_value(method) for one in pairs]),
                None if single else homogeneity(counts, channel),
            )
        return Part(found, shares, means)

    def ratios(self, item: Item, groups: Sequence[Answer], *, odds: bool) -> list[Ratio]:
        """Compare the shares of every two groups, or the odds, by division."""
        found = [estimate(self.counts[group], item.channel) for group in groups]
        return [ratio_of(*two, odds=odds) for two in combinations(found, 2)]


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
        pairs = [*combinations([self.groups[group] for group in groups], 2)]
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
        pairs = combinations([self.groups[group] for group in groups], 2)
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


GroupedReports: TypeAlias = CountedGroups | SampledGroups
"""The responses of one wave to an item, in groups of people."""


@dataclass(frozen=True, eq=False)
class Compared:
    """The differences of groups; over waves, their means.

    `waves`: the differences in each. `answers`: what a difference has of each two groups: an
    answer, or None for a mean. `level`, `method`: of the intervals. `independent`: whether the
    waves are known to be independent samples.
    """

    waves: Sequence[Differences]
    answers: tuple[Answer | None, ...]
    level: float
    method: str
    independent: bool = False

    @cached_property
    def together(self) -> tuple[FloatArray, FloatArray]:
        """Intervals that hold together, shape (pairs, answers, 2), and the p-values of these."""
        return by_group.held_together(
            self._ends,
            self._estimates.mean(axis=0),
            self.level,
            self.comparisons,
            self._only.p_value,
        )

    @property
    def test(self) -> dict[str, float | None] | None:
        """Whether the groups are alike; None if a single difference tells it.

        Where there is no test of the counts it is the least of the p-values, which are adjusted.
        """
        if self.comparisons == 1:
            return None
        names = ("statistic", "degrees_of_freedom", "p_value")
        of_counts = self._only.test
        if of_counts is not None:
            return {name: getattr(of_counts, name) for name in names}
        p_values = self.together[1]
        there = p_values[~np.isnan(p_values)]
        return {**dict.fromkeys(names), "p_value": float(there.min()) if there.size else math.nan}

    @property
    def _only(self) -> Differences:
        return self.waves[0] if len(self.waves) == 1 else Differences(())

    def between(self, groups: Sequence[Answer], span: float = 1.0) -> Comparison:
        """Return the differences by pairs of groups and by answers, which reach over a span."""
        errors = self._of_each(attrgetter("standard_error"))
        ends, p_value = self.together
        weighed = [one for one in self._only.pairs if one.design_effect is not None]
        effects = {
            "n": np.repeat([each.n for each in weighed], len(self.answers)),
            "design_effect": [each.design_effect for each in weighed],
        }
        contrasts = findings_of(
            (
                partial(Contrast, *two, answer)
                for two, answer in product(combinations(groups, 2), self.answers)
            ),
            self._estimates.mean(axis=0),
            error_of_mean(errors, independent=self.independent),
            ends,
            p_value=p_value,
            least=-span,
            greatest=span,
            **(effects if weighed else {}),
        )
        return Comparison(contrasts, self.test, self.method)

    @property
    def comparisons(self) -> int:
        """How many intervals hold together."""
        # The shares of two truths are each other's complement.
        return len(self.waves[0].pairs) * (len(self.answers) if len(self.answers) > 2 else 1)

    @cached_property
    def _estimates(self) -> FloatArray:
        return self._of_each(attrgetter("theta"))

    def _ends(self, level: float) -> FloatArray:
        ends = self._of_each(lambda one: one.interval(level, self.method))
        return ends_of_mean(self._estimates, ends, independent=self.independent)

    def _of_each(self, of: Callable[[by_group.Difference], FloatArray]) -> FloatArray:
        """Return an attribute of all differences, shape (waves, pairs, …)."""
        return np.array([[of(one) for one in wave.pairs] for wave in self.waves])


def estimate_item(
    source: Source,
    asked: Asking,
    waves: Mapping[int, GroupedReports],
    *,
    level: float,
    method: str,
    sample: Sample | None = None,
) -> Result:
    """Estimate an item, of all or in groups of people that are then compared."""
    channel = asked.item.channel
    if asked.values is None and not channel.identifiable:
        least_variance(channel)  # which says why there is nothing to estimate
    groups, seen = groups_seen(asked.item, asked.by, waves)
    intervals.check_method(method)
    kind = method_of_each(method, len(seen))
    parts = tuple(one.estimate(asked, groups, level, kind) for one in seen.values())
    effective = [one.effective for one in seen.values() if one.effective is not None]
    values = np.array(asked.values or [0.0])
    span = float(np.nanmax(values) - np.nanmin(values))
    independent = not source.repeated
    comparisons = []
    for of_waves, answers, its_kind, reach in (
        ([one.means for one in parts], (None,), intervals.for_means(method), span),
        ([one.shares for one in parts], asked.item.truths, method, 1.0),
    ):
        told = [one for one in of_waves if one is not None]
        if len(told) == len(parts):
            compared = Compared(told, answers, level, its_kind, independent)
            comparisons.append(compared.between(groups, reach))
    return ItemEstimate(
        source=source,
        asked=asked.item,
        by_item=asked.groups,
        level=level,
        method=method,
        groups=tuple(
            mean_of_items(of, independent=independent)
            for of in zip(*(one.groups for one in parts), strict=True)
        ),
        names=groups,
        n_by_wave={wave: sum(one.n_by_group.values()) for wave, one in seen.items()},
        missing=max(one.missing for one in seen.values()),
        effective=min(effective, default=None),
        comparisons=tuple(comparisons),
        sample=sample,
    ).result


def groups_seen(
    item: Item, by: str | None, waves: Mapping[int, GroupedReports]
) -> tuple[tuple[Answer, ...], Mapping[int, GroupedReports]]:
    """Return the groups that have responses, and the waves in which all of these have."""
    if by is None:
        some = {wave: one for wave, one in waves.items() if any(one.n_by_group.values())}
        return (EVERYBODY,), some or dict(itertools.islice(waves.items(), 1))
    groups = tuple(
        dict.fromkeys(group for one in waves.values() for group, n in one.n_by_group.items() if n)
    )
    if len(groups) < 2:
        raise ValueError(
            f"expected at least two groups of {by!r} with reports of {item.id!r}, "
            f"found {len(groups)}"
        )
    groups = tuple(sorted(groups, key=[*next(iter(waves.values())).n_by_group].index))
    whole = {
        wave: one for wave, one in waves.items() if all(one.n_by_group[group] for group in groups)
    }
    if not whole:
        raise ValueError(
            f"expected a wave in which all groups of {by!r} have reports of "
            f"{item.id!r}, found none among the waves {waves_named([*waves])}: name one"
        )
    return groups, whole
