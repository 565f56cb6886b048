"""Taking the noise out, one line of arithmetic after the other.

The reports about an answer are one proportion (Warner's, every channel of two reports, k-ary
randomised response). The answer's share is that proportion, less what chance alone would send,
divided by what a true answer adds.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import scipy

from deniable.analysis.estimation import Estimate, estimate
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.planning.widths import report_rates
from deniable.channel import Channel
from deniable.lab.said import number, percent

_EXACT: Final = 1e-6
"""A number of people that is rounded by less is exact: chances are multiples of 2^-32."""

_ENOUGH_DIGITS: Final = 2
_MOST_DIGITS: Final = 6
"""Decimals of people who are no whole number, and the most that a sum may need."""


@dataclass(frozen=True)
class Unmixed:
    """The way from the reports to the share of one truth."""

    # The share of reports that speak for it, if it is true of nobody and if it is of everybody.
    none: float
    everybody: float
    observed: float  # the share of reports that speak for it
    share: float  # the unbiased estimate, as it comes out

    @property
    def less(self) -> float:
        """What is left after what chance adds is taken away."""
        return self.observed - self.none

    @property
    def kept(self) -> float:
        """By what that is divided: 1 − 2p, where chance flips p of both answers."""
        return self.everybody - self.none


@dataclass(frozen=True)
class Sum:
    """The same in people; computing with the digits shown gives the share that is shown."""

    reports: str  # how many speak for the truth
    chance: str  # how many would if it were true of nobody
    left: str  # the first less the second
    kept: str  # how many more would speak for it if it were true of everybody
    all: str  # how many would then
    share: str  # what is left, divided by `kept`, in percent

    def __str__(self) -> str:
        """Write the sum in a line."""
        return f"({self.reports} − {self.chance}) / {self.kept} = {self.share}"


def in_people(one: Unmixed, n: int) -> Sum:
    """Write the way to a share in people, with as few decimals as the sum needs to come out."""
    reports, share = round(one.observed * n), percent(one.share)

    def comes_out(digits: int) -> bool:
        chance, kept = round(one.none * n, digits), round(one.kept * n, digits)
        rounded = max(abs(chance - one.none * n), abs(kept - one.kept * n))
        enough = digits >= _ENOUGH_DIGITS or rounded < _EXACT
        return enough and kept > 0 and percent((reports - chance) / kept) == share

    digits = next(filter(comes_out, range(_MOST_DIGITS)), _MOST_DIGITS)
    chance, kept = round(one.none * n, digits), round(one.kept * n, digits)
    left = reports - chance
    return Sum(
        f"{reports:,}",
        number(chance, digits),
        number(left, digits),
        number(kept, digits),
        number(chance + kept, digits),
        share,
    )


@dataclass(frozen=True)
class Found:
    """An estimate with its interval."""

    shares: tuple[float, ...]  # of each truth, as they come out
    # Of their 95 % intervals; None where no share agrees with the reports.
    ends: tuple[tuple[float, float] | None, ...]
    likely: tuple[float, ...]  # the most likely shares that can be: none below 0, and together 1


@lru_cache(maxsize=512)
def find(channel: Channel, counts: tuple[int, ...]) -> Found:
    """Estimate the shares of all truths; there must be a report.

    >>> from deniable import designs
    >>> found = find(designs.warner(flip="1/4"), (18, 12))
    >>> [round(share, 3) for share in found.shares], [round(end, 2) for end in found.ends[1] or ()]
    ([0.7, 0.3], [0.0, 0.67])
    """
    made: Estimate = estimate(counts, channel)
    return Found(
        tuple(made.theta.tolist()),
        tuple(None if math.isnan(low) else (low, high) for low, high in made.interval().tolist()),
        tuple(made.maximum_likelihood.tolist()),
    )


def unmix(channel: Channel, counts: tuple[int, ...]) -> tuple[Unmixed, ...]:
    """Find the way to the share of each truth, where each has `report_rates`."""
    found = []
    for truth, share in enumerate(find(channel, counts).shares):
        none, everybody = report_rates(channel, truth) or (0.0, 1.0)
        found.append(Unmixed(none, everybody, none + share * (everybody - none), share))
    return tuple(found)


def nearer(channel: Channel, yes: int, n: int) -> tuple[float, float]:
    """Say how often un-mixing helps: of all that chance can make of a class of n people.

    `channel`: of two answers. `yes`: of how many the second answer is true. Result: in which part
    the un-mixed share lies nearer to theirs than the received one, and in which both are as near.

    >>> from deniable import designs
    >>> [round(part, 3) for part in nearer(designs.truth_or_random(), 8, 40)]
    [0.679, 0.13]
    """
    (_, none), (_, everybody) = channel.probabilities.tolist()
    chances = np.convolve(_binomial(yes, everybody), _binomial(n - yes, none))
    # In parts of a person, so that what is equally far away is so whatever the rounding.
    received = np.arange(n + 1)
    far = np.abs(received - yes)
    unmixed = np.abs((received - n * none) / (everybody - none) - yes)
    is_equal = np.abs(unmixed - far) < _EXACT
    return float(chances[(unmixed < far) & ~is_equal].sum()), float(chances[is_equal].sum())


def _binomial(n: int, rate: float) -> FloatArray:
    """Return the chances of all counts from 0 to n."""
    return np.diff(scipy.special.bdtr(np.arange(n + 1.0), n, rate), prepend=0.0)
