"""The greatest reach of the interval that results show, and the sample size for a reach."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.levels import check_level, normal_quantile
from deniable.channel import Channel
from deniable.estimator import for_values, least_variance, mean_variance, share_variance

COUNTED: Final = 100
"""Up to so many people every count is tried; with more people, a formula bounds all counts."""

# Two contributions that differ by less than this, relative to their range, are equal.
_SAME: Final = 1e-9


def greatest_reach(
    channel: Channel, n: float, level: float = 0.95, *, counted: bool = True
) -> FloatArray:
    r"""Return how far the interval of each truth's share reaches at most to either side.

    Parameters
    ----------
    n : float
        Number of respondents, above 0. Where counts are tried, it is rounded down.
    level : float
        Of the interval, between 0 and 1.
    counted : bool
        Whether to try every count of up to `COUNTED` people. The formula is faster, and a little
        too large.

    Returns
    -------
    ndarray, shape (truths,)
        Distance from the estimate, or the nearest possible value, to the farther end of the
        interval; 0.37 is 37 percentage points.

    Raises
    ------
    ValueError
        If nobody is asked, or the level is not between 0 and 1.

    Notes
    -----
    Where one proportion of the reports tells a share, results show the interval of Feldman and
    Cousins. With up to `COUNTED` people the result is its greatest reach over all counts. With
    more,

    .. math::

        \left(z \sqrt{r (1 - r) / n} + 1 / (2 n)\right) / (b - a)

    bounds it, with a and b the expected proportions if nobody and if everybody has the truth, and r
    the proportion between them nearest to a half: Wald's half-width with half a report of
    continuity correction. An estimate outside [0, 1], which its interval holds too, lies further
    from one of the ends.

    For other shares (see `is_counted`) it is Wald's half-width at the distribution where it is
    greatest: approximately the reach of an interval by inverted tails there.

    Examples
    --------
    With two coins, and 30, 40 and 1,000 people:

    >>> from deniable import designs
    >>> [float(greatest_reach(designs.truth_or_random(), n)[1].round(3)) for n in (30, 40, 1000)]
    [0.374, 0.332, 0.063]
    """
    _check(n, level)
    worst = normal_quantile(level) * np.sqrt(share_variance(channel) / n)
    for truth in range(channel.truths):
        rates = report_rates(channel, truth)
        if rates is not None:
            worst[truth] = _reach(*rates, n, level, counted=counted)
    return np.asarray(worst)


def mean_reach(
    channel: Channel,
    values: npt.ArrayLike,
    n: float,
    level: float = 0.95,
    *,
    applies: float = 1.0,
    counted: bool = True,
) -> float:
    """Return how far the interval of the mean of a value of the truth reaches at most.

    Parameters
    ----------
    values : array_like of float, shape (truths,)
        The value of each truth, such as the levels of a number; nan for a truth that is left out of
        the mean, such as declining.
    applies : float
        The share of people who have a value, above 0, if some truths have none.
    n, level, counted
        See `greatest_reach`.

    Returns
    -------
    float
        In the unit of the values; approximate unless `is_counted`.

    Raises
    ------
    ValueError
        As `greatest_reach`, and if `applies` is not a share above 0.

    Examples
    --------
    >>> from deniable import designs
    >>> round(mean_reach(designs.two_point(11, epsilon=1), range(11), n=1000), 3)
    0.681
    """
    _check(n, level)
    v = np.asarray(values, dtype=np.float64)
    ends = _mean_proportions(channel, v)
    if ends is None:
        variance = mean_variance_among(channel, values, applies)
        return normal_quantile(level) * math.sqrt(variance / n)
    return float(np.ptp(v)) * _reach(*ends, n, level, counted=counted)


def is_counted(channel: Channel, values: npt.ArrayLike | None = None) -> bool:
    """Return whether one proportion of the reports tells every share, or the mean of values.

    Parameters
    ----------
    values : array_like of float, shape (truths,), optional
        See `mean_reach`; by default the shares.

    Returns
    -------
    bool
        Whether `greatest_reach` or `mean_reach` bounds the interval that results show.

    Examples
    --------
    >>> from deniable import designs
    >>> is_counted(designs.truth_or_random()), is_counted(designs.k_ary(3, 1), [0, 5, 10])
    (True, False)
    """
    if values is not None:
        return _mean_proportions(channel, np.asarray(values, dtype=np.float64)) is not None
    return all(report_rates(channel, truth) is not None for truth in range(channel.truths))


def fewest_within(channel: Channel, within: float, level: float = 0.95) -> npt.NDArray[np.int64]:
    """Return the number of respondents at which `greatest_reach` is as small as `within`.

    Parameters
    ----------
    within : float
        How far each interval may reach to either side, above 0: 0.03 is three percentage points.

    Returns
    -------
    ndarray of int, shape (truths,)
        A number that suffices while one respondent fewer does not, for each truth's interval.

    Raises
    ------
    ValueError
        If `within` is not above 0, or the level not between 0 and 1.

    Examples
    --------
    Asked directly, and with two coins:

    >>> from deniable import designs
    >>> from deniable.channel import identity
    >>> fewest_within(identity(2), 0.03), fewest_within(designs.truth_or_random(), 0.03)
    (array([1101, 1101]), array([4335, 4335]))
    """
    check_within(within)

    def enough(truth: int) -> Callable[[int], bool]:
        return lambda n: bool(greatest_reach(channel, n, level)[truth] <= within)

    return np.array([fewest(enough(truth)) for truth in range(channel.truths)])


def mean_variance_among(channel: Channel, values: npt.ArrayLike, applies: float) -> float:
    """Return the worst variance, from one respondent, of a mean among people who have a value.

    Notes
    -----
    The estimate is a ratio R of two means, of g and of h, and its variance to the first order that
    of ``(g - R h) / applies``. For a given R it is linear in the shares, so the worst distribution
    of people with a value has at most two truths; 33 shares of the first are tried.
    """
    if not 0 < applies <= 1:
        raise ValueError(f"expected a share above 0, and 1 at most, found {applies}")
    v = np.asarray(values, dtype=np.float64)
    given = ~np.isnan(v)
    if given.all():
        return mean_variance(channel, values)
    g, h = (for_values(channel, one) for one in (np.where(given, v, 0), given.astype(float)))
    parts = np.stack([g**2, -2 * g * h, h**2]) @ channel.probabilities.T
    worst = 0.0
    own, other = v[given][:, np.newaxis], v[given]
    for part in np.linspace(0, 1, 33):
        powers = (part * own + (1 - part) * other)[..., np.newaxis] ** np.arange(3)
        first, second = (
            np.einsum("abk,kab->ab", powers, np.broadcast_to(one, (3, *powers.shape[:2])))
            for one in (parts[:, given, np.newaxis], parts[:, np.newaxis, given])
        )
        none = (powers @ parts[:, ~given]).max(axis=-1)
        variance = applies * (part * first + (1 - part) * second) + (1 - applies) * none
        worst = max(worst, float(variance.max()))
    return worst / applies**2


def fewest(enough: Callable[[int], bool]) -> int:
    """Return a number that is enough while the next smaller is not, by doubling and halving."""
    n = 1
    while not enough(n):
        n *= 2
    too_few = n // 2
    while n - too_few > 1:
        between = (n + too_few) // 2
        n, too_few = (between, too_few) if enough(between) else (n, between)
    return n


def report_rates(channel: Channel, truth: int) -> tuple[float, float] | None:
    """Return the rates of the reports whose proportion determines a truth's share.

    `truth`: index of a row. `none`, `everybody`: the expected proportion if nobody has the truth,
    and if everybody does; the first is below the second. None if the estimate of the share uses
    more than two values, so that the reports are not binomial.
    """
    if not 0 <= truth < channel.truths:
        raise ValueError(f"expected a truth from 0 to {channel.truths - 1}, found {truth}")
    sendable = channel.probabilities.any(axis=0)
    g = least_variance(channel)[truth, sendable]
    if not _two_values(g):
        return None
    # All other truths send these reports at one rate, since g has mean 0 for each of them.
    rates = channel.probabilities[:, sendable][:, g > (g.min() + g.max()) / 2].sum(axis=1)
    return float(rates[truth - 1]), float(rates[truth])


def check_within(within: float) -> None:
    """Reject a half-width that no interval has."""
    if not 0 < within < math.inf:
        raise ValueError(f"expected a half-width above 0, such as 0.05, found {within}")


def _check(n: float, level: float) -> None:
    check_level(level)
    if not n > 0:
        raise ValueError(f"expected at least 1 respondent, found {n}")


def _mean_proportions(channel: Channel, values: FloatArray) -> tuple[float, float] | None:
    if np.isnan(values).any():  # the mean is a ratio
        return None
    g = for_values(channel, values)[channel.probabilities.any(axis=0)]
    if not _two_values(g):
        return None
    low, high = g.min(), g.max()
    ends = np.array([values.min(), values.max()])
    first, last = np.clip((ends - low) / (high - low), 0, 1).tolist()
    return first, last


def _two_values(g: FloatArray) -> bool:
    low, high = g.min(), g.max()
    return bool(np.minimum(g - low, high - g).max() <= _SAME * (high - low))


def _reach(none: float, everybody: float, n: float, level: float, *, counted: bool) -> float:
    """Return the reach of a mean with a range of 1, whose ends are these two proportions."""
    if counted and n <= COUNTED:
        found = _greatest(none, everybody, max(1, math.floor(n)), level)
    else:
        rate = min(max(none, 0.5), everybody)
        found = normal_quantile(level) * math.sqrt(rate * (1 - rate) / n) + 0.5 / n
    return min(found / (everybody - none), 1.0)


@lru_cache(maxsize=4096)
def _greatest(none: float, everybody: float, n: int, level: float) -> float:
    """Return the greatest reach of the interval of a proportion, over all counts."""
    # Late import: a starting server warns of wide intervals by the formula alone.
    from deniable.analysis.intervals import OF_PROPORTION, proportion  # noqa: PLC0415  loads scipy

    counts = np.arange(n + 1, dtype=np.float64)
    low, high = proportion.ends(
        OF_PROPORTION, counts, n, level, np.array(none), np.array(everybody)
    )
    estimates = np.clip(counts / n, none, everybody)
    return float(np.maximum(estimates - low, high - estimates).max())
