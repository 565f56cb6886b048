"""How often always-valid intervals miss the truth at any look, and how wide they are."""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import optimize, special

from benchmarks.measuring import markdown
from deniable import designs
from deniable.analysis.intervals import always_valid
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.levels import normal_quantile
from deniable.analysis.numerics.mixture import greatest_log_likelihood
from deniable.channel import Channel, identity
from deniable.estimator import for_values

LEVEL: Final = 0.95
LOOKS: Final = (100, 1000, 10_000)
WILSON_FROM: Final = 20

COINS: Final = designs.warner(flip="1/4")

WATCHED: Final[tuple[tuple[str, Channel, float], ...]] = (
    ("Warner, ε = 0.5", designs.warner(epsilon="0.5"), 0.0),
    ("Warner, ε = ln 3", COINS, 0.05),
    ("Warner, ε = ln 3", COINS, 0.5),
    ("Warner, ε = 3", designs.warner(epsilon=3), 0.0),
    ("forced response, 2/3 and 1/2", designs.forced_response("2/3", "1/2"), 0.2),
    ("direct", identity(2), 0.01),
    ("direct", identity(2), 0.5),
)
"""Name, channel and true share of yes of each row of the first table."""


def chance_to_miss(
    p: float, looks: Sequence[int], bounds: Iterable[tuple[int, int]]
) -> list[float]:
    """Compute how likely the true rate of a report is missed at some look, from 1 report on."""
    chance = np.zeros(max(looks) + 2)
    chance[0] = 1.0
    missed = 0.0
    found = []
    for n, (first, last) in zip(range(1, max(looks) + 1), bounds, strict=False):
        walk = chance[: n + 1] * (1 - p)
        walk[1:] += chance[:n] * p
        missed += float(walk[:first].sum() + walk[last + 1 :].sum())
        walk[:first] = 0
        walk[last + 1 :] = 0
        chance[: n + 1] = walk
        if n in looks:
            found.append(missed)
    return found


def always_valid_bounds(p: float) -> Iterator[tuple[int, int]]:
    """Yield the fewest and the most reports of rate p at which the interval holds p, for each n."""
    first = last = 0
    for n in itertools.count(1):
        # Another report of this kind makes p look lower and one of the other kind higher, so that
        # either bound moves by 1 at most.
        last += _holds(last + 1, n, p)
        first += not _holds(n - first, n, 1 - p)
        yield first, last


def _holds(came: int, n: int, p: float) -> bool:
    """Tell whether p is not below the interval of the rate of a report that came so often of n."""
    bets = always_valid.Bets.on(np.array([0.0, 1.0]), [n - came, came])
    return bets.log_money(p) <= always_valid.goal(LEVEL)


def wilson_bounds(p: float) -> Iterator[tuple[int, int]]:
    """Yield the same for Wilson's interval, which nobody looks at before `WILSON_FROM` reports."""
    for n in itertools.count(1):
        half = normal_quantile(LEVEL) * math.sqrt(n * p * (1 - p))
        yield (0, n) if n < WILSON_FROM else (math.ceil(n * p - half), math.floor(n * p + half))


@dataclass(frozen=True, eq=False)
class Case:
    """An average over the truths, at the reports that are expected of a distribution of them."""

    channel: Channel
    theta: FloatArray  # distribution of the truths, and what each counts for
    values: FloatArray

    @property
    def _reports(self) -> FloatArray:
        return self.theta @ self.channel.probabilities

    @property
    def _g(self) -> FloatArray:
        return for_values(self.channel, self.values)

    def wald(self, n: int) -> float:
        """Return the width of Wald's interval."""
        variance = float(self._reports @ self._g**2 - (self._reports @ self._g) ** 2)
        return 2 * normal_quantile(LEVEL) * math.sqrt(variance / n)

    def width(self, n: int) -> float:
        """Return how many times as wide the always-valid interval is."""
        low, high = always_valid.mean(self._g, n * self._reports, LEVEL)
        return (high - low) / self.wald(n)

    def mixture_width(self, n: int) -> float:
        """Return the same of the interval by a Dirichlet mixture over the reports, parameter 1/2.

        It holds the averages of the distributions of the truth whose likelihood is at least
        `1 - LEVEL` times the mixture's.
        """
        counts = n * self._reports
        half = np.full(len(counts), 0.5)
        log_mixture = _log_dirichlet(counts + half) - _log_dirichlet(half)
        least = log_mixture + math.log(1 - LEVEL)

        def excess(value: float) -> float:
            return n * greatest_log_likelihood(self._corners(value), self._reports) - least

        true = float(self.values @ self.theta)
        ends = [
            limit if excess(limit) >= 0 else optimize.brentq(excess, limit, true, xtol=1e-7)
            for limit in (float(self.values.min()), float(self.values.max()))
        ]
        return (ends[1] - ends[0]) / self.wald(n)

    def _corners(self, value: float) -> FloatArray:
        """Return the reports of the corners of the set of distributions with this average."""
        C = self.channel.probabilities
        corners = [C[x] for x in np.flatnonzero(self.values == value)]
        for x in np.flatnonzero(self.values < value):
            for y in np.flatnonzero(self.values > value):
                share = (value - self.values[x]) / (self.values[y] - self.values[x])
                corners.append((1 - share) * C[x] + share * C[y])
        return np.array(corners)


def _log_dirichlet(parameters: FloatArray) -> float:
    """Return the logarithm of the constant of a Dirichlet distribution."""
    return float(special.gammaln(parameters).sum() - special.gammaln(parameters.sum()))


def _share(channel: Channel, theta: Sequence[float]) -> Case:
    """Make the case of the first truth's share."""
    return Case(channel, np.array(theta), np.eye(channel.truths)[0])


def _average(channel: Channel) -> Case:
    """Make the case of the mean of a number of which every level is as frequent."""
    k = channel.truths
    return Case(channel, np.full(k, 1 / k), np.arange(float(k)))


WIDTHS: Final[tuple[tuple[str, Case], ...]] = (
    ("share .3, Warner, ε = ln 3", _share(COINS, [0.3, 0.7])),
    ("share .02, direct", _share(identity(2), [0.02, 0.98])),
    ("share .2, k-ary, 5 answers, ε = 3", _share(designs.k_ary(5, 3), [0.2] * 5)),
    ("share .05, k-ary, 20 answers, ε = 3", _share(designs.k_ary(20, 3), [0.05] * 20)),
    ("mean, 11 levels, ε = 1", _average(designs.best_numeric(11, 1))),
    ("mean, 21 levels, ε = 2", _average(designs.best_numeric(21, 2))),
)
"""What each row of the second table is of."""


def lines(looks: Sequence[int] = LOOKS) -> Iterator[str]:
    """Write the tables, or what they say of some numbers of reports."""
    sizes = [f"{n:,}" for n in looks]
    missed = []
    for name, channel, share in WATCHED:
        p = float(np.array([1 - share, share]) @ channel.probabilities[:, 1])
        ways = (always_valid_bounds(p), wilson_bounds(p))
        chances = [chance for bounds in ways for chance in chance_to_miss(p, looks, bounds)]
        missed.append([name, f"{share:g}", *(f"{chance:.4f}" for chance in chances)])
    heads = ["design", "share", *sizes, *(f"wilson {size}" for size in sizes)]
    yield from markdown(heads, missed, names=2)
    yield ""
    wide = []
    for what, case in WIDTHS:
        cells = [case.width(n) for n in looks] + [case.mixture_width(n) for n in looks]
        wide.append([what, *(f"{cell:.2f}" for cell in cells)])
    yield from markdown(["what", *sizes, *(f"mixture {size}" for size in sizes)], wide)
