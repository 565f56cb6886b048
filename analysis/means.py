"""Means of a number, and shares among people to whom a question applies, from counts of reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.analysis.counts.labels import Codes, Counts, check_counts
from deniable.analysis.estimated import Group
from deniable.analysis.estimation import Estimate, estimate_ratios
from deniable.analysis.findings import Interval, Share, findings_of
from deniable.analysis.intervals.inversion import Ratio
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.convergence import where_certain
from deniable.channel import Channel
from deniable.estimator import for_values, least_variance
from deniable.survey.items import Item
from deniable.survey.questions import Answer


def estimate_mean(
    counts: Counts,
    channel: Channel,
    values: npt.ArrayLike,
    *,
    codes: Codes | None = None,
) -> Estimate:
    r"""Estimate the mean of a value of the truth from how often each report came.

    Parameters
    ----------
    counts, codes
        As for `deniable.analysis.estimation.estimate`.
    channel : Channel
        The channel that drew the reports. The shares of its truths need not be identifiable.
    values : array_like of float, shape (truths,)
        The value of each truth, such as the number that a level stands for; nan for a truth that is
        no number, such as "skipped". The mean is then over the other truths.

    Returns
    -------
    Estimate
        Of the mean, shape ().

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
    >>> print(hours.theta.round(2), hours.standard_error.round(2))
    11.47 0.93
    >>> hours.interval().round(2)
    array([ 9.64, 13.26])
    >>> some = estimate_mean([70, 40, 90], designs.k_ary(3, 2), [0, 10, np.nan])
    >>> print(some.theta.round(2), some.standard_error.round(2))
    2.77 0.76
    """
    counted = check_counts(counts, channel, codes)
    return estimate_ratios(counted, [channel], [mean_of(channel, _check(values, channel))], ())


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
    given = _check(values, channel)
    try:
        mean_of(channel, given)
    except ValueError:
        return False
    return True


def mean_of(channel: Channel, values: FloatArray) -> Ratio:
    """Return the mean of the values as a ratio; its divisor is 1 if every truth has a value."""
    numeric = ~np.isnan(values)
    return mean_among(channel, np.where(numeric, values, 0.0), numeric.astype(np.float64))


def mean_among(channel: Channel, values: FloatArray, counted: FloatArray) -> Ratio:
    """Return the mean of the values among the truths that are counted, 1 or 0 for each."""
    g = for_values(channel, values)
    h = np.ones_like(g) if counted.all() else for_values(channel, counted)
    return Ratio(values, counted, g, h)


def applicable_shares(
    counts: Counts, channel: Channel, skipped: int, *, codes: Codes | None = None
) -> Estimate:
    r"""Estimate the truths' shares among people to whom a question applies.

    Parameters
    ----------
    counts, codes
        As for `deniable.analysis.estimation.estimate`.
    channel : Channel
        A channel whose shares are identifiable.
    skipped : int
        The truth of people to whom the question does not apply.

    Returns
    -------
    Estimate
        Of the shares of the truths but `skipped`, shape (truths - 1,).

    Notes
    -----
    No report tells whether the question applied, so the share is a ratio,
    :math:`r = \theta_a / (1 - \theta_s)`, of two estimates from the same reports. Its interval
    inverts the test that :math:`\theta_a - r (1 - \theta_s)`, a mean over the reports, is 0, as
    Fieller's does, with the tails of the reports' own distribution instead of a normal one.

    References
    ----------
    Fieller, E. C. (1954). Some problems in interval estimation. Journal of the Royal Statistical
    Society B 16, 175-185.

    Examples
    --------
    >>> from deniable import designs
    >>> among = applicable_shares([300, 260, 440], designs.k_ary(3, 2), skipped=2)
    >>> among.theta.round(3), among.standard_error.round(3)
    (array([0.558, 0.442]), array([0.034, 0.034]))
    >>> among.interval().round(3)
    array([[0.49 , 0.624],
           [0.376, 0.51 ]])
    """
    if not 0 <= skipped < channel.truths:
        raise ValueError(f"expected a truth from 0 to {channel.truths - 1}, found {skipped}")
    counted = check_counts(counts, channel, codes)
    of, G = np.eye(channel.truths), least_variance(channel)
    ratios = [
        Ratio(of[truth], 1 - of[skipped], G[truth], 1 - G[skipped])
        for truth in range(channel.truths)
        if truth != skipped
    ]
    return estimate_ratios(counted, [channel], ratios, (len(ratios),))


def share_difference(
    item: Item,
    mean: Callable[[list[float]], Group],
    level: float,
    method: str,
    first: Answer,
    second: Answer,
) -> Interval | None:
    """Return the interval of one answer's share less another's, which the same people gave.

    It is a mean: of 1 for each with the first answer, -1 for the second, 0 for others. So it counts
    that two shares of the same people go against each other. `mean`: estimates that of the truths'
    values.
    """
    signs = {first.code: 1.0, second.code: -1.0}
    found = mean([signs.get(one.code, 0.0) for one in item.truths])
    ends = where_certain(lambda: ends_of(found, level, intervals.for_means(method)))
    return None if ends is None else Interval.known(*ends.ravel().tolist())


def ends_of(found: Group, level: float, method: str) -> FloatArray:
    """Return the intervals of estimates, also those that are always valid."""
    if method == intervals.ALWAYS_VALID and isinstance(found, Estimate):
        return found.always_valid(level)
    return found.interval(level, method)


def kinds_of(found: Group, method: str) -> tuple[str, ...]:
    """Return the kinds of the intervals that `ends_of` computes."""
    live = method == intervals.ALWAYS_VALID and isinstance(found, Estimate)
    return (method,) * found.theta.size if live else found.methods(method)


def shares_of(
    answers: Sequence[Answer],
    found: Group,
    level: float,
    method: str,
    ends: FloatArray | None = None,
    **more: Any,
) -> tuple[Share, ...]:
    """Return estimated shares as findings; `ends`: of the intervals, if they are known."""
    return findings_of(
        [partial(Share, answer) for answer in answers],
        found.theta,
        found.standard_error,
        ends_of(found, level, method) if ends is None else ends,
        method=kinds_of(found, method),
        design_effect=found.design_effect,
        **more,
    )


def _check(values: npt.ArrayLike, channel: Channel) -> FloatArray:
    given = np.array(values, dtype=np.float64)
    known = given[~np.isnan(given)]
    if given.shape != (channel.truths,) or not len(known) or np.isinf(known).any():
        raise ValueError(
            f"expected {channel.truths} finite values, one for each truth and a number for one at "
            f"least, found {values!r}"
        )
    return given
