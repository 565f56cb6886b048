"""Means of a number in groups of people, and how they differ.

The groups may be known (`group_mean`) or randomised (`means_within`): then nobody knows who is in
which group, and a mean is the ratio of two estimates from the same pairs of reports.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis import intervals
from deniable.analysis.intervals import inversion, quotients
from deniable.analysis.joint.groups import z_by_tails
from deniable.analysis.joint.tables import MAX_TAIL_CELLS
from deniable.analysis.means import MeanEstimate, ratio_of
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.convergence import where_certain
from deniable.channel import Channel
from deniable.estimator import for_values


@dataclass(frozen=True, eq=False)
class GroupMean:
    """The mean of a number in one group. Made by `group_mean` and `means_within`.

    Parameters
    ----------
    mean, standard_error : float
        nan where the group may have no member, or none with a number; see
        `deniable.analysis.intervals.quotients`.
    kind : str
        Kind of its interval: "tail", or "fieller" if the group was randomised and there are too
        many pairs of answers for "tail".
    contributions : ndarray
        The contribution of each report, or pair of reports, to the error of `mean`.
    """

    mean: float
    standard_error: float
    kind: str
    counts: npt.NDArray[np.int64] = field(repr=False)
    probabilities: FloatArray = field(repr=False)
    ratio: inversion.Ratio = field(repr=False)
    contributions: FloatArray = field(repr=False)
    _ends: dict[float, FloatArray] = field(default_factory=dict, repr=False)

    def interval(self, level: float = 0.95, method: str = intervals.DEFAULT) -> FloatArray:
        """Confidence interval of the mean, whose ends each keep their own level; shape (2,).

        Parameters
        ----------
        method : {"auto", "wald"}
            "auto" is of `kind`; for a ratio it is cut by `deniable.analysis.intervals.quotients`.
            "wald" is the mean and standard errors to either side.
        """
        if self.end_method(method) == "wald":
            return intervals.wald(np.array(self.mean), np.array(self.standard_error), level)
        if level not in self._ends:
            self._ends[level] = self._found(level)
        return self._ends[level]

    def end_method(self, method: str = intervals.DEFAULT) -> str:
        """Return the kind of that interval: `kind`, or "wald"."""
        if method not in (intervals.DEFAULT, intervals.UNCUT, "wald"):
            raise ValueError(f"expected an interval for a mean of auto or wald, found {method!r}")
        return "wald" if method == "wald" else self.kind

    def _found(self, level: float) -> FloatArray:
        if self.kind == "tail":
            found = where_certain(
                lambda: inversion.tail_interval(self.counts, self.probabilities, self.ratio, level)
            )
            return np.array(found or (math.nan, math.nan))
        n = int(self.counts.sum())
        both = np.stack([self.ratio.to_numerator, self.ratio.to_denominator])
        top, bottom = both @ self.counts / n
        covariance = np.cov(both, fweights=self.counts) / n
        ends = intervals.fieller(float(top), float(bottom), covariance, level)
        return quotients.left(ends, *self.ratio.range)


@dataclass(frozen=True, eq=False)
class MeanDifference:
    """The first group's mean less the second's, as arrays of length 1.

    Parameters
    ----------
    correlation : float
        Of the two estimates; 0 if the groups are known and disjoint.
    """

    first: GroupMean = field(repr=False)
    second: GroupMean = field(repr=False)
    correlation: float = 0.0

    @property
    def difference(self) -> FloatArray:
        """The difference of the two means; shape (1,)."""
        return np.array([self.first.mean - self.second.mean])

    @property
    def standard_error(self) -> FloatArray:
        """Standard error of `difference`; shape (1,)."""
        one, other = self.first.standard_error, self.second.standard_error
        return np.sqrt([max(one**2 + other**2 - 2 * self.correlation * one * other, 0.0)])

    def interval(
        self, level: float = 0.95, method: str = intervals.DEFAULT, *, comparisons: int = 1
    ) -> FloatArray:
        """Confidence interval: the intervals of the two means, squared and added; shape (1, 2).

        Parameters
        ----------
        method : {"auto", "wald"}
            Of the two means, see `GroupMean.interval`.

        Notes
        -----
        For ratios it is cut by `deniable.analysis.intervals.quotients`. If a ratio's divisor may be
        0, it ranges over all differences between the two intervals.

        References
        ----------
        Zou, G. Y. and Donner, A. (2008). Construction of confidence limits about effect measures: a
        general approach. Statistics in Medicine 27, 1693-1702.
        """
        each = intervals.bonferroni(level, comparisons)
        one, other = (
            (np.array([group.mean]), group.interval(each, method)[np.newaxis])
            for group in (self.first, self.second)
        )
        ends = intervals.square_and_add(one, other, self.correlation)
        if self.first.ratio.is_mean and self.second.ratio.is_mean:
            return ends
        span = float(np.ptp(self.first.ratio.range))
        return quotients.left(ends, -span, span)

    @property
    def p_value(self) -> float:
        """Two-sided p-value of no difference, by the tests of tails that the interval inverts.

        For known groups only; nan where a mean is.
        """
        high, low = sorted((self.first, self.second), key=lambda one: -one.mean)
        if math.isnan(high.mean - low.mean):
            return math.nan
        if high.mean - low.mean <= intervals.ROUNDING:
            return 1.0
        above, below = (
            inversion.chances(one.counts, one.probabilities, one.ratio) for one in (high, low)
        )
        return float(2 * scipy.special.ndtr(-z_by_tails(above, below, high.mean, low.mean)))


def group_mean(found: MeanEstimate) -> GroupMean:
    """Return the mean of a known group as a `GroupMean`."""
    return GroupMean(
        found.mean,
        found.standard_error,
        "tail",
        found.counts,
        found.channel.probabilities,
        ratio_of(found.channel, found.values),
        found.contributions,
    )


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of answers to a randomised item and a number. Made by `of_pairs` and `of_cells`.

    `table`, shape (pairs of truths, pairs of reports): P(reports | truths). `group`, shape (groups,
    pairs of reports): contribution of a pair to the share of each group. `total`, `having`, of the
    same shape: its contribution to the group's total of the number, and to the number of its
    members who have one. `true_total`, `true_having`, shape (groups, pairs of truths): the true
    values of both.
    """

    table: FloatArray
    group: FloatArray
    total: FloatArray
    having: FloatArray
    true_total: FloatArray
    true_having: FloatArray


def means_within(counts: npt.NDArray[np.int64], pairs: Pairs) -> tuple[GroupMean, ...]:
    r"""Estimate the mean of a number in each group of a randomised item.

    Notes
    -----
    With u and v what a pair of reports contributes to the total and to the count, the mean is
    :math:`r = \bar u / \bar v`, with the standard error of the mean of :math:`(u - r v) / \bar v`
    (the delta method), whose variance is at least that of the known noise. The estimates of two
    groups are correlated, as they come from the same reports.
    """
    n, table = int(counts.sum()), pairs.table
    found = []
    of_each = zip(pairs.true_total, pairs.true_having, pairs.total, pairs.having, strict=True)
    for ratio in itertools.starmap(inversion.Ratio, of_each):
        u, v = ratio.to_numerator, ratio.to_denominator
        among = float(v @ counts / n)
        kind = "tail" if len(table) <= MAX_TAIL_CELLS else "fieller"
        mean, error = math.nan, math.nan
        contributions = np.full_like(u, math.nan)
        if not _may_be_nobody(counts, table, ratio, kind):
            mean = float(u @ counts / n) / among
            contributions = (u - mean * v) / among
            expected = (ratio.numerator - mean * ratio.denominator) / among
            least = max(float((table @ contributions**2 - expected**2).min()), 0.0)
            spread = float(np.cov(contributions, fweights=counts)) if n > 1 else math.nan
            error = math.sqrt(max(spread, least) / n)
        found.append(GroupMean(mean, error, kind, counts, table, ratio, contributions))
    return tuple(found)


def _may_be_nobody(
    counts: npt.NDArray[np.int64], table: FloatArray, ratio: inversion.Ratio, kind: str
) -> bool:
    """Return whether nobody may be in a group, by the kind of its mean's interval."""
    if kind == "tail":
        return inversion.may_be_nothing(counts, table, ratio)
    v, n = ratio.to_denominator, int(counts.sum())
    error = math.sqrt(float(np.cov(v, fweights=counts)) / n) if n > 1 else math.nan
    low, _ = intervals.wald(float(v @ counts / n), error, quotients.LEVEL)
    return bool(quotients.may_be_nothing(low))


def correlated(first: GroupMean, second: GroupMean) -> MeanDifference:
    """Compare two groups of a randomised item, whose means come from the same reports."""
    errors = first.standard_error * second.standard_error
    if not errors > 0:
        return MeanDifference(first, second)
    both = np.stack([first.contributions, second.contributions])
    covariance = float(np.cov(both, fweights=first.counts)[0, 1]) / int(first.counts.sum())
    return MeanDifference(first, second, float(np.clip(covariance / errors, -1, 1)))


def of_pairs(of: Channel, number: Channel, values: FloatArray) -> Pairs:
    """Return the pairs of a grouping item and a number that are randomised independently."""
    numeric = ~np.isnan(values)
    filled = np.where(numeric, values, 0.0)
    every = np.eye(of.truths)
    G = np.array([for_values(of, row) for row in every])
    return Pairs(
        np.asarray(np.kron(of.probabilities, number.probabilities)),
        np.asarray(np.kron(G, np.ones(number.reports))),
        np.asarray(np.kron(G, for_values(number, filled))),
        np.asarray(np.kron(G, for_values(number, numeric))),
        np.asarray(np.kron(every, filled)),
        np.asarray(np.kron(every, numeric.astype(np.float64))),
    )


def of_cells(channel: Channel, cells: Sequence[tuple[int, ...]], values: FloatArray) -> Pairs:
    """Return the pairs of two items randomised as one answer, from their possible cells."""
    at = np.array(cells)
    inside = np.equal.outer(np.unique(at[:, 0]), at[:, 0]).astype(np.float64)
    own = values[at[:, 1]]
    total, having = inside * np.where(np.isnan(own), 0.0, own), inside * ~np.isnan(own)
    reports = (
        np.array([for_values(channel, row) for row in truths]) for truths in (inside, total, having)
    )
    group, of_total, of_having = reports
    return Pairs(channel.probabilities, group, of_total, of_having, total, having)
