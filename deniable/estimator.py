"""Estimators of a channel: they depend on the channel and not on the data, as does their variance.

An estimator is a number for each report. The mean of these numbers over respondents is unbiased for
the share of a truth, or for the mean of a value. Only this module derives them, with one tolerance.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.channel import Channel

# How far, relative to its greatest contribution, the expectation of an estimator may be from the
# value that it estimates: above rounding, and far below any error that a sample could show. A
# channel's weights are multiples of 2^-32, which alone moves a linear dependence by some 1e-10.
_SOLVED: Final = 1e-7


class NotIdentifiable(ValueError):
    """Populations with different values of the estimated quantity would send the same reports."""


@lru_cache(maxsize=1024)
def least_variance(channel: Channel) -> npt.NDArray[np.float64]:
    """Return the contribution of each report to the estimated share of each truth.

    Returns
    -------
    ndarray, shape (truths, reports)
        The table ``G`` for which the mean of ``G[t, report]`` over respondents is an unbiased
        estimate of the share of truth ``t``, at every number of respondents. The columns of
        reports that no truth can send are 0. Read-only, because each channel's table is cached.

    Notes
    -----
    With ``C`` the channel's probabilities, unbiasedness is ``C @ G.T = I``. Where there are more
    reports than truths many tables satisfy it; this is the one whose variance is least when all
    truths are equally likely. It does not use the data: a table chosen by the data would no
    longer be unbiased. For two answers and flip probability p the estimate is the familiar
    ``(share of yes - p) / (1 - 2 p)`` of `deniable.designs.warner`.

    References
    ----------
    Aitken, A. C. (1936). On least squares and linear combination of observations. Proceedings of
    the Royal Society of Edinburgh 55, 42-48: the weighted least-norm solution.

    Examples
    --------
    >>> from deniable import designs
    >>> least_variance(designs.warner(flip="1/4"))
    array([[ 1.5, -0.5],
           [-0.5,  1.5]])
    """
    decomposed = _Decomposed(channel)
    if decomposed.rank < channel.truths:
        raise ValueError(
            f"the shares of the {channel.truths} truths are not identifiable: the rows of the "
            f"channel's table are linearly dependent (rank {decomposed.rank}), so that different "
            "populations would send the same reports"
        )
    G = decomposed.solve(np.eye(channel.truths))
    G.flags.writeable = False
    return G


def for_values(channel: Channel, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return the contribution of each report to the estimated mean of a value of the truth.

    `values`, shape (truths,): the value of each truth: the level of a number, or 1 and 0.
    Result, shape (reports,): the numbers ``g`` for which the mean of ``g[report]`` over respondents
    is an unbiased estimate of the mean of ``values[truth]``, at every number of respondents, and of
    least variance when all truths are equally likely.

    Notes
    -----
    A mean may be identifiable where the shares are not: a design with two reports identifies the
    mean of a number of 21 levels, and nothing else about it. See `least_variance` for the solution.
    """
    wanted = _checked(values, channel)[np.newaxis]
    g: npt.NDArray[np.float64] = _Decomposed(channel).solve(wanted)[0]
    return g


def variance(channel: Channel, values: npt.ArrayLike | None = None) -> float:
    r"""Return the variance of the estimates from one report, if all truths are equally likely.

    `values`, shape (truths,): the value of each truth. Result: the variance of the estimated mean
    of these values; without `values`, the sum of the variances of all estimated shares. Divided by
    n, it is the variance from the reports of n respondents. Infinite where the shares, or the mean,
    are not identifiable.

    Notes
    -----
    With :math:`m` the shares of the reports and :math:`M = C \, \mathrm{diag}(m)^{-1/2}`, the
    least-variance estimator of a value :math:`f` is :math:`g = \mathrm{diag}(m)^{-1/2} M^+ f`, and
    :math:`E[g^2] = \lVert M^+ f \rVert^2`. For k-ary randomised response the sum over the shares is
    :math:`(1 - 1/k) (e^\epsilon + k - 1)^2 / (e^\epsilon - 1)^2`.
    """
    table = channel.probabilities
    m = table.mean(axis=0)
    if values is None:
        # The squared norms of all columns of the inverse: much faster than the inverse itself.
        sendable = m > 0
        singular = np.linalg.svd(table[:, sendable] / np.sqrt(m[sendable]), compute_uv=False)
        if _rank(singular, channel.rank_tolerance) < channel.truths:
            return math.inf
        return float((singular**-2.0).sum() - 1 / channel.truths)
    wanted = _checked(values, channel)
    try:
        g = for_values(channel, wanted)
    except NotIdentifiable:
        return math.inf
    return float(m @ g**2 - wanted.mean() ** 2)


def share_variance(channel: Channel, theta: npt.ArrayLike | None = None) -> npt.NDArray[np.float64]:
    """Return the variance of the estimated share of each truth from one respondent.

    `theta`: the shares of the truths; None for the worst shares for each truth.

    Notes
    -----
    ``Var g_t = sum_x theta_x E[g_t^2 | x] - theta_t^2``. For each theta_t, it is greatest with
    all the rest at the worst other truth: then it is a parabola in theta_t.
    """
    G = least_variance(channel)
    # E[g_t^2 | truth x], with a row for each estimated truth t.
    second_moments = G**2 @ channel.probabilities.T
    if theta is not None:
        planned = check_shares(theta, channel)
        variance: npt.NDArray[np.float64] = second_moments @ planned - planned**2
        return variance
    own = second_moments.diagonal()
    others = second_moments.copy()
    np.fill_diagonal(others, -np.inf)
    worst_other = others.max(axis=1)
    share = np.clip((own - worst_other) / 2, 0, 1)
    worst: npt.NDArray[np.float64] = share * own + (1 - share) * worst_other - share**2
    return worst


def mean_variance(channel: Channel, values: npt.ArrayLike) -> float:
    """Return the worst variance of the estimated mean of a value of the truth, of one respondent.

    Notes
    -----
    ``Var g = sum_x theta_x E[g^2 | x] - (sum_x theta_x v_x)^2``. Among the populations of one mean
    the first term, linear in theta, is greatest where two truths at most have a share (a linear
    programme of two equations), so that the worst population is a mixture of two truths; for each
    pair the variance is a parabola in the share of the first.
    """
    g = for_values(channel, values)
    v = np.asarray(values, dtype=np.float64)
    second_moments = channel.probabilities @ g**2
    own, other = second_moments[:, np.newaxis], second_moments[np.newaxis]
    difference = v[:, np.newaxis] - v[np.newaxis]
    apart = np.where(difference == 0, 1, difference)
    # The derivative own - other - 2 difference (v_other + share difference) is 0. For two truths of
    # equal value any mixture will do, because the worse of them is also in a pair with itself.
    share = np.clip(((own - other) / (2 * apart) - v[np.newaxis]) / apart, 0, 1)
    variance = share * own + (1 - share) * other - (v[np.newaxis] + share * difference) ** 2
    return float(variance.max())


def check_shares(theta: npt.ArrayLike, channel: Channel) -> npt.NDArray[np.float64]:
    """Return planned shares of the truths as an array, or reject them with a `ValueError`."""
    planned = np.asarray(theta, dtype=np.float64)
    if (
        planned.shape != (channel.truths,)
        or not (planned >= 0).all()
        or abs(planned.sum() - 1) > 1e-9
    ):
        raise ValueError(
            f"expected the shares of the {channel.truths} truths, of at least 0 and summing to 1, "
            f"found {theta!r}"
        )
    return planned


class _Decomposed:
    """The singular-value decomposition of a channel's weighted table, for solving."""

    def __init__(self, channel: Channel) -> None:
        self.table = table = channel.probabilities
        self.sendable = table.any(axis=0)
        self._root = np.sqrt(table.sum(axis=0)[self.sendable])
        # G^T = D^-1 C^T (C D^-1 C^T)^+ F^T = D^-1/2 (C D^-1/2)^+ F^T. This is the pseudo-inverse of
        # the root, because forming the product would square its condition number.
        U, singular, Vt = np.linalg.svd(table[:, self.sendable] / self._root, full_matrices=False)
        self.rank = _rank(singular, channel.rank_tolerance)
        self._U = U[:, : self.rank]
        self._singular = singular[: self.rank]
        self._Vt = Vt[: self.rank]

    def solve(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the least-variance contributions to each row of values, (rows, reports)."""
        G = np.zeros((len(values), self.table.shape[1]))
        G[:, self.sendable] = (values @ self._U / self._singular) @ self._Vt / self._root
        wrong = np.abs(self.table @ G.T - values.T).max(axis=0)
        if (wrong > _SOLVED * np.maximum(1.0, np.abs(G).max(axis=1))).any():
            raise NotIdentifiable(
                "the mean of these values is not identifiable: populations of different means "
                "would send the same reports"
            )
        return G


def _rank(singular: npt.NDArray[np.float64], tolerance: float) -> int:
    return int((singular > singular[0] * tolerance).sum())


def _checked(values: npt.ArrayLike, channel: Channel) -> npt.NDArray[np.float64]:
    """Return the values as an array, or reject them."""
    wanted = np.asarray(values, dtype=np.float64)
    if wanted.shape != (channel.truths,) or not np.isfinite(wanted).all():
        raise ValueError(
            f"expected {channel.truths} finite values, one for each truth, found {values!r}"
        )
    return wanted
