"""The correlations that joint reports do not contradict: an interval valid in sparse tables.

Normal intervals of a correlation, on its own scale or on Fisher's, take the sample's spread as the
population's. They fail where a cell of the truths' table is empty, where hardly anybody is in a
margin, and where the correlation is near 1 or -1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.intervals.sums import sum_distribution
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.mixture import maximum_likelihood_mixture
from deniable.analysis.numerics.roots import first_root
from deniable.analysis.sampling.debiased import for_squares
from deniable.channel import Channel
from deniable.estimator import for_values

MAX_CELLS: Final = 36
"""The most pairs of truths for which the interval is computed, which takes seconds."""

# A correlation of 1 leaves no room for a search; one this near to it stands for it.
_NEAR: Final = 1e-6

# Correlations tried first, besides the ends and the estimate.
_TRIED: Final = np.tanh(np.linspace(-3, 3, 13))

# Precision of an end.
_PRECISE: Final = 1e-5

# A smaller variance, of values between 0 and 1, counts as 0.
_CONSTANT: Final = 1e-12

# Smaller chances are raised to this before their logarithm is taken.
_LEAST: Final = 1e-300

# Largest error of a distribution's correlation after a search.
_OFF: Final = 1e-7

# Number of searches for the most likely distribution, from the most likely starts.
_SEARCHES: Final = 3

# Uniform part mixed into a starting distribution, so that no cell of it is empty.
_SPREAD: Final = 1e-3

# Shares of the larger truths in the tables of correlation 1 or -1 towards which searches start.
_PARTS: Final = (0.02, 0.1, 0.5, 0.9, 0.98)


@dataclass(frozen=True, eq=False)
class JointReports:
    """Joint counts of two items, and the values of their truths.

    `counts`, shape (reports_1, reports_2): how often each pair of reports came. `values`, shapes
    (truths_1,) and (truths_2,): the value of each truth. `together`: if both items are randomised
    as one answer, the channel of their pairs; the second item's truths and reports change fastest.
    """

    counts: npt.NDArray[np.int64]
    channels: tuple[Channel, Channel]
    values: tuple[FloatArray, FloatArray]
    together: Channel | None = None

    @cached_property
    def reason(self) -> str | None:
        """Why no interval can be computed, in plain words; None if one can."""
        if not self.counts.any():
            return "nobody was asked both"
        cells = math.prod(channel.truths for channel in self.channels)
        if cells > MAX_CELLS:
            return f"there are {cells} pairs of truths, and at most {MAX_CELLS} are searched over"
        if any(np.ptp(values) == 0 for values in self.values):
            return "all truths of an item count the same"
        items = zip(self.channels, self.values, strict=True)
        if any(for_squares(channel, values) is None for channel, values in items):
            return "the design does not tell how much the values vary"
        return None

    def interval(self, level: float) -> tuple[float, float]:
        """Return the range of correlations that neither tail of a test rejects.

        `level`: between 0 and 1. `low`, `high`: inside [-1, 1]; nan where there is a `reason`, and
        where no distribution of the truths agrees with the reports at this level.

        Let the truths have means m1 and m2, standard deviations s1 and s2, and the correlation ρ.
        Then ``f = (x - m1)(y - m2) - ρ/2 (s2/s1 (x - m1)^2 + s1/s2 (y - m2)^2)`` has mean 0. Errors
        in the means and deviations change that mean only to the second order: f is the influence
        function of the correlation. Each pair of reports contributes to the unbiased estimate of
        the mean of f, and the statistic is the sum of the contributions. A correlation is rejected
        if a tail, whose chance is computed without approximation, is less than half of
        ``1 - level``.

        The tails depend on more than ρ: the rest is taken from the most likely distribution of the
        truths with correlation ρ. These distributions are not a convex set, so the search has
        several starts (sequential quadratic programming), and nothing certifies the maximum. A less
        likely result still has the correlation ρ, and nearly the same noise. `docs/evidence.md`
        shows how often the interval covers the truth.

        For more than two truths, the variance of the values among people is estimated from the
        sample, about two estimated means. With such an item, the sum's distance from 0 is divided
        by the root of ``1 + 2 / n`` where that makes the tail greater. The share of one of two
        truths determines the variance.

        DiCiccio, T. J. and Romano, J. P. (1990). Nonparametric confidence limits by resampling
        methods and least favorable families. International Statistical Review 58, 59-76.
        Kraft, D. (1988). A software package for sequential quadratic programming. Report DFVLR-FB
        88-28, Cologne.
        """
        if self.reason is not None:
            return math.nan, math.nan
        return _Search(self, (1 - level) / 2).ends()

    def tails(self, correlation: float) -> tuple[float, float]:
        """Return the chances of a statistic at most, and at least, as great, at a correlation."""
        return _Search(self, math.nan).tails(correlation)


class _Search:
    """The tests of all correlations. Made by `JointReports`."""

    def __init__(self, reports: JointReports, tail: float) -> None:
        first, second = reports.channels
        # Shifting and scaling the values does not change a correlation.
        a, b = ((v - v.min()) / np.ptp(v) for v in reports.values)
        # Truths of small values come first.
        rows, columns = np.argsort(a), np.argsort(b)
        self.tail = tail
        self.shape = (first.truths, second.truths)
        self.counts = reports.counts.ravel()
        self.n = int(self.counts.sum())
        self.C = np.kron(first.probabilities[rows], second.probabilities[columns])
        self.x, self.y = _pairs(a[rows], b[columns])
        self.g, self.h = _pairs(for_values(first, a), for_values(second, b))
        self.gh = self.g * self.h
        if reports.together is not None:
            cells = np.arange(len(self.C)).reshape(self.shape)[np.ix_(rows, columns)].ravel()
            self.C = reports.together.probabilities[cells]
            self.gh = for_values(reports.together, np.multiply.outer(a, b).ravel())
        self.g2, self.h2 = _pairs(for_values(first, a**2), for_values(second, b**2))
        came = self.counts > 0
        self.w = np.asarray(self.counts[came] / self.counts.sum(), dtype=np.float64)
        self.seen: FloatArray = np.asarray(self.C[:, came], dtype=np.float64)
        likely = maximum_likelihood_mixture(self.seen, self.w)
        self.likely = (1 - _SPREAD) * likely + _SPREAD / likely.size

    def ends(self) -> tuple[float, float]:
        tried = {**dict.fromkeys(_TRIED.tolist()), -1.0: None, 1.0: None}
        tried[float(np.clip(self.correlation(self.likely), -1, 1))] = None
        ordered = sorted(tried)
        # From outside: an end is between the first correlation not rejected and its predecessor.
        low, high = self._end(ordered, side=1), self._end(ordered[::-1], side=0)
        return (low, high) if low <= high else (math.nan, math.nan)

    def _end(self, ordered: Sequence[float], side: int) -> float:
        return first_root(lambda rho: self.tail - self.tails(rho)[side], ordered, _PRECISE)

    def tails(self, rho: float) -> tuple[float, float]:
        rho = float(np.clip(rho, _NEAR - 1, 1 - _NEAR))
        theta = self.maximum_likelihood(rho)
        P = theta @ self.C
        sendable = P > 0
        f = self.statistic(theta, rho)[sendable]
        found, counts = sum_distribution(P[sendable], f, self.n), self.counts[sendable]
        tails = found.tails(counts)
        if self.shape == (2, 2):
            return tails
        # A sum at an end of its range has a chance of its own, which a nearer sum may lack.
        nearer = found.tails(counts, nearer=math.sqrt(self.n / (self.n + 2)))
        return max(tails[0], nearer[0]), max(tails[1], nearer[1])

    def statistic(self, theta: FloatArray, rho: float) -> FloatArray:
        """Return the contribution of each pair of reports; see `JointReports.interval`."""
        m1, m2, v1, v2, _ = self.moments(theta)
        t = math.sqrt(v2 / v1)
        spread = t * (self.g2 - 2 * m1 * self.g + m1**2) + (self.h2 - 2 * m2 * self.h + m2**2) / t
        return np.asarray(self.gh - m1 * self.h - m2 * self.g + m1 * m2 - rho / 2 * spread)

    def moments(self, theta: FloatArray) -> tuple[float, float, float, float, float]:
        """Return the means, variances and covariance of the truths."""
        x, y = self.x, self.y
        m1, m2 = float(theta @ x), float(theta @ y)
        return (
            m1,
            m2,
            max(float(theta @ (x - m1) ** 2), _CONSTANT),
            max(float(theta @ (y - m2) ** 2), _CONSTANT),
            float(theta @ ((x - m1) * (y - m2))),
        )

    def correlation(self, theta: FloatArray) -> float:
        _, _, v1, v2, covariance = self.moments(theta)
        return covariance / math.sqrt(v1 * v2)

    def slope(self, theta: FloatArray) -> FloatArray:
        """Return the derivatives of the correlation, up to a constant factor."""
        m1, m2, v1, v2, covariance = self.moments(theta)
        dx, dy = (self.x - m1) / math.sqrt(v1), (self.y - m2) / math.sqrt(v2)
        r = covariance / math.sqrt(v1 * v2)
        return np.asarray(dx * dy - r / 2 * (dx**2 + dy**2))

    def unlikely(self, theta: FloatArray) -> float:
        return -float(self.w @ np.log(np.maximum(theta @ self.seen, _LEAST)))

    def maximum_likelihood(self, rho: float) -> FloatArray:
        """Search for the most likely distribution of the truths with a correlation."""
        starts = sorted(self.starts(rho), key=self.unlikely)[:_SEARCHES]
        improved = [self.improved(start, rho) for start in starts]
        found = [theta for theta in improved if abs(self.correlation(theta) - rho) <= _OFF]
        return min([*starts, *found], key=self.unlikely)

    def improved(self, start: FloatArray, rho: float) -> FloatArray:
        def derivative(theta: FloatArray) -> FloatArray:
            return np.asarray(-self.seen @ (self.w / np.maximum(theta @ self.seen, _LEAST)))

        # scipy's annotations lack the keys of a constraint.
        constraints: Any = [
            {"type": "eq", "fun": lambda theta: theta.sum() - 1, "jac": np.ones_like},
            {
                "type": "eq",
                "fun": lambda theta: self.correlation(theta) - rho,
                "jac": self.slope,
            },
        ]
        found = scipy.optimize.minimize(
            self.unlikely,
            start,
            jac=derivative,
            method="SLSQP",
            bounds=[(0.0, 1.0)] * start.size,
            constraints=constraints,
            options={"maxiter": 200, "ftol": 1e-10},
        )
        theta = np.maximum(found.x, 0)
        return np.asarray(theta / theta.sum())

    def starts(self, rho: float) -> Iterator[FloatArray]:
        """Yield distributions with a correlation, between the likely one and extreme ones."""
        up = rho >= self.correlation(self.likely)
        for target in self.extremes(up):

            def off(part: float, target: FloatArray = target) -> float:
                return self.correlation((1 - part) * self.likely + part * target) - rho

            if off(0) * off(1) <= 0:
                part = scipy.optimize.brentq(off, 0, 1, xtol=1e-15)
                yield (1 - part) * self.likely + part * target

    def extremes(self, up: bool) -> Iterator[FloatArray]:
        """Yield tables of correlation 1 or -1, and the extreme table with the likely margins."""
        for part in _PARTS:
            two = np.zeros(self.shape)
            two[0, 0], two[-1, -1] = 1 - part, part
            yield (two if up else two[:, ::-1]).ravel()
        likely = self.likely.reshape(self.shape)
        rows, columns = likely.sum(axis=1), likely.sum(axis=0)
        yield _coupled(rows, columns if up else columns[::-1])[:, :: 1 if up else -1].ravel()


def _pairs(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    return np.repeat(first, len(second)), np.tile(second, len(first))


def _coupled(rows: FloatArray, columns: FloatArray) -> FloatArray:
    """Return the table with these margins in which one truth rises with the other."""
    cuts = np.minimum.outer(np.cumsum(rows), np.cumsum(columns))
    return np.diff(np.diff(cuts, axis=0, prepend=0), axis=1, prepend=0)
