"""The unbiased estimator of least variance: a table of numbers that belongs to a channel."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from deniable.channel import Channel


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
    sendable = channel.probabilities.any(axis=0)
    C = channel.probabilities[:, sendable]
    # How often each report comes when all truths are equally likely, up to a factor that cancels.
    root_D = np.sqrt(C.sum(axis=0))
    # G^T = D^-1 C^T (C D^-1 C^T)^-1 = D^-1/2 (C D^-1/2)^+. The pseudo-inverse is taken of the
    # root, because forming the product would square its condition number.
    U, singular, Vt = np.linalg.svd(C / root_D, full_matrices=False)
    rounding = max(C.shape) * np.finfo(np.float64).eps
    rank = int((singular > singular[0] * rounding).sum())
    if rank < channel.truths:
        raise ValueError(
            f"the shares of the {channel.truths} truths are not identifiable: the rows of the "
            f"channel's table are linearly dependent (rank {rank}), so that different populations "
            "would send the same reports"
        )
    G = np.zeros((channel.truths, channel.reports))
    G[:, sendable] = (U / singular) @ Vt / root_D
    G.flags.writeable = False
    return G
