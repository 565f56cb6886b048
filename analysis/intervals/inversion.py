"""Intervals by inverting a test: the values of a mean, or of a ratio, that the reports allow.

They are for estimates that are not one binomial proportion: the mean of a number, a share under a
design whose estimator takes more than two values, a cell of a joint table, a share among the people
to whom a question applies. All of these are the same problem, solved here once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis import intervals
from deniable.analysis.intervals import quotients
from deniable.analysis.intervals.sums import SumDistribution, sum_distribution
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.convergence import where_certain
from deniable.analysis.numerics.mixture import maximum_likelihood_mixture
from deniable.analysis.numerics.remembered import remembered

MAX_SIDE: Final = 32
"""Most truths on either side of a tested value that are paired with each other.

From a number with more levels, evenly spaced levels are taken on either side, always including the
ends: neighbouring levels send so similar reports that hardly any likelihood is lost.
"""

# A truth's value equals the tested one if it differs by less than this part of the range.
_SAME: Final = 1e-12

# Precision of an interval's end, relative to the range.
_PRECISE: Final = 1e-6

# So many standard errors count as infinitely many.
_FAR: Final = 40.0

_BEYOND: Final = (1.05, 1e-4)
"""How much further than the normal distribution predicts an end is searched, to bracket it: a
factor, and a number of standard errors."""


@dataclass(frozen=True, eq=False)
class Ratio:
    """A ratio of two means over the truths, and how reports estimate it.

    A mean is a ratio with a denominator of 1 for every truth; a share is the mean of a value that
    is 1 for one truth and 0 for the others.

    Parameters
    ----------
    numerator, denominator : ndarray, shape (truths,)
        The value of each truth in either. The denominator is at least 0, and where it is 0 the
        numerator is 0 too.
    to_numerator, to_denominator : ndarray, shape (reports,)
        The contribution of each report to the unbiased estimate of either.
    """

    numerator: FloatArray
    denominator: FloatArray
    to_numerator: FloatArray
    to_denominator: FloatArray

    @cached_property
    def range(self) -> tuple[float, float]:
        """The least and the greatest value over all distributions of the truth."""
        some = self.denominator > 0
        possible = self.numerator[some] / self.denominator[some]
        return float(possible.min()), float(possible.max())

    @cached_property
    def is_mean(self) -> bool:
        """Whether the denominator is 1 for every truth."""
        return bool((self.denominator == 1).all())

    @cached_property
    def is_share(self) -> bool:
        """Whether it takes at most two values, so that it determines its variance among people."""
        some = self.denominator > 0
        return len(np.unique(self.numerator[some] / self.denominator[some])) <= 2


def mean(values: FloatArray, contributions: FloatArray) -> Ratio:
    """Return a mean of the truths' values as a `Ratio`.

    `contributions`, shape (reports,): of each report to the unbiased estimate of the mean.
    """
    return Ratio(values, np.ones_like(values), contributions, np.ones_like(contributions))


def tail_interval(
    counts: npt.NDArray[np.int64] | FloatArray,
    probabilities: FloatArray,
    ratio: Ratio,
    level: float,
) -> tuple[float, float]:
    """Return the range of values of a ratio that neither tail of a test rejects.

    `counts`, shape (reports,): how often each report came; 0 where no truth can send it, and not
    all 0. In an effective sample they may be fractions, but their sum is whole. `probabilities`,
    shape (truths, reports): distribution of the reports given each truth: a channel's, or the
    product of several. `level`: between 0 and 1. `low`, `high`: for a mean they enclose the
    estimate, may leave the range, and are nan where no distribution of the truth agrees with the
    reports at this level. For any other ratio they are cut by `quotients.left`: never nan, and
    inside the range.

    Notes
    -----
    With f the numerator less v times the denominator, the ratio is v if the mean of f is 0. Every
    report contributes g to its unbiased estimate, and the statistic is the sum of g over the
    reports. If v is true and P is the distribution of the reports, each tail is the chance of a sum
    at least as far on that side as the observed sum. A value is rejected if a tail is less than
    half of ``1 - level``; with one proportion this is Clopper and Pearson's interval.

    P is unknown. The test uses the most likely of all distributions of the truth for which the mean
    of f is 0 (a parametric bootstrap without random numbers). These form a polytope, whose corners
    are the truths with f = 0, and the pairs of a truth with f < 0 and a truth with f > 0; the most
    likely distribution is the most likely mixture of the corners. With two truths there is only one
    mixture, and the test is exact.

    The variance of the values among people is estimated from the sample, and the most likely
    variance is too small, by about one part in n. For a mean the sum's distance from 0 is therefore
    divided by the root of ``1 + 1 / n``, in the tail on its side only: the other tail must include
    the observed sum itself. A share determines its own variance.

    Knowing the noise of the design makes the interval good for small samples: if all reports are
    equal, the sample variance is 0, but the variance under P is not.

    No distribution has a mean beyond the range. There the test uses the noise at the end of the
    range, shifted; this affects no possible value. For any other ratio the search stops at the end
    of the range. Where the estimate of a mean lies beyond the computed ends, as where nearly all
    reports must be equal, the interval ends at the estimate.

    References
    ----------
    Buehler, R. J. (1957). Confidence intervals for the product of two binomial parameters. Journal
    of the American Statistical Association 52, 482-493: tails under a nuisance.
    DiCiccio, T. J. and Romano, J. P. (1990). Nonparametric confidence limits by resampling methods
    and least favorable families. International Statistical Review 58, 59-76.
    """

    def ends() -> tuple[float, float]:
        test = _test(counts, probabilities, ratio, (1 - level) / 2)
        if ratio.is_mean:
            found = intervals.holding(*test.ends(), test.unbiased())
        else:
            found = quotients.left(where_certain(test.ends) or (math.nan, math.nan), *ratio.range)
        low, high = found.tolist()
        return low, high

    of = (ratio.numerator, ratio.denominator, ratio.to_numerator, ratio.to_denominator)
    return remembered(ends, "tail", counts, probabilities, *of, level)


def may_be_nothing(
    counts: npt.NDArray[np.int64] | FloatArray, probabilities: FloatArray, ratio: Ratio
) -> bool:
    """Return whether the interval of a ratio's denominator holds 0; see `quotients`.

    `counts`, `probabilities`, `ratio`: see `tail_interval`. False for a mean.
    """
    if ratio.is_mean:
        return False
    below = mean(ratio.denominator, ratio.to_denominator)
    test = _test(counts, probabilities, below, (1 - quotients.LEVEL) / 2)
    if test.unbiased() <= 0:
        return True
    tails = where_certain(lambda: test.excess(0.0))
    return tails is None or tails[0] >= 0


def chances(
    counts: npt.NDArray[np.int64], probabilities: FloatArray, ratio: Ratio
) -> Callable[[float], tuple[float, float]]:
    """Return the function that computes the tails whose test `tail_interval` inverts.

    `counts`, `probabilities`, `ratio`: see `tail_interval`. Result: maps a value to the chances of
    the upper and the lower tail. A value below the estimate is in the interval of a level if the
    upper tail is at least half of 1 less the level; a value above it, if the lower tail is.
    """
    return _test(counts, probabilities, ratio, 0.0).excess


def _test(
    counts: npt.NDArray[np.int64] | FloatArray, probabilities: FloatArray, ratio: Ratio, tail: float
) -> _Test:
    came = probabilities.any(axis=0)
    own = Ratio(
        ratio.numerator, ratio.denominator, ratio.to_numerator[came], ratio.to_denominator[came]
    )
    return _Test(counts[came], probabilities[:, came], own, tail)


@dataclass(frozen=True, eq=False)
class _Test:
    """The test of one value; its reports are only those that can be sent."""

    counts: npt.NDArray[np.int64] | FloatArray
    C: FloatArray
    ratio: Ratio
    tail: float

    def unbiased(self) -> float:
        """Return the ratio of the unbiased estimates; nan if the denominator is not above 0."""
        above, below = (
            float(contributions @ self.counts)
            for contributions in (self.ratio.to_numerator, self.ratio.to_denominator)
        )
        if below <= 0:
            return math.nan
        return above / below

    def maximum_likelihood(self) -> float:
        """Return the ratio under the most likely distribution of the truth; nan if undefined.

        Every report that came is possible there, unlike perhaps at the end of the range.
        """
        theta = maximum_likelihood_mixture(self.C, self._weights)
        below = float(theta @ self.ratio.denominator)
        return float(theta @ self.ratio.numerator) / below if below > 0 else math.nan

    def ends(self) -> tuple[float, float]:
        """Return the outermost values that are not rejected; nan if all values are."""
        least, greatest = self.ratio.range
        estimate = self.unbiased()
        anchor = estimate if self.ratio.is_mean else self.inside(estimate)
        if math.isnan(anchor) or min(self.excess(anchor)) < 0:
            anchor = self.maximum_likelihood()
        # If the denominator may be 0 for everybody, every ratio agrees with the reports.
        if math.isnan(anchor) or min(self.excess(anchor)) < 0:
            return math.nan, math.nan
        return self.end(anchor, least, side=0), self.end(anchor, greatest, side=1)

    def end(self, anchor: float, limit: float, side: int) -> float:
        """Return the last value not rejected on the way from `anchor` to `limit`, or beyond it."""
        inside = anchor < limit if side else anchor > limit
        if not (inside or self.ratio.is_mean):
            return limit
        outwards = 1 if side else -1

        # In standard errors, as if sums were normal: with many reports it is nearly linear in v.
        def margin(v: float) -> float:
            tail = float(scipy.special.ndtri(min(max(self.excess(v)[side] + self.tail, 0), 1)))
            return min(max(tail - float(scipy.special.ndtri(self.tail)), -_FAR), _FAR)

        if inside:
            # Most ends are bracketed without searching the rest of the range: at the distance that
            # the margin at the anchor predicts, and a little beyond.
            kept, rejected = anchor, limit
            error = self._standard_error(anchor)
            v, by = anchor, margin(anchor)
            for _ in range(2):
                v += outwards * by * error
                if not min(kept, rejected) < v < max(kept, rejected):
                    break
                by = margin(v)
                kept, rejected = (v, rejected) if by >= 0 else (kept, v)
                by = _BEYOND[0] * by + math.copysign(_BEYOND[1], by)
            if rejected != limit or margin(limit) < 0:
                near = _PRECISE * (self.ratio.range[1] - self.ratio.range[0])
                if abs(rejected - kept) <= near:  # then interpolation is even more precise
                    part = margin(kept) / (margin(kept) - margin(rejected))
                    return kept + part * (rejected - kept)
                return float(scipy.optimize.brentq(margin, rejected, kept, xtol=near))
        found = self._sum(limit)
        # At an end of the range where a report that came is impossible, excess is below 0.
        if found is None or not self.ratio.is_mean:
            return limit
        return limit + found.room(self.counts, self.tail, self._nearer)[side]

    def _standard_error(self, v: float) -> float:
        """Return the ratio's standard error by the spread of the reports; 0 if undefined."""
        w = self._weights
        g = self.ratio.to_numerator - v * self.ratio.to_denominator
        below = float(w @ self.ratio.to_denominator)
        variance = float(w @ (g - w @ g) ** 2) / self._n
        return math.sqrt(variance) / below if below > 0 else 0.0

    def excess(self, v: float) -> tuple[float, float]:
        """Return by how much the upper and the lower tail exceed `tail` at a value."""
        if v not in self._looks:
            possible = self.inside(v)
            found, lower, upper = self._sum(possible), 0.0, 0.0
            if found is not None:
                lower, upper = found.tails(self.counts, v - possible, self._nearer)
            self._looks[v] = upper - self.tail, lower - self.tail
        return self._looks[v]

    @cached_property
    def _looks(self) -> dict[float, tuple[float, float]]:
        # Cache of `excess` by value: each evaluation takes long.
        return {}

    @cached_property
    def _n(self) -> int:
        return round(float(self.counts.sum()))

    @cached_property
    def _weights(self) -> FloatArray:
        return np.asarray(self.counts / self.counts.sum())

    @cached_property
    def _is_direct(self) -> bool:
        return np.array_equal(self.C, np.eye(len(self.C)))

    @cached_property
    def _nearer(self) -> float:
        return 1.0 if self.ratio.is_share else math.sqrt(self._n / (self._n + 1))

    def inside(self, v: float) -> float:
        least, greatest = self.ratio.range
        return min(max(v, least), greatest)

    def _sum(self, v: float) -> SumDistribution | None:
        P = self._maximum_likelihood_reports(v)
        if P is None:
            return None
        g = self.ratio.to_numerator - v * self.ratio.to_denominator
        return sum_distribution(P, g, self._n)

    def _maximum_likelihood_reports(self, v: float) -> FloatArray | None:
        """Return the reports' most likely distribution at `v`; None if it lacks one that came."""
        f = self.ratio.numerator - v * self.ratio.denominator
        if self._is_direct:  # reports are truths
            return maximum_likelihood_with_mean_0(f, self._weights)
        rows = corners(f) @ self.C
        if not rows[:, self.counts > 0].any(axis=0).all():
            return None
        if len(rows) == 1:
            return np.asarray(rows[0])
        return np.asarray(maximum_likelihood_mixture(rows, self._weights) @ rows)


def corners(f: FloatArray) -> FloatArray:
    """Return the corners of the distributions of the truth under which a value has mean 0.

    `f`, shape (truths,): the value of each truth: at least one is 0, or some are above and some
    below 0. Result, shape (corners, truths): distributions with one or two truths each; `MAX_SIDE`
    limits them.
    """
    scale = _SAME * float(np.ptp(f))
    zero = np.flatnonzero(np.abs(f) <= scale)
    below, above = (_thinned(np.flatnonzero(side), f) for side in (f < -scale, f > scale))
    found = np.zeros((len(zero) + len(below) * len(above), len(f)))
    found[np.arange(len(zero)), zero] = 1
    down, up = np.repeat(below, len(above)), np.tile(above, len(below))
    row = np.arange(len(zero), len(found))
    found[row, down] = f[up] / (f[up] - f[down])
    found[row, up] = -f[down] / (f[up] - f[down])
    return found


def _thinned(side: npt.NDArray[np.intp], f: FloatArray) -> npt.NDArray[np.intp]:
    """Keep at most `MAX_SIDE` truths, evenly spaced in the order of their values."""
    if len(side) <= MAX_SIDE:
        return side
    ascending = side[np.argsort(f[side])]
    return ascending[np.linspace(0, len(side) - 1, MAX_SIDE).round().astype(np.intp)]


def maximum_likelihood_with_mean_0(f: FloatArray, w: FloatArray) -> FloatArray | None:
    """Return the most likely distribution under which a value of the reports has mean 0.

    `f`, shape (reports,): the value of each report. `w`, shape (reports,): share of each report
    among all; sums to 1. Result, shape (reports,); None if every such distribution lacks a report
    that came.

    Notes
    -----
    It is ``w / (1 + λ f)``, the empirical likelihood, with λ such that the mean is 0. Where no λ
    does that without a probability below 0, the remaining probability goes to the report with the
    least or the greatest value, which nobody sent.

    References
    ----------
    Owen, A. B. (2001). Empirical likelihood. Chapman and Hall, section 2.9.
    """
    seen = w > 0
    least, greatest = float(f.min()), float(f.max())
    if not f[seen].any():
        return w
    if least >= 0 or greatest <= 0:
        return None

    def mean(slope: float) -> float:
        return float(w[seen] @ (f[seen] / (1 + slope * f[seen])))

    if f[seen].min() < 0 < f[seen].max():
        # Inside the slopes at which a report that came would have all the probability.
        low, high = -1 / f[seen].max(), -1 / f[seen].min()
        low, high = low + (high - low) * 1e-12, high - (high - low) * 1e-12
        slope = scipy.optimize.brentq(mean, low, high, xtol=1e-15, rtol=1e-13)
    else:
        slope = math.inf if f[seen].max() > 0 else -math.inf
    slope = float(np.clip(slope, -1 / greatest, -1 / least))
    P = np.zeros_like(w)
    P[seen] = w[seen] / (1 + slope * f[seen])
    P[f.argmin() if slope > 0 else f.argmax()] += max(0.0, 1 - float(P.sum()))
    return P
