"""The most likely mixture of given distributions, with a certificate.

The likelihood of randomised responses is that of a mixture: each latent class has its own
distribution of reports, and the shares of the classes are estimated. The classes may be linearly
dependent; then the shares are not unique, but the distribution of the reports is.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.convergence import GAP, ConvergenceError

# Newton's method needs about ten steps. The bound only turns an endless loop into an error.
_STEPS: Final = 1000

# A derivative is a sum of numbers near 1: a change below this is mostly rounding.
_ROUNDING: Final = 1e-14

# Relative changes of P that are small enough to skip the line search.
_SURE: Final = 1e-6

# Added to the diagonal of a Newton matrix, relative to it and absolute, so that it can be solved
# where rows are dependent or 0; the smallest that works.
_RIDGES: Final = (1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4)
_TINY: Final = 1e-300


def maximum_likelihood_mixture(
    rows: FloatArray, w: FloatArray, start: FloatArray | None = None
) -> FloatArray:
    """Maximise ``w @ log(θ @ rows)`` over all shares θ.

    A number of iterations does not show convergence: after 100 iterations the EM algorithm is still
    2e-3 away on k-ary randomised response. The duality gap does. With
    ``S[x, a] = rows[x, a] / P_a`` the derivative towards class x alone is ``d[x] = S[x] @ w``; the
    log-likelihood is concave, and no shares exceed the current log-likelihood by more than
    ``max d - 1`` (Lindsay 1983, section 4). Each step maximises the quadratic approximation over
    nonnegative shares, and searches the line towards that point (Wang 2007, section 2).

    Lindsay, B. G. (1983). The geometry of mixture likelihoods: a general theory. Annals of
    Statistics 11, 86-94.
    Wang, Y. (2007). On fast computation of the non-parametric maximum likelihood estimate of a
    mixing distribution. Journal of the Royal Statistical Society B 69, 185-198.
    Kim, Y., Carbonetto, P., Stephens, M. and Anitescu, M. (2020). A fast algorithm for maximum
    likelihood estimation of mixture proportions using sequential quadratic programming. Journal of
    Computational and Graphical Statistics 29, 261-273.
    Nocedal, J. and Wright, S. J. (2006). Numerical optimization, 2nd edition. Springer.
    """
    seen = w > 0
    rows, w = rows[:, seen], w[seen]
    if not rows.any(axis=0).all():
        raise ValueError("expected reports that some class can send, found one that none can")
    alike = np.full(len(rows), 1 / len(rows))
    theta = alike if start is None else start
    if (theta @ rows < w / 10).any():  # a step can hardly more than double a report's probability
        theta = (theta + alike) / 2
    gap = math.inf
    root_w = np.sqrt(w)
    for _ in range(_STEPS):
        P = theta @ rows
        root = rows * (root_w / P)
        previous, gap = gap, float((root @ root_w).max()) - 1
        if gap <= _ROUNDING or previous / 2 < gap <= GAP:  # only rounding is left
            break
        step = _newton_target(root, root_w, theta) - theta
        length = _line_search(step @ rows / P, w, promised=float(step @ (root @ root_w - 1)))
        if length == 0:
            break
        theta = theta + length * step
    if not gap <= GAP:
        raise ConvergenceError(
            f"maximum likelihood: expected a duality gap of {GAP} at most, stayed at {gap}"
        )
    return theta


def greatest_log_likelihood(rows: FloatArray, w: FloatArray) -> float:
    """Return the log-likelihood per report of `maximum_likelihood_mixture`."""
    if not rows[:, w > 0].any(axis=0).all():
        return -math.inf
    return float(scipy.special.xlogy(w, maximum_likelihood_mixture(rows, w) @ rows).sum())


def _newton_target(root: FloatArray, root_w: FloatArray, theta: FloatArray) -> FloatArray:
    """Maximise the quadratic approximation over nonnegative shares, then rescale the sum to 1.

    The approximated function is the log-likelihood less the sum of the shares; its maximum is that
    of the log-likelihood among shares that sum to 1 (Kim and others 2020). Its slope at theta is
    ``d - 1`` and its curvature ``root @ root.T``.

    This is an active-set method (Nocedal and Wright 2006, section 16.5) that starts from the
    classes with a positive share: near the maximum of the likelihood these are mostly the right
    classes. If not, non-negative least squares choose the classes. Only this choice is taken from
    them, as scipy 1.17 returns a wrong point in some of 100,000 problems.
    """
    excess = root @ root_w - 1
    free = theta > 0
    # More classes than reports have dependent rows, which give no starting point.
    fits = np.count_nonzero(free) <= len(root_w)
    y = _stationary(root, excess, theta, free) if fits else theta
    if not fits or y.min() < 0:
        free = _classes_of_least_squares(root, root_w)
        while True:
            free[excess.argmax()] |= not free.any()  # alone, that class has a share above 0
            y = _stationary(root, excess, theta, free)
            if y.min() >= 0:
                break
            free &= y > 0
    for _ in range(_STEPS):
        slope = excess - root @ ((y - theta) @ root)
        slope[free] = 0
        enters = int(slope.argmax())
        if slope[enters] <= _ROUNDING:
            break
        free[enters] = True
        z = _stationary(root, excess, theta, free)
        if z[enters] <= 0:  # its slope was rounding
            break
        while z.min() < 0:  # go towards z until a share is 0, and fix it there
            negative = np.flatnonzero(z < 0)
            part = y[negative] / (y[negative] - z[negative])
            leaves = negative[part.argmin()]
            y = np.maximum(y + part.min() * (z - y), 0)
            y[leaves], free[leaves] = 0, False
            z = _stationary(root, excess, theta, free)
        y = z
    return np.asarray(y / y.sum(), dtype=np.float64)


def _stationary(
    root: FloatArray, excess: FloatArray, theta: FloatArray, free: npt.NDArray[np.bool_]
) -> FloatArray:
    """Return the shares with no slope towards the free classes; all other shares are 0.

    The equations are solved for the difference from theta. Near the maximum it is small, and so is
    its rounding error, which nearly dependent rows multiply.
    """
    R = root[free]
    slope = excess[free] + R @ (np.where(free, 0, theta) @ root)
    H = R @ R.T
    diagonal = H.diagonal().copy()
    for ridge in _RIDGES:
        # Equal classes split their share; a class that sends none of the reports gets less than 0.
        H.flat[:: len(H) + 1] = diagonal * (1 + ridge) + _TINY
        _, step, failed = scipy.linalg.lapack.dposv(H, slope)
        if not failed:
            y = np.zeros_like(theta)
            y[free] = theta[free] + step
            return y
    raise ConvergenceError(
        "maximum likelihood: expected a Newton matrix, found one without solution"
    )


def _classes_of_least_squares(root: FloatArray, root_w: FloatArray) -> npt.NDArray[np.bool_]:
    """Return which classes have a positive share at the maximum, by least squares."""
    # With S = root / root_w the approximation is, up to a constant, -sum_a w_a (θ @ S - 2)_a^2 / 2
    # where shares sum to 1. There θ @ S - 2 = θ @ (S - 2); one more equation asks for that sum, and
    # the solution only needs rescaling (Wang 2007, section 2.2).
    A = np.empty((len(root_w) + 1, len(root)))
    np.subtract(root.T, 2 * root_w[:, np.newaxis], out=A[:-1])
    A[-1] = 1
    b = np.zeros(len(A))
    b[-1] = 1
    return np.asarray(scipy.optimize.nnls(A, b)[0] > 0)


def _line_search(slopes: FloatArray, w: FloatArray, promised: float) -> float:
    """Return the longest step of 1, 1/2, 1/4, … that gains a third of what the slope promises.

    `slopes` are relative to P, and `promised` is their mean. The gain is the promise plus the
    curvature, ``log(1 + r) - r``, since a difference of two log-likelihoods would be only rounding.
    Where no slope is above 1e-6 the promise is rounding too, some 1e-20; there the quadratic
    approximation is right to one part in a million, and its maximum is taken.
    """
    if np.abs(slopes).max() < _SURE:
        return 1.0
    length = 1.0
    while promised > 0 and length > np.finfo(np.float64).eps:
        r = length * slopes
        if r.min() > -0.9:  # a step to a likelihood of 0 is too long
            gain = length * promised + float(w @ (np.log1p(r) - r))
            if gain >= length * promised / 3:
                return length
        length /= 2
    return 0.0
