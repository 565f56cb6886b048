"""From noisy reports to the true share, one line of arithmetic at a time.

The reports that name an answer are one proportion (in Warner's design, every channel of two
reports, and k-ary randomised response). The answer's share is that proportion, minus what chance
alone would send, divided by what a true answer adds.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from deniable.analysis.estimation import Estimate, estimate
from deniable.analysis.planning.reach import report_rates
from deniable.channel import Channel
from deniable.lab.said import number, percent

_EXACT: Final = 1e-6
"""A number of people that rounding moves by less is exact: chances are multiples of 2^-32."""

_ENOUGH_DIGITS: Final = 2
_MOST_DIGITS: Final = 6
"""Decimals of a number of people that is not whole, and the most that a sum may need."""


@dataclass(frozen=True)
class Unmixed:
    """The way from the reports to the share of one truth."""

    # The expected share of reports that name the truth, if it is true of nobody and of everybody.
    none: float
    everybody: float
    observed: float  # the share of reports that name the truth
    share: float  # the unbiased estimate, which may be below 0 or above 1

    @property
    def less(self) -> float:
        """The observed share minus what chance alone adds."""
        return self.observed - self.none

    @property
    def kept(self) -> float:
        """The divisor: 1 − 2p, where chance flips p of both answers. So many it lets through."""
        return self.everybody - self.none


def in_people(one: Unmixed, n: int) -> tuple[str, ...]:
    """Write the way to a share in people, with the fewest decimals that give the exact result.

    The reports, those by chance, and what is left; then all reports by chance, of any answer, and
    all that chance lets through. These two are all n reports.

    >>> in_people(Unmixed(0.25, 0.75, 0.4, 0.3), 30)
    ('12', '7.5', '4.5', '15', '15')
    """
    reports, share = round(one.observed * n), percent(one.share)

    def comes_out(digits: int) -> bool:
        chance, kept = round(one.none * n, digits), round(one.kept * n, digits)
        rounded = max(abs(chance - one.none * n), abs(kept - one.kept * n))
        enough = digits >= _ENOUGH_DIGITS or rounded < _EXACT
        return enough and kept > 0 and percent((reports - chance) / kept) == share

    digits = next(filter(comes_out, range(_MOST_DIGITS)), _MOST_DIGITS)
    chance, kept = round(one.none * n, digits), round(one.kept * n, digits)
    way = (reports, chance, reports - chance, n - kept, kept)
    return tuple(number(people, digits) for people in way)


def in_percent(one: Unmixed, *, is_symmetric: bool) -> str:
    """Write (ā − p) / (q − p), or / (1 − 2p), with the fewest decimals that give the result.

    >>> in_percent(Unmixed(0.25, 0.75, 0.4, 0.3), is_symmetric=True)
    '(40 − 25) / (100 − 50) = 30 %'
    """
    share = percent(one.share)

    def rounded(digits: int) -> list[float]:
        ends = (1, 2 * one.none) if is_symmetric else (one.everybody, one.none)
        return [round(100 * part, digits) for part in (one.observed, one.none, *ends)]

    def comes_out(digits: int) -> bool:
        observed, none, high, low = rounded(digits)
        return high > low and percent((observed - none) / (high - low)) == share

    digits = next(filter(comes_out, range(1, _MOST_DIGITS)), _MOST_DIGITS)
    observed, none, high, low = (number(part, digits) for part in rounded(digits))
    return f"({observed} − {none}) / ({high} − {low}) = {share}"


@dataclass(frozen=True)
class Found:
    """An estimate with its interval."""

    shares: tuple[float, ...]  # of each truth; may be below 0 or above 1
    # The ends of their 95 % intervals; None where no share agrees with the reports.
    ends: tuple[tuple[float, float] | None, ...]


@lru_cache(maxsize=512)
def find(channel: Channel, counts: tuple[int, ...]) -> Found:
    """Estimate the shares of all truths from at least one report.

    >>> from deniable import designs
    >>> found = find(designs.warner(flip="1/4"), (18, 12))
    >>> [round(share, 3) for share in found.shares], [round(end, 2) for end in found.ends[1] or ()]
    ([0.7, 0.3], [0.0, 0.67])
    """
    made: Estimate = estimate(counts, channel)
    return Found(
        tuple(made.theta.tolist()),
        tuple(None if math.isnan(low) else (low, high) for low, high in made.interval().tolist()),
    )


def unmix(channel: Channel, counts: tuple[int, ...]) -> tuple[Unmixed, ...]:
    """Return the way to the share of each truth, by its `report_rates`."""
    found = []
    for truth, share in enumerate(find(channel, counts).shares):
        none, everybody = report_rates(channel, truth) or (0.0, 1.0)
        found.append(Unmixed(none, everybody, none + share * (everybody - none), share))
    return tuple(found)
