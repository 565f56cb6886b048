"""From counts of reports to the shares of the truths, with errors and intervals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis import design_test, intervals, likelihood
from deniable.analysis.counts.labels import Codes, Counts, check_counts
from deniable.analysis.errors import sample_variance, standard_error_of
from deniable.analysis.estimated import Group
from deniable.analysis.intervals import always_valid, inversion, quotients
from deniable.analysis.intervals.inversion import Ratio
from deniable.analysis.joint_likelihood import joint_maximum_likelihood
from deniable.analysis.numerics.arrays import BoolArray, FloatArray, IndexArray
from deniable.analysis.numerics.levels import check_level
from deniable.channel import Channel
from deniable.estimator import least_variance

MAX_TAIL_CELLS: Final = 64
"""Most cells of a joint table for the interval `tail`, which takes seconds."""

OF_MEANS: Final = "empirical_bernstein"
"""The interval of shares and means that uses nothing but the range of a report's contribution."""

OF_RATIOS: Final = "fieller"
"""The interval of a ratio by the covariance of its numerator and denominator."""


@dataclass(frozen=True, eq=False)
class Estimate(Group):
    r"""Shares or means of the truths, or ratios of two, estimated from counts of reports.

    Made by `estimate`, `deniable.analysis.means.estimate_mean`,
    `deniable.analysis.means.applicable_shares`, `deniable.analysis.joint.tables.crosstab` and
    others.

    Parameters
    ----------
    counts : ndarray of int, shape (reports,)
        How often each report came; of several items, shape (reports_1, ..., reports_d).
    channels : tuple of Channel
        By which the reports were drawn: one, or one for each item, whose noises are independent.
    ratios : sequence of deniable.analysis.intervals.inversion.Ratio
        What is estimated, in the order of ``theta.ravel()``.
    theta : ndarray
        The estimate of each. Unbiased if it is a share or a mean; consistent if it is a ratio.
    standard_error : ndarray
        Of `theta`, of a ratio by the delta method; nan if there is only one report.
    possible : ndarray, shape (estimates, 2)
        The least and the greatest possible value of each: 0 and 1 for a share.
    one_proportion : ndarray of bool, shape (estimates,)
        Whether each follows from one proportion of the reports.
    joint : bool
        Whether a truth is a combination of answers to several items.

    Notes
    -----
    `interval` takes every method that `Estimated.interval` lists, and

    - 'empirical_bernstein' : for shares and means; covers at least at its level at every n, and is
      wider. With :math:`s^2` the sample variance of what reports contribute, R the most that one
      report can move the sum by and :math:`\alpha` one minus the level, its half-width is

      .. math::

          \sqrt{2 s^2 \ln(4 / \alpha) / n} + 7 R \ln(4 / \alpha) / (3 (n - 1))

    - 'fieller' : for ratios; see `deniable.analysis.intervals.fieller`. 'auto' is this for a table
      of more than `MAX_TAIL_CELLS` cells, of which 'tail' would take too long.

    A ratio has no interval of a proportion.

    References
    ----------
    Maurer, A. and Pontil, M. (2009). Empirical Bernstein bounds and sample variance penalization.
    COLT, theorem 4, applied to either side.
    """

    counts: npt.NDArray[np.int64]
    channels: tuple[Channel, ...] = field(repr=False)
    ratios: Sequence[Ratio] = field(repr=False)
    theta: FloatArray
    standard_error: FloatArray
    possible: FloatArray = field(repr=False)
    one_proportion: BoolArray = field(repr=False)
    joint: bool = field(default=False, repr=False)

    @property
    def n(self) -> int:
        """Number of reports."""
        return int(self.counts.sum())

    @property
    def channel(self) -> Channel:
        """The channel, if there is one."""
        (only,) = self.channels
        return only

    @cached_property
    def probabilities(self) -> FloatArray:
        """P(report | truth), of several items P(reports | truths); shape (truths, reports)."""
        return product([channel.probabilities for channel in self.channels])

    @property
    def limits(self) -> tuple[FloatArray, FloatArray]:
        """The least and the greatest possible value of each estimate: 0 and 1 for a share."""
        low, high = self.possible.T
        return low.reshape(self.theta.shape), high.reshape(self.theta.shape)

    @property
    def are_ratios(self) -> bool:
        """Whether these are ratios, whose divisor is estimated too."""
        return not self.ratios[0].is_mean

    @cached_property
    def maximum_likelihood(self) -> FloatArray:
        """The values under the most likely distribution of the truth; of the shape of `theta`.

        They are always possible. Unlike `theta` they are biased where a share is near 0 or 1; see
        `deniable.analysis.likelihood` for the errors. nan where the shares of the truths are not
        identifiable: then many distributions are equally likely. nan also for a ratio whose divisor
        is 0 under it.
        """
        if not all(channel.identifiable for channel in self.channels):
            return np.full(self.theta.shape, math.nan)
        likely = self.distribution.ravel()
        with np.errstate(divide="ignore", invalid="ignore"):
            found = [likely @ one.numerator / (likely @ one.denominator) for one in self.ratios]
        return np.array(found).reshape(self.theta.shape)

    @cached_property
    def distribution(self) -> FloatArray:
        """The most likely distribution of the truth, inside the simplex, shape (truths, ...).

        Of several items there is an error beyond `deniable.analysis.joint_likelihood.MAX_CELLS`
        cells.
        """
        if len(self.channels) == 1:
            return likelihood.maximum_likelihood(self.counts, self.channel)
        tables = [channel.probabilities for channel in self.channels]
        return joint_maximum_likelihood(self.counts, tables)

    @property
    def divisor(self) -> FloatArray:
        """The estimated divisor of each: 1 for a share or a mean; of the shape of `theta`."""
        w = self.counts.ravel() / self.n
        found = [one.to_denominator @ w for one in self.ratios]
        return np.array(found).reshape(self.theta.shape)

    @cached_property
    def contributions(self) -> FloatArray:
        """The contribution of each report to each estimate, to the first order.

        Shape (estimates, reports); the average over the reports is the estimate.
        """
        each = zip(self.ratios, self.theta.ravel(), self.divisor.ravel(), strict=True)
        return np.array(
            [r + (one.to_numerator - r * one.to_denominator) / among for one, r, among in each]
        )

    @cached_property
    def covariance(self) -> FloatArray:
        """The estimated covariance of the estimates, shape (estimates, estimates)."""
        if self.n == 1:
            return np.full((self.theta.size, self.theta.size), math.nan)
        found = np.cov(self.contributions, fweights=self.counts.ravel()) / self.n
        return found.reshape(self.theta.size, self.theta.size)

    def part(self, place: int) -> Estimate:
        """Return the estimate at a place of ``theta.ravel()`` alone, of shape (1,)."""
        one = slice(place, place + 1)
        return Estimate(
            self.counts,
            self.channels,
            [self.ratios[place]],
            self.theta.ravel()[one],
            self.standard_error.ravel()[one],
            self.possible[one],
            self.one_proportion[one],
            self.joint,
        )

    def methods(self, method: str = intervals.DEFAULT) -> tuple[str, ...]:
        """Return the kind of each interval, in the order of ``theta.ravel()``.

        It is `method`, unless that is "auto", which the channel alone resolves.
        """
        intervals.check_method(method, OF_MEANS, OF_RATIOS)
        if method in (intervals.DEFAULT, intervals.UNCUT):
            alone = intervals.of_proportion(method)
            other = "fieller" if self.are_ratios else "wald"
            other = "tail" if self._tails_are_quick else other
            return tuple(alone if one else other for one in self.one_proportion.tolist())
        wanted = ("tail", "wald", OF_RATIOS) if self.are_ratios else (*intervals.NAMES, OF_MEANS)
        if method not in wanted:
            what = "a ratio of two estimates" if self.are_ratios else "a share or a mean"
            raise ValueError(
                f"expected an interval of {', '.join(wanted)} for {what}, found {method!r}"
            )
        has_profile = len(self.channels) == 1 and len(self.ratios) == self.channel.truths
        if method == "likelihood" and not (has_profile or self.one_proportion.all()):
            raise ValueError(
                "expected another interval than 'likelihood', which is for the shares of one item"
            )
        if method == "tail" and not self._tails_are_quick:
            raise ValueError(
                f"expected a table of at most {MAX_TAIL_CELLS} cells for the interval 'tail', "
                f"found {len(self.ratios)}: ask for a margin of fewer items, or for 'wald'"
            )
        return (method,) * len(self.ratios)

    @property
    def _tails_are_quick(self) -> bool:
        return not self.joint or math.prod(one.truths for one in self.channels) <= MAX_TAIL_CELLS

    def _ends(self, level: float, kinds: tuple[str, ...]) -> FloatArray:
        ends = np.zeros((len(kinds), 2))  # those of pairs of answers that nobody can give
        can_be = ~(self.possible == 0).all(axis=1)
        for kind in dict.fromkeys(kinds):
            places = np.flatnonzero((np.array(kinds) == kind) & can_be)
            ends[places] = self.ends_of(places, level, kind)
        return ends

    def always_valid(self, level: float = 0.95) -> FloatArray:
        """Return intervals that hold at all looks while a survey runs; as of `interval`.

        See `deniable.analysis.intervals.always_valid`.
        """
        check_level(level)
        every = np.arange(len(self.ratios))
        found = self.ends_of(every, level, intervals.ALWAYS_VALID)
        return found.reshape(*self.theta.shape, 2)

    def ends_of(self, places: IndexArray, level: float, kind: str) -> FloatArray:
        """Return the intervals of some estimates by one of `methods`; shape (places, 2)."""
        some = [self.ratios[place] for place in places]
        if kind == "wald":
            theta, error = (one.ravel()[places] for one in (self.theta, self.standard_error))
            return intervals.wald(theta, error, level)
        if kind == OF_MEANS:
            half = np.array([[self._empirical_bernstein(one, level)] for one in some])
            return np.asarray(self.theta.ravel()[places, np.newaxis] + half * [-1.0, 1.0])
        of_one = {
            "tail": inversion.tail_interval,
            OF_RATIOS: _fieller,
            intervals.ALWAYS_VALID: always_valid.ratio,
        }
        if kind in of_one:
            reported, C = self.counts.ravel(), self.probabilities
            return np.array([of_one[kind](reported, C, ratio, level) for ratio in some])
        sendable = self.probabilities.any(axis=0)
        G = np.array([ratio.to_numerator[sendable] for ratio in some])
        if kind == "likelihood" and not (len(self.ratios) < 3 and self.one_proportion.all()):
            return likelihood.profile_interval(self.counts, self.channel, level)[places]
        counts: FloatArray = self.counts.ravel()[sendable].astype(np.float64)
        ends, ranges = np.empty((len(some), 2)), self.possible[places]
        for low, high in np.unique(ranges, axis=0).tolist():
            alike = (ranges == (low, high)).all(axis=1)
            ends[alike] = intervals.through_channel(counts, G[alike], kind, level, (low, high))
        return ends

    def _empirical_bernstein(self, ratio: Ratio, level: float) -> float:
        if self.n == 1:
            return math.inf
        g, log = ratio.to_numerator, math.log(4 / (1 - level))
        spread = float(np.ptp(g[self.probabilities.any(axis=0)]))
        deviation = math.sqrt(2 * float(sample_variance(g, self.counts.ravel())) * log / self.n)
        return deviation + 7 * spread * log / (3 * (self.n - 1))

    @cached_property
    def p_value_of_design(self) -> FloatArray:
        """P-value of the test that each value is possible if everybody followed the design.

        1 where the estimate is possible, or unknown. See `deniable.analysis.design_test`.
        """
        found = np.ones(self.theta.shape)
        for place in np.flatnonzero(self.outside).tolist():
            one = self.ratios[place]
            found.ravel()[place] = design_test.p_value(
                self.counts,
                self.channel,
                one.to_numerator,
                *self.possible[place],
                of=one.to_denominator,
            )
        return found

    def against_design(
        self, level: float = design_test.LEVEL
    ) -> tuple[design_test.Contradiction, ...]:
        """Report evidence that the design was not followed: estimates too far out of range.

        Parameters
        ----------
        level : float
            Of the joint test of all estimates, between 0 and 1: at least this part of the surveys
            in which everybody follows the design gives no evidence. To test several objects
            together see `deniable.analysis.results.verdict`.

        Returns
        -------
        tuple of deniable.analysis.design_test.Contradiction
            One for each value that is further outside than chance explains; with two truths only
            the second is named, as the first share is its complement. ``str()`` of each explains it
            in plain words.

        Notes
        -----
        The test does not depend on the kind of interval; `deniable.analysis.design_test` explains
        why it holds at every number of respondents, under every design.

        Examples
        --------
        >>> from deniable import designs
        >>> evidence = estimate([47, 3], designs.warner(flip="1/4")).against_design()
        >>> [(found.truth, round(found.estimate, 2), round(found.p_value, 5)) for found in evidence]
        [(1, -0.38, 0.001)]
        """
        check_level(level)
        together = np.minimum(1, self.families * self.p_value_of_design.ravel())
        places = range(1, 2) if len(together) == 2 else range(len(together))
        return tuple(
            design_test.Contradiction(
                None if len(together) == 1 else place,
                float(self.theta.ravel()[place]),
                float(self.possible[place, 0]),
                float(self.possible[place, 1]),
                float(together[place]),
            )
            for place in places
            if together[place] <= 1 - level
        )


@lru_cache(maxsize=1024)
def shares_of(channel: Channel) -> tuple[tuple[Ratio, ...], BoolArray]:
    """Return the share of each truth as a `Ratio`, and whether one proportion tells it."""
    G, own = least_variance(channel), np.eye(channel.truths)
    alone = intervals.is_by_proportion(G[:, channel.probabilities.any(axis=0)])
    return tuple(itertools.starmap(inversion.mean, zip(own, G, strict=True))), alone


def estimate(
    counts: Counts,
    channel: Channel,
    *,
    codes: Codes | None = None,
) -> Estimate:
    """Estimate the shares of the truths from how often each report came.

    Parameters
    ----------
    counts : array_like of int, shape (reports,), or mapping, or pandas.Series
        In the order of the channel's columns: no before yes in the binary designs. Labelled counts,
        such as a dictionary or ``Series.value_counts()``, are sorted by label, and a column of
        reports is counted; see `deniable.analysis.counts.labels.in_order`.
    codes : sequence, optional
        What each report is called, in the order of the channel's columns. Needed for labels other
        than report numbers, or no and yes.

    Notes
    -----
    With ``g`` a row of the channel's least-variance estimator, the estimate is the mean of
    ``g(report)`` and its variance is estimated by ``s^2 / n``, with ``s^2`` the sample variance of
    ``g(report)`` (n - 1 in the denominator). The noise of the design is known: s^2 is raised to the
    least variance that ``g(report)`` can have given a truth. Otherwise ten equal reports would have
    an error of 0.

    References
    ----------
    Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer
    bias. Journal of the American Statistical Association 60, 63-69, section 2.

    Examples
    --------
    >>> from deniable import designs
    >>> result = estimate([65, 60], designs.warner(flip="3/10"))
    >>> result.theta.round(3), result.standard_error.round(3)
    (array([0.55, 0.45]), array([0.112, 0.112]))
    >>> result.interval().round(3)
    array([[0.328, 0.773],
           [0.227, 0.672]])
    >>> estimate({"yes": 60, "no": 65}, designs.warner(flip="3/10")).theta.round(3)
    array([0.55, 0.45])
    """
    counted = check_counts(counts, channel, codes)
    ratios, alone = shares_of(channel)
    G = least_variance(channel)
    return Estimate(
        counts=counted,
        channels=(channel,),
        ratios=ratios,
        theta=G @ counted / int(counted.sum()),
        standard_error=standard_error_of(G, np.eye(len(G)), counted, channel.probabilities),
        possible=np.tile([0.0, 1.0], (len(G), 1)),
        one_proportion=alone,
    )


def estimate_ratios(
    counts: npt.NDArray[np.int64],
    channels: Sequence[Channel],
    ratios: Sequence[Ratio],
    shape: tuple[int, ...],
    *,
    joint: bool = False,
) -> Estimate:
    """Estimate means over the truths, or ratios of two, from how often each report came.

    `counts`: checked. `channels`: by which they were drawn. `shape`: of the estimates. `joint`: see
    `Estimate`.

    With u and v what a report contributes to the numerator and the denominator, an estimate is
    ``r = mean(u) / mean(v)``, with the standard error of the mean of ``(u - r v) / mean(v)`` (the
    delta method). Both are nan where the denominator may be 0.

    Cochran, W. G. (1977). Sampling techniques, third edition, section 2.11 (ratio estimates).
    """
    C, flat = product([channel.probabilities for channel in channels]), counts.ravel()
    n = int(flat.sum())
    theta, error = np.full((2, len(ratios)), math.nan)
    for place, one in enumerate(ratios):
        if not one.numerator.any():  # a pair of answers that nobody can give
            theta[place] = error[place] = 0.0
            continue
        among = float(one.to_denominator @ flat / n)
        if _may_be_nothing(flat, C, one, by_tails=not joint or len(C) <= MAX_TAIL_CELLS):
            continue
        theta[place] = r = float(one.to_numerator @ flat / n) / among
        g = (one.to_numerator - r * one.to_denominator) / among
        expected = (one.numerator - r * one.denominator) / among
        error[place] = standard_error_of(g, expected, flat, C)
    came = C.any(axis=0)
    alone = [
        one.is_mean and bool(intervals.is_by_proportion(one.to_numerator[np.newaxis, came])[0])
        for one in ratios
    ]
    return Estimate(
        counts=counts,
        channels=tuple(channels),
        ratios=ratios,
        theta=theta.reshape(shape),
        standard_error=error.reshape(shape),
        possible=np.array([one.range for one in ratios]),
        one_proportion=np.array(alone),
        joint=joint,
    )


def _may_be_nothing(
    counts: npt.NDArray[np.int64], probabilities: FloatArray, ratio: Ratio, *, by_tails: bool
) -> bool:
    """Return whether a ratio's divisor may be 0, by the kind of the ratio's interval."""
    if by_tails or ratio.is_mean:
        return inversion.may_be_nothing(counts, probabilities, ratio)
    v, n = ratio.to_denominator, int(counts.sum())
    error = math.sqrt(float(np.cov(v, fweights=counts)) / n) if n > 1 else math.nan
    low, _ = intervals.wald(float(v @ counts / n), error, quotients.LEVEL)
    return bool(quotients.may_be_nothing(low))


def product(tables: Sequence[FloatArray]) -> FloatArray:
    """Return the Kronecker product of the tables or rows of several items."""
    found = tables[0]
    for table in tables[1:]:
        found = np.asarray(np.kron(found, table), dtype=np.float64)
    return found


def _fieller(
    counts: npt.NDArray[np.int64], _: FloatArray, ratio: Ratio, level: float
) -> FloatArray:
    """Return Fieller's interval of a ratio; the parameters are those of `tail_interval`."""
    n = int(counts.sum())
    both = np.stack([ratio.to_numerator, ratio.to_denominator])
    top, bottom = both @ counts / n
    covariance = np.cov(both, fweights=counts) / n
    return intervals.fieller(float(top), float(bottom), covariance, level)
