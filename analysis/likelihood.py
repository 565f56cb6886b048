"""The maximum-likelihood estimate of the truths' shares, on the simplex and with a certificate."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy import optimize

from deniable.analysis.estimator import least_variance
from deniable.channel import Channel

GAP: Final = 1e-10
"""How far below the greatest log-likelihood a result may be, in nats a report.

Steps go on below it for as long as they help, in most cases to 1e-15.
"""

# Newton's method needs about ten steps. The bound only turns an endless loop into an error.
_STEPS: Final = 1000


class ConvergenceError(ArithmeticError):
    """The certificate was not reached; the message says how far away it stayed."""


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
        At least 0, summing to 1. Its log-likelihood a report is provably within `GAP` of the
        greatest one.

    Raises
    ------
    ConvergenceError
        If that cannot be reached.
    ValueError
        If the shares are not identifiable.

    Notes
    -----
    A number of iterations says nothing about convergence: after 100 of them the EM algorithm is
    still 2e-3 away on k-ary randomised response. The duality gap says it. With
    ``d[x] = sum_a (n_a / n) C[x, a] / P_a`` the derivative towards the point mass at x, the
    log-likelihood is concave and no distribution exceeds the present one by more than
    ``max d - 1`` (Lindsay 1983).

    Each step minimises the quadratic approximation over the simplex, by non-negative least
    squares, and searches the line towards that point (Wang 2007).

    References
    ----------
    Lindsay, B. G. (1983). The geometry of mixture likelihoods: a general theory. Annals of
    Statistics 11, 86-94: the gradient function and its bound.
    Wang, Y. (2007). On fast computation of the non-parametric maximum likelihood estimate of a
    mixing distribution. Journal of the Royal Statistical Society B 69, 185-198: the mixing
    proportions for a fixed support.
    """
    seen = counts > 0
    w = counts[seen] / counts.sum()
    C = channel.probabilities[:, seen]
    theta = _normalised(np.clip(least_variance(channel)[:, seen] @ w, 0, None))
    if (theta @ C < w / 100).any():  # where the likelihood is about 0, it has no derivative
        theta = (theta + 1 / channel.truths) / 2
    gap = math.inf
    for _ in range(_STEPS):
        P = theta @ C
        S = C / P
        excess = S @ w - 1
        previous, gap = gap, float(excess.max())
        if previous / 2 < gap <= GAP:  # nothing is left but rounding
            break
        step = _newton_target(S, w) - theta
        length = _line_search(step @ S, w, promised=float(step @ excess))
        if length == 0:
            break
        theta = theta + length * step
    if gap > GAP:
        raise ConvergenceError(
            f"maximum likelihood: expected a duality gap of {GAP} at most, stayed at {gap}"
        )
    return theta


def _newton_target(
    S: npt.NDArray[np.float64], w: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Minimise the quadratic approximation ``sum_a w_a (theta @ S - 2)_a^2`` over the simplex."""
    # Where the shares sum to 1, theta @ S - 2 = theta @ (S - 2), and the sum can be asked for by
    # one more equation, whose solution then only needs rescaling (Dax 1990, cited by Wang 2007).
    A = np.vstack([((S - 2) * np.sqrt(w)).T, np.ones(len(S))])
    b = np.zeros(len(A))
    b[-1] = 1
    theta, _ = optimize.nnls(A, b)
    return _normalised(theta)


def _normalised(theta: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return theta / float(theta.sum())


def _line_search(
    slopes: npt.NDArray[np.float64], w: npt.NDArray[np.float64], promised: float
) -> float:
    """Return the longest step of 1, 1/2, 1/4, … that gains a third of what the slope promises.

    `slopes` are relative to P, and `promised` is their mean. Near the maximum it is some 1e-24,
    far below the rounding of a log-likelihood, so the gain is summed as that promise less the
    curvature, ``log(1 + r) - r``, and never taken as a difference of two log-likelihoods.
    """
    length = 1.0
    while promised > 0 and length > np.finfo(np.float64).eps:
        r = length * slopes
        if r.min() > -0.9:  # as far as to a likelihood of 0 is too far
            gain = length * promised + float(w @ (np.log1p(r) - r))
            if gain >= length * promised / 3:
                return length
        length /= 2
    return 0.0
