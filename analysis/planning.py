"""How wide an interval to expect, before anybody is asked."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from deniable.analysis.estimator import least_variance
from deniable.analysis.intervals import check_level
from deniable.analysis.proportion import normal_quantile
from deniable.channel import Channel


def half_width(channel: Channel, n: int, level: float = 0.95) -> npt.NDArray[np.float64]:
    """Half the width of the interval to expect of each truth's share, at worst.

    Parameters
    ----------
    channel : Channel
    n : int
        Number of respondents, at least 1.
    level : float
        Between 0 and 1.

    Returns
    -------
    ndarray, shape (truths,)
        A normal quantile times the standard error, at the shares of the truths for which it is
        greatest; 0.04 is 4 percentage points to either side.

    Raises
    ------
    ValueError
        If the level or the number of respondents is out of range, or the shares are not
        identifiable.

    Examples
    --------
    >>> from deniable import designs
    >>> half_width(designs.truth_or_random(), n=1000).round(3)
    array([0.062, 0.062])
    """
    check_level(level)
    if n < 1:
        raise ValueError(f"expected at least 1 respondent, found {n}")
    G = least_variance(channel)
    # E[g_t^2 | truth x], with a row for each truth t that is estimated.
    second_moments = G**2 @ channel.probabilities.T
    own = second_moments.diagonal()
    others = second_moments.copy()
    np.fill_diagonal(others, -np.inf)
    worst_other = others.max(axis=1)
    # Var g_t = sum_x theta_x E[g_t^2 | x] - theta_t^2. Whatever theta_t is, the variance is
    # greatest with all the rest at the worst other truth: theta_t own + (1 - theta_t) other -
    # theta_t^2, a parabola in theta_t.
    share = np.clip((own - worst_other) / 2, 0, 1)
    variance = share * own + (1 - share) * worst_other - share**2
    standard_error: npt.NDArray[np.float64] = np.sqrt(variance / n)
    return normal_quantile(level) * standard_error
