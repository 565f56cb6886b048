"""The maximum-likelihood estimate of a joint table of truths, with a certificate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.convergence import GAP, ConvergenceError

Numbers: TypeAlias = FloatArray | npt.NDArray[np.int64]

MAX_CELLS: Final = 4096
"""Most cells of a joint table for Newton's method."""

# The method needs 7 to 30 steps. The bound only turns an endless loop into an error.
_STEPS: Final = 300

# The part of the way to the boundary that a step may go, and the part of the products of shares and
# slacks that it aims to leave. Near the solution they go to 1 (less some room) and 0, which makes
# the steps converge quadratically (Wright 1997, chapter 7).
_TO_BOUNDARY: Final = 0.99
_CENTRING: Final = 0.1
_ROOM: Final = 1e-6

# Below such products of shares and slacks steps are rounding, and would soon underflow.
_NOTHING_LEFT: Final = 1e-60


def along_axes(array: Numbers, tables: Sequence[FloatArray]) -> FloatArray:
    """Multiply every axis of an array by a table of its own."""
    result = np.asarray(array, dtype=np.float64)
    for table in tables:  # each removes the first axis and appends its own
        result = np.tensordot(result, table, axes=(0, 1))
    return result


def second_moments(array: Numbers, tables: Sequence[FloatArray]) -> FloatArray:
    """Return the weighted sums of products of any two rows of the tables' Kronecker product."""
    if len(tables) == 1:  # squaring a long axis would take memory cubic in its length
        return np.asarray(tables[0] * array @ tables[0].T)
    rows = [len(table) for table in tables]
    pairs = [
        (table[:, np.newaxis] * table).reshape(len(table) ** 2, table.shape[1]) for table in tables
    ]
    moments = along_axes(array, pairs).reshape([rows[i // 2] for i in range(2 * len(rows))])
    firsts, seconds = range(0, 2 * len(rows), 2), range(1, 2 * len(rows), 2)
    return moments.transpose(*firsts, *seconds).reshape(math.prod(rows), math.prod(rows))


def joint_maximum_likelihood(
    counts: npt.NDArray[np.int64], tables: Sequence[FloatArray]
) -> FloatArray:
    """Maximise the likelihood of joint counts over all joint distributions of the truths.

    `counts`, shape (reports_1, ..., reports_d): how often each combination of reports came; not all
    0, and 0 where no truths can send it. `tables`, shapes (truths_1, reports_1), ..., (truths_d,
    reports_d): P(report | truth) of each item, whose noises are independent. Result, shape
    (truths_1, ..., truths_d): at least 0, summing to 1. Its log-likelihood per respondent is
    provably within `deniable.analysis.numerics.convergence.GAP` of the greatest one.

    With ``d[x]`` the derivative of the log-likelihood per respondent towards the point mass at cell
    x, no distribution exceeds the current one by more than ``max d - 1`` (Lindsay 1983).

    The problem is convex and its Newton matrix has the Kronecker structure of the channels, so it
    is formed axis by axis. A primal-dual interior-point method updates the shares theta and the
    slacks ``z = 1 - d`` of the optimality conditions: both at least 0, and one of them 0 in every
    cell of the solution (Koenker and Mizera 2014 solve the same problem in its dual form). At the
    end, shares that are 0 but for rounding are set to 0.

    Lindsay, B. G. (1983). The geometry of mixture likelihoods: a general theory. Annals of
    Statistics 11, 86-94: the gradient function and its bound.
    Koenker, R. and Mizera, I. (2014). Convex optimization, shape constraints, compound decisions,
    and empirical Bayes rules. Journal of the American Statistical Association 109, 674-685.
    Wright, S. J. (1997). Primal-dual interior-point methods. SIAM, chapters 6 and 7.
    """
    shape = [len(table) for table in tables]
    cells = math.prod(shape)
    if cells > MAX_CELLS:
        raise ValueError(
            f"expected a joint table of at most {MAX_CELLS} cells, found {cells}: "
            "take fewer items at a time"
        )
    w = counts / counts.sum()
    backward = [np.asarray(table, dtype=np.float64) for table in tables]
    forward = [table.T for table in backward]

    def derivative(theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        P = along_axes(theta.reshape(shape), forward)
        ratio = np.divide(w, P, out=np.zeros_like(w), where=w > 0)
        curvature = np.divide(ratio, P, out=np.zeros_like(w), where=w > 0)
        return along_axes(ratio, backward).ravel(), curvature

    theta, z = np.full(cells, 1 / cells), np.ones(cells)
    best, gap = theta, math.inf
    for _ in range(_STEPS):
        d, curvature = derivative(theta)
        # Rescaling the shares to a sum of 1 multiplies the derivatives by the present sum.
        previous, now = gap, float(d.max() * theta.sum() - 1)
        if now < gap:
            best, gap = theta, now
        little_left = theta @ z < np.finfo(np.float64).eps
        if (gap <= GAP and (little_left or previous / 2 <= now)) or theta @ z < _NOTHING_LEFT:
            break
        step = _newton_step(theta, z, d, curvature, backward)
        if step is None:
            break
        theta, z = theta + step[0], z + step[1]
    # A share less than its slack is 0 but for rounding. Mostly this gives the solution; otherwise
    # the best shares seen may do.
    for solution in (np.where(theta > z, theta, 0), best):
        if not solution.any():
            continue
        pruned = solution / solution.sum()
        if (along_axes(pruned.reshape(shape), forward)[w > 0] > 0).all():
            left = float(derivative(pruned)[0].max() - 1)
            if left <= GAP:
                return np.asarray(pruned.reshape(shape))
    raise ConvergenceError(
        f"maximum likelihood of a joint table: expected a duality gap of {GAP} at most, "
        f"stayed at {gap}"
    )


def _newton_step(
    theta: FloatArray,
    z: FloatArray,
    d: FloatArray,
    curvature: FloatArray,
    tables: Sequence[FloatArray],
) -> tuple[FloatArray, FloatArray] | None:
    """Return one step of shares and slacks, or None where rounding leaves no direction."""
    products = float(theta @ z)
    # The products must not vanish before the conditions hold.
    distance = max(products, float(np.abs(1 - d - z).max()))
    target = min(_CENTRING, distance) * products / len(theta)
    to_boundary = min(max(_TO_BOUNDARY, 1 - distance), 1 - _ROOM)
    # The conditions 1 - d - z = 0 and theta z = target, linearised; scaled by root theta, which
    # keeps the matrix well conditioned as shares go to 0.
    root = np.sqrt(theta)
    matrix = root[:, np.newaxis] * second_moments(curvature, tables) * root
    matrix[np.diag_indices_from(matrix)] += z
    try:
        factor = scipy.linalg.cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
    except scipy.linalg.LinAlgError:
        return None
    d_theta = root * scipy.linalg.cho_solve(
        factor, root * (d - 1) + target / root, check_finite=False
    )
    d_z = target / theta - z - z / theta * d_theta
    return _shorten_step(theta, d_theta, to_boundary), _shorten_step(z, d_z, to_boundary)


def _shorten_step(at: FloatArray, step: FloatArray, to_boundary: float) -> FloatArray:
    # Everything stays above 0.
    return step * min(1.0, to_boundary / max(float((-step / at).max()), 1e-300))
