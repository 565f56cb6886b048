"""Confidence intervals for a binomial proportion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import special

FloatArray: TypeAlias = npt.NDArray[np.float64]

ProportionInterval: TypeAlias = Callable[[FloatArray, int, float], tuple[FloatArray, FloatArray]]
"""Successes (any shape), trials and level in; lower and upper ends (of that shape) out."""


def normal_quantile(level: float) -> float:
    """Return the half-width of a two-sided normal interval, in standard errors.

    Parameters
    ----------
    level : float
        Between 0 and 1.

    Returns
    -------
    float
        1.96 at a level of 0.95.
    """
    return float(-special.ndtri((1 - level) / 2))


def wilson(successes: FloatArray, n: int, level: float) -> tuple[FloatArray, FloatArray]:
    """Wilson's score interval.

    Parameters
    ----------
    successes : ndarray
        Number of successes, 0 to `n`.
    n : int
        Number of trials, at least 1.
    level : float
        Between 0 and 1.

    Returns
    -------
    low, high : ndarray
        Of the shape of `successes`, between 0 and 1.

    References
    ----------
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
    Journal of the American Statistical Association 22, 209-212.
    """
    z = normal_quantile(level)
    # The roots of (x/n - p)^2 = z^2 p (1 - p) / n.
    centre = (successes + z**2 / 2) / (n + z**2)
    half = z / (n + z**2) * np.sqrt(successes * (n - successes) / n + z**2 / 4)
    # The ends are exactly 0 and 1 there, and rounding must not move them inwards.
    low = np.where(successes == 0, 0.0, centre - half)
    high = np.where(successes == n, 1.0, centre + half)
    return low, high


def exact(successes: FloatArray, n: int, level: float) -> tuple[FloatArray, FloatArray]:
    """Clopper and Pearson's interval, which covers at least as often as it says.

    Parameters
    ----------
    successes : ndarray
        Number of successes, 0 to `n`.
    n : int
        Number of trials, at least 1.
    level : float
        Between 0 and 1.

    Returns
    -------
    low, high : ndarray
        Of the shape of `successes`, between 0 and 1.

    References
    ----------
    Clopper, C. J. and Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated
    in the case of the binomial. Biometrika 26, 404-413.
    """
    tail = (1 - level) / 2
    # P(X >= x | low) = tail and P(X <= x | high) = tail, by the incomplete beta function. At the
    # ends, where its parameter would be 0, it is not evaluated.
    low = special.betaincinv(np.maximum(successes, 1), n - successes + 1, tail)
    high = special.betainccinv(successes + 1, np.maximum(n - successes, 1), tail)
    return np.where(successes == 0, 0.0, low), np.where(successes == n, 1.0, high)


METHODS: Final[Mapping[str, ProportionInterval]] = {"wilson": wilson, "exact": exact}
"""The intervals by the names under which an estimate is asked for them."""
