"""Intervals that hold at all numbers of reports together, for analysts of a running survey.

An ordinary 95 % interval holds at one number of reports, chosen in advance. An analyst who looks
every day and stops when the interval looks good gives it many chances to miss the truth. The
intervals here miss it in at most 5 % of surveys *at any time*: it does not matter how often the
analyst looks, or when they stop.

What is computed
    A share, a mean or any other average over the truths is the mean of one number ``g`` over the
    reports (see `deniable.estimator`). For each possible value of it, a gambler who starts with 1
    bets on every report that the value is too low; another gambler, that it is too high. If the
    value is right, the bets are fair, and the chance that a gambler ever owns ``2 / (1 - level)``
    is at most ``(1 - level) / 2`` (Ville's inequality). The interval holds the values at which
    neither gambler owns that much now.

Bound
    Coverage of `level` at all n together, and of half the error at each end, whatever the design,
    the truth and the rule of stopping. It is proven, and not an approximation at any number of
    reports. It assumes that respondents are independent draws from one population: late respondents
    must not differ from early ones.

Why not otherwise
    Only counts are needed: what a gambler owns is a product over the reports, in any order. The
    bets are on the one number of interest, so other answers cost nothing. A Dirichlet mixture over
    all of the reports also gives an interval (project the set of its likely distributions), at the
    price of one dimension per report: at n = 1,000 it is 1.86 times as wide as Wald's with two
    reports, but 2.8 times with five, 4.6 times with twenty (k-ary, ε = 3), and 4.4 times for the
    mean of eleven levels (ε = 1). The bets give 1.75, 1.75, 1.74 and 1.72.

References
----------
Ville, J. (1939). Étude critique de la notion de collectif. Gauthier-Villars.
Robbins, H. (1970). Statistical methods related to the law of the iterated logarithm. Annals of
Mathematical Statistics 41, 1397-1409: mixtures.
Waudby-Smith, I. and Ramdas, A. (2024). Estimating means of bounded random variables by betting.
Journal of the Royal Statistical Society B 86, 1-27: bets on a bounded mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.intervals import quotients
from deniable.analysis.intervals.inversion import Ratio
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.roots import first_root

# The part of the wealth staked on a report: a mixture with a density of c^-1/2, from all of it to a
# part small enough for 10^12 reports. Any mixture gives the coverage; this one gives nearly the
# least width from 100 to 10,000 reports.
_STAKES: Final = 1.5 ** -np.arange(45.0)
_WEIGHTS: Final = np.sqrt(_STAKES) / np.sqrt(_STAKES).sum()

# Logarithm of the least mean tried, in units of the range. A smaller mean counts as 0.
_LEAST: Final = -600.0

# Steps of the grid on which a ratio's range is searched for the first value not ruled out.
_STEPS: Final = 300


def mean(g: FloatArray, counts: npt.ArrayLike, level: float) -> tuple[float, float]:
    """Return the interval of a mean over the reports.

    Parameters
    ----------
    g : ndarray, shape (reports,)
        The contribution of each report that can be sent.
    counts : array_like, shape (reports,)
        How often each came; not all 0.

    Returns
    -------
    low, high : float
        Inside the range of `g`; they enclose the average contribution.

    Notes
    -----
    With y the contributions, scaled to the range 0 to 1, a gambler who stakes the part c on every
    report owns ``product of (1 - c + c y / m)`` under the hypothesis that the mean is m. If it is
    m, each factor has expectation 1, and the wealth is a nonnegative martingale; so is a mixture
    over c. It falls as m rises, which gives the low end; the high end is that of 1 - y.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = mean(np.array([-0.5, 1.5]), [60, 40], 0.95)
    >>> round(low, 3), round(high, 3)
    (-0.001, 0.626)
    """
    return (
        Bets.on(g, counts).lowest(goal(level)),
        -Bets.on(-g, counts).lowest(goal(level)),
    )


def ratio(
    counts: npt.NDArray[np.int64], probabilities: FloatArray, of: Ratio, level: float
) -> tuple[float, float]:
    """Return the interval of the ratio of two means over the same reports.

    Parameters
    ----------
    counts : array_like, shape (reports,)
        How often each came; not all 0.
    probabilities : ndarray, shape (truths, reports)
    of : Ratio
        The search covers its `range`.

    Returns
    -------
    low, high : float
        Inside the range: all of it if every value is ruled out. For a mean, from `mean`.

    Notes
    -----
    The ratio is r if ``g - r h`` is 0 on average, on which the bets are as in `mean`. The low end
    is the least r that is not ruled out, found on a grid of 300 steps and then as a root. Values
    beyond it that are ruled out again, where the denominator is about 0, stay inside the interval.

    Examples
    --------
    >>> from deniable import designs
    >>> from deniable.estimator import least_variance
    >>> G = least_variance(designs.k_ary(3, 2))
    >>> among = Ratio(np.array([1.0, 0, 0]), np.array([1.0, 1, 0]), G[0], 1 - G[2])
    >>> table = designs.k_ary(3, 2).probabilities
    >>> low, high = ratio(np.array([300, 260, 440]), table, among, 0.95)
    >>> round(low, 3), round(high, 3)
    (0.442, 0.673)
    """
    sendable = probabilities.any(axis=0)
    g, h, came = of.to_numerator[sendable], of.to_denominator[sendable], counts[sendable]
    if of.is_mean:
        return mean(g, came, level)
    threshold, (least, greatest) = goal(level), of.range
    candidates = np.linspace(least, greatest, _STEPS + 1)
    ends = (
        _first_ratio(g, h, came, threshold, candidates),
        _first_ratio(-g, -h, came, threshold, candidates[::-1]),
    )
    low, high = quotients.left(ends, least, greatest).tolist()
    return low, high


@dataclass(frozen=True, eq=False)
class Bets:
    """Bets that the mean of a contribution is higher than its hypothetical value.

    `y`, in units of the range, and `counts` are of the reports that came; equal contributions are
    merged.
    """

    offset: float
    scale: float
    y: FloatArray
    counts: FloatArray

    @classmethod
    def on(cls, g: FloatArray, counts: npt.ArrayLike) -> Bets:
        """Return the bets on contributions, given how often each report came; see `mean`."""
        offset, scale = float(g.min()), float(np.ptp(g))
        y = (g - offset) / scale if scale > 0 else np.zeros_like(g)
        came = np.asarray(counts, dtype=np.float64)
        values, place = np.unique(y.round(12), return_inverse=True)
        together = np.bincount(place.ravel(), weights=came).astype(np.float64)
        return cls(offset, scale, values[together > 0], together[together > 0])

    def log_wealth(self, m: float) -> float:
        """Return the logarithm of the wealth if the mean is m > 0, in units of the range."""
        with np.errstate(divide="ignore", over="ignore"):  # all of it can be lost, on a single bet
            grown = np.log1p(_STAKES[:, np.newaxis] * (self.y / m - 1)) @ self.counts
        best = float(grown.max())
        return best + math.log(float(_WEIGHTS @ np.exp(grown - best)))

    def lowest(self, threshold: float) -> float:
        """Return the least mean at which the `log_wealth` is below `threshold`, in its own units.

        At most the greatest contribution.
        """

        def excess(log_m: float) -> float:
            return self.log_wealth(math.exp(log_m)) - threshold

        m = 0.0
        if excess(0.0) >= 0:
            m = 1.0
        elif excess(_LEAST) > 0:
            # Nearly a straight line in log m where m is small.
            m = math.exp(scipy.optimize.brentq(excess, _LEAST, 0.0, xtol=1e-14, rtol=1e-14))
        return self.offset + self.scale * m


def goal(level: float) -> float:
    """Return the logarithm of the wealth that rules a value out; each end has half the error."""
    return math.log(2 / (1 - level))


def _first_ratio(
    g: FloatArray, h: FloatArray, counts: npt.ArrayLike, threshold: float, candidates: FloatArray
) -> float:
    """Return the first ratio along the candidates that the bets do not rule out; else nan."""

    def excess(r: float) -> float:
        bets = Bets.on(g - r * h, counts)
        if bets.offset >= 0 or bets.scale == 0:  # never below 0, so never above it
            return 1.0 if bets.y.any() else -1.0
        if bets.offset + bets.scale <= 0:  # never above 0: nothing can be won
            return -1.0
        wealth = bets.log_wealth(-bets.offset / bets.scale) - threshold
        return wealth / (1 + abs(wealth))

    return first_root(excess, candidates.tolist())
