"""Expected widths of intervals, and sample sizes for them, before a survey."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.labels import whole
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.levels import check_choice, check_level, normal_quantile
from deniable.channel import Channel
from deniable.estimator import (
    check_shares,
    for_values,
    least_variance,
    mean_variance,
    share_variance,
)


def half_width(
    channel: Channel, n: int, level: float = 0.95, *, theta: npt.ArrayLike | None = None
) -> FloatArray:
    """Return half the expected width of the interval of each truth's share.

    Parameters
    ----------
    n : int
        Number of respondents, at least 1.
    theta : array_like of float, shape (truths,), optional
        Planned shares of the truths. By default, for each truth the shares at which its interval is
        widest.

    Returns
    -------
    ndarray, shape (truths,)
        A normal quantile times the standard error; 0.04 is 4 percentage points to either side.

    Notes
    -----
    It is that of Wald's interval. See `expected_half_width` for the exact expectation of another
    interval, at small n, and `deniable.analysis.planning.reach.greatest_reach` for the greatest
    reach of the interval that results show.

    Examples
    --------
    >>> from deniable import designs
    >>> half_width(designs.truth_or_random(), n=1000).round(3)
    array([0.062, 0.062])
    """
    check_level(level)
    whole(n, "respondent")
    return normal_quantile(level) * np.sqrt(share_variance(channel, theta) / n)


def sample_size(
    channel: Channel, within: float, level: float = 0.95, *, theta: npt.ArrayLike | None = None
) -> npt.NDArray[np.int64]:
    """Return the number of respondents at which `half_width` is as small as `within`.

    Parameters
    ----------
    within : float
        The target half-width, above 0: 0.03 for three percentage points to either side.
    level, theta
        See `half_width`.

    Returns
    -------
    ndarray of int, shape (truths,)
        The fewest respondents for each truth's interval; the largest number serves all.

    Examples
    --------
    Asked directly, and with two coins:

    >>> from deniable import designs
    >>> from deniable.channel import identity
    >>> sample_size(identity(2), within=0.03), sample_size(designs.truth_or_random(), within=0.03)
    (array([1068, 1068]), array([4269, 4269]))
    """
    variance = share_variance(channel, theta)
    check_level(level)
    check_within(within)
    n = normal_quantile(level) ** 2 * variance / within**2
    # A quotient that is whole but for rounding counts as whole.
    return np.maximum(np.ceil(n * (1 - 1e-12)), 1).astype(np.int64)


def mean_half_width(
    channel: Channel,
    values: npt.ArrayLike,
    n: int,
    level: float = 0.95,
    *,
    theta: npt.ArrayLike | None = None,
    applies: float = 1.0,
) -> float:
    """Return half the expected width of the interval of the mean of a value of the truth.

    Parameters
    ----------
    values : array_like of float, shape (truths,)
        The value of each truth, such as the levels of a number; nan for a truth that is left out of
        the mean, such as declining.
    n : int
        Number of respondents, at least 1.
    theta : array_like of float, shape (truths,), optional
        Planned shares of the truths; by default the shares at which it is widest.
    applies : float
        The share of people who have a value, above 0, if some truths have none.

    Returns
    -------
    float
        In the unit of the values.

    Examples
    --------
    >>> from deniable import designs
    >>> round(mean_half_width(designs.k_ary(3, 1), [0, 5, 10], n=1000), 2)
    0.76
    """
    check_level(level)
    whole(n, "respondent")
    variance = mean_variance_among(channel, values, theta, applies)
    return normal_quantile(level) * math.sqrt(variance / n)


def mean_variance_among(
    channel: Channel, values: npt.ArrayLike, theta: npt.ArrayLike | None, applies: float
) -> float:
    """Return the variance, from one respondent, of a mean among people who have a value.

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
        return mean_variance(channel, values, theta)
    g, h = (for_values(channel, one) for one in (np.where(given, v, 0), given.astype(float)))
    parts = np.stack([g**2, -2 * g * h, h**2]) @ channel.probabilities.T
    if theta is not None:
        shares = check_shares(theta, channel)
        ratio = float(shares[given] @ v[given] / shares[given].sum())
        return float(ratio ** np.arange(3) @ parts @ shares / shares[given].sum() ** 2)
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


def expected_half_width(
    channel: Channel,
    n: int,
    share: float | None = None,
    *,
    truth: int = 1,
    method: str = "wilson",
    level: float = 0.95,
) -> float:
    """Return half the exact expected width of an interval of one truth's share.

    Parameters
    ----------
    channel : Channel
        Through which the share is that of one proportion of the reports: every channel of two
        reports, and k-ary randomised response.
    n : int
        Number of respondents, at least 1.
    share : float, optional
        Planned share of the truth; by default the share at which the reports' proportion is nearest
        to 1/2, where intervals are widest.
    truth : int
        Index of a row.
    method : str
        One of `deniable.analysis.intervals.proportion.METHODS`.

    Returns
    -------
    float
        The mean over all possible counts, weighted with their binomial chances.

    Examples
    --------
    With 50 respondents, as Clopper and Pearson would have it and as the normal formula has it:

    >>> from deniable import designs
    >>> coins = designs.truth_or_random()
    >>> round(expected_half_width(coins, 50, 0.1, method="exact"), 3)
    0.265
    >>> half_width(coins, 50, theta=[0.9, 0.1]).round(3)
    array([0.254, 0.254])
    """
    # Late imports: a starting server uses only the other functions.
    from scipy import special  # noqa: PLC0415  loads slowly

    from deniable.analysis.intervals.proportion import METHODS  # noqa: PLC0415  loads scipy

    check_level(level)
    whole(n, "respondent")
    check_choice(method, METHODS, "an interval")
    rates = report_rates(channel, truth)
    if rates is None:
        raise ValueError(
            "expected a design whose reports about the truth are one proportion, such as one of "
            "two reports or k-ary randomised response; use half_width"
        )
    none, everybody = rates
    if share is None:
        rate = min(max(none, 0.5), everybody)
    elif 0 <= share <= 1:
        rate = none * (1 - share) + everybody * share
    else:
        raise ValueError(f"expected a share between 0 and 1, found {share}")
    x = np.arange(n + 1, dtype=np.float64)
    low, high = METHODS[method](x, n, level)
    # From the distribution function: scipy.stats takes longer to load than a server.
    chances = np.diff(special.bdtr(x, n, rate), prepend=0.0)
    return float(chances @ (high - low)) / 2 / (everybody - none)


def expected_sample_size(
    channel: Channel,
    within: float,
    share: float | None = None,
    *,
    truth: int = 1,
    method: str = "wilson",
    level: float = 0.95,
) -> int:
    """Return the number of respondents at which `expected_half_width` is as small as `within`.

    Parameters
    ----------
    channel, share, truth, method, level
        See `expected_half_width`.
    within : float
        The target half-width, above 0.

    Notes
    -----
    The expectation falls as n grows, so halving the range finds the fewest.

    Examples
    --------
    >>> from deniable import designs
    >>> expected_sample_size(designs.truth_or_random(), within=0.2, method="exact")
    103
    """
    check_within(within)

    def narrow(n: int) -> bool:
        width = expected_half_width(channel, n, share, truth=truth, method=method, level=level)
        return width <= within

    return fewest(narrow)


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
    low, high = g.min(), g.max()
    if np.minimum(g - low, high - g).max() > 1e-9 * (high - low):
        return None
    # All other truths send these reports at one rate, since g has mean 0 for each of them.
    rates = channel.probabilities[:, sendable][:, g > (low + high) / 2].sum(axis=1)
    return float(rates[truth - 1]), float(rates[truth])


def check_within(within: float) -> None:
    """Reject a half-width that no interval has."""
    if not 0 < within < math.inf:
        raise ValueError(f"expected a half-width above 0, such as 0.05, found {within}")
