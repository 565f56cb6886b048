"""Fieller's set: the ratios of two uncertain numbers that the data do not contradict."""

from __future__ import annotations

import math
from dataclasses import dataclass

from deniable.analysis import intervals
from deniable.analysis.proportion import normal_quantile


@dataclass(frozen=True)
class FiellerSet:
    """The ratios that the data do not contradict. Made by `fieller`.

    Parameters
    ----------
    pieces : tuple of (float, float)
        Closed intervals in ascending order, with infinite ends where they have none: one interval,
        or two half-lines (everything but a gap), or the whole line.
    """

    pieces: tuple[tuple[float, float], ...]

    @property
    def bounded(self) -> bool:
        """Whether the set is one interval: the denominator differs significantly from 0."""
        return len(self.pieces) == 1 and all(math.isfinite(end) for end in self.pieces[0])

    @property
    def possible(self) -> tuple[tuple[float, float], ...]:
        """What of the set is at least 0, as a ratio of shares must be; perhaps nothing."""
        return tuple((max(low, 0.0), high) for low, high in self.pieces if high >= 0)


def fieller(
    numerator: float,
    denominator: float,
    variances: tuple[float, float],
    covariance: float = 0.0,
    *,
    level: float = 0.95,
) -> FiellerSet:
    """Find the ratios of two means that normal estimates of them do not contradict.

    Parameters
    ----------
    numerator, denominator : float
        The estimates.
    variances : (float, float)
        Of the numerator and the denominator. nan if they are unknown.
    covariance : float
        Of the two; 0 for independent groups.
    level : float
        Between 0 and 1.

    Returns
    -------
    FiellerSet
        Unbounded where the denominator does not differ from 0 at this level: no interval that is
        always finite can have the right coverage there.

    Raises
    ------
    ValueError
        If the level is none.

    Notes
    -----
    A ratio r belongs to the set if ``(a - r b)^2 <= z^2 (V_a - 2 r V_ab + r^2 V_b)``, the test that
    ``a - r b`` has mean 0: a quadratic inequality.

    References
    ----------
    Fieller, E. C. (1954). Some problems in interval estimation. Journal of the Royal Statistical
    Society B 16, 175-185.

    Examples
    --------
    >>> fieller(2, 4, (0.01, 0.04)).pieces
    ((0.4350..., 0.5746...),)
    >>> fieller(2, 0.1, (0.01, 0.04)).pieces
    ((-inf, -6.8249...), (4.0405..., inf))
    """
    intervals.check_level(level)
    z2 = normal_quantile(level) ** 2
    A = denominator**2 - z2 * variances[1]
    B = numerator * denominator - z2 * covariance
    C = numerator**2 - z2 * variances[0]
    everything = FiellerSet(((-math.inf, math.inf),))
    if math.isnan(A + B + C):
        return everything
    if A == 0:  # A r^2 - 2 B r + C <= 0 is a half-line at most
        if B == 0:
            return everything if C <= 0 else FiellerSet(())
        end = C / (2 * B)
        return FiellerSet(((end, math.inf),) if B > 0 else ((-math.inf, end),))
    # Not below 0 where A > 0: the ratio of the estimates is in the set.
    root = math.sqrt(max(B**2 - A * C, 0))
    low, high = sorted(((B - root) / A, (B + root) / A))
    if A > 0:
        return FiellerSet(((low, high),))
    return FiellerSet(((-math.inf, low), (high, math.inf))) if root else everything
