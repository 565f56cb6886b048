"""From counts of reports to the mean of a number, with its error and interval."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis import design_test, intervals, likelihood
from deniable.analysis.counts.labels import Codes, Counts
from deniable.analysis.estimation import check_counts, sample_variance, standard_error_of
from deniable.analysis.intervals import inversion, quotients
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.levels import check_level
from deniable.channel import Channel
from deniable.estimator import for_values

METHODS: Final = ("auto", "tail", "wald", "empirical_bernstein")
"""The names of the intervals of a mean."""


@dataclass(frozen=True, eq=False)
class MeanEstimate:
    """The estimated mean of a value of the truth. Made by `estimate_mean`.

    Parameters
    ----------
    counts : ndarray of int, shape (reports,)
        How often each report came.
    values : ndarray, shape (truths,)
        The value of each truth; nan where the truth is no number.
    mean : float
        Of the values, among people whose truth has one. It may lie beyond every value: then it is
        shown unclipped and `outside` is True. nan where perhaps no one's truth has a value, see
        `deniable.analysis.intervals.quotients`.
    standard_error : float
        Of `mean`; nan if there is only one report.
    answered : float
        Estimated share of people whose truth has a value: 1 if every truth has one.
    contributions : ndarray, shape (reports,)
        Contribution of each report to `mean`, which is their average: the channel's least-variance
        estimator, or its linear approximation if `mean` is a ratio.
    """

    counts: npt.NDArray[np.int64]
    channel: Channel = field(repr=False)
    values: FloatArray
    n: int
    mean: float
    standard_error: float
    answered: float
    contributions: FloatArray = field(repr=False)

    @property
    def least(self) -> float:
        """The least of the values."""
        return float(np.nanmin(self.values))

    @property
    def greatest(self) -> float:
        """The greatest of the values."""
        return float(np.nanmax(self.values))

    @property
    def outside(self) -> bool:
        """Whether `mean` is below the least value or above the greatest value."""
        return bool(intervals.outside(self.mean, self.least, self.greatest))

    @cached_property
    def distribution(self) -> FloatArray | None:
        """The most likely distribution of the truth, shape (truths,).

        None where the shares of the truths are not identifiable: then many distributions are
        equally likely, and none of them is the estimate.
        """
        if not self.channel.identifiable:
            return None
        return likelihood.maximum_likelihood(self.counts, self.channel)

    @property
    def maximum_likelihood(self) -> float | None:
        """The mean under `distribution`, inside the range of the values; None where that is.

        nan where no one has a value under it.
        """
        if self.distribution is None:
            return None
        numeric = ~np.isnan(self.values)
        shares = self.distribution[numeric]
        if not shares.any():
            return math.nan
        return float(shares @ self.values[numeric] / shares.sum())

    def interval(self, level: float = 0.95, method: str = "auto") -> FloatArray:
        r"""Confidence interval of the mean.

        Parameters
        ----------
        method : {"auto", "tail", "wald", "empirical_bernstein"}
            How it is computed.

            - 'auto' : Feldman and Cousins's interval of a proportion, carried through the channel,
              where there are only two contributions, and 'tail' otherwise; see `kind` (default)
            - 'tail' : inverts the tails of a test, see
              `deniable.analysis.intervals.inversion.tail_interval`
            - 'wald' : the estimate and standard errors to either side; right for many reports
            - 'empirical_bernstein' : covers at least at its level at every n, and is wider; an
              error where some truths have no value

        Returns
        -------
        ndarray, shape (2,)
            Lower and upper end, unclipped, perhaps beyond every value; nan where they are unknown.
            Where some truths have no value the mean is a ratio, and the ends are cut by
            `deniable.analysis.intervals.quotients`.

        Notes
        -----
        With :math:`s^2` the sample variance of the contributions, R their range (the most that one
        report can move the sum by) and :math:`\alpha` one minus the level, the half-width of
        `empirical_bernstein` is

        .. math::

            \sqrt{2 s^2 \ln(4 / \alpha) / n} + 7 R \ln(4 / \alpha) / (3 (n - 1))

        It needs only the range, which is known: contributions depend on the channel, not on the
        data.

        References
        ----------
        Maurer, A. and Pontil, M. (2009). Empirical Bernstein bounds and sample variance
        penalization. COLT, theorem 4, applied to either side.
        """
        check_level(level)
        if method not in (*METHODS, intervals.UNCUT):
            raise ValueError(
                f"expected an interval for a mean of {', '.join(METHODS)}, found {method!r}"
            )
        ends = np.array(self._ends(level, self.kind(method)))
        if np.isnan(self.values).any():
            return quotients.left(ends, self.least, self.greatest)
        return ends

    def possible_interval(self, level: float = 0.95, method: str = "auto") -> FloatArray:
        """Return the part of the confidence interval in the values' range; shape (2,).

        nan where the whole interval lies beyond the values. That alone is no evidence that the
        design was not followed, as an interval may cover the mean too rarely: `against_design`
        tests it.
        """
        return intervals.possible(self.interval(level, method), self.least, self.greatest)

    def kind(self, method: str = intervals.DEFAULT) -> str:
        """Return the kind of interval of `method`; the channel resolves "auto"."""
        if method not in (intervals.DEFAULT, intervals.UNCUT):
            return method
        if np.isnan(self.values).any():
            return "tail"
        g, _ = _estimators(self.channel, self.values)
        sendable = self.channel.probabilities.any(axis=0)
        one = intervals.is_by_proportion(g[np.newaxis, sendable])[0]
        return intervals.of_proportion(method) if one else "tail"

    def _ends(self, level: float, method: str) -> tuple[float, float]:
        if method == "wald":
            low, high = intervals.wald(self.mean, self.standard_error, level)
            return float(low), float(high)
        if method == "empirical_bernstein":
            half = self._empirical_bernstein(level)
            return self.mean - half, self.mean + half
        if method in ("exact", intervals.OF_PROPORTION):
            g, _ = _estimators(self.channel, self.values)
            sendable = self.channel.probabilities.any(axis=0)
            counts = self.counts[sendable].astype(np.float64)
            possible = self.least, self.greatest
            g = g[np.newaxis, sendable]
            ends = intervals.through_channel(counts, g, method, level, possible)
            return float(ends[0, 0]), float(ends[0, 1])
        ratio = ratio_of(self.channel, self.values)
        return inversion.tail_interval(self.counts, self.channel.probabilities, ratio, level)

    @property
    def p_value(self) -> float:
        """P-value of the test that the mean is in the values' range if the design was followed.

        1 where the estimate is in the range, or unknown. See `deniable.analysis.design_test`.
        """
        if not self.outside:
            return 1.0
        g, h = _estimators(self.channel, self.values)
        return float(
            design_test.p_value(self.counts, self.channel, g, self.least, self.greatest, of=h)
        )

    def against_design(
        self, level: float = design_test.LEVEL
    ) -> tuple[design_test.Contradiction, ...]:
        """Report evidence that the design was not followed: a mean too far beyond all values.

        Parameters
        ----------
        level : float
            Between 0 and 1: at least this part of the surveys in which everybody follows the design
            gives no evidence.

        Returns
        -------
        tuple of deniable.analysis.design_test.Contradiction
            One, or none if chance explains the estimate. ``str()`` explains it in plain words.

        Examples
        --------
        >>> from deniable import designs
        >>> odd = estimate_mean([800, 200], designs.two_point(11, epsilon=1), range(11))
        >>> [round(found.estimate, 2) for found in odd.against_design()]
        [-1.49]
        """
        check_level(level)
        if self.p_value > 1 - level:
            return ()
        return (
            design_test.Contradiction(None, self.mean, self.least, self.greatest, self.p_value),
        )

    def _empirical_bernstein(self, level: float) -> float:
        if np.isnan(self.values).any():
            raise ValueError(
                "expected the interval 'wald' for a mean among those whose truth has a value: it "
                "is a ratio of two estimates, and 'empirical_bernstein' is for a single one"
            )
        if self.n == 1:
            return math.inf
        log = math.log(4 / (1 - level))
        deviation = math.sqrt(
            2 * float(sample_variance(self.contributions, self.counts)) * log / self.n
        )
        spread = float(np.ptp(self.contributions[self.channel.probabilities.any(axis=0)]))
        return deviation + 7 * spread * log / (3 * (self.n - 1))


def estimate_mean(
    counts: Counts,
    channel: Channel,
    values: npt.ArrayLike,
    *,
    codes: Codes | None = None,
) -> MeanEstimate:
    r"""Estimate the mean of a value of the truth from how often each report came.

    Parameters
    ----------
    counts : array_like of int, shape (reports,), or mapping, or pandas.Series
        In the order of the channel's columns, or with labels, or a column of reports; see
        `deniable.analysis.counts.labels.in_order`.
    channel : Channel
        The channel that drew the reports. The shares of its truths need not be identifiable.
    values : array_like of float, shape (truths,)
        The value of each truth, such as the number that a level stands for; nan for a truth that is
        no number, such as "prefer not to say". The mean is then over the other truths.
    codes : sequence, optional
        What each report is called, in the order of the channel's columns, if there are labels.

    Notes
    -----
    With g from `deniable.estimator.for_values` the estimate is the mean of g(report), and
    unbiased at every n; its variance is estimated by :math:`s^2 / n`, with :math:`s^2` the sample
    variance of g(report).

    Where some truths have no value, the mean among the others is a ratio: the estimated total of
    the values, with 0 for these truths, over the estimated share of the others. It is consistent
    rather than unbiased, and its standard error is that of its linear approximation (the delta
    method), the mean of :math:`r + (g - r h) / \bar h`, with r the ratio and h the estimator of the
    share.

    References
    ----------
    Duchi, J. C., Jordan, M. I. and Wainwright, M. J. (2018). Minimax optimal procedures for locally
    private estimation. Journal of the American Statistical Association 113, 182-201, section 3.
    Cochran, W. G. (1977). Sampling techniques, third edition, section 2.11 (ratio estimates).

    Examples
    --------
    >>> import numpy as np
    >>> from deniable import designs
    >>> hours = estimate_mean([70, 40, 90], designs.k_ary(3, 2), [0, 10, 20])
    >>> round(hours.mean, 2), round(hours.standard_error, 2)
    (11.47, 0.93)
    >>> hours.interval().round(2)
    array([ 9.64, 13.26])
    >>> some = estimate_mean([70, 40, 90], designs.k_ary(3, 2), [0, 10, np.nan])
    >>> round(some.mean, 2), round(some.standard_error, 2), round(some.answered, 2)
    (2.77, 0.76, 0.5)
    """
    counted = check_counts(counts, channel, codes)
    n = int(counted.sum())
    given = _check_values(values, channel)
    numeric = ~np.isnan(given)
    g, h = _estimators(channel, given)
    answered = float(h @ counted / n)
    if not inversion.may_be_nothing(counted, channel.probabilities, ratio_of(channel, given)):
        mean = float(g @ counted / n) / answered
        contributions = mean + (g - mean * h) / answered
        expected = np.where(numeric, mean + (given - mean) / answered, mean)
        standard_error = float(standard_error_of(contributions, expected, counted, channel))
    else:
        mean = standard_error = math.nan
        contributions = np.full_like(g, math.nan)
    contributions.flags.writeable = False
    return MeanEstimate(
        counts=counted,
        channel=channel,
        values=given,
        n=n,
        mean=mean,
        standard_error=standard_error,
        answered=answered,
        contributions=contributions,
    )


def mean_is_identifiable(channel: Channel, values: npt.ArrayLike) -> bool:
    """Return whether reports tell the mean of a value of the truth.

    They do not if populations with different means would send the same reports. `values` and errors
    are those of `estimate_mean`.

    Examples
    --------
    >>> from deniable import designs
    >>> channel = designs.two_point(3, 1)
    >>> mean_is_identifiable(channel, [0, 1, 2]), mean_is_identifiable(channel, [0, 1, 4])
    (True, False)
    """
    given = _check_values(values, channel)
    try:
        _estimators(channel, given)
    except ValueError:
        return False
    return True


def ratio_of(channel: Channel, values: FloatArray) -> inversion.Ratio:
    """Return the mean of the values as a ratio; the denominator is 1 if every truth has a value."""
    numeric = ~np.isnan(values)
    filled = np.where(numeric, values, 0.0)
    return inversion.Ratio(filled, numeric.astype(np.float64), *_estimators(channel, values))


def _check_values(values: npt.ArrayLike, channel: Channel) -> FloatArray:
    given = np.array(values, dtype=np.float64)
    given.flags.writeable = False
    known = given[~np.isnan(given)]
    if given.shape != (channel.truths,) or not len(known) or np.isinf(known).any():
        raise ValueError(
            f"expected {channel.truths} finite values, one for each truth and a number for one at "
            f"least, found {values!r}"
        )
    return given


def _estimators(channel: Channel, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the contributions of a report to the total of the values, and to those with one."""
    numeric = ~np.isnan(values)
    g = for_values(channel, np.where(numeric, values, 0.0))
    return g, np.ones_like(g) if numeric.all() else for_values(channel, numeric)
