"""Maximum likelihood and profile likelihood of the truths' shares, on the simplex, certified."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import optimize, special

from deniable.analysis.estimator import least_variance
from deniable.analysis.numerics.mixture import most_likely_mixture
from deniable.channel import Channel


def maximum_likelihood(counts: npt.NDArray[np.int64], channel: Channel) -> npt.NDArray[np.float64]:
    """Maximise the likelihood of the counts over all distributions of the truth.

    Parameters
    ----------
    counts : ndarray of int, shape (reports,)
        How often each report came; 0 where no truth can send it, and not all 0.
    channel : Channel

    Returns
    -------
    ndarray, shape (truths,)
        At least 0, summing to 1. Its log-likelihood a report is provably within
        `deniable.analysis.numerics.convergence.GAP` of the
        greatest one.

    Raises
    ------
    ConvergenceError
        If that cannot be reached.
    ValueError
        If the shares are not identifiable.

    Notes
    -----
    See `deniable.analysis.numerics.mixture.most_likely_mixture`, which starts here from the
    unbiased estimate.
    """
    seen = counts > 0
    w = counts[seen] / counts.sum()
    C = channel.probabilities[:, seen]
    theta = _normalised(np.clip(least_variance(channel)[:, seen] @ w, 0, None))
    return most_likely_mixture(C, w, theta)


def profile_interval(
    counts: npt.NDArray[np.int64], channel: Channel, level: float
) -> npt.NDArray[np.float64]:
    """Find the shares of each truth that a likelihood-ratio test does not reject.

    Parameters
    ----------
    counts : ndarray of int, shape (reports,)
        How often each report came; 0 where no truth can send it, and not all 0.
    channel : Channel
    level : float
        Between 0 and 1.

    Returns
    -------
    ndarray, shape (truths, 2)
        Lower and upper ends, inside [0, 1].

    Raises
    ------
    ConvergenceError
        If a maximum of the likelihood cannot be certified.
    ValueError
        If the shares are not identifiable.

    Notes
    -----
    The profile of a truth's share is the greatest log-likelihood over the distributions of the
    truth that give it this share; all others are free, inside the simplex. It is concave, so that
    the shares at which twice its distance from the maximum is at most a quantile of the chi-square
    distribution with one degree of freedom form an interval.

    With truth t at the share v, a report is drawn by one of the mixtures
    ``v C[t] + (1 - v) C[x]`` for x other than t, and the profile is the maximum likelihood of their
    weights: the problem of `maximum_likelihood`, with its certificate. Twice the log-likelihood is
    thereby certain to ``2 n GAP``, which is 0.0002 of the quantile's 3.84 for a million reports.

    The quantile is that of a large survey without constraints. Where shares are near 0, the
    constraints make the interval shorter or longer than it is without them, and its coverage is
    not known to keep the level.

    References
    ----------
    Murphy, S. A. and van der Vaart, A. W. (2000). On profile likelihood. Journal of the American
    Statistical Association 95, 449-465.
    Batlle, P., Patil, P., Stanley, M., Owhadi, H. and Kuusela, M. (2023). Optimization-based
    frequentist confidence intervals for functionals in constrained inverse problems: resolving the
    Burrus conjecture. arXiv:2310.02461: the coverage under constraints.

    Examples
    --------
    >>> from deniable import designs
    >>> profile_interval(np.array([30, 50, 20]), designs.k_ary(3, 1), 0.95).round(3)
    array([[0.009, 0.465],
           [0.522, 0.989],
           [0.   , 0.205]])
    """
    highest = maximum_likelihood(counts, channel)
    seen = counts > 0
    profile = _Profile(
        counts=counts[seen],
        C=channel.probabilities[:, seen],
        highest=highest,
        quantile=float(special.chdtri(1, 1 - level)),
    )
    return np.array(
        [[profile.end(truth, 0), profile.end(truth, 1)] for truth in range(len(highest))]
    )


@dataclass(frozen=True, eq=False)
class _Profile:
    """The profile likelihoods of all truths; the reports are those that came."""

    counts: npt.NDArray[np.int64]
    C: npt.NDArray[np.float64]
    highest: npt.NDArray[np.float64]
    quantile: float

    def end(self, truth: int, limit: float) -> float:
        """Return the end of a truth's interval that is on the side of 0 or of 1."""

        def excess(share: float) -> float:
            # From -1 at the maximum to 1 where the deviance is infinite. The root of the deviance
            # is nearly a straight line.
            return 1 - 2 / (1 + math.sqrt(self._deviance(truth, share) / self.quantile))

        if excess(limit) <= 0:
            return limit
        return float(
            optimize.brentq(excess, limit, float(self.highest[truth]), xtol=1e-12, rtol=1e-12)
        )

    def _deviance(self, truth: int, share: float) -> float:
        """Twice the distance of the profile at a share from the maximum."""
        others = np.delete(np.arange(len(self.C)), truth)
        mixtures = share * self.C[truth] + (1 - share) * self.C[others]
        if not mixtures.any(axis=0).all():
            return math.inf  # a report came that cannot come at this share
        rest = self.highest[others]
        start = _normalised(rest) if rest.any() else None
        theta = most_likely_mixture(mixtures, self.counts / self.counts.sum(), start)
        ratio = (theta @ mixtures) / (self.highest @ self.C)
        return max(0.0, -2 * float(self.counts @ np.log(ratio)))


def _normalised(theta: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return theta / float(theta.sum())
