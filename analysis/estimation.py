"""From counts of reports to the shares of the truths, with errors and intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from deniable.analysis import design_test, intervals, likelihood
from deniable.analysis.counts.labels import (
    Codes,
    Counts,
    check_whole,
    in_order_of,
)
from deniable.analysis.intervals import inversion
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.levels import check_level
from deniable.channel import Channel
from deniable.estimator import least_variance


@dataclass(frozen=True, eq=False)
class Estimate:
    """The estimated shares of the truths. Made by `estimate`.

    Parameters
    ----------
    counts : ndarray of int, shape (reports,)
        How often each report came.
    theta : ndarray, shape (truths,)
        Unbiased estimate of each truth's share. The entries sum to 1, but each may leave [0, 1]:
        then it is shown unclipped and `outside` is True.
    standard_error : ndarray, shape (truths,)
        Of `theta`; nan if there is only one report.
    """

    counts: npt.NDArray[np.int64]
    channel: Channel = field(repr=False)
    n: int
    theta: npt.NDArray[np.float64]
    standard_error: npt.NDArray[np.float64]

    @property
    def observed(self) -> npt.NDArray[np.float64]:
        """Share of each report, with the noise; shape (reports,)."""
        return self.counts / self.n

    @property
    def outside(self) -> npt.NDArray[np.bool_]:
        """Whether each entry of `theta` is below 0 or above 1; shape (truths,)."""
        return intervals.outside(self.theta)

    @cached_property
    def maximum_likelihood(self) -> npt.NDArray[np.float64]:
        """The most likely distribution of the truth, inside the simplex; shape (truths,).

        Unlike `theta` it is biased where a share is near 0 or 1. See `deniable.analysis.likelihood`
        for its errors.
        """
        return likelihood.maximum_likelihood(self.counts, self.channel)

    def interval(
        self,
        level: float = 0.95,
        method: str = intervals.DEFAULT,
        *,
        simultaneous: bool = False,
        comparisons: int = 1,
    ) -> npt.NDArray[np.float64]:
        """Confidence interval of each truth's share, unclipped.

        Parameters
        ----------
        method : {"auto", "feldman-cousins", "exact", "wilson", "likelihood", "tail", "wald"}
            How it is computed. Intervals of a proportion (see `analysis.intervals.proportion`) are
            computed on the reports and mapped through the channel (see
            `deniable.analysis.intervals.through_channel`).

            - 'auto' : 'feldman-cousins' for each truth whose share follows from one proportion, and
              'tail' for the others; see `methods` (default)
            - 'feldman-cousins' : of a proportion; covers at least at its level, and is never empty:
              it holds only possible shares, and the estimate if that is impossible
            - 'exact' : Clopper and Pearson's, of a proportion; each end covers at least at its
              level
            - 'wilson' : of a proportion, from the score test; covers at its level on average
            - 'likelihood' : of a proportion, the values that a likelihood-ratio test does not
              reject; beyond one proportion the profile likelihood inside the simplex, which never
              leaves [0, 1] (see `deniable.analysis.likelihood.profile_interval`)
            - 'tail' : inverts the tails of a test, see
              `deniable.analysis.intervals.inversion.tail_interval`
            - 'wald' : the estimate and standard errors to either side
        simultaneous : bool
            Whether the intervals of all truths hold together. With two truths this changes nothing,
            as each share is the other's complement.
        comparisons : int
            In how many estimates, including this one, the intervals hold together.

        Returns
        -------
        ndarray, shape (truths, 2)
            Lower and upper ends, not clipped to [0, 1]; see `possible_interval`. For 'tail' nan
            where no distribution of the truth agrees with the reports at this level.

        Notes
        -----
        With two truths and two reports, `likelihood` does not use that the rate of a report is
        between its chances under the two truths. Using it would hide how far outside the estimate
        is: the interval would begin at 0 however few reports of yes there are.
        """
        check_level(level)
        intervals.check_method(method)
        truths = self.channel.truths
        families = truths if simultaneous and truths > 2 else 1
        each = intervals.bonferroni(level, families * comparisons)
        return ends_of(self, np.arange(truths), each, method)

    def methods(self, method: str = intervals.DEFAULT) -> tuple[str, ...]:
        """Return the kind of interval that each truth's share gets.

        It is `method`, unless that is "auto", which the channel alone resolves.
        """
        return share_methods(self.channel, method)

    def end_method(self, method: str = intervals.DEFAULT) -> str:
        """Return the kind of interval for squaring and adding.

        That method uses each end by itself as the estimate's error on that side. The ends of
        Feldman and Cousins stop at the possible range; each end of Clopper and Pearson keeps its
        own level.
        """
        if method not in (intervals.DEFAULT, intervals.OF_PROPORTION):
            return method
        return "tail" if "tail" in self.methods() else "exact"

    def possible_interval(
        self,
        level: float = 0.95,
        method: str = intervals.DEFAULT,
        *,
        simultaneous: bool = False,
        comparisons: int = 1,
    ) -> npt.NDArray[np.float64]:
        """Return the part of each `interval` in [0, 1]; the parameters are the same.

        Returns
        -------
        ndarray, shape (truths, 2)
            Lower and upper ends between 0 and 1. They cover a share exactly as often as the
            `interval` does. Both are nan where the interval misses [0, 1] altogether;
            `against_design` tests whether chance explains that.

        Examples
        --------
        >>> from deniable import designs
        >>> few = estimate([14, 6], designs.warner(flip="1/4"))
        >>> few.interval(method="exact").round(3)
        array([[ 0.414,  1.262],
               [-0.262,  0.586]])
        >>> few.possible_interval(method="exact").round(3)
        array([[0.414, 1.   ],
               [0.   , 0.586]])
        """
        return intervals.possible(
            self.interval(level, method, simultaneous=simultaneous, comparisons=comparisons)
        )

    def against_design(
        self, level: float = design_test.LEVEL
    ) -> tuple[design_test.Contradiction, ...]:
        """Report evidence that the design was not followed: shares too far outside [0, 1].

        Parameters
        ----------
        level : float
            Of the joint test of all truths, between 0 and 1: at least this part of the surveys in
            which everybody follows the design gives no evidence. To test several estimates together
            see `deniable.analysis.design_test.p_values_of_shares`.

        Returns
        -------
        tuple of deniable.analysis.design_test.Contradiction
            One for each truth whose share is further outside than chance explains; with two truths
            only the second is named, as the first share is its complement. ``str()`` of each
            explains it in plain words.

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
        alone = design_test.p_values_of_shares(self.counts, self.channel)
        # With two truths only one is tested, as the other share is its complement.
        told = range(1, 2) if len(alone) == 2 else range(len(alone))
        together = np.minimum(1, len(told) * alone)
        return tuple(
            design_test.Contradiction(truth, float(self.theta[truth]), 0, 1, float(together[truth]))
            for truth in told
            if together[truth] <= 1 - level
        )


def ends_of(
    found: Estimate, truths: npt.NDArray[np.intp], level: float, method: str
) -> npt.NDArray[np.float64]:
    """Return the intervals of some truths' shares, each at `level`; see `Estimate.interval`."""
    if method == "wald":
        return intervals.wald(found.theta[truths], found.standard_error[truths], level)
    sendable = found.channel.probabilities.any(axis=0)
    G = least_variance(found.channel)[:, sendable]
    if method == "likelihood" and not intervals.is_one_proportion(G):
        return likelihood.profile_interval(found.counts, found.channel, level)[truths]
    counts = found.counts[sendable].astype(np.float64)
    kinds = np.array(found.methods(method))[truths]
    ends = np.empty((len(truths), 2))
    own = kinds == "tail"
    if not own.all():
        (kind,) = set(kinds[~own])
        ends[~own] = intervals.through_channel(counts, G[truths[~own]], kind, level)
    for place in np.flatnonzero(own):
        ends[place] = inversion.tail_interval(
            found.counts, found.channel.probabilities, share_of(found.channel, truths[place]), level
        )
    return ends


def share_of(channel: Channel, truth: int) -> inversion.Ratio:
    """Return the share of a truth as a `Ratio`, for inverting tails."""
    return inversion.mean(np.eye(channel.truths)[truth], least_variance(channel)[truth])


@lru_cache(maxsize=1024)
def share_methods(channel: Channel, method: str = intervals.DEFAULT) -> tuple[str, ...]:
    """Return the kind of interval that each truth's share gets under a channel."""
    if method not in (intervals.DEFAULT, intervals.UNCUT):
        return (method,) * channel.truths
    one = intervals.of_proportion(method)
    G = least_variance(channel)[:, channel.probabilities.any(axis=0)]
    return tuple(one if single else "tail" for single in intervals.is_by_proportion(G).tolist())


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
    n = int(counted.sum())
    G = least_variance(channel)
    theta = G @ counted / n
    return Estimate(
        counts=counted,
        channel=channel,
        n=n,
        theta=theta,
        standard_error=standard_error_of(G, np.eye(len(theta)), counted, channel),
    )


def standard_error_of(
    g: FloatArray,
    expected: FloatArray,
    counts: npt.NDArray[np.int64],
    channel: Channel,
) -> FloatArray:
    """Return the standard error of a mean over the reports; nan for a single report.

    `g`, `expected`: see `least_noise`. Result, shape (...).
    """
    n = int(counts.sum())
    if n == 1:
        return np.full(g.shape[:-1], math.nan)
    least = least_noise(g, channel, expected)
    variance = np.maximum(sample_variance(g, counts), least)
    return np.asarray(np.sqrt(variance / n))


def sample_variance(g: FloatArray, counts: npt.NDArray[np.int64]) -> FloatArray:
    """Return the variance of contributions over the reports, with n - 1 in the denominator."""
    n = int(counts.sum())
    mean = np.asarray(g @ counts / n)
    return np.asarray((g - mean[..., np.newaxis]) ** 2 @ counts / (n - 1))


def least_noise(g: FloatArray, channel: Channel, expected: FloatArray) -> FloatArray:
    """Return the least variance that the noise gives a report's contribution, whatever the truth.

    The noise is known, so no estimated variance of a contribution may be less: a few equal reports
    make nothing certain.

    `g`, shape (..., reports): what each report contributes. `expected`, shape (..., truths): the
    mean contribution of the reports of each truth. Result, shape (...): the least Var(g | x) =
    E[g^2 | x] - E[g | x]^2 over all truths x; at least 0.
    """
    given_truth = g**2 @ channel.probabilities.T - expected**2
    return np.asarray(np.maximum(given_truth.min(axis=-1), 0))


def check_counts(
    counts: Counts, channel: Channel, codes: Codes | None = None
) -> npt.NDArray[np.int64]:
    """Return how often each report of a channel came, and reject counts that do not fit."""
    if not isinstance(channel, Channel):
        raise TypeError(f"expected counts and then a channel, found a {type(channel).__name__}")
    given = np.asarray(in_order_of(counts, channel, codes))
    if given.shape != (channel.reports,):
        raise ValueError(
            f"expected {channel.reports} counts, one a report of the channel, "
            f"found an array of shape {given.shape}"
        )
    counted = check_whole(given)
    impossible = np.flatnonzero((counted > 0) & ~channel.probabilities.any(axis=0))
    if len(impossible):
        raise ValueError(
            f"expected no report {impossible[0]}, which no truth can send, "
            f"found {counted[impossible[0]]} of it"
        )
    return counted
