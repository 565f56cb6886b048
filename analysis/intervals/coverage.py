"""How often intervals cover the truth: summed over every possible survey, not simulated."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis import intervals
from deniable.analysis.counts.labels import whole
from deniable.analysis.estimation import estimate
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.levels import check_level
from deniable.channel import Channel
from deniable.estimator import least_variance

MAX_OUTCOMES: Final = 100_000
"""Most tables of counts for a sum."""

# Distance from an end at which its two sides are tried: far above rounding, and so small that a
# chance changes by less than 1e-6 even at n = 100,000.
_BESIDE: Final = 1e-10

# Most chances in a block of points times outcomes.
_BLOCK: Final = 2**22


@dataclass(frozen=True, eq=False)
class Coverage:
    """Coverage of an interval at several distributions. Made by `exact_coverage`.

    Parameters
    ----------
    share : ndarray, shape (points,)
        True share of the truth whose interval it is.
    coverage : ndarray, shape (points,)
        Probability that the interval holds the share.
    """

    share: FloatArray
    coverage: FloatArray


def exact_coverage(
    channel: Channel,
    n: int,
    theta: npt.ArrayLike,
    *,
    method: str = intervals.DEFAULT,
    level: float = 0.95,
    truth: int = 1,
) -> Coverage:
    """Compute the exact coverage of an interval.

    Parameters
    ----------
    n : int
        Number of respondents, at least 1.
    theta : array_like, shape (points,) or (points, truths)
        Shares of the second of two truths, or distributions of any number of truths.
    method : str
        One of `deniable.analysis.intervals.NAMES`.
    truth : int
        The truth whose interval it is, 0 to ``truths - 1``.

    Notes
    -----
    The interval of every table of n counts is computed once, and the table's multinomial chance at
    each distribution. With two reports there are n + 1 tables.

    Examples
    --------
    >>> from deniable import designs
    >>> found = exact_coverage(designs.warner(flip="1/4"), 20, [0, 0.5], method="wald")
    >>> found.coverage.round(3)
    array([0.962, 0.959])
    """
    _check(n, method, level)
    if not 0 <= truth < channel.truths:
        raise ValueError(f"expected a truth from 0 to {channel.truths - 1}, found {truth}")
    shares = _distributions(theta, channel)
    counts = _outcomes(channel, n)
    low, high = _all_intervals(channel, n, method, level)[:, truth].T
    log_ways = scipy.special.gammaln(n + 1) - scipy.special.gammaln(counts + 1).sum(axis=1)
    coverage = np.empty(len(shares))
    step = max(1, _BLOCK // len(counts))
    for first in range(0, len(shares), step):
        some = slice(first, first + step)
        # An impossible report: e^-690 is as good as 0, and its logarithm can be multiplied by 0.
        log_P = np.log(np.maximum(shares[some] @ channel.probabilities, 1e-300))
        chance = np.exp(log_ways + log_P @ counts.T)
        share = shares[some, truth, np.newaxis]
        held = (low <= share) & (share <= high)
        coverage[some] = (chance * held).sum(axis=1)
    return Coverage(share=shares[:, truth], coverage=coverage)


def least_coverage(
    channel: Channel, n: int, *, method: str = intervals.DEFAULT, level: float = 0.95
) -> float:
    """Return the least coverage of an interval over all shares, for a design of two reports.

    Parameters
    ----------
    channel : Channel
        Of two truths and two reports.
    n, method, level
        As for `exact_coverage`.

    Notes
    -----
    As the share grows, the coverage jumps where the share passes the end of an interval. In
    between, the same outcomes cover the share; if they are consecutive, their total chance rises
    and then falls, so it is least beside an end, on the side where that interval does not cover the
    share. These sides of all ends are tried, with the shares 0 and 1: this is the minimum over all
    of [0, 1], not over a grid. Only for `wald`, where the outcomes are not always consecutive, it
    may be lower elsewhere.

    Examples
    --------
    >>> from deniable import designs
    >>> round(least_coverage(designs.warner(epsilon=1), 20, method="exact"), 3)
    0.958
    """
    if channel.truths != 2 or channel.reports != 2:
        raise ValueError(
            "expected a channel of 2 truths and 2 reports, "
            f"found {channel.truths} and {channel.reports}"
        )
    _check(n, method, level)
    low, high = _all_intervals(channel, n, method, level)[:, 1].T
    beside = np.concatenate([low - _BESIDE, high + _BESIDE])
    theta = np.concatenate([[0, 1], beside[(beside > 0) & (beside < 1)]])
    return float(exact_coverage(channel, n, theta, method=method, level=level).coverage.min())


def _check(n: int, method: str, level: float) -> None:
    check_level(level)
    intervals.check_method(method)
    whole(n, "respondent")


def _distributions(theta: npt.ArrayLike, channel: Channel) -> FloatArray:
    """Return distributions of the truth, shape (points, truths)."""
    given = np.asarray(theta, dtype=np.float64)
    if given.ndim == 1 and channel.truths == 2:
        given = np.stack([1 - given, given], axis=1)
    if given.ndim != 2 or given.shape[1] != channel.truths:
        raise ValueError(
            f"expected distributions of {channel.truths} truths, one a row, "
            f"found an array of shape {given.shape}"
        )
    if not ((given >= 0).all() and np.allclose(given.sum(axis=1), 1, rtol=0, atol=1e-9)):
        raise ValueError(
            f"expected shares of at least 0 that sum to 1, found {np.asarray(theta).tolist()}"
        )
    return given


@lru_cache(maxsize=16)
def _outcomes(channel: Channel, n: int) -> npt.NDArray[np.int64]:
    """Return all tables of n counts of the reports that can be sent, shape (tables, reports)."""
    sendable = np.flatnonzero(channel.probabilities.any(axis=0))
    bars = len(sendable) - 1
    tables = math.comb(n + bars, bars)
    if tables > MAX_OUTCOMES:
        raise ValueError(
            f"expected at most {MAX_OUTCOMES} tables of counts to sum over, found {tables}: "
            f"{n} respondents and {len(sendable)} reports"
        )
    # Stars and bars: the counts are the gaps between bars among n + bars places.
    places = np.array(list(itertools.combinations(range(n + bars), bars)), dtype=np.int64)
    edges = np.pad(places.reshape(tables, bars), ((0, 0), (1, 1)), constant_values=(-1, n + bars))
    counts = np.zeros((tables, channel.reports), dtype=np.int64)
    counts[:, sendable] = np.diff(edges, axis=1) - 1
    counts.flags.writeable = False
    return counts


@lru_cache(maxsize=64)
def _all_intervals(channel: Channel, n: int, method: str, level: float) -> FloatArray:
    """Return the intervals of every outcome, shape (tables, truths, 2)."""
    counts = _outcomes(channel, n)
    sendable = channel.probabilities.any(axis=0)
    G = least_variance(channel)[:, sendable]
    if method == "auto" and intervals.is_by_proportion(G).all():
        method = intervals.OF_PROPORTION
    alone = len(G) == 2 and intervals.is_by_proportion(G).all()
    if method in ("auto", "tail", "wald") or (method == "likelihood" and not alone):
        found = np.array([estimate(table, channel).interval(level, method) for table in counts])
    else:
        came = counts[:, sendable].astype(np.float64)
        found = intervals.through_channel(came, G, method, level)
    found.flags.writeable = False
    return found
