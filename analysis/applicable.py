"""Shares among the people to whom a question applies: ratios of two estimates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.analysis.estimation import estimate
from deniable.analysis.estimator import least_variance
from deniable.analysis.joint.fieller import fieller
from deniable.analysis.numerics.convergence import where_certain
from deniable.channel import Channel

FloatArray: TypeAlias = npt.NDArray[np.float64]

METHOD: Final = "fieller"
"""The interval of such a share where it is randomised."""


@dataclass(frozen=True, eq=False)
class ApplicableShares:
    """The truths' shares among those to whom a question applies. Made by `applicable_shares`.

    Parameters
    ----------
    applicable : float
        Estimated share of those to whom it applies, among all.
    share : ndarray, shape (truths,)
        Of each truth among them; nan for that of not applying, and everywhere where `applicable` is
        0 or less. It may leave [0, 1]: then it is shown as it is.
    standard_error : ndarray, shape (truths,)
        Of `share`, by the delta method; nan where it is unknown.
    low, high : ndarray, shape (truths,)
        Ends of Fieller's interval; nan where there is none: too few are asked to rule anything out.
    maximum_likelihood : ndarray, shape (truths,)
        The shares under the most likely distribution; nan where nobody is asked under it, and
        where it could not be found for certain.
    """

    applicable: float
    share: FloatArray
    standard_error: FloatArray
    low: FloatArray
    high: FloatArray
    maximum_likelihood: FloatArray

    @property
    def outside(self) -> npt.NDArray[np.bool_]:
        """Whether each share is below 0 or above 1; shape (truths,)."""
        return (self.share < -intervals.ROUNDING) | (self.share > 1 + intervals.ROUNDING)

    @property
    def misses_range(self) -> npt.NDArray[np.bool_]:
        """Whether each whole interval is; shape (truths,)."""
        return (self.high < -intervals.ROUNDING) | (self.low > 1 + intervals.ROUNDING)


def applicable_shares(
    counts: npt.ArrayLike, channel: Channel, skipped: int, level: float = 0.95
) -> ApplicableShares:
    r"""Estimate the truths' shares among those to whom a question applies.

    Parameters
    ----------
    counts : array_like of int, shape (reports,)
        How often each report came.
    channel : Channel
        One that tells the shares of its truths.
    skipped : int
        The truth of those to whom the question does not apply.
    level : float
        Of the intervals, between 0 and 1.

    Returns
    -------
    ApplicableShares

    Raises
    ------
    ValueError
        If the counts, the level or the truth do not fit the channel.

    Notes
    -----
    Nobody's report tells whether they were asked, so that the share is a ratio,
    :math:`r = \theta_a / (1 - \theta_s)`, of two estimates from the same reports. It is consistent
    rather than unbiased. Its interval is Fieller's: the r for which :math:`\theta_a - r (1 -
    \theta_s)`, a mean over the reports, does not differ from 0. Where the share of those who are
    asked does not differ from 0 it is unbounded, and left out.

    References
    ----------
    Fieller, E. C. (1954). Some problems in interval estimation. Journal of the Royal Statistical
    Society B 16, 175-185.

    Examples
    --------
    >>> from deniable import designs
    >>> found = applicable_shares([300, 260, 440], designs.k_ary(3, 2), skipped=2)
    >>> found.share.round(3), found.standard_error.round(3)
    (array([0.558, 0.442,   nan]), array([0.034, 0.034,   nan]))
    >>> found.low.round(3), found.high.round(3)
    (array([0.491, 0.375,   nan]), array([0.625, 0.509,   nan]))
    """
    if not 0 <= skipped < channel.truths:
        raise ValueError(f"expected a truth from 0 to {channel.truths - 1}, found {skipped}")
    found = estimate(counts, channel)
    G = least_variance(channel)
    h = 1 - G[skipped]
    applicable = float(1 - found.theta[skipped])
    share, error, low, high = (np.full(channel.truths, math.nan) for _ in range(4))
    for truth in range(channel.truths):
        if truth == skipped:
            continue
        (var_g, cov), (_, var_h) = _covariance(np.stack([G[truth], h]), found.counts)
        pieces = fieller(float(found.theta[truth]), applicable, (var_g, var_h), cov, level=level)
        if pieces.bounded:
            low[truth], high[truth] = pieces.pieces[0]
        if applicable > 0:
            share[truth] = r = found.theta[truth] / applicable
            error[truth] = np.sqrt(np.maximum(var_g - 2 * r * cov + r**2 * var_h, 0)) / applicable
    certain = where_certain(lambda: found.maximum_likelihood)
    likeliest = np.full_like(share, math.nan) if certain is None else certain.copy()
    asked = 1 - likeliest[skipped]
    likeliest[skipped] = math.nan
    return ApplicableShares(
        applicable=applicable,
        share=share,
        standard_error=error,
        low=np.where(np.isnan(share), math.nan, low),
        high=np.where(np.isnan(share), math.nan, high),
        maximum_likelihood=likeliest / asked if asked > 0 else np.full_like(likeliest, math.nan),
    )


def _covariance(contributions: FloatArray, counts: npt.NDArray[np.int64]) -> FloatArray:
    """Return the covariance of the means of two contributions; nan of a single report."""
    if counts.sum() == 1:
        return np.full((2, 2), math.nan)
    return np.asarray(np.cov(contributions, fweights=counts) / counts.sum())
