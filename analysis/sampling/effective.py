"""Effective samples: the simple random sample that is as precise as a complex sample.

The interval of a mean from a sample with weights, strata or clusters is that of the equally precise
simple random sample, computed by the same engine (`deniable.analysis.intervals.proportion`,
`analysis.intervals.inversion`). So it includes the noise of the design, even if the spread of a few
reports does not show it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import numpy as np
import scipy

from deniable.analysis import intervals
from deniable.analysis.intervals import inversion
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.convergence import where_certain
from deniable.analysis.sampling.debiased import Item

METHODS: Final = ("auto", "feldman-cousins", "exact", "wilson", "tail", "wald")
"""The names of the intervals of an estimate from a sample."""


@dataclass(frozen=True, eq=False)
class Effective:
    """The simple random sample that is as precise for some means as a sample with weights.

    `counts`, shape (reports,): how often each report would have come in a sample of (sum w)^2 / sum
    w^2 people: whole numbers only if all weights are equal. `n`, shape (variables,): effective
    number of people for each mean, inf where the margins fix it. `people`: how many were asked,
    with a weight above 0. `alike`: whether the sample itself is a simple random sample: then
    `counts` are its own.
    """

    item: Item = field(repr=False)
    counts: FloatArray = field(repr=False)
    n: FloatArray
    people: int
    alike: bool

    @property
    def of_ratios(self) -> bool:
        """Whether the means are over people with a value, which some people may lack."""
        return not bool(self.item.counted.all())

    def method(self, variable: int, method: str) -> str:
        """Return the kind of interval of a mean for a requested method."""
        if method not in (*METHODS, intervals.UNCUT):
            raise ValueError(
                f"expected an interval of {', '.join(METHODS)} for a sample, found {method!r}"
            )
        if math.isinf(self.n[variable]):
            return "wald"  # the value itself: no people are as precise
        if method in ("tail", "wald"):
            return method
        ratio, channel = self.item.ratio(variable), self.item.channel
        g = ratio.to_numerator[np.newaxis, channel.probabilities.any(axis=0)]
        one = ratio.is_mean and bool(intervals.is_by_proportion(g)[0])
        if method in (intervals.DEFAULT, intervals.UNCUT):
            kind = intervals.of_proportion(method) if self.alike else "exact"
            return kind if one else "tail"
        if not one:
            raise ValueError(
                f"expected 'auto', 'tail' or 'wald' for this design and a sample, found {method!r}"
            )
        if method == intervals.OF_PROPORTION and not self.alike:
            raise ValueError(
                f"expected 'auto', 'exact', 'wilson' or 'wald' with weights, strata or clusters, "
                f"found {method!r}, which needs a whole number of people"
            )
        return method

    def interval(
        self, variable: int, level: float, method: str, degrees_of_freedom: float
    ) -> tuple[float, float]:
        """Return the interval of a mean by any kind but Wald's.

        `method`: of `METHODS`. `degrees_of_freedom`: of the variance, above 0. With fewer degrees
        of freedom than people, the effective sample is smaller by the square of the ratio of the
        two quantiles of t. `low`, `high`: nan where no distribution of the truth agrees with the
        reports.
        """
        counts = self.counted(variable, level, method, degrees_of_freedom)
        channel, ratio = self.item.channel, self.item.ratio(variable)
        kind = self.method(variable, method)
        if kind != "tail":
            sendable = channel.probabilities.any(axis=0)
            g = ratio.to_numerator[np.newaxis, sendable]
            ends = intervals.through_channel(counts[sendable], g, kind, level, ratio.range)
            return float(ends[0, 0]), float(ends[0, 1])
        found = where_certain(
            partial(inversion.tail_interval, counts, channel.probabilities, ratio, level)
        )
        return (math.nan, math.nan) if found is None else found

    def counted(
        self, variable: int, level: float, method: str, degrees_of_freedom: float
    ) -> FloatArray:
        """Return how often each report would have come in the effective sample of an interval.

        `variable`, `level`, `method`, `degrees_of_freedom`: see `interval`. Result, shape
        (reports,): for 'tail' the sum is a whole number, as the statistic is a sum over people.
        """
        if self.alike:
            return self.counts
        tail = (1 - level) / 2
        known, wanted = (
            float(scipy.special.stdtrit(df, tail))
            for df in (max(self.people - 1, degrees_of_freedom), degrees_of_freedom)
        )
        n = float(self.n[variable]) * (known / wanted) ** 2
        if self.method(variable, method) == "tail":
            n = max(math.floor(n), 1)
        return np.asarray(self.counts * (n / float(self.counts.sum())))


def design_effect(
    variance: FloatArray, w: FloatArray, z: FloatArray, times: FloatArray
) -> FloatArray:
    """Return a variance relative to that of a simple random sample of as many people.

    `w`, shape (rows,): weights. `z`, shape (rows, variables): weighted contribution of each person
    to the error of an estimate. `times`, shape (rows,): number of people in each row. nan where the
    contributions or the variance are 0.
    """
    counted = w > 0
    squares = times[counted] @ (z[counted] ** 2 / w[counted, np.newaxis])
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = variance * (times[counted].sum() - 1) / (times @ w * squares)
    return np.where(np.isfinite(effect) & (effect > 0), effect, math.nan)


def kish(weights: FloatArray, times: FloatArray | None = None) -> float:
    """Return the number of people of equal weight with equal precision: (sum w)^2 / sum w^2.

    `times`, shape (rows,): how many people each weight is of; by default one.

    Kish, L. (1965). Survey sampling. Wiley, section 11.7.
    """
    share = weights / weights.max()
    each = np.ones(len(share)) if times is None else times
    return float((each @ share) ** 2 / (each @ share**2))
