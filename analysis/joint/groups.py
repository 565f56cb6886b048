"""Comparing groups: differences of the truths' shares, of two groups or of every two."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy import special

from deniable.analysis import always_valid, intervals
from deniable.analysis.counting import Codes, Counts, Groups, one_a_group
from deniable.analysis.estimation import Estimate, estimate, share_methods
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.levels import check_level
from deniable.channel import Channel
from deniable.estimator import least_variance, share_variance

ADJUSTMENTS: Final = ("bonferroni", "holm", "none")
"""How the p-values of several comparisons can be adjusted."""

# A variance below this, relative to the square of the contributions' range, is one of 0.
_NO_VARIANCE: Final = 1e-18


@dataclass(frozen=True, eq=False)
class Difference:
    """The first group's shares less the second's. Made by `difference`.

    Parameters
    ----------
    first, second : Estimate
        Of the two groups.
    difference : ndarray, shape (truths,)
        Unbiased. It may leave [-1, 1]: then it is shown as it is and `outside` says so.
    standard_error : ndarray, shape (truths,)
        nan if a group has one report only.
    """

    first: Estimate = field(repr=False)
    second: Estimate = field(repr=False)
    difference: FloatArray
    standard_error: FloatArray

    @property
    def outside(self) -> npt.NDArray[np.bool_]:
        """Whether a group's share is outside [0, 1], and so the difference in doubt."""
        return self.first.outside | self.second.outside

    @property
    def p_value(self) -> FloatArray:
        r"""Of the two-sided score test that the shares are equal; shape (truths,).

        The test that `deniable.analysis.planning.power.powertwo_groups` plans for by
        ``PlannedTest("score")``, and that of `deniable.analysis.joint.association.homogeneity` for
        two truths: the difference over its standard error if there is none. Groups of one channel
        then have one variance :math:`V`, that of a contribution over the reports of both, and the
        error is :math:`\sqrt{V (1/n_1 + 1/n_2)}`. Under different channels each group has its own,
        about the share that they would have in common: the mean of both estimates by the
        precision of their channels at equally likely truths.

        nan where nothing varies, as when all reports of both groups are alike: then there is
        nothing to judge by. It agrees with Newcombe's interval (``"wilson"``) as two approximations
        of one thing do: where p is near 1 minus the level, one may reject and not the other.
        """
        error = _error_if_equal(self.first, self.second)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(error > 0, self.difference / error, math.nan)
        return np.asarray(2 * special.ndtr(-np.abs(z)))

    def interval(
        self, level: float = 0.95, method: str = intervals.DEFAULT, *, comparisons: int = 1
    ) -> FloatArray:
        """Confidence interval of each truth's difference.

        Parameters
        ----------
        level : float
            Between 0 and 1.
        method : str
            Of the two groups' own intervals, which are then squared and added.

            - 'auto' : 'exact' where each share is a matter of one proportion, and else 'tail'; see
              `end_method` (default)
            - any other one of `deniable.analysis.estimation.Estimate.interval`: with 'wilson' the
              interval is Newcombe's, with 'wald' the ordinary one of a difference
            - 'always-valid' : one of its own, which holds at all numbers of reports in the two
              groups at once; see `deniable.analysis.always_valid.difference`
        comparisons : int
            How many intervals are to hold together (Bonferroni).

        Returns
        -------
        ndarray, shape (truths, 2)
            Lower and upper ends, not clipped.

        Raises
        ------
        ValueError
            If the level, the method or the number of comparisons is not valid.

        Notes
        -----
        With (l1, u1) and (l2, u2) the groups' intervals, the ends are
        ``d - sqrt((t1 - l1)^2 + (u2 - t2)^2)`` and ``d + sqrt((u1 - t1)^2 + (t2 - l2)^2)``: the
        distance to an end estimates the variance where it matters, near that end.

        References
        ----------
        Newcombe, R. G. (1998). Interval estimation for the difference between independent
        proportions: comparison of eleven methods. Statistics in Medicine 17, 873-890, method 10.
        Zou, G. Y. and Donner, A. (2008). Construction of confidence limits about effect measures:
        a general approach. Statistics in Medicine 27, 1693-1702.
        """
        if method == intervals.ALWAYS_VALID:
            check_level(level)
            each = intervals.bonferroni(level, comparisons)
            shares = zip(_contributions(self.first), _contributions(self.second), strict=True)
            return np.array([always_valid.difference(*groups, each) for groups in shares])
        return intervals.square_and_add(
            *each_group(self.first, self.second, level, method, comparisons)
        )


@dataclass(frozen=True, eq=False)
class Pairwise:
    """Every two of several groups compared. Made by `pairwise`.

    Parameters
    ----------
    groups : tuple of Estimate
    pairs : tuple of (int, int)
        Positions of the groups compared, first and second.
    differences : tuple of Difference
        One a pair: the first group's shares less the second's.
    """

    groups: tuple[Estimate, ...] = field(repr=False)
    pairs: tuple[tuple[int, int], ...]
    differences: tuple[Difference, ...] = field(repr=False)

    @property
    def difference(self) -> FloatArray:
        """The differences as an array of shape (pairs, truths)."""
        return np.array([each.difference for each in self.differences])

    @property
    def standard_error(self) -> FloatArray:
        """Their standard errors; shape (pairs, truths)."""
        return np.array([each.standard_error for each in self.differences])

    def p_value(self, adjustment: str = "bonferroni") -> FloatArray:
        """Score p-values, adjusted for the number of comparisons.

        Parameters
        ----------
        adjustment : {"bonferroni", "holm", "none"}
            For how many comparisons there are.

            - 'bonferroni' : belongs to the intervals, which are Bonferroni's too (default)
            - 'holm' : never above it, and belongs to no intervals: one may be below 0.05 beside a
              95 % interval that holds 0
            - 'none' : each p-value by itself

        Returns
        -------
        ndarray, shape (pairs, truths)
            Adjusted over all pairs and truths, except that two truths are one comparison.

        Raises
        ------
        ValueError
            If the adjustment is not valid.
        """
        p = np.array([each.p_value for each in self.differences])
        if p.shape[1] > 2:
            return adjust(p, adjustment)
        return np.repeat(adjust(p[:, :1], adjustment), 2, axis=1)

    def interval(self, level: float = 0.95, method: str = intervals.DEFAULT) -> FloatArray:
        """Confidence intervals of the differences that hold together (Bonferroni).

        Parameters
        ----------
        level : float
            Of all of them together, between 0 and 1.
        method : str
            As for `Difference.interval`.

        Returns
        -------
        ndarray, shape (pairs, truths, 2)

        Raises
        ------
        ValueError
            If the level or the method is not valid.
        """
        truths = len(self.groups[0].theta)
        comparisons = len(self.pairs) * (truths if truths > 2 else 1)
        return np.array(
            [each.interval(level, method, comparisons=comparisons) for each in self.differences]
        )


def difference(
    first: Counts,
    second: Counts,
    channel: Channel,
    channel_of_second: Channel | None = None,
    *,
    codes: Codes | None = None,
) -> Difference:
    """Estimate how much each truth's share differs between two groups.

    Parameters
    ----------
    first, second : array_like of int, shape (reports,), or with labels, or columns of reports
        How often each report came in either group; see `deniable.analysis.counting.in_order`.
    channel : Channel
        Of both groups, or of the first one.
    channel_of_second : Channel, optional
        If it is another one: it has the same truths, and perhaps other reports.
    codes : sequence, optional
        What each report is called, of both channels, where the counts have labels.

    Returns
    -------
    Difference
        The first group's shares less the second's.

    Raises
    ------
    ValueError
        If the counts or the channels do not fit.

    Examples
    --------
    >>> from deniable import designs
    >>> result = difference([60, 140], [110, 90], designs.warner(flip="1/4"))
    >>> result.difference.round(3), result.standard_error.round(3)
    (array([-0.5,  0.5]), array([0.096, 0.096]))
    >>> result.interval().round(3)
    array([[-0.688, -0.301],
           [ 0.301,  0.688]])
    """
    return _difference(*two_groups(first, second, channel, channel_of_second, codes))


def pairwise(
    counts: Groups, channels: Channel | Sequence[Channel], *, codes: Codes | None = None
) -> Pairwise:
    """Compare every two of several groups.

    Parameters
    ----------
    counts : sequence of array_like of int, shapes (reports,), or mapping, or pandas.DataFrame
        How often each report came in each group; two groups at least. Each may have labels, or be
        a column of reports (see `deniable.analysis.counting.in_order`); a mapping is of groups, and
        a table has a row a group, as ``pandas.crosstab(group, report)`` has.
    channels : Channel or sequence of Channel
        Of all groups, or one a group; the same truths in all.
    codes : sequence, optional
        What each report is called, in all groups, where the counts have labels.

    Returns
    -------
    Pairwise

    Raises
    ------
    ValueError
        If there are fewer than two groups, or the counts or the channels do not fit.

    Examples
    --------
    >>> from deniable import designs
    >>> result = pairwise([[60, 140], [110, 90], [100, 100]], designs.warner(flip="1/4"))
    >>> result.pairs
    ((0, 1), (0, 2), (1, 2))
    >>> result.difference[:, 1].round(3)
    array([ 0.5,  0.4, -0.1])
    >>> result.p_value()[:, 1].round(2)
    array([0.  , 0.  , 0.95])
    """
    groups = estimates(counts, channels, codes=codes)
    pairs = tuple(itertools.combinations(range(len(groups)), 2))
    return Pairwise(
        groups=groups,
        pairs=pairs,
        differences=tuple(_difference(groups[i], groups[j]) for i, j in pairs),
    )


def estimates(
    counts: Groups, channels: Channel | Sequence[Channel], *, codes: Codes | None = None
) -> tuple[Estimate, ...]:
    """Estimate the shares in each of several groups that are to be compared.

    Parameters
    ----------
    counts, channels, codes
        As for `pairwise`.

    Returns
    -------
    tuple of Estimate

    Raises
    ------
    ValueError
        If there are fewer than two groups, or the counts or the channels do not fit.
    """
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
        Of any shape. nan counts as a comparison and stays nan.
    adjustment : {"holm", "bonferroni", "none"}
        How they are adjusted.

        - 'holm' : step by step; never above Bonferroni's, and valid whatever the p-values depend on
          (default)
        - 'bonferroni' : each times their number
        - 'none' : not at all

    Returns
    -------
    ndarray
        Of the shape of `p_values`.

    Raises
    ------
    ValueError
        If the adjustment is not valid.

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal
    of Statistics 6, 65-70.

    Examples
    --------
    >>> adjust([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    if adjustment not in ADJUSTMENTS:
        raise ValueError(
            f"expected an adjustment of {', '.join(ADJUSTMENTS)}, found {adjustment!r}"
        )
    p = np.array(p_values, dtype=np.float64)
    if adjustment == "none":
        return p
    if adjustment == "bonferroni":
        return np.minimum(p * p.size, 1)
    order = np.argsort(p, axis=None)  # nan last, where it spoils no other
    steps = p.ravel()[order] * (p.size - np.arange(p.size))
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted.reshape(p.shape)


def _difference(a: Estimate, b: Estimate) -> Difference:
    return Difference(
        first=a,
        second=b,
        difference=a.theta - b.theta,
        standard_error=np.hypot(a.standard_error, b.standard_error),
    )


def _error_if_equal(a: Estimate, b: Estimate) -> FloatArray:
    """Return the standard errors of the differences if the shares are equal; shape (truths,)."""
    if a.channel == b.channel:
        G = least_variance(a.channel)
        together = (a.counts + b.counts) / (a.n + b.n)
        common = G @ together
        variance = (G - common[:, np.newaxis]) ** 2 @ together
        # What rounding leaves of a variance of 0 counts as 0.
        variance[variance < _NO_VARIANCE * np.ptp(G, axis=1) ** 2] = 0
        return np.asarray(np.sqrt(variance * (1 / a.n + 1 / b.n)))
    alike = np.full(len(a.theta), 1 / len(a.theta))
    first, second = (group.n / share_variance(group.channel, alike) for group in (a, b))
    common = (first * a.theta + second * b.theta) / (first + second)
    squares = [
        (least_variance(group.channel) - common[:, np.newaxis]) ** 2 @ group.counts / group.n**2
        for group in (a, b)
    ]
    return np.asarray(np.sqrt(squares[0] + squares[1]))


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


def _contributions(group: Estimate) -> list[tuple[FloatArray, npt.NDArray[np.int64]]]:
    """Return what reports contribute to each share and how often they came, if they can at all."""
    sendable = group.channel.probabilities.any(axis=0)
    counts = group.counts[sendable]
    return [(g, counts) for g in least_variance(group.channel)[:, sendable]]


def each_group(
    first: Estimate, second: Estimate, level: float, method: str, comparisons: int
) -> list[tuple[FloatArray, FloatArray]]:
    """Return the estimates and the intervals of two groups."""
    return [
        (group.theta, group.interval(level, kind, comparisons=comparisons))
        for group in (first, second)
        for kind in (end_method(group.channel, method),)
    ]


def end_method(channel: Channel, method: str) -> str:
    """Return the kind of a group's own interval that squaring and adding needs.

    It takes each end by itself for as far as the estimate may be off on that side. The ends of
    Blaker's keep a promise together only, and those of Clopper and Pearson's one each.

    Parameters
    ----------
    channel : Channel
        Of the group.
    method : str
        That was asked for.

    Returns
    -------
    str
        "exact" or "tail" for "auto", and for others the same.

    Raises
    ------
    ValueError
        If the shares are not identifiable.
    """
    if method != intervals.DEFAULT:
        return method
    return "tail" if "tail" in share_methods(channel, method) else "exact"
