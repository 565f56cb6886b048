"""The most likely mixture of given distributions, with a certificate.

The likelihood of randomised responses is that of a mixture: each latent class has its own
distribution of reports, and the shares of the classes are wanted. The classes may be linearly
dependent here; then the shares are not unique, but the distribution of the reports is.
"""

from __future__ import annotations

import math
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import optimize, special

from deniable.analysis.numerics.convergence import GAP, ConvergenceError

FloatArray: TypeAlias = npt.NDArray[np.float64]

# Newton's method needs about ten steps. The bound only turns an endless loop into an error.
_STEPS: Final = 1000

# How far the optimality conditions of a least-squares problem may be from holding: they are sums of
# numbers near 1, so that rounding leaves some 1e-15 of them.
_LEAST: Final = 1e-12


def most_likely_mixture(
    rows: FloatArray, w: FloatArray, start: FloatArray | None = None
) -> FloatArray:
    """Maximise ``w @ log(θ @ rows)`` over all shares θ.

    Parameters
    ----------
    rows : ndarray, shape (classes, reports)
        Distribution of the reports in each class, or those of several arms side by side: a factor
        that is common to a column makes no difference.
    w : ndarray, shape (reports,)
        Share of each report among all that came; sums to 1.
    start : ndarray, shape (classes,), optional
        Shares to begin with, which saves steps where they are near; all alike by default.

    Returns
    -------
    ndarray, shape (classes,)
        Shares of at least 0 that sum to 1. The log-likelihood a report is provably within
        `deniable.analysis.numerics.convergence.GAP` of the greatest one.

    Raises
    ------
    ConvergenceError
        If that cannot be reached.
    ValueError
        If a report came that no class can send.

    Notes
    -----
    A number of iterations says nothing about convergence: after 100 of them the EM algorithm is
    still 2e-3 away on k-ary randomised response. The duality gap says it. With
    ``S[x, a] = rows[x, a] / P_a`` the derivative towards class x alone is ``d[x] = S[x] @ w``; the
    log-likelihood is concave, and no shares have one that exceeds the present one by more than
    ``max d - 1`` (Lindsay 1983, section 4). Each step
    minimises the quadratic approximation over the simplex by non-negative least squares, and
    searches the line towards that point (Wang 2007, section 2).

    References
    ----------
    Lindsay, B. G. (1983). The geometry of mixture likelihoods: a general theory. Annals of
    Statistics 11, 86-94.
    Wang, Y. (2007). On fast computation of the non-parametric maximum likelihood estimate of a
    mixing distribution. Journal of the Royal Statistical Society B 69, 185-198.

    Examples
    --------
    >>> rows = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> most_likely_mixture(rows, np.array([0.5, 0.5])).round(3)
    array([0.5, 0.5])
    """
    seen = w > 0
    rows, w = rows[:, seen], w[seen]
    if not rows.any(axis=0).all():
        raise ValueError("expected reports that some class can send, found one that none can")
    alike = np.full(len(rows), 1 / len(rows))
    theta = alike if start is None else start
    if (theta @ rows < w / 100).any():  # where the likelihood is about 0, it has no derivative
        theta = (theta + alike) / 2
    gap = math.inf
    for _ in range(_STEPS):
        S = rows / (theta @ rows)
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


def greatest_log_likelihood(rows: FloatArray, w: FloatArray) -> float:
    """Return the log-likelihood of `most_likely_mixture`, a report.

    Parameters
    ----------
    rows, w : ndarray
        See `most_likely_mixture`.

    Returns
    -------
    float
        Minus infinity if a report came that no class can send.
    """
    if not rows[:, w > 0].any(axis=0).all():
        return -math.inf
    return float(special.xlogy(w, most_likely_mixture(rows, w) @ rows).sum())


def _newton_target(S: FloatArray, w: FloatArray) -> FloatArray:
    """Minimise the quadratic approximation ``sum_a w_a (θ @ S - 2)_a^2`` over the simplex."""
    # Where the shares sum to 1, θ @ S - 2 = θ @ (S - 2), and that they do is asked for by one more
    # equation, whose solution then only needs rescaling (Wang 2007, section 2.2).
    A = np.vstack([((S - 2) * np.sqrt(w)).T, np.ones(len(S))])
    b = np.zeros(len(A))
    b[-1] = 1
    theta, _ = optimize.nnls(A, b)
    if not _is_least(theta, A, b):
        # scipy 1.17 returns another point than the least one in some of 10,000 problems.
        theta = _nonnegative_least_squares(A, b)
    return np.asarray(theta / theta.sum(), dtype=np.float64)


def _is_least(x: FloatArray, A: FloatArray, b: FloatArray) -> bool:
    """Whether no x of at least 0 brings ``A @ x`` nearer to b, but for rounding."""
    downhill = A.T @ (b - A @ x)
    return bool(downhill.max() <= _LEAST and np.abs(downhill[x > 0]).max() <= _LEAST)


def _nonnegative_least_squares(A: FloatArray, b: FloatArray) -> FloatArray:
    """Bring ``A @ x`` as near to b as it gets with x of at least 0 (Lawson and Hanson 1974)."""
    x = np.zeros(A.shape[1])
    free = np.zeros(A.shape[1], dtype=bool)
    for _ in range(_STEPS):
        downhill = np.where(free, 0, A.T @ (b - A @ x))
        enters = int(downhill.argmax())
        if downhill[enters] <= _LEAST:
            break
        free[enters] = True
        while free.any():
            z = np.zeros_like(x)
            z[free] = np.linalg.lstsq(A[:, free], b)[0]
            blocking = free & (z <= 0)
            if not blocking.any():
                x = z
                break
            part = float((x[blocking] / (x[blocking] - z[blocking])).min())
            x = x + part * (z - x)
            free &= x > np.finfo(np.float64).eps
            x[~free] = 0
    return x


def _line_search(slopes: FloatArray, w: FloatArray, promised: float) -> float:
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
