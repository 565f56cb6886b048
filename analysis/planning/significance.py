"""How often a test of two binomial counts rejects: exactly, by enumeration."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from deniable.analysis.intervals.proportion import lower_end, upper_end
from deniable.analysis.numerics.arrays import FloatArray, IntArray
from deniable.analysis.numerics.levels import check_choice

METHODS: Final = ("interval", "normal")

# Counts beyond so many standard deviations have a total chance below 1e-16.
_TAIL: Final = 8.5


@dataclass(frozen=True)
class PlannedTest:
    """A planned significance test of two groups, two-sided.

    Parameters
    ----------
    method : {"interval", "normal"}
        Which test.

        - 'interval' : rejects where the default interval of the difference excludes 0 (see
          `deniable.analysis.joint.groups.Difference.p_value`); its power and its size are computed
          exactly (default)
        - 'normal' : compares the difference with its standard error under the hypothesis, by a
          normal approximation; for any channel
    significance : float
        Between 0 and 1/2; half of it on either side.
    """

    method: str = "interval"
    significance: float = 0.05

    def __post_init__(self) -> None:
        """Reject an invalid test."""
        check_choice(self.method, METHODS, "a test")
        if not 0 < self.significance < 0.5:
            raise ValueError(
                "expected a significance between 0 and 1/2, such as 0.05, "
                f"found {self.significance}"
            )

    @property
    def tail(self) -> float:
        """Significance on each side."""
        return self.significance / 2


def _at_least(x: IntArray, n: IntArray, rate: float) -> FloatArray:
    """Return the chance of at least x successes; 1 for x = 0 and 0 for x = n + 1."""
    inside = (x > 0) & (x <= n)
    k = np.where(inside, x, 1)
    tail = scipy.special.betainc(k, n - k + 1, rate)
    return np.where(inside, tail, np.where(x <= 0, 1.0, 0.0))


def two_binomials_reject(n: tuple[int, int], rates: tuple[float, float], tail: float) -> float:
    """Return the chance that the interval of the difference of two proportions excludes 0.

    `tail`: the significance on each side.

    The sum over all pairs of counts is a sum over the first count of the binomial tails of the
    second. Counts whose chance is below 1e-16 are left out.
    """
    chance = 0.0
    # Too few such reports in the second group are too many other reports.
    for first, second in ((1 - rates[0], 1 - rates[1]), rates):
        x, y = _likely(n[0], first), _likely(n[1], second)
        critical = _first_left_out(x, y, n, tail)
        second_chance = _at_least(critical, np.full(len(x), n[1]), second)
        # The chance of each first count. To load scipy's distributions takes longer than all else.
        or_more = _at_least(np.arange(x[0], x[-1] + 2), np.full(len(x) + 1, n[0]), first)
        chance += float(-np.diff(or_more) @ second_chance)
    return chance


def _likely(n: int, rate: float) -> IntArray:
    """Return the numbers of successes whose chance is not negligible."""
    reach = _TAIL * math.sqrt(n * rate * (1 - rate)) + _TAIL**2
    return np.arange(max(math.floor(n * rate - reach), 0), min(math.ceil(n * rate + reach), n) + 1)


def _first_left_out(x: IntArray, y: IntArray, n: tuple[int, int], tail: float) -> IntArray:
    """Return the smallest y at which the interval excludes 0, for each x; one beyond if none is."""
    # Its lower end is the difference less the hypotenuse of these distances.
    to_high = upper_end(x, n[0], tail) - x / n[0]
    to_low = y / n[1] - lower_end(y, n[1], tail)
    # The difference grows with y, so halving the range of y finds it.
    too_few, enough = np.full(len(x), -1), np.full(len(x), len(y))
    while (moved := enough - too_few > 1).any():
        between = (too_few + enough + 1) // 2
        place = np.minimum(between, len(y) - 1)
        left_out = y[place] / n[1] - x / n[0] > np.hypot(to_high, to_low[place])
        enough = np.where(moved & left_out, between, enough)
        too_few = np.where(moved & ~left_out, between, too_few)
    return np.asarray(y[0] + enough)
