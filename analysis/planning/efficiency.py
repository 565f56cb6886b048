"""The design effect: how many times as many respondents it takes as a direct question."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import FloatArray
from deniable.channel import Channel
from deniable.estimator import check_shares, share_variance


def design_effect(channel: Channel, theta: npt.ArrayLike) -> FloatArray:
    """Return the variance of each truth's estimated share relative to asking directly.

    Parameters
    ----------
    theta : array_like of float, shape (truths,)
        Shares of the truths.

    Returns
    -------
    ndarray, shape (truths,)
        1 where no precision is lost. Infinite for a share of 0 or 1, which a direct question
        estimates without error, unless the design does too (then nan).

    Notes
    -----
    With Warner's design of flip probability p it is
    ``1 + p (1 - p) / ((1 - 2 p)^2 θ (1 - θ))``.

    References
    ----------
    Kish, L. (1965). Survey sampling. Wiley, section 8.2: the design effect. Warner, S. L. (1965).
    Randomized response: a survey technique for eliminating evasive answer bias. Journal of the
    American Statistical Association 60, 63-69, section 2: the variance.

    Examples
    --------
    >>> from deniable import designs
    >>> design_effect(designs.truth_or_random(), [0.9, 0.1]).round(2)
    array([9.33, 9.33])
    """
    planned = check_shares(theta, channel)
    # A variance below this is 0 but for rounding.
    protected = share_variance(channel, planned)
    protected = np.where(protected < 1e-12, 0, protected)
    with np.errstate(divide="ignore", invalid="ignore"):
        return protected / (planned * (1 - planned))
