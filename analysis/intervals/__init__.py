"""Confidence intervals for the shares of the truths: a proportion's, mapped through a channel.

This module has Wald's interval, Fieller's for a ratio, and the intervals of a proportion mapped
through a channel. The others:

==============  =================================================================================
`proportion`    intervals for a binomial proportion
`inversion`     intervals by inverting the tails of a test, beyond one proportion
`quotients`     the one rule for a ratio whose divisor may be 0
`sums`          the exact distribution of a sum of reports' contributions
`always_valid`  intervals that hold however often the analyst looks while a survey runs
`coverage`      how often an interval covers the truth, by exact enumeration
==============  =================================================================================
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.intervals import proportion
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.levels import check_level, normal_quantile

ALWAYS_VALID: Final = "always-valid"
"""For live results only: covers at all numbers of reports together, see `always_valid`."""

NAMES: Final = ("auto", "tail", "wald", *proportion.METHODS)
"""The names of the intervals of an estimate."""

DEFAULT: Final = "auto"
"""The default interval of an estimate.

It is `OF_PROPORTION` where a share follows from one proportion, and otherwise inverted tails; the
design alone decides, never the reports. `docs/evidence.md` compares it with the others.
"""

OF_PROPORTION: Final = "feldman-cousins"
"""The meaning of `DEFAULT` where one proportion tells a share or a mean."""

UNCUT: Final = "uncut"
"""As `DEFAULT`, but `exact` where one proportion tells it: to combine several intervals.

The ends of `OF_PROPORTION` stop at the possible range, so their mean over several intervals would
stop too early, and only both ends together keep a level. Each end of `exact` keeps its own.
"""

WIDE: Final = 1.5
"""How many times as wide as Wald's an interval must be for results to explain its width.

Wald's interval takes the sample's spread as the population's. If a sample may have missed a few
influential people, an interval that keeps its level must be much wider.
"""

ROUNDING: Final = 1e-9
"""How far beyond 0 or 1 rounding can take a share that the design's probabilities make 0 or 1.

A channel's weights are multiples of 2^-32.
"""

# Two entries of an estimator's row that differ by less than this, relative to the row's range, are
# equal but for rounding.
_SAME: Final = 1e-9


def check_method(method: str, *more: str) -> None:
    """Reject an unknown kind of interval, but for `more`."""
    if method not in (*NAMES, UNCUT, *more):
        raise ValueError(f"expected an interval of {', '.join(NAMES)}, found {method!r}")


def of_proportion(method: str) -> str:
    """Return the meaning of `DEFAULT` or `UNCUT` where one proportion tells a share."""
    return "exact" if method == UNCUT else OF_PROPORTION


def for_means(method: str) -> str:
    """Return the kind of interval of means, given that of shares.

    `method`: of the shares, one of `NAMES`, `UNCUT` or `ALWAYS_VALID`. Result, one of {"auto",
    "uncut", "always-valid"}: the other kinds are for proportions.
    """
    return method if method in (UNCUT, ALWAYS_VALID) else DEFAULT


def possible(
    interval: FloatArray, least: npt.ArrayLike = 0.0, greatest: npt.ArrayLike = 1.0
) -> FloatArray:
    """Return the part of each interval inside the possible range; nan if none is."""
    low, high = (np.asarray(end, dtype=np.float64)[..., np.newaxis] for end in (least, greatest))
    kept = np.clip(interval, low, high)
    kept[missed(interval, low[..., 0], high[..., 0])] = np.nan
    return kept


def outside(
    values: npt.ArrayLike | None, least: npt.ArrayLike = 0.0, greatest: npt.ArrayLike = 1.0
) -> npt.NDArray[np.bool_]:
    """Return which estimates are below or above the possible range; nan and None are not."""
    found, low, high = (np.asarray(one, dtype=np.float64) for one in (values, least, greatest))
    # If all values are equal there is no range, and the mean equals them but for rounding.
    rounding = ROUNDING * np.where(high > low, high - low, np.abs(high))
    return np.asarray((found < low - rounding) | (found > high + rounding))


def missed(
    interval: FloatArray, least: float | FloatArray = 0.0, greatest: float | FloatArray = 1.0
) -> npt.NDArray[np.bool_]:
    """Return which intervals miss the possible range altogether."""
    low, high = interval[..., 0], interval[..., 1]
    rounding = ROUNDING * (greatest - least)
    return np.asarray((high < least - rounding) | (low > greatest + rounding))


def holding(
    low: float | FloatArray, high: float | FloatArray, estimate: float | FloatArray
) -> FloatArray:
    """Return intervals extended to their estimates, which are raw and may be impossible.

    `low`, `high`: the computed ends, perhaps inside the possible range. `estimate`: nan if there is
    none; then the ends do not change, nor do they if only rounding takes it beyond one of them.
    Result: of the shape of `low` and one axis more, of length 2.
    """
    rounding = ROUNDING * (high - low)
    below, above = estimate < low - rounding, estimate > high + rounding
    return np.stack([np.where(below, estimate, low), np.where(above, estimate, high)], axis=-1)


def bonferroni(level: float, comparisons: int) -> float:
    """Return the level of each interval at which all of them together hold at `level`.

    References
    ----------
    Dunn, O. J. (1961). Multiple comparisons among means. Journal of the American Statistical
    Association 56, 52-64.
    """
    if comparisons < 1:
        raise ValueError(f"expected at least 1 comparison, found {comparisons}")
    return 1 - (1 - level) / comparisons


def wald(
    estimate: float | FloatArray, standard_error: float | FloatArray, level: float
) -> FloatArray:
    """Wald's interval: the estimate, and a normal quantile of standard errors to either side.

    `estimate`, `standard_error`: of the same shape. `level`: between 0 and 1. Result: lower and
    upper ends; the whole line where the standard error is infinite. The ends of a share may leave
    [0, 1], and cover too rarely if few respondents belong to the group: .876 instead of .95 for a
    share of 0, flip probability 0.1, n = 20.
    """
    check_level(level)
    # The estimate may then be infinite itself, and infinity less infinity is nan.
    centre = np.where(np.isinf(standard_error), 0.0, estimate)
    half = normal_quantile(level) * np.asarray(standard_error)
    return np.stack([centre - half, centre + half], axis=-1)


def fieller(
    numerator: float, denominator: float, covariance: FloatArray, level: float
) -> FloatArray:
    """Return Fieller's interval of a ratio of two estimates.

    It holds the ratios rho for which ``numerator - rho denominator`` is not significantly different
    from 0. Where the denominator is not significantly different from 0 these are unbounded on one
    side or both, and the interval is the whole line: the data then say little about the ratio.

    References
    ----------
    Fieller, E. C. (1954). Some problems in interval estimation. Journal of the Royal Statistical
    Society B 16, 175-185.
    """
    (variance, shared), (_, own) = covariance
    z = normal_quantile(level)
    # The roots of (numerator - rho denominator)^2 = z^2 (variance - 2 rho shared + rho^2 own). The
    # ratio itself lies between them, so there are two whenever `a` is above 0.
    a = denominator**2 - z**2 * own
    b = numerator * denominator - z**2 * shared
    c = numerator**2 - z**2 * variance
    if not a > 0:
        return np.array([-math.inf, math.inf])
    half = math.sqrt(max(0.0, b**2 - a * c))
    return np.array([(b - half) / a, (b + half) / a])


def square_and_add(
    first: tuple[FloatArray, FloatArray],
    second: tuple[FloatArray, FloatArray],
    correlation: float | FloatArray = 0.0,
) -> FloatArray:
    """Combine the intervals of two estimates into one of their difference.

    `first`, `second`: the estimates, shape (k,), and their intervals, shape (k, 2). `correlation`,
    shape (k,): of the two estimates. Result, shape (k, 2): of the first less the second.

    Notes
    -----
    With (l1, u1) and (l2, u2) the intervals of t1 and t2, the ends are
    ``t1 - t2 - sqrt((t1 - l1)^2 + (u2 - t2)^2)`` and ``t1 - t2 + sqrt((u1 - t1)^2 + (t2 - l2)^2)``:
    the distance to an end estimates the variance where it matters, near that end. With a
    correlation, twice its product with both distances is taken off below the root. An interval that
    excludes its estimate, as one inside the possible range may, adds nothing on that side. Where
    one of the two has no estimate (nan), as a ratio whose divisor may be 0, the ends are the least
    and the greatest difference between the two intervals: ``l1 - u2`` and ``u1 - l2``.

    References
    ----------
    Zou, G. Y. and Donner, A. (2008). Construction of confidence limits about effect measures: a
    general approach. Statistics in Medicine 27, 1693-1702. Zou, G. Y. (2008). On the estimation of
    additive interaction by use of the four-by-two table and beyond. American Journal of
    Epidemiology 168, 212-224: with a correlation.
    """
    (t1, (l1, u1)), (t2, (l2, u2)) = ((t, ends.T) for t, ends in (first, second))
    below = added(np.maximum(t1 - l1, 0), np.maximum(u2 - t2, 0), correlation)
    above = added(np.maximum(u1 - t1, 0), np.maximum(t2 - l2, 0), correlation)
    without = np.isnan(t1 - t2)
    low = np.where(without, l1 - u2, t1 - t2 - below)
    high = np.where(without, u1 - l2, t1 - t2 + above)
    return np.stack([low, high], axis=1)


def added(one: FloatArray, other: FloatArray, correlation: float | FloatArray) -> FloatArray:
    """Return the standard error of a difference, from two errors and their correlation."""
    if not np.any(correlation):
        return np.asarray(np.hypot(one, other))
    square = one**2 + other**2 - 2 * correlation * one * other
    return np.asarray(np.sqrt(np.maximum(square, 0)))


def effect_of_both(
    error: FloatArray, *of_each: tuple[FloatArray, FloatArray | None]
) -> FloatArray | None:
    """Return the design effect of a difference, from the error and design effect of each.

    None where one of the two has no weights, and so no design effect.
    """
    alone = [each / np.sqrt(effect) for each, effect in of_each if effect is not None]
    if len(alone) < len(of_each):
        return None
    return np.asarray((error / np.hypot(*alone)) ** 2)


def through_channel(
    counts: FloatArray,
    G: FloatArray,
    method: str,
    level: float,
    possible: tuple[float, float] = (0.0, 1.0),
) -> FloatArray:
    """Map a proportion's interval, computed on the reports, through the channel.

    `counts`, shape (…, reports): of the reports that can be sent, by as many people in each table,
    not 0. They may be fractions for a method that takes fractions. `G`, shape (truths, reports):
    their estimator, from `deniable.estimator.least_variance`. `method`: one of
    `deniable.analysis.intervals.proportion.METHODS`. `level`: between 0 and 1. `possible`: the
    least and the greatest mean; by default of a share. Result, shape (…, truths, 2): lower and
    upper ends, which may leave the possible range; those of Feldman and Cousins do so only to hold
    the estimate. Ends that only rounding separates from `possible` are exactly there.

    Notes
    -----
    A truth's share is the mean of its row ``g`` of the estimator over the distribution of reports.
    Where ``g`` takes only two values, as for every channel of two reports and for k-ary randomised
    response, the share is an affine function of one proportion, that of the reports with the larger
    value, and its interval is that proportion's, mapped. It covers as well as the proportion's
    interval.

    Otherwise the proportion of each distinct value gets an interval at Bonferroni's level, and the
    ends are the least and greatest mean of ``g`` over the distributions inside all of these
    intervals (a linear programme, solved by filling up in the order of ``g``). It covers at least
    at its level, as far as the proportions' intervals keep theirs; being conservative, it is wider
    than necessary.
    """
    n = float(counts.sum(axis=-1).max())
    rows = [_grouped(g, counts) for g in G]
    ends = np.empty((*counts.shape[:-1], len(G), 2))
    # One call for all rows with equally many values, because a call costs more than a row.
    for size in {len(values) for values, _ in rows}:
        alike = [truth for truth, (values, _) in enumerate(rows) if len(values) == size]
        # Two proportions that sum to 1 are one comparison.
        each = bonferroni(level, size if size > 2 else 1)
        came = np.stack([rows[truth][1] for truth in alike], axis=-2)
        bounds = np.stack([_rates(rows[truth][0], possible) for truth in alike])
        low, high = proportion.ends(method, came, n, each, bounds[..., 0], bounds[..., 1])
        for place, truth in enumerate(alike):
            values, box = rows[truth][0], (low[..., place, :], high[..., place, :])
            least, greatest = -_greatest_mean(-values, *box), _greatest_mean(values, *box)
            ends[..., truth, :] = np.stack([least, greatest], axis=-1)
            if method == OF_PROPORTION:
                estimate = came[..., place, :] @ values / n
                least, greatest = least.clip(*possible), greatest.clip(*possible)
                ends[..., truth, :] = holding(least, greatest, estimate)
    for end in possible:
        ends[abs(ends - end) <= ROUNDING * (possible[1] - possible[0])] = end
    return ends


def _rates(values: FloatArray, possible: tuple[float, float]) -> FloatArray:
    """Return the least and the greatest proportion of each value, shape (values, 2)."""
    if len(values) != 2:  # no mean bounds each of them
        return np.tile([0.0, 1.0], (len(values), 1))
    larger = ((np.array(possible) - values[0]) / np.ptp(values)).clip(0, 1)
    return np.stack([1 - larger[::-1], larger])


def is_by_proportion(G: FloatArray) -> npt.NDArray[np.bool_]:
    """Return which truths' shares follow from one proportion.

    `G`, shape (truths, reports): the estimator's columns of the reports that can be sent. Result,
    shape (truths,): true for each row with at most two values, as all rows are with two reports or
    k-ary randomised response. Then the intervals of a proportion keep their level; otherwise
    `through_channel` combines several of them, and its intervals are much wider than necessary.
    """
    return np.array([len(np.unique(_distinct(g))) <= 2 for g in G])


def _grouped(g: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the distinct values of a row, ascending, and how often each came in each table."""
    group = _distinct(g)
    size = np.bincount(group)
    return np.bincount(group, weights=g) / size, counts @ np.eye(len(size))[group]


def _distinct(g: FloatArray) -> npt.NDArray[np.intp]:
    """Return, for each entry of a row, the rank of its value among the distinct values."""
    order = np.argsort(g)
    ascending = g[order]
    steps = np.diff(ascending, prepend=ascending[0]) > _SAME * (ascending[-1] - ascending[0])
    group = np.empty(len(g), dtype=np.intp)
    group[order] = np.cumsum(steps)
    return group


def _greatest_mean(values: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Maximise ``values @ p`` over distributions p with ``low <= p <= high``."""
    order = np.argsort(-values)
    room = (high - low)[..., order]
    # A fractional knapsack: the mass left by the lower ends goes to the greatest values first.
    left = 1 - low.sum(axis=-1, keepdims=True) - (np.cumsum(room, axis=-1) - room)
    return np.asarray((low[..., order] + np.clip(left, 0, room)) @ values[order])
