"""Shares, means and comparisons of groups, of the responses to one item."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.analysis.findings import Interval, ItemResults
from deniable.analysis.joint import groups as by_group
from deniable.analysis.joint.association import ChiSquareTest, homogeneity
from deniable.analysis.joint.groups import Pairwise, pairwise
from deniable.analysis.mean_of_waves import (
    level_of_each,
    mean_of_items,
    method_of_each,
    waves_named,
)
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.inverting import inverted_p_values
from deniable.analysis.results import item_results, results_of
from deniable.analysis.sampling.contrasts import DesignDifference
from deniable.estimator import least_variance
from deniable.results.findings import Difference
from deniable.results.item import ItemEstimate, Sample
from deniable.results.result import Result
from deniable.results.source import Source
from deniable.survey.items import Item
from deniable.survey.questions import Answer, Question

EVERYBODY: Final = Answer("", "")
"""The group of all, where groups are not compared."""

GroupDifference: TypeAlias = by_group.Difference | DesignDifference


@dataclass(frozen=True, eq=False)
class Part:
    """What the responses of one wave, or all of them, say of an item in groups of people.

    `groups`: one a group, or a single one. `differences`: of every two groups, in the order of
    `itertools.combinations`; empty if there is a single one, or the shares cannot be told.
    `pairwise`: the same with p-values, where each person counts for one. `test`: whether the groups
    are alike, where each person counts for one and there are several differences.
    """

    groups: tuple[ItemResults, ...]
    differences: tuple[GroupDifference, ...] = ()
    pairwise: Pairwise | None = None
    test: ChiSquareTest | None = None


class Responses(Protocol):
    """The responses of one wave to an item, in groups of people."""

    @property
    def n_by_group(self) -> Mapping[Answer, int]:
        """How many responses each group has."""

    @property
    def missing(self) -> int:
        """How many people gave none."""

    @property
    def effective(self) -> float | None:
        """How many people of equal weight tell as much; None where each counts for one."""

    def estimate(self, asked: Asking, groups: Sequence[Answer], level: float, method: str) -> Part:
        """Estimate the item in these groups."""


@dataclass(frozen=True, eq=False)
class Asking:
    """What was asked, and what is to be estimated of it.

    `values`: what each truth counts for, if a mean is wanted. `question`: the item's, in a survey.
    `by`: what the groups differ in; None for a single one. `population`: size of the population.
    """

    item: Item
    values: Sequence[float] | None
    question: Question | None = None
    by: str | None = None
    population: int | None = None

    def of(self, group: Answer) -> Item:
        """Return the item as that of a group, under whose name it is shown."""
        return self.item if self.by is None else replace(self.item, id=group.text, text=group.text)


@dataclass(frozen=True, eq=False)
class Counted:
    """Responses of people who count alike, each by themselves.

    `counts`, shape (reports,): how often each report came in each group. `missing`: how many people
    gave none.
    """

    counts: Mapping[Answer, npt.NDArray[np.int64]]
    missing: int = 0

    @property
    def effective(self) -> None:
        """None: each counts for one."""
        return

    @property
    def n_by_group(self) -> Mapping[Answer, int]:
        """How many responses each group has."""
        return {group: int(each.sum()) for group, each in self.counts.items()}

    def estimate(self, asked: Asking, groups: Sequence[Answer], level: float, method: str) -> Part:
        """Estimate the item in these groups."""
        counts, channel = [self.counts[group] for group in groups], asked.item.channel
        found = tuple(
            item_results(
                asked.of(group),
                each,
                level,
                method,
                values=asked.values,
                population=asked.population,
            )
            if asked.question is None
            else results_of(asked.question, asked.of(group), each, level, method)
            for group, each in zip(groups, counts, strict=True)
        )
        if len(groups) < 2 or not channel.identifiable:
            return Part(found)
        pairs = pairwise(counts, channel)
        # Of a single difference it would be another test of the same, with another p.
        single = len(groups) == 2 and channel.truths == 2
        test = None if single else homogeneity(counts, channel)
        return Part(found, pairs.differences, pairs, test)


@dataclass(frozen=True, eq=False)
class Compared:
    """The differences of groups; over waves, their means.

    `waves`: each with the differences of every two groups. `level`, `method`: of the intervals.
    """

    waves: tuple[Part, ...]
    level: float
    method: str

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Positions of the groups compared, first and second."""
        return [*itertools.combinations(range(len(self.waves[0].groups)), 2)]

    @property
    def difference(self) -> FloatArray:
        """Shape (pairs, truths)."""
        return self._mean(lambda one: one.difference)

    @property
    def standard_error(self) -> FloatArray:
        """Shape (pairs, truths); of a mean over waves, at most that whoever answered."""
        return self._mean(lambda one: one.standard_error)

    @cached_property
    def ends(self) -> FloatArray:
        """Intervals that hold together (Bonferroni); shape (pairs, truths, 2)."""
        return self._ends(self.level, self.comparisons)

    @cached_property
    def p_value(self) -> FloatArray:
        """Adjusted as the intervals are: the least error at which they leave 0 out."""
        (first, *others) = self.waves
        if first.pairwise is not None and not others:
            return first.pairwise.p_value(self.method)
        alone = inverted_p_values(
            lambda level: self._ends(level, 1),
            self.difference,
            intervals.bonferroni(self.level, self.comparisons),
        )
        return np.asarray(np.minimum(alone * self.comparisons, 1))

    @property
    def test(self) -> dict[str, float | None] | None:
        """Whether the groups are alike; None if a single difference tells it.

        Where people do not count alike, or once a wave, it is the least of the p-values, which are
        adjusted.
        """
        if self.comparisons == 1:
            return None
        found = self.waves[0].test if len(self.waves) == 1 else None
        return {
            "statistic": None if found is None else found.statistic,
            "degrees_of_freedom": None if found is None else found.degrees_of_freedom,
            "p_value": float(np.nanmin(self.p_value)) if found is None else found.p_value,
        }

    def differences(self, groups: Sequence[Answer]) -> tuple[Difference, ...]:
        """Return the differences by pairs of groups and by answers."""
        found, errors = self.difference, self.standard_error
        return tuple(
            Difference(
                groups[i],
                groups[j],
                answer,
                float(found[place, truth]),
                float(errors[place, truth]),
                Interval(*map(float, self.ends[place, truth])),
                float(self.p_value[place, truth]),
            )
            for place, (i, j) in enumerate(self.pairs)
            for truth, answer in enumerate(self.waves[0].groups[0].item.truths)
        )

    @property
    def comparisons(self) -> int:
        """How many intervals hold together."""
        truths = len(self.waves[0].groups[0].item.truths)
        return len(self.pairs) * (truths if truths > 2 else 1)

    def _ends(self, level: float, comparisons: int) -> FloatArray:
        each = level_of_each(intervals.bonferroni(level, comparisons), self.method, len(self.waves))
        return self._mean(lambda one: one.interval(each, self.method))

    def _mean(self, of: Callable[[GroupDifference], FloatArray]) -> FloatArray:
        found = np.array([[of(one) for one in wave.differences] for wave in self.waves])
        return np.asarray(found[0] if len(found) == 1 else found.mean(axis=0))


def estimate_item(
    source: Source,
    asked: Asking,
    waves: Mapping[int, Responses],
    *,
    level: float,
    method: str,
    sample: Sample | None = None,
) -> Result:
    """Estimate an item, of all or in groups of people that are then compared."""
    channel = asked.item.channel
    if asked.values is None and not channel.identifiable:
        least_variance(channel)  # which says why there is nothing to estimate
    groups, seen = _seen(asked, waves)
    each = level_of_each(level, method, len(seen))
    kind = method_of_each(method, len(seen))
    parts = tuple(one.estimate(asked, groups, each, kind) for one in seen.values())
    effective = [one.effective for one in seen.values() if one.effective is not None]
    compared = Compared(parts, level, method) if parts[0].differences else None
    return ItemEstimate(
        source=source,
        item=asked.item.id,
        by=asked.by,
        level=level,
        method=method,
        groups=tuple(mean_of_items(of) for of in zip(*(one.groups for one in parts), strict=True)),
        names=groups,
        n_by_wave={wave: sum(one.n_by_group.values()) for wave, one in seen.items()},
        missing=max(one.missing for one in seen.values()),
        effective=min(effective, default=None),
        differences=compared.differences(groups) if compared else (),
        test=compared.test if compared else None,
        sample=sample,
    ).result


def _seen(
    asked: Asking, waves: Mapping[int, Responses]
) -> tuple[tuple[Answer, ...], Mapping[int, Responses]]:
    """Return the groups that have responses, and the waves in which all of these have."""
    if asked.by is None:
        some = {wave: one for wave, one in waves.items() if any(one.n_by_group.values())}
        return (EVERYBODY,), some or dict(itertools.islice(waves.items(), 1))
    groups = tuple(
        dict.fromkeys(group for one in waves.values() for group, n in one.n_by_group.items() if n)
    )
    if len(groups) < 2:
        raise ValueError(
            f"expected at least two groups of {asked.by!r} with reports of {asked.item.id!r}, "
            f"found {len(groups)}"
        )
    groups = tuple(sorted(groups, key=[*next(iter(waves.values())).n_by_group].index))
    whole = {
        wave: one for wave, one in waves.items() if all(one.n_by_group[group] for group in groups)
    }
    if not whole:
        raise ValueError(
            f"expected a wave in which all groups of {asked.by!r} have reports of "
            f"{asked.item.id!r}, found none among the waves {waves_named([*waves])}: name one"
        )
    return groups, whole
