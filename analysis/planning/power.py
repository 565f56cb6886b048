"""The power of a test of two groups, and the sample sizes for it.

Through a channel of two reports, or k-ary randomised response, a truth's share follows from one
proportion of the reports. So tests of the share are tests of binomial proportions, whose power is
computed exactly: over all possible reports, not by a normal curve.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.counts.labels import whole
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.planning.reach import fewest, report_rates
from deniable.analysis.planning.significance import PlannedTest, two_binomials_reject
from deniable.channel import Channel
from deniable.estimator import check_shares, share_variance

# Beyond so many respondents the power of a test of two groups rises so evenly that no search for a
# tooth of the saw is needed.
_EVEN: Final = 20_000


BY_INTERVAL: Final = PlannedTest()


@dataclass(frozen=True)
class Power:
    """How often a test rejects.

    Parameters
    ----------
    n : tuple of int
        Respondents of each group.
    power : float
        Chance to reject if the planned shares are true.
    """

    n: tuple[int, ...]
    power: float


def power_two_groups(
    channel: Channel,
    n: tuple[int, int],
    *,
    shares: tuple[npt.ArrayLike, npt.ArrayLike],
    truth: int = 1,
    test: PlannedTest = BY_INTERVAL,
) -> Power:
    """Return the power of the test that a truth has the same share in two groups.

    Parameters
    ----------
    n : tuple of int
        Number of respondents of each group, at least 1.
    shares : tuple of float, or of array_like of float of shape (truths,)
        Planned shares of the truth, or of all truths, in the first and the second group. Of all
        truths if there are more than two and the test is `normal`.
    truth : int
        Index of a row.
    test : PlannedTest
        By default that of the interval, at a significance of 0.05.

    Notes
    -----
    `interval` rejects where the p-value of `deniable.analysis.joint.groups.difference` is below the
    significance. The sum over all numbers x and y of reports about the truth is a sum over x of the
    binomial tails of y. Power is not a smooth function of n but a sawtooth: with one more
    respondent the test may require one more report.

    The `normal` test is that of the R package rr: reject beyond ``z σ_0``, with σ_0 the standard
    error if both groups have the shares of the groups together.

    References
    ----------
    Chernick, M. R. and Liu, C. Y. (2002). The saw-toothed behavior of power versus sample size and
    software solutions. American Statistician 56, 149-155. Blair, G., Imai, K. and Zhou, Y.-Y.
    (2015). Design and analysis of the randomized response technique. JASA 110, 1304-1319,
    section 4: power.

    Examples
    --------
    >>> from deniable import designs
    >>> coins = designs.truth_or_random()
    >>> shares = 0.1, 0.25
    >>> for test in (PlannedTest("interval"), PlannedTest("normal")):
    ...     print(round(power_two_groups(coins, (800, 800), shares=shares, test=test).power, 3))
    0.882
    0.888
    """
    for size in n:
        whole(size, "respondent")
    first, second = (_planned(channel, share, truth) for share in shares)
    return Power(n, _power_of_two(first, second, n, test))


def sample_size_two_groups(
    channel: Channel,
    *,
    shares: tuple[npt.ArrayLike, npt.ArrayLike],
    power: float = 0.8,
    truth: int = 1,
    test: PlannedTest = BY_INTERVAL,
    ratio: float = 1.0,
) -> Power:
    """Return the numbers of respondents at which a test of two groups has the target power.

    Parameters
    ----------
    channel, shares, truth, test
        See `power_two_groups`.
    power : float
        The target power, between the significance and 1.
    ratio : float
        Size of the second group relative to the first, above 0.

    Returns
    -------
    Power
        For the smallest sizes from which on the power stays at or above the target.

    Notes
    -----
    Doubling and halving finds an n that has the power while n - 1 has not. From ``sqrt(n) + 10``
    above it, further than the sawtooth was ever seen to reach, all n are then tried downwards;
    beyond 20,000 respondents this is not needed.

    Examples
    --------
    >>> from deniable import designs
    >>> coins = designs.truth_or_random()
    >>> sample_size_two_groups(coins, shares=(0.1, 0.25)).n
    (641, 641)
    """
    first, second = (_planned(channel, share, truth) for share in shares)
    if not test.significance < power < 1:
        raise ValueError(
            f"expected a power above the significance of {test.significance} and below 1, "
            f"found {power}"
        )
    if first.share == second.share:
        raise ValueError("expected planned shares that differ, found the same share twice")

    def sizes(n: int) -> tuple[int, int]:
        return n, max(1, round(n * ratio))

    def reached(n: int) -> bool:
        return _power_of_two(first, second, sizes(n), test) >= power

    enough = fewest(reached)
    if test.method != "normal" and enough <= _EVEN:
        last, first_enough = enough + math.isqrt(enough) + 10, enough
        enough = 1 + next(n for n in range(last, -1, -1) if n < first_enough or not reached(n))
    return power_two_groups(channel, sizes(enough), shares=shares, truth=truth, test=test)


@dataclass(frozen=True, eq=False)
class _Planned:
    """A planned share through a channel."""

    channel: Channel
    truth: int
    share: float
    theta: FloatArray | None

    @property
    def rate(self) -> float:
        """The planned proportion of reports about the truth."""
        found = report_rates(self.channel, self.truth)
        if found is None:
            raise ValueError(
                "expected a test 'normal', since the reports about this truth are not binomial "
                "under this design, found another one"
            )
        none, everybody = found
        return none * (1 - self.share) + everybody * self.share

    @property
    def variance(self) -> float:
        return float(share_variance(self.channel, self.population)[self.truth])

    @property
    def population(self) -> FloatArray:
        """The planned shares of all truths."""
        if self.theta is not None:
            return self.theta
        if self.channel.truths > 2 and report_rates(self.channel, self.truth) is None:
            raise ValueError(
                f"expected the planned shares of all {self.channel.truths} truths, on which the "
                f"variance depends under this design, found that of one: {self.share}"
            )
        others = self.channel.truths - 1  # their mix makes no difference
        theta = np.full(self.channel.truths, (1 - self.share) / others)
        theta[self.truth] = self.share
        return theta


def _planned(channel: Channel, share: npt.ArrayLike, truth: int) -> _Planned:
    if not 0 <= truth < channel.truths:
        raise ValueError(f"expected a truth from 0 to {channel.truths - 1}, found {truth}")
    given = np.asarray(share, dtype=np.float64)
    if given.ndim:
        theta = check_shares(given, channel)
        return _Planned(channel, truth, float(theta[truth]), theta)
    if not 0 <= given <= 1:
        raise ValueError(f"expected a share that is planned between 0 and 1, found {float(given)}")
    return _Planned(channel, truth, float(given), None)


def _power_of_two(
    first: _Planned, second: _Planned, n: tuple[int, int], test: PlannedTest
) -> float:
    """Return the chance that the test of two groups rejects, at the planned shares."""
    if test.method != "normal":
        return two_binomials_reject(n, (first.rate, second.rate), test.tail)
    together = (first.population * n[0] + second.population * n[1]) / sum(n)
    pooled = float(share_variance(first.channel, together)[first.truth])
    return _normal_power(
        second.share - first.share,
        math.sqrt(first.variance / n[0] + second.variance / n[1]),
        math.sqrt(pooled * (1 / n[0] + 1 / n[1])),
        test.tail,
    )


def _normal_power(difference: float, error: float, null_error: float, tail: float) -> float:
    beyond = -scipy.special.ndtri(tail) * null_error
    past = [sign * difference - beyond for sign in (-1, 1)]
    if error == 0:  # asked directly, with a share of 0 or 1: no chance is involved
        return float(max(past) > 0)
    return float(sum(scipy.special.ndtr(one / error) for one in past))
