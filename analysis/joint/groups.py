"""Comparing groups: differences, ratios and odds ratios of the truths' shares."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import special

from deniable.analysis import always_valid, intervals
from deniable.analysis.counting import Codes, Counts, Groups, one_a_group
from deniable.analysis.estimation import Estimate, estimate, share_methods
from deniable.analysis.estimator import least_variance
from deniable.analysis.planning.widths import share_variance
from deniable.channel import Channel

FloatArray: TypeAlias = npt.NDArray[np.float64]

ADJUSTMENTS: Final = ("bonferroni", "holm", "none")
"""How the p-values of several comparisons can be adjusted."""

# A variance below this, relative to the square of the contributions' range, is one of 0.
_NO_VARIANCE: Final = 1e-18
# How far a group's interval reaches to a side, for points on a quarter of an ellipse.
_ANGLES: Final = np.linspace(0, math.pi / 2, 2**12 + 1)
_ARC: Final = (np.cos(_ANGLES), np.sin(_ANGLES))
# Intervals of two groups that can be made into one of what compares them.
_COMBINED: Final = tuple(name for name in intervals.NAMES if name != intervals.ALWAYS_VALID)


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

        The test that `deniable.analysis.planning.power.power_two_groups` plans for by
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
            Of the two groups' own intervals, as for
            `deniable.analysis.estimation.Estimate.interval`; they are then squared and added.
            ``"auto"`` is ``"exact"`` where each share is a matter of one proportion, and else
            ``"tail"`` (see `end_method`). With ``"wald"`` this is the ordinary interval of a
            difference; with ``"wilson"`` Newcombe's.
            ``"always-valid"`` is one of its own, which holds at all numbers of reports in the two
            groups at once (see `deniable.analysis.always_valid.difference`).
        comparisons : int
            How many intervals are to hold together (Bonferroni).

        Returns
        -------
        ndarray, shape (truths, 2)
            Lower and upper ends, not clipped.

        Raises
        ------
        ValueError
            If the level, the method or the number of comparisons is none.

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
            intervals.check_level(level)
            each = intervals.bonferroni(level, comparisons)
            shares = zip(_contributions(self.first), _contributions(self.second), strict=True)
            return np.array([always_valid.difference(*groups, each) for groups in shares])
        return intervals.square_and_add(
            *_each_group(self.first, self.second, level, method, comparisons)
        )


@dataclass(frozen=True, eq=False)
class Ratio:
    """The first group's shares over the second's. Made by `ratio`.

    Parameters
    ----------
    first, second : Estimate
        Of the two groups.
    ratio : ndarray, shape (truths,)
        nan where the second estimate is 0. It may be negative: then it is shown as it is and
        `outside` says so.
    log_standard_error : ndarray, shape (truths,)
        Of the ratio's logarithm, by the delta method; nan where an estimate is not above 0.
    """

    first: Estimate = field(repr=False)
    second: Estimate = field(repr=False)
    ratio: FloatArray
    log_standard_error: FloatArray

    @property
    def outside(self) -> npt.NDArray[np.bool_]:
        """Whether a group's share is outside [0, 1], and so the ratio in doubt."""
        return self.first.outside | self.second.outside

    def interval(
        self, level: float = 0.95, method: str = intervals.DEFAULT, *, comparisons: int = 1
    ) -> FloatArray:
        r"""Confidence interval of each truth's ratio.

        Parameters
        ----------
        level : float
            Between 0 and 1.
        method : str
            Of the two groups' own intervals, as for
            `deniable.analysis.estimation.Estimate.interval`, which are then combined; ``"auto"`` as
            in `Difference.interval`. Or ``"delta"``, a normal interval of the logarithm, for large
            groups with many of the truth in each. Under Warner's design of ε = 1, in groups of 15,
            half of those that exist miss the ratio of .02 to .60, and all of them miss one of 0.
        comparisons : int
            How many intervals are to hold together (Bonferroni).

        Returns
        -------
        ndarray, shape (truths, 2)
            Inside [0, inf]. The upper end is infinite where the second group's share may be 0: no
            interval that is always finite can hold the ratio often enough there. nan where a
            group's own interval lies wholly outside [0, 1], so that no share of it agrees with the
            reports; and with ``"delta"`` where an estimate is not above 0.

        Raises
        ------
        ValueError
            If the level, the method or the number of comparisons is none.

        Notes
        -----
        With (l1, u1) and (l2, u2) the groups' intervals of t1 and t2, the shares
        :math:`t_1 - (t_1 - l_1) \cos a` and :math:`t_2 + (u_2 - t_2) \sin a` for a from 0 to a
        right angle, an arc of an ellipse, are those from which the lower end is taken: the least
        ratio on it, and the upper end likewise. The least difference on it is the one that
        `Difference.interval` gives, by squaring and adding; the least ratio is that for which the
        squared and added interval of ``t1 - ratio t2`` just holds 0. Unlike squared and added
        logarithms it needs no estimate above 0.

        References
        ----------
        Katz, D., Baptista, J., Azen, S. P. and Pike, M. C. (1978). Obtaining confidence intervals
        for the risk ratio in cohort studies. Biometrics 34, 469-474: the delta method.
        Donner, A. and Zou, G. Y. (2012). Closed-form confidence intervals for functions of the
        normal mean and standard deviation. Statistical Methods in Medical Research 21, 347-359,
        section 2: the interval of a ratio.
        """
        if method == "delta":
            with np.errstate(divide="ignore", invalid="ignore"):
                logarithm = np.log(self.ratio)
            return np.exp(_normal(logarithm, self.log_standard_error, level, comparisons))
        return _on_arcs(self.first, self.second, _quotient, level, method, comparisons)


@dataclass(frozen=True, eq=False)
class OddsRatio:
    """The first group's odds of each truth over the second's. Made by `odds_ratio`.

    Parameters
    ----------
    first, second : Estimate
        Of the two groups.
    odds_ratio : ndarray, shape (truths,)
        nan or infinite where odds are divided by 0; negative where an estimate is outside [0, 1].
    log_standard_error : ndarray, shape (truths,)
        Of its logarithm, by the delta method; nan where an estimate is not inside (0, 1).
    """

    first: Estimate = field(repr=False)
    second: Estimate = field(repr=False)
    odds_ratio: FloatArray
    log_standard_error: FloatArray

    @property
    def outside(self) -> npt.NDArray[np.bool_]:
        """Whether a group's share is outside [0, 1], and so the odds ratio in doubt."""
        return self.first.outside | self.second.outside

    def interval(
        self, level: float = 0.95, method: str = intervals.DEFAULT, *, comparisons: int = 1
    ) -> FloatArray:
        """Confidence interval of each truth's odds ratio.

        Parameters
        ----------
        level, method, comparisons
            As for `Ratio.interval`.

        Returns
        -------
        ndarray, shape (truths, 2)
            Inside [0, inf], found on the arcs of `Ratio.interval`. The upper end is infinite where
            the second group's share may be 0 or the first one's 1. nan as there; with ``"delta"``
            where an estimate is not inside (0, 1).

        Raises
        ------
        ValueError
            If the level, the method or the number of comparisons is none.

        References
        ----------
        Woolf, B. (1955). On estimating the relation between blood group and disease. Annals of
        Human Genetics 19, 251-253: the delta method.
        """
        if method == "delta":
            with np.errstate(invalid="ignore"):  # 0 over 0
                logarithm = _logit(self.first.theta) - _logit(self.second.theta)
            return np.exp(_normal(logarithm, self.log_standard_error, level, comparisons))
        return _on_arcs(self.first, self.second, _odds_quotient, level, method, comparisons)


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
            Bonferroni's belong to the intervals, which are Bonferroni's too. Holm's are never
            above them, and belong to no intervals: one may be below 0.05 beside a 95 % interval
            that holds 0.

        Returns
        -------
        ndarray, shape (pairs, truths)
            Adjusted over all pairs and truths, except that two truths are one comparison.

        Raises
        ------
        ValueError
            If the adjustment is none.
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
            If the level or the method is none.
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
    return _difference(*_two_groups(first, second, channel, channel_of_second, codes))


def ratio(
    first: Counts,
    second: Counts,
    channel: Channel,
    channel_of_second: Channel | None = None,
    *,
    codes: Codes | None = None,
) -> Ratio:
    """Estimate how many times as great each truth's share is in the first group.

    Parameters
    ----------
    first, second, channel, channel_of_second, codes
        As for `difference`.

    Returns
    -------
    Ratio
        The first group's shares over the second's.

    Raises
    ------
    ValueError
        If the counts or the channels do not fit.

    Notes
    -----
    The variance of a share's logarithm is that of the share over its square, to the first order.

    Examples
    --------
    >>> from deniable import designs
    >>> result = ratio([60, 140], [110, 90], designs.warner(flip="1/4"))
    >>> result.ratio.round(3)
    array([0.167, 2.25 ])
    >>> result.interval().round(3)
    array([[0.   , 0.416],
           [1.586, 3.528]])
    """
    a, b = _two_groups(first, second, channel, channel_of_second, codes)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(b.theta == 0, math.nan, a.theta / b.theta)
    errors = [_log_error(group) for group in (a, b)]
    return Ratio(first=a, second=b, ratio=value, log_standard_error=np.hypot(*errors))


def odds_ratio(
    first: Counts,
    second: Counts,
    channel: Channel,
    channel_of_second: Channel | None = None,
    *,
    codes: Codes | None = None,
) -> OddsRatio:
    """Estimate how many times as great the odds of each truth are in the first group.

    Parameters
    ----------
    first, second, channel, channel_of_second, codes
        As for `difference`.

    Returns
    -------
    OddsRatio
        The first group's odds over the second's.

    Raises
    ------
    ValueError
        If the counts or the channels do not fit.

    Examples
    --------
    >>> from deniable import designs
    >>> result = odds_ratio([60, 140], [110, 90], designs.warner(flip="1/4"))
    >>> result.odds_ratio.round(3), result.log_standard_error.round(3)
    (array([ 0.074, 13.5  ]), array([0.779, 0.779]))
    """
    a, b = _two_groups(first, second, channel, channel_of_second, codes)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = a.theta * (1 - b.theta) / ((1 - a.theta) * b.theta)
    errors = [_log_odds_error(group) for group in (a, b)]
    return OddsRatio(first=a, second=b, odds_ratio=value, log_standard_error=np.hypot(*errors))


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
        Holm's is never above Bonferroni's, and valid under the same conditions: none.

    Returns
    -------
    ndarray
        Of the shape of `p_values`.

    Raises
    ------
    ValueError
        If the adjustment is none.

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
        # What rounding leaves of a variance is none.
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


def _two_groups(
    first: Counts,
    second: Counts,
    channel: Channel,
    channel_of_second: Channel | None,
    codes: Codes | None,
) -> tuple[Estimate, Estimate]:
    a, b = estimates((first, second), (channel, channel_of_second or channel), codes=codes)
    return a, b


def _contributions(group: Estimate) -> list[tuple[FloatArray, npt.NDArray[np.int64]]]:
    """Return what reports contribute to each share and how often they came, if they can at all."""
    sendable = group.channel.probabilities.any(axis=0)
    counts = group.counts[sendable]
    return [(g, counts) for g in least_variance(group.channel)[:, sendable]]


def _each_group(
    first: Estimate, second: Estimate, level: float, method: str, comparisons: int
) -> list[tuple[FloatArray, FloatArray]]:
    """Return the estimates and the intervals of two groups."""
    return [
        (group.theta, group.interval(level, kind, comparisons=comparisons))
        for group in (first, second)
        for kind in (end_method(group.channel, method),)
    ]


def _on_arcs(
    first: Estimate,
    second: Estimate,
    compared: Callable[[FloatArray, FloatArray], FloatArray],
    level: float,
    method: str,
    comparisons: int,
) -> FloatArray:
    """Combine two groups' intervals into one of what rises with the first share, not the second."""
    if method == intervals.ALWAYS_VALID:
        raise ValueError(
            f"expected an interval of {', '.join(_COMBINED)} for a ratio or an odds ratio, found "
            f"{method!r}: squaring and adding keeps no promise about every number of reports"
        )
    groups = _each_group(first, second, level, method, comparisons)
    (t1, (l1, u1)), (t2, (l2, u2)) = (
        (t[:, np.newaxis], ends.T[..., np.newaxis]) for t, ends in groups
    )
    low = compared(
        np.clip(t1 - np.maximum(t1 - l1, 0) * _ARC[0], 0, 1),
        np.clip(t2 + np.maximum(u2 - t2, 0) * _ARC[1], 0, 1),
    )
    high = compared(
        np.clip(t1 + np.maximum(u1 - t1, 0) * _ARC[0], 0, 1),
        np.clip(t2 - np.maximum(t2 - l2, 0) * _ARC[1], 0, 1),
    )
    # Where it is 0 over 0, any value agrees.
    low, high = np.where(np.isnan(low), 0, low), np.where(np.isnan(high), math.inf, high)
    ends = np.stack([low.min(axis=1), high.max(axis=1)], axis=1)
    for _, own in groups:
        ends[intervals.missed(own) | np.isnan(own).any(axis=1)] = math.nan
    return ends


def _quotient(first: FloatArray, second: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return first / second


def _odds_quotient(first: FloatArray, second: FloatArray) -> FloatArray:
    return _quotient(first * (1 - second), (1 - first) * second)


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


def _normal(
    value: FloatArray, standard_error: FloatArray, level: float, comparisons: int
) -> FloatArray:
    intervals.check_level(level)
    return intervals.wald(value, standard_error, intervals.bonferroni(level, comparisons))


def _log_error(group: Estimate) -> FloatArray:
    """Return the standard errors of the shares' logarithms, by the delta method."""
    theta = np.where(group.theta > 0, group.theta, math.nan)
    return np.asarray(group.standard_error / theta)


def _log_odds_error(group: Estimate) -> FloatArray:
    """Return the standard errors of the logarithms of the odds, by the delta method."""
    theta = np.where((group.theta > 0) & (group.theta < 1), group.theta, math.nan)
    return np.asarray(group.standard_error / (theta * (1 - theta)))


def _logit(share: FloatArray) -> FloatArray:
    """Return the logarithm of the odds, -inf at 0 and below and inf at 1 and above."""
    return np.asarray(special.logit(np.clip(share, 0, 1)))
