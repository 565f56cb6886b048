"""Shares among the people to whom a question applies: ratios of two estimates."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from deniable.analysis import intervals, likelihood
from deniable.analysis.counts.labels import Codes, Counts
from deniable.analysis.estimation import estimate, least_noise
from deniable.analysis.intervals import inversion
from deniable.analysis.numerics.arrays import BoolArray, FloatArray, IntArray
from deniable.analysis.numerics.convergence import where_certain
from deniable.analysis.numerics.levels import check_level
from deniable.channel import Channel
from deniable.estimator import least_variance


@dataclass(frozen=True, eq=False)
class ApplicableShares:
    """The truths' shares among people to whom a question applies. Made by `applicable_shares`.

    Parameters
    ----------
    counts : ndarray of int, shape (reports,)
        How often each report came.
    skipped : int
        The truth of people to whom the question does not apply.
    applicable : float
        Estimated share of the people to whom the question applies, among all.
    share : ndarray, shape (truths,)
        Share of each truth among them; nan for `skipped`, and for all truths if the question may
        apply to nobody, see `deniable.analysis.intervals.quotients`. It may leave [0, 1]: then it
        is shown unclipped and `outside` is True.
    standard_error : ndarray, shape (truths,)
        Of `share`, by the delta method; nan where it is unknown.
    """

    counts: IntArray
    channel: Channel = field(repr=False)
    skipped: int
    applicable: float
    share: FloatArray
    standard_error: FloatArray

    @property
    def outside(self) -> BoolArray:
        """Whether each share is below 0 or above 1; shape (truths,)."""
        return intervals.outside(self.share)

    @cached_property
    def maximum_likelihood(self) -> FloatArray:
        """The shares under the most likely distribution; shape (truths,).

        nan where the question applies to nobody under it, and where no certified maximum was found.
        """
        certain = where_certain(lambda: likelihood.maximum_likelihood(self.counts, self.channel))
        if certain is None or not certain[self.skipped] < 1:
            return np.full(self.channel.truths, math.nan)
        shares: FloatArray = certain / (1 - certain[self.skipped])
        shares[self.skipped] = math.nan
        return shares

    def interval(self, level: float = 0.95) -> FloatArray:
        r"""Confidence interval of each truth's share among people to whom the question applies.

        Returns
        -------
        ndarray, shape (truths, 2)
            Lower and upper ends, inside [0, 1]: 0 and 1 where too few people are asked to rule
            anything out, or no distribution of the truth agrees with the reports at this level. nan
            for `skipped`.

        Notes
        -----
        The share is a ratio, :math:`r = \theta_a / (1 - \theta_s)`. Its interval inverts the test
        that :math:`\theta_a - r (1 - \theta_s)`, a mean over the reports, is 0, as Fieller's does,
        with the tails of the reports' own distribution instead of a normal one.

        References
        ----------
        Fieller, E. C. (1954). Some problems in interval estimation. Journal of the Royal
        Statistical Society B 16, 175-185.
        """
        check_level(level)
        ends = np.full((self.channel.truths, 2), math.nan)
        for truth in range(self.channel.truths):
            if truth == self.skipped:
                continue
            of = ratio_of(self.channel, truth, self.skipped)
            ends[truth] = inversion.tail_interval(
                self.counts, self.channel.probabilities, of, level
            )
        return ends


def applicable_shares(
    counts: Counts, channel: Channel, skipped: int, *, codes: Codes | None = None
) -> ApplicableShares:
    r"""Estimate the truths' shares among people to whom a question applies.

    Parameters
    ----------
    counts : array_like of int, shape (reports,), or with labels, or a column of reports
        How often each report came; see `deniable.analysis.counts.labels.in_order`.
    channel : Channel
        A channel whose shares are identifiable.
    skipped : int
        The truth of people to whom the question does not apply.
    codes : sequence, optional
        What each report is called, if the counts have labels.

    Notes
    -----
    No report tells whether the question applied, so the share is a ratio,
    :math:`r = \theta_a / (1 - \theta_s)`, of two estimates from the same reports. It is consistent
    rather than unbiased.

    Examples
    --------
    >>> from deniable import designs
    >>> among = applicable_shares([300, 260, 440], designs.k_ary(3, 2), skipped=2)
    >>> among.share.round(3), among.standard_error.round(3)
    (array([0.558, 0.442,   nan]), array([0.034, 0.034,   nan]))
    >>> among.interval().round(3)
    array([[0.49 , 0.624],
           [0.376, 0.51 ],
           [  nan,   nan]])
    """
    if not 0 <= skipped < channel.truths:
        raise ValueError(f"expected a truth from 0 to {channel.truths - 1}, found {skipped}")
    everybody = estimate(counts, channel, codes=codes)
    applicable = float(1 - everybody.theta[skipped])
    share, error = np.full((2, channel.truths), math.nan)
    for truth in range(channel.truths):
        ratio = ratio_of(channel, truth, skipped)
        if truth == skipped or inversion.may_be_nothing(
            everybody.counts, channel.probabilities, ratio
        ):
            continue
        share[truth] = r = everybody.theta[truth] / applicable
        error[truth] = _error(ratio, r, channel, everybody.counts) / applicable
    return ApplicableShares(
        counts=everybody.counts,
        channel=channel,
        skipped=skipped,
        applicable=applicable,
        share=share,
        standard_error=error,
    )


def ratio_of(channel: Channel, truth: int, skipped: int) -> inversion.Ratio:
    """Return the ratio of a truth's share to the share of people to whom the question applies."""
    of, G = np.eye(channel.truths), least_variance(channel)
    return inversion.Ratio(of[truth], 1 - of[skipped], G[truth], 1 - G[skipped])


def _error(ratio: inversion.Ratio, r: float, channel: Channel, counts: IntArray) -> float:
    """Return the standard error of a mean contribution; nan for a single report."""
    n = int(counts.sum())
    if n == 1:
        return math.nan
    g = ratio.to_numerator - r * ratio.to_denominator
    least = least_noise(g, channel, ratio.numerator - r * ratio.denominator)
    variance = max(float(np.cov(g, fweights=counts)), float(least))
    return math.sqrt(variance / n)
