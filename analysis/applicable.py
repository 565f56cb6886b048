"""Shares among the people to whom a question applies: ratios of two estimates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.analysis import always_valid, intervals, inversion
from deniable.analysis.counting import Codes, Counts
from deniable.analysis.estimation import estimate
from deniable.analysis.estimator import least_variance
from deniable.analysis.numerics.convergence import where_certain
from deniable.channel import Channel

FloatArray: TypeAlias = npt.NDArray[np.float64]

METHOD: Final = "tail"
"""The interval of such a share where it is randomised; see `deniable.analysis.inversion`."""


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
        Ends of the interval, inside [0, 1]: all of it where too few are asked to rule anything out.
        nan where no distribution of the truth agrees with the reports at this level.
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


def applicable_shares(
    counts: Counts,
    channel: Channel,
    skipped: int,
    level: float = 0.95,
    method: str = METHOD,
    *,
    codes: Codes | None = None,
) -> ApplicableShares:
    r"""Estimate the truths' shares among those to whom a question applies.

    Parameters
    ----------
    counts : array_like of int, shape (reports,), or with labels, or a column of reports
        How often each report came; see `deniable.analysis.counting.in_order`.
    channel : Channel
        One that tells the shares of its truths.
    skipped : int
        The truth of those to whom the question does not apply.
    level : float
        Of the intervals, between 0 and 1.
    method : {"tail", "always-valid"}
        `always-valid` holds at every number of reports at once, inside [-1, 2] (see
        `deniable.analysis.always_valid.ratio`).
    codes : sequence, optional
        What each report is called, where the counts have labels.

    Returns
    -------
    ApplicableShares

    Raises
    ------
    ValueError
        If the counts, the level or the truth do not fit the channel, or the method is not one of
        these.

    Notes
    -----
    Nobody's report tells whether they were asked, so that the share is a ratio,
    :math:`r = \theta_a / (1 - \theta_s)`, of two estimates from the same reports. It is consistent
    rather than unbiased. Its interval inverts the test that :math:`\theta_a - r (1 - \theta_s)`,
    a mean over the reports, is 0, as Fieller's does, with the tails of the reports' own
    distribution for those of a normal one: see `deniable.analysis.inversion.tail_interval`.

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
    (array([0.49 , 0.376,   nan]), array([0.624, 0.51 ,   nan]))
    """
    if not 0 <= skipped < channel.truths:
        raise ValueError(f"expected a truth from 0 to {channel.truths - 1}, found {skipped}")
    if method not in (METHOD, intervals.ALWAYS_VALID):
        raise ValueError(
            f"expected an interval of {METHOD}, {intervals.ALWAYS_VALID}, found {method!r}"
        )
    intervals.check_level(level)
    found = estimate(counts, channel, codes=codes)
    sendable = channel.probabilities.any(axis=0)
    G = least_variance(channel)
    h = 1 - G[skipped]
    applicable = float(1 - found.theta[skipped])
    share, error, low, high = (np.full(channel.truths, math.nan) for _ in range(4))
    for truth in range(channel.truths):
        if truth == skipped:
            continue
        one = np.eye(channel.truths)
        ratio = inversion.Ratio(one[truth], 1 - one[skipped], G[truth], h)
        if method == intervals.ALWAYS_VALID:
            low[truth], high[truth] = always_valid.ratio(
                G[truth, sendable],
                h[sendable],
                found.counts[sendable],
                level,
                least=0,
                greatest=1,
            )
        else:
            low[truth], high[truth] = _tails(found.counts, channel, ratio, level)
        if applicable > 0:
            share[truth] = r = found.theta[truth] / applicable
            error[truth] = _error(G[truth] - r * h, ratio, r, channel, found.counts) / applicable
    certain = where_certain(lambda: found.maximum_likelihood)
    likeliest = np.full_like(share, math.nan) if certain is None else certain.copy()
    asked = 1 - likeliest[skipped]
    likeliest[skipped] = math.nan
    return ApplicableShares(
        applicable=applicable,
        share=share,
        standard_error=error,
        low=low,
        high=high,
        maximum_likelihood=likeliest / asked if asked > 0 else np.full_like(likeliest, math.nan),
    )


def _tails(
    counts: npt.NDArray[np.int64], channel: Channel, ratio: inversion.Ratio, level: float
) -> tuple[float, float]:
    ends = where_certain(
        lambda: inversion.tail_interval(counts, channel.probabilities, ratio, level)
    )
    return (math.nan, math.nan) if ends is None else ends


def _error(
    g: FloatArray,
    ratio: inversion.Ratio,
    r: float,
    channel: Channel,
    counts: npt.NDArray[np.int64],
) -> float:
    """Return the standard error of the mean of a contribution; nan of a single report."""
    n = int(counts.sum())
    if n == 1:
        return math.nan
    given_truth = channel.probabilities @ g**2 - (ratio.numerator - r * ratio.denominator) ** 2
    # The noise is known: the variance cannot be less than the least that it has given a truth.
    variance = max(float(np.cov(g, fweights=counts)), float(given_truth.min()), 0.0)
    return math.sqrt(variance / n)
