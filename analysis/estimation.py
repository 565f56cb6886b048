"""From counts of reports to the shares of the truths, with errors and intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals, likelihood, proportion
from deniable.analysis.estimator import least_variance
from deniable.channel import Channel


@dataclass(frozen=True, eq=False)
class Estimate:
    """The estimated shares of the truths. Made by `estimate`.

    Parameters
    ----------
    counts : ndarray of int, shape (reports,)
        How often each report came.
    channel : Channel
    n : int
        Number of reports.
    theta : ndarray, shape (truths,)
        Unbiased estimate of each truth's share. The entries sum to 1, but each may leave [0, 1]:
        then they are shown as they are and `outside` says so.
    standard_error : ndarray, shape (truths,)
        Of `theta`; nan if there is one report only.
    population : int or None
        Size of the population from which the respondents were drawn without replacement; None if
        it is to be taken for unlimited.
    """

    counts: npt.NDArray[np.int64]
    channel: Channel = field(repr=False)
    n: int
    theta: npt.NDArray[np.float64]
    standard_error: npt.NDArray[np.float64]
    population: int | None = None

    @property
    def observed(self) -> npt.NDArray[np.float64]:
        """Share of each report, noise and all; shape (reports,)."""
        return self.counts / self.n

    @property
    def outside(self) -> npt.NDArray[np.bool_]:
        """Whether each entry of `theta` is below 0 or above 1; shape (truths,)."""
        return (self.theta < -intervals.ROUNDING) | (self.theta > 1 + intervals.ROUNDING)

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
        """Confidence interval of each truth's share, as it comes out.

        Parameters
        ----------
        level : float
            Between 0 and 1.
        method : {"blaker", "exact", "wilson", "mid-p", "likelihood", "wald"}
            All but `wald` are intervals of a proportion (see `deniable.analysis.proportion`),
            computed on the reports and mapped through the channel (see
            `deniable.analysis.intervals.through_channel`). `blaker` and `exact` (Clopper and
            Pearson's) cover at least as often as they say. Beyond two truths and two reports,
            `likelihood` is the profile likelihood inside the simplex (see
            `deniable.analysis.likelihood.profile_interval`), which never leaves [0, 1], and is
            refused where shares of 0 make it hold too rarely: beyond three truths, and for some
            designs of three (`deniable.analysis.likelihood.check_profile`). None but
            `wald` makes use of a finite `population`: they are then wider than they must be.
        simultaneous : bool
            Whether the intervals of all truths are to hold together. Two truths need nothing for
            it, as the one's share is the other's complement.
        comparisons : int
            In how many estimates, this one included, the intervals are to hold together.

        Returns
        -------
        ndarray, shape (truths, 2)
            Lower and upper ends, not clipped to [0, 1]; see `possible_interval`.

        Raises
        ------
        ValueError
            If the level, the method or the number of comparisons is none.

        Notes
        -----
        With two truths and two reports, `likelihood` does not use that the rate of a report is
        between its chances under the two truths. Doing so would hide what `against_design` shows:
        the interval would then begin at 0 however few reports of yes there are.
        """
        intervals.check_level(level)
        intervals.check_method(method)
        truths = self.channel.truths
        families = truths if simultaneous and truths > 2 else 1
        each = intervals.bonferroni(level, families * comparisons)
        if method == "wald":
            return intervals.wald(self.theta, self.standard_error, each)
        sendable = self.channel.probabilities.any(axis=0)
        G = least_variance(self.channel)[:, sendable]
        if method == "likelihood" and not intervals.is_one_proportion(G):
            return likelihood.profile_interval(self.counts, self.channel, each)
        return intervals.through_channel(
            self.counts[sendable].astype(np.float64), G, proportion.METHODS[method], each
        )

    def possible_interval(
        self,
        level: float = 0.95,
        method: str = intervals.DEFAULT,
        *,
        simultaneous: bool = False,
        comparisons: int = 1,
    ) -> npt.NDArray[np.float64]:
        """Return what of each `interval` lies in [0, 1].

        Parameters
        ----------
        level, method, simultaneous, comparisons
            See `interval`.

        Returns
        -------
        ndarray, shape (truths, 2)
            Lower and upper ends between 0 and 1. They cover a share exactly as often as the
            `interval` does. Both are nan where the interval misses [0, 1] altogether: then no share
            agrees with the reports, and `against_design` says so.

        Raises
        ------
        ValueError
            As `interval` does.

        Examples
        --------
        >>> from deniable import designs
        >>> few = estimate([14, 6], designs.warner(flip="1/4"))
        >>> few.interval().round(3)
        array([[ 0.448,  1.221],
               [-0.221,  0.552]])
        >>> few.possible_interval().round(3)
        array([[0.448, 1.   ],
               [0.   , 0.552]])
        """
        return intervals.possible(
            self.interval(level, method, simultaneous=simultaneous, comparisons=comparisons)
        )

    def against_design(
        self, level: float = 0.95, method: str = intervals.DEFAULT
    ) -> tuple[intervals.Contradiction, ...]:
        """Report evidence that the design was not followed: intervals that miss [0, 1].

        Parameters
        ----------
        level : float
            At which the intervals of all truths hold together, between 0 and 1.
        method : str
            See `interval`. The profile `likelihood` of more than one proportion never leaves
            [0, 1], and finds nothing.

        Returns
        -------
        tuple of deniable.analysis.intervals.Contradiction
            One for each truth whose interval misses [0, 1], empty if there is none; of two truths
            only the second is named, as the first one's share is its complement. ``str()`` of one
            says it in plain words.

        Raises
        ------
        ValueError
            If the level or the method is none.

        Examples
        --------
        >>> from deniable import designs
        >>> evidence = estimate([47, 3], designs.warner(flip="1/4")).against_design()
        >>> [(found.truth, round(found.low, 3), round(found.high, 3)) for found in evidence]
        [(1, -0.467, -0.172)]
        """
        ends = self.interval(level, method, simultaneous=True)
        told = range(1, 2) if len(ends) == 2 else range(len(ends))
        return tuple(
            intervals.Contradiction(truth, float(ends[truth, 0]), float(ends[truth, 1]), level)
            for truth in told
            if intervals.missed(ends[truth])
        )


def estimate(counts: npt.ArrayLike, channel: Channel, *, population: int | None = None) -> Estimate:
    """Estimate the shares of the truths from how often each report came.

    Parameters
    ----------
    counts : array_like of int, shape (reports,)
        In the order of the channel's columns: no before yes in the binary designs.
    channel : Channel
        By which the reports were drawn.
    population : int, optional
        Size of the population, if the respondents are a simple random sample from it without
        replacement and the question is the share among these `population` people. By default the
        respondents are taken for independent draws.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        If the counts are not such counts, a report came that no truth can send, the population is
        smaller than the sample, or the shares are not identifiable.

    Notes
    -----
    With ``g`` a row of the channel's least-variance estimator, the estimate is the mean of
    ``g(report)`` and its variance is estimated by ``s^2 / n``, with ``s^2`` the sample variance of
    ``g(report)`` (n - 1 in the denominator).

    In a finite population two variances add up, that of drawing n of N people and that of
    randomising their answers. The expectation of ``g^2 - g`` given the truth is the variance of
    ``g``, as the indicator that it estimates is its own square, hence
    ``(1 - n/N) s^2 / n + mean(g^2 - g) / N``.

    References
    ----------
    Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer
    bias. Journal of the American Statistical Association 60, 63-69, section 2.
    Chaudhuri, A. (2011). Randomized response and indirect questioning techniques in surveys. CRC
    Press. The variance in a finite population is that of the R package RRTCS, with its
    ``V_R(r) = r (r - 1)``.

    Examples
    --------
    >>> from deniable import designs
    >>> result = estimate([65, 60], designs.warner(flip="3/10"))
    >>> result.theta.round(3), result.standard_error.round(3)
    (array([0.55, 0.45]), array([0.112, 0.112]))
    >>> result.interval().round(3)
    array([[0.329, 0.772],
           [0.228, 0.671]])
    """
    counted = check_counts(counts, channel)
    n = int(counted.sum())
    if population is not None and population < n:
        raise ValueError(
            f"expected a population of at least the {n} respondents, found {population}"
        )
    G = least_variance(channel)
    theta = G @ counted / n
    return Estimate(
        counts=counted,
        channel=channel,
        n=n,
        theta=theta,
        standard_error=_standard_error(G, counted, theta, population),
        population=population,
    )


def _standard_error(
    G: npt.NDArray[np.float64],
    counts: npt.NDArray[np.int64],
    theta: npt.NDArray[np.float64],
    population: int | None,
) -> npt.NDArray[np.float64]:
    n = int(counts.sum())
    if n == 1:
        return np.full(len(theta), math.nan)
    sample_variance = (G - theta[:, np.newaxis]) ** 2 @ counts / (n - 1)
    if population is None:
        return np.sqrt(sample_variance / n)
    # E[g^2 | x] - f(x)^2, where f(x)^2 = f(x) = E[g | x] because f is an indicator. Its estimate
    # may fall below 0 where the variance itself is about 0.
    randomisation = np.maximum((G**2 - G) @ counts / n, 0)
    return np.sqrt((1 - n / population) * sample_variance / n + randomisation / population)


def check_counts(counts: npt.ArrayLike, channel: Channel) -> npt.NDArray[np.int64]:
    """Read how often each report of a channel came.

    Parameters
    ----------
    counts : array_like of int, shape (reports,)
    channel : Channel

    Returns
    -------
    ndarray of int64, shape (reports,)
        Read-only.

    Raises
    ------
    ValueError
        If they are no such counts, all are 0, or a report came that no truth can send.
    """
    given = np.asarray(counts)
    if given.shape != (channel.reports,):
        raise ValueError(
            f"expected {channel.reports} counts, one a report of the channel, "
            f"found an array of shape {given.shape}"
        )
    if given.dtype.kind not in "iu":
        raise ValueError(
            f"expected counts that are integers, found {given.dtype}: {given.tolist()}"
        )
    counted = given.astype(np.int64)
    counted.flags.writeable = False
    if counted.min() < 0:
        raise ValueError(f"expected counts of at least 0, found {counted.min()}")
    if not counted.any():
        raise ValueError("expected at least one report, found none: all counts are 0")
    impossible = np.flatnonzero((counted > 0) & ~channel.probabilities.any(axis=0))
    if len(impossible):
        raise ValueError(
            f"expected no report {impossible[0]}, which no truth can send, "
            f"found {counted[impossible[0]]} of it"
        )
    return counted
