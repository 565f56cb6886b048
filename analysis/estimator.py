"""Unbiased estimators of least variance: numbers that belong to a channel, not to the data."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.channel import Channel

# How far, relative to its greatest contribution, the expectation of an estimator may be from the
# value it estimates: above rounding, and far below anything that a sample could show. A channel's
# weights are multiples of 2^-32, which alone moves a linear dependence by some 1e-10.
_SOLVED: Final = 1e-7


@lru_cache(maxsize=1024)
def least_variance(channel: Channel) -> npt.NDArray[np.float64]:
    """Find what each report contributes to the estimated share of each truth.

    Parameters
    ----------
    channel : Channel

    Returns
    -------
    ndarray, shape (truths, reports)
        The table ``G`` for which the mean of ``G[t, report]`` over respondents is an unbiased
        estimate of the share of truth ``t``, at every number of respondents. The columns of
        reports that no truth can send are 0. Read-only, since it is computed once a channel.

    Raises
    ------
    ValueError
        If the shares of the truths are not identifiable: two different populations would send the
        same distribution of reports.

    Notes
    -----
    With ``C`` the channel's probabilities, unbiasedness is ``C @ G.T = I``. Where there are more
    reports than truths many tables satisfy it; this is the one whose variance is least when all
    truths are equally likely. It does not look at the data: a table chosen by the data would no
    longer be unbiased. For two answers and flip probability p the estimate is the familiar
    ``(share of yes - p) / (1 - 2 p)``.

    References
    ----------
    Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer
    bias. Journal of the American Statistical Association 60, 63-69, section 2.
    Aitken, A. C. (1936). On least squares and linear combination of observations. Proceedings of
    the Royal Society of Edinburgh 55, 42-48: the weighted least-norm solution.

    Examples
    --------
    >>> from deniable import designs
    >>> least_variance(designs.warner(flip="1/4"))
    array([[ 1.5, -0.5],
           [-0.5,  1.5]])
    """
    G, rank = _solve(channel, np.eye(channel.truths))
    if rank < channel.truths:
        raise ValueError(
            f"the shares of the {channel.truths} truths are not identifiable: the rows of the "
            f"channel's table are linearly dependent (rank {rank}), so that different populations "
            "would send the same reports"
        )
    G.flags.writeable = False
    return G


def for_values(channel: Channel, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Find what each report contributes to the estimated mean of a value of the truth.

    Parameters
    ----------
    channel : Channel
    values : array_like of float, shape (truths,)
        What each truth counts for: the level of a number, or 1 and 0.

    Returns
    -------
    ndarray, shape (reports,)
        The numbers ``g`` for which the mean of ``g[report]`` over respondents is an unbiased
        estimate of the mean of ``values[truth]``, at every number of respondents, and of least
        variance when all truths are equally likely.

    Raises
    ------
    ValueError
        If there is not one value for each truth, or no such numbers exist: two populations of
        different means would send the same reports.

    Notes
    -----
    A mean may be identifiable where the shares are not: a design with two reports tells the mean of
    a number of 21 levels, and nothing else about it. See `least_variance` for the solution.

    Examples
    --------
    >>> from deniable import designs
    >>> for_values(designs.warner(flip="1/4"), [0, 10])
    array([-5., 15.])
    """
    wanted = np.asarray(values, dtype=np.float64)
    if wanted.shape != (channel.truths,) or not np.isfinite(wanted).all():
        raise ValueError(
            f"expected {channel.truths} finite values, one for each truth, found {values!r}"
        )
    G, _ = _solve(channel, wanted[np.newaxis])
    g: npt.NDArray[np.float64] = G[0]
    scale = max(1.0, float(np.abs(g).max())) * _SOLVED
    if not np.allclose(channel.probabilities @ g, wanted, rtol=0, atol=scale):
        raise ValueError(
            "the mean of these values is not identifiable: populations of different means would "
            "send the same reports"
        )
    return g


def _solve(
    channel: Channel, values: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], int]:
    """Return the least-variance table for each row of values, and the rank of the channel."""
    sendable = channel.probabilities.any(axis=0)
    C = channel.probabilities[:, sendable]
    # How often each report comes when all truths are equally likely, up to a factor that cancels.
    root_D = np.sqrt(C.sum(axis=0))
    # G^T = D^-1 C^T (C D^-1 C^T)^+ F^T = D^-1/2 (C D^-1/2)^+ F^T. The pseudo-inverse is taken of
    # the root, because forming the product would square its condition number.
    U, singular, Vt = np.linalg.svd(C / root_D, full_matrices=False)
    rank = int((singular > singular[0] * channel.rank_tolerance).sum())
    G = np.zeros((len(values), channel.reports))
    G[:, sendable] = (values @ U[:, :rank] / singular[:rank]) @ Vt[:rank] / root_D
    return G, rank
