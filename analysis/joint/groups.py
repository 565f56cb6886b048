"""Comparing groups: differences of the truths' shares, between two groups or every pair."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis import intervals
from deniable.analysis.counts.labels import Codes, Counts, Groups, one_a_group
from deniable.analysis.estimated import Estimated, Group
from deniable.analysis.estimation import Estimate, estimate
from deniable.analysis.intervals import inversion
from deniable.analysis.numerics.arrays import BoolArray, FloatArray
from deniable.analysis.numerics.inverting import inverted_p_values
from deniable.analysis.numerics.levels import check_choice, normal_quantile
from deniable.channel import Channel

# Normal quantiles of the levels between which a p-value is searched.
_LEAST_Z: Final = 1e-6
_MOST_Z: Final = 7.0

Chances: TypeAlias = Callable[[float], tuple[float, float]]
"""A function from a value to the chances of the upper and the lower tail there."""


class OfTwoGroups(Estimated):
    """A comparison of two groups, estimate by estimate."""

    first: Group
    second: Group

    @property
    def n(self) -> int:
        """Number of people in both groups."""
        return self.first.n + self.second.n

    @property
    def outside(self) -> BoolArray:
        """Whether a group's estimate is impossible, which casts doubt on the comparison."""
        return self.first.outside | self.second.outside

    def methods(self, method: str = intervals.DEFAULT) -> tuple[str, ...]:
        """Return the kind of the two groups' intervals, for each estimate."""
        return (self.first.end_method(method),) * len(self.theta)


@dataclass(frozen=True, eq=False)
class Difference(OfTwoGroups):
    """The first group's estimates less the second's. Made by `difference` and others.

    Parameters
    ----------
    first, second : deniable.analysis.estimated.Group
        Shares, or a mean, in two groups: of respondents, or of a population.
    theta : ndarray, shape (estimates,)
        Unbiased if the groups' estimates are. It may be impossible: then it is shown unclipped.
    standard_error : ndarray, shape (estimates,)
        nan if a group has only one report.
    correlation : ndarray, shape (estimates,)
        Of the two groups' estimates.
    relied_on : ndarray, shape (estimates,)
        The correlation that all intervals but 'wald' use.

    Notes
    -----
    The `interval` squares and adds those of the two groups (see
    `deniable.analysis.intervals.square_and_add`), of any kind that both groups have. 'auto' is
    'exact' where each estimate follows from one proportion, otherwise 'tail'; see
    `Estimated.end_method`. 'wilson' is Newcombe's interval, 'wald' the ordinary one.

    References
    ----------
    Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions:
    comparison of eleven methods. Statistics in Medicine 17, 873-890, method 10.
    """

    first: Group = field(repr=False)
    second: Group = field(repr=False)
    theta: FloatArray
    standard_error: FloatArray
    correlation: FloatArray = field(repr=False)
    relied_on: FloatArray = field(repr=False)
    design_effect: FloatArray | None = field(default=None, repr=False)

    @property
    def alike(self) -> bool:
        """Whether people of each group have equal weights and were drawn one by one."""
        return self.first.alike and self.second.alike

    @property
    def limits(self) -> tuple[FloatArray, FloatArray]:
        """The least and the greatest possible difference."""
        first, second = self.first, self.second
        return first.least - second.greatest, first.greatest - second.least

    @property
    def are_ratios(self) -> bool:
        """Whether the groups' estimates are ratios, whose divisor is estimated too."""
        return self.first.are_ratios or self.second.are_ratios

    def p_value(self, method: str = intervals.DEFAULT) -> FloatArray:
        """Two-sided p-values of no difference, by the test that the interval inverts.

        Returns
        -------
        ndarray, shape (estimates,)
            1 less the greatest level at which the interval excludes 0. So p is below 0.05 exactly
            where the 95 % interval excludes 0, and likewise at every level. 1 where the estimates
            are equal, and never below 2.6e-12. nan where the interval is.

        Raises
        ------
        ValueError
            If people have weights, or one group's estimates depend on the other's.
        """
        intervals.check_method(method)
        first, second = self.first, self.second
        if not (isinstance(first, Estimate) and isinstance(second, Estimate)) or any(
            self.relied_on
        ):
            raise ValueError(
                "expected groups of different people without weights: for others invert intervals"
            )
        # With two truths each share is the other's complement.
        places = [1] if len(self.theta) == 2 else range(len(self.theta))
        found = [_p_value(first, second, place, method) for place in places]
        return np.array(found * 2 if len(self.theta) == 2 else found)

    def _ends(self, level: float, kinds: tuple[str, ...]) -> FloatArray:
        first, second = each_group(self.first, self.second, level, kinds[0])
        known = self.correlation if kinds[0] == "wald" else self.relied_on
        return intervals.square_and_add(first, second, known)


def less(
    first: Group,
    second: Group,
    correlation: float | FloatArray = 0.0,
    *,
    reliable: bool = True,
) -> Difference:
    """Return the estimates of one group less those of another.

    `correlation`: of the two groups' estimates. `reliable`: whether an interval may use it where it
    is positive, which makes it shorter.
    """
    known = np.zeros(first.theta.shape) + correlation
    error = intervals.added(first.standard_error, second.standard_error, known)
    effects = ((one.standard_error, one.design_effect) for one in (first, second))
    return Difference(
        first=first,
        second=second,
        theta=first.theta - second.theta,
        standard_error=error,
        correlation=known,
        relied_on=known if reliable else np.minimum(known, 0),
        design_effect=intervals.effect_of_both(error, *effects),
    )


@dataclass(frozen=True, eq=False)
class Pairwise:
    """Comparisons of every two of several groups. Made by `pairwise`.

    Parameters
    ----------
    pairs : tuple of (int, int)
        Positions of the first and the second compared group.
    differences : tuple of Difference
        One per pair: the first group's shares less the second's.
    """

    groups: tuple[Estimate, ...] = field(repr=False)
    pairs: tuple[tuple[int, int], ...]
    differences: tuple[Difference, ...] = field(repr=False)

    @property
    def theta(self) -> FloatArray:
        """The differences as an array of shape (pairs, truths)."""
        return np.array([each.theta for each in self.differences])

    def p_value(self, method: str = intervals.DEFAULT) -> FloatArray:
        """Return the p-values of all differences, adjusted as `interval` is (Bonferroni).

        Returns
        -------
        ndarray, shape (pairs, truths)
            Below 1 less the level exactly where the interval excludes 0; see `Difference.p_value`.
            For another adjustment pass the p-values of `differences` to `adjust`.
        """
        each = np.array([one.p_value(method) for one in self.differences])
        return np.asarray(np.minimum(each * self._comparisons, 1))

    def interval(self, level: float = 0.95, method: str = intervals.DEFAULT) -> FloatArray:
        """Confidence intervals of the differences that hold together (Bonferroni).

        Returns
        -------
        ndarray, shape (pairs, truths, 2)
        """
        each = intervals.bonferroni(level, self._comparisons)
        ends = [_own(group, each, method) for group in self.groups]
        return np.array([intervals.square_and_add(ends[i], ends[j]) for i, j in self.pairs])

    @property
    def _comparisons(self) -> int:
        return len(self.pairs) * self.groups[0].families


def difference(
    first: Counts,
    second: Counts,
    channel: Channel,
    channel_of_second: Channel | None = None,
    *,
    codes: Codes | None = None,
) -> Difference:
    """Estimate each truth's share in the first group less that in the second.

    Parameters
    ----------
    first, second : array_like of int, shape (reports,), or with labels, or columns of reports
        How often each report came in either group; see `deniable.analysis.counts.labels.in_order`.
    channel : Channel
        Of both groups, or of the first group.
    channel_of_second : Channel, optional
        If the second group has another channel, with the same truths but perhaps other reports.
    codes : sequence, optional
        What each report is called, for both channels, if the counts have labels.

    Examples
    --------
    >>> from deniable import designs
    >>> result = difference([60, 140], [110, 90], designs.warner(flip="1/4"))
    >>> result.theta.round(3), result.standard_error.round(3)
    (array([-0.5,  0.5]), array([0.096, 0.096]))
    >>> result.interval().round(3)
    array([[-0.688, -0.301],
           [ 0.301,  0.688]])
    """
    return less(*two_groups(first, second, channel, channel_of_second, codes))


def pairwise(
    counts: Groups, channels: Channel | Sequence[Channel], *, codes: Codes | None = None
) -> Pairwise:
    """Compare every two of several groups.

    Parameters
    ----------
    counts : sequence of array_like of int, shapes (reports,), or mapping, or pandas.DataFrame
        How often each report came in each group; at least two groups. Each may have labels, or be a
        column of reports (see `analysis.counts.labels.in_order`); a mapping is by group, and a
        table has one row per group, as ``pandas.crosstab(group, report)`` has.
    channels : Channel or sequence of Channel
        Of all groups, or one per group; the same truths in all.
    codes : sequence, optional
        What each report is called, in all groups, if the counts have labels.

    Examples
    --------
    >>> from deniable import designs
    >>> result = pairwise([[60, 140], [110, 90], [100, 100]], designs.warner(flip="1/4"))
    >>> result.pairs
    ((0, 1), (0, 2), (1, 2))
    >>> result.theta[:, 1].round(3)
    array([ 0.5,  0.4, -0.1])
    >>> result.p_value()[:, 1].round(2)
    array([0., 0., 1.])
    """
    groups = estimates(counts, channels, codes=codes)
    pairs = tuple(itertools.combinations(range(len(groups)), 2))
    return Pairwise(
        groups=groups,
        pairs=pairs,
        differences=tuple(less(groups[i], groups[j]) for i, j in pairs),
    )


def estimates(
    counts: Groups, channels: Channel | Sequence[Channel], *, codes: Codes | None = None
) -> tuple[Estimate, ...]:
    """Estimate the shares in each of several groups, at least two, for a comparison."""
    groups = one_a_group(counts)
    if len(groups) < 2:
        raise ValueError(f"expected at least 2 groups, found {len(groups)}")
    of = [channels] * len(groups) if isinstance(channels, Channel) else list(channels)
    if len(of) != len(groups):
        raise ValueError(f"expected one channel, or {len(groups)}, one a group, found {len(of)}")
    for group, channel in enumerate(of):
        if channel.truths != of[0].truths:
            raise ValueError(
                f"group {group}: expected a channel of {of[0].truths} truths, as in group 0, "
                f"found {channel.truths}"
            )
    return tuple(
        estimate(group, channel, codes=codes) for group, channel in zip(groups, of, strict=True)
    )


def adjust(p_values: npt.ArrayLike, adjustment: str = "holm") -> FloatArray:
    """Adjust p-values so that the chance of any false alarm among them stays below the level.

    Parameters
    ----------
    p_values : array_like of float
        Of any shape. A nan counts as a comparison and stays nan.
    adjustment : {"holm", "bonferroni", "none"}
        How they are adjusted.

        - 'holm' : step by step; never above Bonferroni's, and valid under any dependence (default)
        - 'bonferroni' : each times the number of p-values
        - 'none' : not at all

    Returns
    -------
    ndarray
        Of the shape of `p_values`.

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal
    of Statistics 6, 65-70.

    Examples
    --------
    >>> adjust([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    check_choice(adjustment, ("bonferroni", "holm", "none"), "an adjustment")
    p = np.array(p_values, dtype=np.float64)
    if adjustment == "none":
        return p
    if adjustment == "bonferroni":
        return np.minimum(p * p.size, 1)
    order = np.argsort(p, axis=None)  # nan last, where it affects no other
    steps = p.ravel()[order] * (p.size - np.arange(p.size))
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted.reshape(p.shape)


def held_together(
    interval: Callable[[float], FloatArray],
    estimate: FloatArray,
    level: float,
    comparisons: int,
    alone: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return intervals that hold together with others (Bonferroni), and p-values adjusted likewise.

    `interval`: from a level to the ends of each alone. `alone`: p-values of these, if known.
    """
    each = intervals.bonferroni(level, comparisons)
    if alone is None:
        alone = inverted_p_values(interval, estimate, each)
    return interval(each), np.minimum(alone * comparisons, 1)


def _p_value(first: Estimate, second: Estimate, place: int, method: str) -> float:
    """Return 1 less the greatest level at which the interval of a difference excludes 0."""
    if first.theta[place] < second.theta[place]:
        first, second = second, first
    apart = float(first.theta[place] - second.theta[place])
    if math.isnan(apart):
        return math.nan
    if apart <= intervals.ROUNDING:
        return 1.0
    kinds = [group.end_method(method) for group in (first, second)]
    if kinds == ["tail", "tail"]:
        above, below = (
            inversion.chances(group.counts, group.probabilities, group.ratios[place])
            for group in (first, second)
        )
        z = _z_by_tails(above, below, float(first.theta[place]), float(second.theta[place]))
    else:
        z = _z_by_levels(first, second, place, method)
    return float(2 * scipy.special.ndtr(-z))


def _z_by_levels(first: Estimate, second: Estimate, place: int, method: str) -> float:
    """Return the normal quantile of the level whose lower end is 0, by intervals at levels."""
    one = np.array([place])
    kinds = [group.methods(group.end_method(method))[place] for group in (first, second)]

    def low(z: float) -> float:
        level = float(scipy.special.erf(z / math.sqrt(2)))
        a, b = (
            (group.theta[one], group.ends_of(one, level, kind))
            for group, kind in zip((first, second), kinds, strict=True)
        )
        return float(intervals.square_and_add(a, b)[0, 0])

    if math.isnan(low(normal_quantile(0.95))):
        return math.nan
    if not low(_LEAST_Z) > 0:
        return 0.0
    if low(_MOST_Z) > 0:
        return _MOST_Z
    return float(scipy.optimize.brentq(low, _LEAST_Z, _MOST_Z, xtol=1e-9))


def _z_by_tails(above: Chances, below: Chances, high: float, low: float) -> float:
    """Return the normal quantile of the level whose lower end is 0, from the tails alone.

    It needs no ends of intervals, which are slow to find by inverting tails. `above`, `below`: the
    tails' chances for the greater estimate, `high`, and for the other, `low`. The distances from
    the estimates to the lower end of the first interval and the upper end of the second are the
    legs of a right triangle. The lower end of the difference is 0 where the hypotenuse is the
    difference. The search is for the angle at which both tails have the same chance, so that both
    ends have one level.
    """
    apart = high - low
    looks: dict[float, tuple[float, float]] = {}

    def apart_in_z(angle: float) -> float:
        down, up = apart * math.cos(angle), apart * math.sin(angle)
        zs = (
            _z(above(high - down)[0]) if angle < math.pi / 2 else 0.0,
            _z(below(low + up)[1]) if angle > 0 else 0.0,
        )
        looks[angle] = zs
        return zs[0] - zs[1]

    if apart_in_z(0.0) > 0 > apart_in_z(math.pi / 2):
        scipy.optimize.brentq(apart_in_z, 0.0, math.pi / 2, xtol=1e-7)
    # The ends at any angle make the interval reach 0; the least level over the angles counts.
    return min(max(zs) for zs in looks.values())


def _z(chance: float) -> float:
    return float(np.clip(-scipy.special.ndtri(chance), 0.0, _MOST_Z))


def two_groups(
    first: Counts,
    second: Counts,
    channel: Channel,
    channel_of_second: Channel | None,
    codes: Codes | None,
) -> tuple[Estimate, Estimate]:
    """Estimate the shares in two groups; the arguments are those of `difference`."""
    a, b = estimates((first, second), (channel, channel_of_second or channel), codes=codes)
    return a, b


def each_group(
    first: Group, second: Group, level: float, method: str
) -> list[tuple[FloatArray, FloatArray]]:
    """Return the estimates and the intervals of two groups."""
    return [_own(group, level, method) for group in (first, second)]


def _own(group: Group, level: float, method: str) -> tuple[FloatArray, FloatArray]:
    return group.theta, group.interval(level, group.end_method(method))
