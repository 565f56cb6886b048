"""How often tests of two binomial counts reject: exactly, by enumeration."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.intervals.proportion import lower_end, upper_end
from deniable.analysis.numerics.arrays import FloatArray, IntArray
from deniable.analysis.numerics.levels import check_choice

METHODS: Final = ("exact", "score", "interval", "normal")
ALTERNATIVES: Final = ("two-sided", "greater", "less")

# Counts beyond so many standard deviations have a total chance below 1e-16.
_TAIL: Final = 8.5


@dataclass(frozen=True)
class PlannedTest:
    """A planned significance test of two groups.

    Parameters
    ----------
    method : {"exact", "score", "interval", "normal"}
        Which test.

        - 'exact' : Fisher's test, which never rejects a true hypothesis more often than
          `significance` (default)
        - 'score' : compares the difference with its standard error under the hypothesis (the
          chi-square test of homogeneity); its power and its size are computed exactly
        - 'interval' : rejects where the default interval of the difference excludes 0 (see
          `deniable.analysis.joint.groups.Difference.p_value`); computed exactly too
        - 'normal' : the score test by a normal approximation, for any channel
    alternative : {"two-sided", "greater", "less"}
        `greater` means that the second group's share is greater. Two-sided tests have half of the
        significance on either side.
    significance : float
        Between 0 and 1/2.
    """

    method: str = "exact"
    alternative: str = "two-sided"
    significance: float = 0.05

    def __post_init__(self) -> None:
        """Reject an invalid test."""
        check_choice(self.method, METHODS, "a test")
        check_choice(self.alternative, ALTERNATIVES, "an alternative")
        if not 0 < self.significance < 0.5:
            raise ValueError(
                "expected a significance between 0 and 1/2, such as 0.05, "
                f"found {self.significance}"
            )

    @property
    def tail(self) -> float:
        """Significance on each tested side."""
        return self.significance / (2 if self.alternative == "two-sided" else 1)

    @property
    def sides(self) -> tuple[bool, bool]:
        """Whether the test rejects for too small and for too large numbers."""
        return self.alternative != "greater", self.alternative != "less"


def _at_least(x: IntArray, n: IntArray, rate: float) -> FloatArray:
    """Return the chance of at least x successes; 1 for x = 0 and 0 for x = n + 1."""
    inside = (x > 0) & (x <= n)
    k = np.where(inside, x, 1)
    tail = scipy.special.betainc(k, n - k + 1, rate)
    return np.where(inside, tail, np.where(x <= 0, 1.0, 0.0))


def two_binomials_reject(
    n: tuple[int, int], rates: tuple[float, float], test: PlannedTest
) -> float:
    """Return the chance that a test of two proportions rejects.

    Notes
    -----
    The sum over all pairs of counts is a sum over the first count of the binomial tails of the
    second. Counts whose chance is below 1e-16 are left out.

    References
    ----------
    Fisher, R. A. (1935). The logic of inductive inference. Journal of the Royal Statistical Society
    98, 39-82.
    """
    chance = 0.0
    for asked, few in zip(test.sides, (True, False), strict=True):
        if asked:
            # Too few such reports in the second group are too many other reports.
            first, second = (1 - rate if few else rate for rate in rates)
            x, y = _likely(n[0], first), _likely(n[1], second)
            if test.method == "interval":
                critical = _first_left_out(x, y, n, test.tail)
            else:
                totals = np.arange(x[0] + y[0], x[-1] + y[-1] + 1)
                of_two = _fisher_critical if test.method == "exact" else _score_critical_of_two
                critical = _first_rejected(x, y, of_two(totals, n, test.tail))
            second_chance = _at_least(critical, np.full(len(x), n[1]), second)
            chance += float(scipy.stats.binom.pmf(x, n[0], first) @ second_chance)
    return chance


def _likely(n: int, rate: float) -> IntArray:
    """Return the numbers of successes whose chance is not negligible."""
    reach = _TAIL * math.sqrt(n * rate * (1 - rate)) + _TAIL**2
    return np.arange(max(math.floor(n * rate - reach), 0), min(math.ceil(n * rate + reach), n) + 1)


def _first_rejected(x: IntArray, y: IntArray, critical: IntArray) -> IntArray:
    # `critical` is the smallest rejected y for each total of x and y. The total grows as fast as y
    # and `critical` never faster, so halving the range of y finds it.
    return _halved(x, y, lambda place: y[place] >= critical[x + y[place] - (x[0] + y[0])])


def _halved(
    x: IntArray, y: IntArray, is_rejected: Callable[[IntArray], npt.NDArray[np.bool_]]
) -> IntArray:
    """Return the smallest y from which on all are rejected, for each x; one beyond if none is."""
    too_few, enough = np.full(len(x), -1), np.full(len(x), len(y))
    while (moved := enough - too_few > 1).any():
        between = (too_few + enough + 1) // 2
        rejected = is_rejected(np.minimum(between, len(y) - 1))
        enough = np.where(moved & rejected, between, enough)
        too_few = np.where(moved & ~rejected, between, too_few)
    return np.asarray(y[0] + enough)


def _first_left_out(x: IntArray, y: IntArray, n: tuple[int, int], tail: float) -> IntArray:
    """Return the smallest y at which the interval of the difference excludes 0, for each x."""
    # Its lower end is the difference less the hypotenuse of these distances.
    to_high = upper_end(x, n[0], tail) - x / n[0]
    to_low = y / n[1] - lower_end(y, n[1], tail)

    def left_out(place: IntArray) -> npt.NDArray[np.bool_]:
        apart = y[place] / n[1] - x / n[0]
        return np.asarray(apart > np.hypot(to_high, to_low[place]))

    return _halved(x, y, left_out)


def _score_critical_of_two(totals: IntArray, n: tuple[int, int], tail: float) -> IntArray:
    """Return the least count of the second group, for each total, that the score test rejects."""
    pooled = totals / sum(n)
    error = np.sqrt(pooled * (1 - pooled) * (1 / n[0] + 1 / n[1]))
    # y/n_2 - (total - y)/n_1 is linear in y, and 0 at the expected y.
    expected = pooled * n[1]
    beyond = -scipy.special.ndtri(tail) * error / (1 / n[0] + 1 / n[1])
    return _whole(np.maximum(np.ceil(expected + beyond), np.floor(expected) + 1))


def _fisher_critical(totals: IntArray, n: tuple[int, int], tail: float) -> IntArray:
    """Return the smallest y, for each total, for which P(Y >= y) is at most `tail`."""
    everybody = sum(n)
    start = totals * n[1] // everybody  # the median or one below it: its tail is too large
    variance = totals * (everybody - totals) * (n[0] * n[1] / everybody**3)
    reach = math.ceil(_TAIL * math.sqrt(variance.max()) + _TAIL**2)
    y = start[:, np.newaxis] + np.arange(reach + 1)
    x = totals[:, np.newaxis] - y
    possible = (y <= n[1]) & (x >= 0)
    log_factorials = scipy.special.gammaln(np.arange(everybody + 1) + 1.0)

    def log_choose(of: int, k: IntArray) -> FloatArray:
        return np.asarray(log_factorials[of] - log_factorials[k] - log_factorials[of - k])

    logs = log_choose(n[1], np.where(possible, y, 0)) + log_choose(n[0], np.where(possible, x, 0))
    logs -= log_choose(everybody, totals)[:, np.newaxis]
    chances = np.where(possible, np.exp(logs), 0)
    tails = np.cumsum(chances[:, ::-1], axis=1)[:, ::-1]
    return _whole(start + (tails > tail).sum(axis=1))


def _whole(values: npt.NDArray[np.float64 | np.int64]) -> IntArray:
    return values.astype(np.int64)
