"""Ratios and odds ratios of the truths' shares in two groups."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import scipy

from deniable.analysis import intervals
from deniable.analysis.counts.labels import Codes, Counts
from deniable.analysis.estimated import Group
from deniable.analysis.findings import Interval
from deniable.analysis.intervals import quotients
from deniable.analysis.joint.groups import OfTwoGroups, each_group, two_groups
from deniable.analysis.numerics.arrays import BoolArray, FloatArray
from deniable.analysis.numerics.convergence import where_certain
from deniable.channel import Channel

# Parts of two groups' intervals, for points on a quarter of an ellipse.
_ANGLES: Final = np.linspace(0, math.pi / 2, 2**12 + 1)
_ARC: Final = (np.cos(_ANGLES), np.sin(_ANGLES))


@dataclass(frozen=True, eq=False)
class Ratio(OfTwoGroups):
    r"""The first group's shares, or odds, over the second's. Made by `ratio` and `odds_ratio`.

    Parameters
    ----------
    theta : ndarray, shape (truths,)
        Of odds if `of_odds`, otherwise of shares. nan where the second group's share may be 0 and,
        for odds, where the first group's may be 1; see `deniable.analysis.intervals.quotients`. It
        may be negative: then it is shown unclipped and `outside` is True.
    log_standard_error : ndarray, shape (truths,)
        Of the ratio's logarithm, by the delta method; nan where the ratio is, where an estimate is
        not above 0, and for odds where an estimate is not inside (0, 1).
    correlation : float or ndarray, shape (truths,)
        Of the two groups' estimates.
    design_effect : ndarray, shape (truths,), optional
        Of the logarithm, if weights differ.

    Notes
    -----
    The `interval` combines those of the two groups, which are chosen as for
    `deniable.analysis.joint.groups.Difference`. It is inside [0, inf]. The upper end is infinite
    where the second group's share may be 0 (or, for odds, the first group's 1): no interval that is
    always finite can cover the ratio often enough there. It is 0 and inf where a group's own
    interval lies wholly outside [0, 1], so that no share agrees with its reports.

    With (l1, u1) and (l2, u2) the groups' intervals of t1 and t2, the shares
    :math:`t_1 - (t_1 - l_1) \cos a` and :math:`t_2 + (u_2 - t_2) \sin a` for a from 0 to a right
    angle form an arc of an ellipse. The lower end is the least ratio on this arc, and the upper end
    likewise. The least difference on the arc is the lower end of the interval of a difference, by
    squaring and adding; the least ratio is the one whose squared and added interval of
    ``t1 - ratio t2`` just holds 0. Unlike squared and added logarithms it needs no estimate above
    0.

    'delta' is a normal interval of the logarithm, for large groups with many people of the truth in
    each; 0 and inf where `log_standard_error` is unknown. Under Warner's design of ε = 1, in groups
    of 15, half of the existing intervals miss the ratio of .02 to .60, and all of them miss a ratio
    of 0.

    References
    ----------
    Katz, D., Baptista, J., Azen, S. P. and Pike, M. C. (1978). Obtaining confidence intervals for
    the risk ratio in cohort studies. Biometrics 34, 469-474: the delta method.
    Woolf, B. (1955). On estimating the relation between blood group and disease. Annals of Human
    Genetics 19, 251-253: the delta method for odds.
    Donner, A. and Zou, G. Y. (2012). Closed-form confidence intervals for functions of the normal
    mean and standard deviation. Statistical Methods in Medical Research 21, 347-359, section 2: the
    interval of a ratio.
    """

    are_ratios = True

    first: Group = field(repr=False)
    second: Group = field(repr=False)
    theta: FloatArray
    log_standard_error: FloatArray
    of_odds: bool = False
    correlation: float | FloatArray = field(default=0.0, repr=False)
    design_effect: FloatArray | None = field(default=None, repr=False)

    @property
    def limits(self) -> tuple[FloatArray, FloatArray]:
        """The least and the greatest possible ratio: 0 and infinity."""
        return np.zeros(self.theta.shape), np.full(self.theta.shape, math.inf)

    def _ends(self, level: float, kinds: tuple[str, ...]) -> FloatArray:
        if kinds[0] != "delta":
            return _on_arcs(self, level, kinds[0])
        with np.errstate(divide="ignore", invalid="ignore"):
            logarithm = np.log(self.theta)
            if self.of_odds:
                logarithm = _logit(self.first.theta) - _logit(self.second.theta)
        return np.exp(intervals.wald(logarithm, self.log_standard_error, level))

    def narrow(
        self, level: float = 0.95, method: str = intervals.DEFAULT, *, comparisons: int = 1
    ) -> BoolArray:
        """Return for which truths a group's own interval, cut at 0 and 1, misleads.

        `level`, `method`, `comparisons`: of `interval`. See `Interval.misleads`.
        """
        if method == "delta":
            return np.zeros(len(self.theta), dtype=np.bool_)
        each = intervals.bonferroni(level, comparisons)
        groups = each_group(self.first, self.second, each, method)
        first, second = ([Interval(*ends).misleads(0, 1) for ends in own] for _, own in groups)
        return np.logical_or(first, second)


def ratio(
    first: Counts,
    second: Counts,
    channel: Channel,
    channel_of_second: Channel | None = None,
    *,
    codes: Codes | None = None,
) -> Ratio:
    """Estimate the ratio of each truth's share in the first group to that in the second.

    Notes
    -----
    To the first order, the variance of a share's logarithm is the variance of the share over its
    square.

    Examples
    --------
    >>> from deniable import designs
    >>> result = ratio([60, 140], [110, 90], designs.warner(flip="1/4"))
    >>> result.theta.round(3)
    array([0.167, 2.25 ])
    >>> result.interval().round(3)
    array([[0.   , 0.416],
           [1.586, 3.528]])
    """
    return ratio_of(*two_groups(first, second, channel, channel_of_second, codes))


def odds_ratio(
    first: Counts,
    second: Counts,
    channel: Channel,
    channel_of_second: Channel | None = None,
    *,
    codes: Codes | None = None,
) -> Ratio:
    """Estimate the ratio of each truth's odds in the first group to those in the second.

    Examples
    --------
    >>> from deniable import designs
    >>> result = odds_ratio([60, 140], [110, 90], designs.warner(flip="1/4"))
    >>> result.theta.round(3), result.log_standard_error.round(3)
    (array([0.074,   nan]), array([0.779,   nan]))
    """
    return ratio_of(*two_groups(first, second, channel, channel_of_second, codes), odds=True)


def ratio_of(
    first: Group,
    second: Group,
    correlation: float | FloatArray = 0.0,
    *,
    odds: bool = False,
) -> Ratio:
    """Compare the estimated shares of two groups, or their odds."""
    value = (_odds_quotient if odds else _quotient)(first.theta, second.theta)
    nothing = _may_be_at_an_end(second)[0]
    if odds:
        nothing = nothing | _may_be_at_an_end(first)[1]
    one, other = (_relative_error(group, odds) for group in (first, second))
    error = intervals.added(one, other, correlation)
    effect = intervals.effect_of_both(
        error, (one, first.design_effect), (other, second.design_effect)
    )
    return Ratio(first, second, *quotients.known(value, error, nothing), odds, correlation, effect)


def _may_be_at_an_end(group: Group) -> tuple[BoolArray, BoolArray]:
    """Return which shares may be 0, and which may be 1."""
    ends = where_certain(lambda: group.interval(quotients.LEVEL, group.end_method()))
    if ends is None:
        ends = np.full((len(group.theta), 2), math.nan)
    low, high = ends.T
    return quotients.may_be_nothing(low), quotients.may_be_nothing(1 - high)


def _relative_error(group: Group, odds: bool) -> FloatArray:
    """Return the standard error of the logarithm of each share, or of its odds."""
    theta = group.theta
    scale = theta * (1 - theta) if odds else theta
    return np.asarray(group.standard_error / np.where(scale > 0, scale, math.nan))


def _on_arcs(found: Ratio, level: float, method: str) -> FloatArray:
    """Combine two groups' intervals into that of a comparison, rising in the first share."""
    compared = _odds_quotient if found.of_odds else _quotient
    groups = each_group(found.first, found.second, level, method)
    # A positive correlation is not used, see `Difference.relied_on`.
    shared = np.reshape(np.minimum(found.correlation, 0), (-1, 1))
    near, far = _ARC[0], np.sqrt(1 - shared**2) * _ARC[1] - shared * _ARC[0]
    (t1, (l1, u1)), (t2, (l2, u2)) = (
        (t[:, np.newaxis], ends.T[..., np.newaxis]) for t, ends in groups
    )
    low = compared(
        np.clip(t1 - np.maximum(t1 - l1, 0) * near, 0, 1),
        np.clip(t2 + np.maximum(u2 - t2, 0) * far, 0, 1),
    )
    high = compared(
        np.clip(t1 + np.maximum(u1 - t1, 0) * near, 0, 1),
        np.clip(t2 - np.maximum(t2 - l2, 0) * far, 0, 1),
    )
    # For 0 over 0, any value agrees with the reports.
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


def _logit(share: FloatArray) -> FloatArray:
    # -inf at 0 and below, inf at 1 and above.
    return np.asarray(scipy.special.logit(np.clip(share, 0, 1)))
