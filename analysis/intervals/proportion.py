"""Confidence intervals for a binomial proportion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.numerics.arrays import BoolArray, FloatArray, IntArray
from deniable.analysis.numerics.levels import normal_quantile
from deniable.analysis.numerics.remembered import remembered
from deniable.analysis.numerics.roots import bracketed_root


def wilson(successes: FloatArray, n: float, level: float) -> tuple[FloatArray, FloatArray]:
    """Wilson's score interval.

    References
    ----------
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
    Journal of the American Statistical Association 22, 209-212.
    """
    z = normal_quantile(level)
    # The roots of (x/n - p)^2 = z^2 p (1 - p) / n.
    centre = (successes + z**2 / 2) / (n + z**2)
    half = z / (n + z**2) * np.sqrt(successes * (n - successes) / n + z**2 / 4)
    # These ends are exactly 0 and 1; rounding must not move them inwards.
    low = np.where(successes == 0, 0.0, centre - half)
    high = np.where(successes == n, 1.0, centre + half)
    return low, high


def exact(successes: FloatArray, n: float, level: float) -> tuple[FloatArray, FloatArray]:
    """Clopper and Pearson's interval, which covers at least at its level.

    References
    ----------
    Clopper, C. J. and Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated
    in the case of the binomial. Biometrika 26, 404-413.
    """
    tail = (1 - level) / 2
    return lower_end(successes, n, tail), upper_end(successes, n, tail)


def lower_end(
    successes: FloatArray | IntArray, n: float | FloatArray | IntArray, tail: float
) -> FloatArray:
    """Return the lower end of `exact`, missed with a chance of `tail` at most; 0 where n is 0."""
    # P(X >= x | low) = tail, by the incomplete beta function; where its parameter would be 0, it is
    # not evaluated.
    low = scipy.special.betaincinv(np.where(successes > 0, successes, 1), n - successes + 1, tail)
    return np.where(successes > 0, low, 0.0)


def upper_end(
    successes: FloatArray | IntArray, n: float | FloatArray | IntArray, tail: float
) -> FloatArray:
    """Return the upper end of `exact`, where P(X <= x | high) = tail; 1 where n is 0."""
    failures = n - successes
    high = scipy.special.betainccinv(successes + 1, np.where(failures > 0, failures, 1), tail)
    return np.where(failures > 0, high, 1.0)


def likelihood(successes: FloatArray, n: float, level: float) -> tuple[FloatArray, FloatArray]:
    """Interval of the probabilities that a likelihood-ratio test does not reject.

    References
    ----------
    Wilks, S. S. (1938). The large-sample distribution of the likelihood ratio for testing composite
    hypotheses. Annals of Mathematical Statistics 9, 60-62.
    """
    # One call for both ends: the upper end for x is 1 less the lower end for n - x.
    given = np.asarray(successes, dtype=np.float64)
    each, place = np.unique(np.stack([given, n - given]), return_inverse=True)
    ends = np.zeros(len(each))
    some = each > 0
    ends[some] = _likelihood_low(each[some], n, level)
    low, rest = ends[place]
    return low, 1 - rest


def feldman_cousins(
    successes: FloatArray,
    n: float,
    level: float,
    least: float | FloatArray = 0.0,
    greatest: float | FloatArray = 1.0,
) -> tuple[FloatArray, FloatArray]:
    """Feldman and Cousins's interval: never empty, and covers at least at its level.

    Notes
    -----
    A probability p is in the interval if, with p true, results whose likelihood ratio R is at most
    that of the observed result have a chance of at least ``1 - level``. R compares p with the best
    *possible* probability, so a result beyond all possible ones does not count against the nearest.
    Where the accepted p lie in several pieces, the interval is the shortest that holds them all.

    With ``l(y)`` the greatest log-likelihood of y successes (without the number of ways), which is
    convex in y, ``R(y) <= R(x)`` for y below x if the log-odds of p are at least the slope
    ``(l(x) - l(y)) / (x - y)``, which grows with y. So the chance is ``P(Y >= x) + P(Y <= y)``, and
    y grows by one at thresholds that a formula gives. Between two thresholds the sum falls and then
    rises as p grows. So the lower end is at the first threshold where the sum reaches
    ``1 - level``, or between two. Not every threshold is evaluated: between two of them the sum is
    at most its first term at the second plus its second term at the first.

    References
    ----------
    Feldman, G. J. and Cousins, R. D. (1998). Unified approach to the classical statistical analysis
    of small signals. Physical Review D 57, 3873-3889, section 4.
    """
    given = np.broadcast_arrays(np.asarray(successes, dtype=np.float64), least, greatest)
    x, q0, q1 = (one.ravel() for one in given)
    low = _feldman_cousins_low(x, n, level, q0, q1).reshape(given[0].shape)
    rest = _feldman_cousins_low(n - x, n, level, 1 - q1, 1 - q0).reshape(given[0].shape)
    return low, 1 - rest


METHODS: Final[
    Mapping[str, Callable[[FloatArray, float, float], tuple[FloatArray, FloatArray]]]
] = {
    "feldman-cousins": feldman_cousins,
    "wilson": wilson,
    "exact": exact,
    "likelihood": likelihood,
}
"""The intervals by their names in the arguments of estimates.

Successes (of any shape), trials and level in; lower and upper ends out. `wilson` and `exact` also
take fractions of a trial, as effective samples have; the others take only whole numbers.
"""


def ends(
    method: str,
    successes: FloatArray,
    n: float,
    level: float,
    least: float | FloatArray,
    greatest: float | FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the interval of a name; only Feldman and Cousins's uses the possible range."""
    if method == "feldman-cousins":
        return feldman_cousins(successes, n, level, least, greatest)
    return METHODS[method](successes, n, level)


def _feldman_cousins_low(
    x: FloatArray, n: float, level: float, q0: FloatArray, q1: FloatArray
) -> FloatArray:
    def low() -> FloatArray:
        found = q0.astype(np.float64)
        some = x > n * q0
        if some.any():
            given = x[some], q0[some], q1[some]
            search = _LowerEnd(*given, _greatest_log_likelihood(*given, n), n, 1 - level)
            found[some] = search.found()
        return found

    return remembered(low, "feldman-cousins", x, n, level, q0, q1).copy()


@dataclass(frozen=True, eq=False)
class _LowerEnd:
    """The search for lower ends above the least possible probability; see `feldman_cousins`.

    `greatest`: of x, the greatest log-likelihood.
    """

    x: FloatArray
    q0: FloatArray
    q1: FloatArray
    greatest: FloatArray
    n: float
    alpha: float

    def found(self) -> FloatArray:
        # At `last`, P(X >= x) alone is enough, or R is 1.
        best = _best(self.x, self.q0, self.q1, self.n)
        last = np.clip(lower_end(self.x, self.n, self.alpha), self.q0, best)
        # So many successes are about as far below Clopper and Pearson's end as x is above it.
        far = 2 * self.n * lower_end(self.x, self.n, self.alpha / 4) - self.x
        y, by = np.full(self.x.shape, -1.0), np.maximum(np.floor(far), 1)
        start, end = last.copy(), last.copy()
        todo = np.arange(len(self.x))
        while len(todo):
            at, z, step = self._at_index(todo), y[todo], by[todo]
            # Both thresholds in one call, and both chances: a call takes longer than a few numbers.
            both = np.maximum(at._threshold(np.stack([z, z + step])), at.q0)
            first, then = both = np.minimum(both, last[todo])
            single = step == 1
            below = np.stack([first, np.where(single, then, first)])
            enough_by = at._chance(both, below, np.stack([z, z + step - 1])) >= self.alpha
            at_once, enough = (first >= last[todo]) | enough_by[0], enough_by[1]
            y[todo] = np.where(at_once | enough, z, z + step)
            by[todo] = np.where(enough, np.ceil(step / 3), 2 * step)
            start[todo], end[todo] = first, np.where(at_once, first, then)
            todo = todo[~(at_once | (single & enough))]
        inside = start < end
        at, z = self._at_index(inside), y[inside]
        start[inside] = bracketed_root(
            lambda p: at._chance(p, p, z) - self.alpha, start[inside], end[inside]
        )
        return start

    def _at_index(self, index: npt.NDArray[np.intp] | BoolArray) -> _LowerEnd:
        q0, q1, greatest = self.q0[index], self.q1[index], self.greatest[index]
        return replace(self, x=self.x[index], q0=q0, q1=q1, greatest=greatest)

    def _chance(self, upper: FloatArray, lower: FloatArray, y: FloatArray) -> FloatArray:
        """Return P(Y >= x) at the probability `upper` plus P(Y <= y) at the probability `lower`."""
        tail = _lower_tail(self._below_x(y), self.n, lower)
        return _upper_tail(self.x, self.n, upper) + np.where(y < 0, 0, tail)

    def _threshold(self, y: FloatArray) -> FloatArray:
        """Return the least p for which y successes give no greater R than x; 1 from x on."""
        below = self._below_x(y)
        greatest = _greatest_log_likelihood(below, self.q0, self.q1, self.n)
        slope = (self.greatest - greatest) / (self.x - below)
        return np.where(y < 0, 0.0, np.where(y < self.x, scipy.special.expit(slope), 1.0))

    def _below_x(self, y: FloatArray) -> FloatArray:
        return np.minimum(np.maximum(y, 0), self.x - 1)


def _greatest_log_likelihood(y: FloatArray, q0: FloatArray, q1: FloatArray, n: float) -> FloatArray:
    p = _best(y, q0, q1, n)
    found = scipy.special.xlogy(y, p) + scipy.special.xlog1py(n - y, -p)
    return np.asarray(found, dtype=np.float64)


def _best(y: FloatArray, q0: FloatArray, q1: FloatArray, n: float) -> FloatArray:
    """Return the possible probability that makes y successes likeliest."""
    # Not by `np.clip`, which takes several times as long for a few numbers.
    return np.minimum(np.maximum(y / n, q0), q1)


def _likelihood_low(x: FloatArray, n: float, level: float) -> FloatArray:
    z = normal_quantile(level)

    def excess(p: FloatArray) -> FloatArray:
        # x log(x / np) + (n - x) log((n - x) / n(1 - p)); what `kl_div` adds cancels.
        half_deviance = scipy.special.kl_div(x, n * p) + scipy.special.kl_div(n - x, n * (1 - p))
        # The root of the deviance is nearly linear in p. Rounding may take the deviance below 0.
        return np.asarray(z - np.sqrt(2 * np.maximum(half_deviance, 0)), dtype=np.float64)

    # There, x log(x / np) is z^2 / 2 + x, and the other term is never below -x.
    return bracketed_root(excess, x / n * np.exp(-1 - z**2 / (2 * x)), x / n)


def _upper_tail(x: FloatArray, n: float, p: FloatArray) -> FloatArray:
    # P(X >= x) for x from 0 to n + 1; a parameter of 0 gives the limit, 1 or 0.
    return np.asarray(scipy.special.betainc(x, n - x + 1, p), dtype=np.float64)


def _lower_tail(y: FloatArray, n: float, p: FloatArray) -> FloatArray:
    # P(X <= y) for y from -1 to n.
    return np.asarray(scipy.special.betaincc(y + 1, n - y, p), dtype=np.float64)
