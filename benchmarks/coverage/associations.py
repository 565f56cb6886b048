"""How often intervals hold ratios and correlations."""

import itertools
import math
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from scipy import stats

from benchmarks.measuring import markdown
from deniable import designs
from deniable.analysis import intervals
from deniable.analysis.estimation import Estimate, estimate
from deniable.analysis.joint.correlation_interval import JointReports
from deniable.analysis.joint.correlations import correlation
from deniable.analysis.joint.ratios import ratio_of
from deniable.analysis.numerics.arrays import BoolArray, FloatArray
from deniable.channel import Channel, identity

DRAWS: Final = 1000
LEVEL: Final = 0.95
EPSILONS: Final = ("0.3", "1", "2", "3", "5")
CORRELATED: Final = ("1", "3")
SIZES: Final = (100, 1000)
GROUPS: Final = ((15, 15), (30, 30), (30, 100), (100, 100))
SHARES: Final = (0, 0.02, 0.1, 0.3, 0.6, 0.9, 1)

# Intervals that say something more rarely than this are not judged by where they do.
_SHOWN: Final = 0.01


def _shares(table: list[list[float]]) -> FloatArray:
    return np.asarray(np.array(table) / np.sum(table))


TWO_ANSWERS: Final[Mapping[str, FloatArray]] = {
    "independent, 3 % and 30 % yes": np.outer([0.97, 0.03], [0.7, 0.3]),
    "3 % yes to either, nobody to both": _shares([[94, 3], [3, 0]]),
    "10 % yes, and 30 % with all of these": _shares([[70, 20], [0, 10]]),
    "30 % yes, the same for both": _shares([[70, 0], [0, 30]]),
    "half yes, nine in ten the same": _shares([[45, 5], [5, 45]]),
}
THREE_ANSWERS: Final[Mapping[str, FloatArray]] = {
    "independent, one answer in use by most": np.outer([0.94, 0.04, 0.02], [0.5, 0.3, 0.2]),
    "the same for both, 90, 7 and 3 %": np.diag([0.9, 0.07, 0.03]),
    "never more than the other": _shares([[4, 2, 1], [0, 2, 1], [0, 0, 1]]),
    "dependent, and no correlation": _shares([[1, 0, 1], [0, 2, 0], [1, 0, 1]]),
}


@dataclass(frozen=True)
class Pair:
    """Two items, under one distribution of the truths."""

    name: str
    channels: tuple[Channel, Channel]
    truth: FloatArray

    @property
    def correlation(self) -> float:
        """The true correlation of the answers, counted 0, 1, 2."""
        x, y = np.indices(self.truth.shape).astype(np.float64)
        dx, dy = x - np.sum(self.truth * x), y - np.sum(self.truth * y)
        covariance, *variances = (np.sum(self.truth * v) for v in (dx * dy, dx**2, dy**2))
        return float(np.clip(covariance / math.sqrt(math.prod(variances)), -1, 1))


def items() -> dict[tuple[str, str], list[Pair]]:
    """Return what is measured, by design and ε."""
    direct, found = identity(2), {}
    found["both direct", "–"] = [Pair(n, (direct, direct), t) for n, t in TWO_ANSWERS.items()]
    for epsilon in CORRELATED:
        warner = designs.warner(epsilon=epsilon)
        for design, channels in (
            ("Warner and direct", (warner, direct)),
            ("Warner twice", (warner, warner)),
        ):
            found[design, epsilon] = [Pair(n, channels, t) for n, t in TWO_ANSWERS.items()]
        three = designs.k_ary(3, epsilon)
        found["three answers twice", epsilon] = [
            Pair(n, (three, three), t) for n, t in THREE_ANSWERS.items()
        ]
    return found


def figures(pair: Pair, n: int, draws: int = DRAWS) -> tuple[float, float, float]:
    """Return how often `tail` and `fisher` (where shown) hold a correlation, and how often shown.

    The interval `tail` holds it where the test does not reject it, which is much sooner computed
    (`tests/analysis/joint/test_correlation_interval.py` draws surveys and takes the interval).
    """
    first, second = pair.channels
    P = first.probabilities.T @ pair.truth @ second.probabilities
    random = np.random.default_rng(
        [n, *pair.name.encode(), *np.rint(P.ravel() * 2**20).astype(int)]
    )
    drawn = random.multinomial(n, P.ravel() / P.sum(), size=draws)
    tables, times = np.unique(drawn, axis=0, return_counts=True)
    values = np.arange(float(first.truths)), np.arange(float(second.truths))
    r = pair.correlation
    held = shown = by_fisher = 0
    for table, many in zip(tables.reshape(-1, *P.shape), times.tolist(), strict=True):
        tails = JointReports(table, pair.channels, values).tails(r)
        held += many * (min(tails) >= (1 - LEVEL) / 2)
        low, high = correlation(table, pair.channels).interval(LEVEL, "fisher").tolist()
        shown += many * (not math.isnan(low))
        by_fisher += many * (low - 1e-9 <= r <= high + 1e-9)
    return held / draws, by_fisher / shown if shown else math.nan, shown / draws


@dataclass(frozen=True, eq=False)
class _Remembered:
    """A group whose intervals are computed once, as it is compared with many others."""

    found: Estimate
    ends: dict[tuple[float, str], FloatArray] = field(default_factory=dict)

    @property
    def n(self) -> int:
        return self.found.n

    @property
    def theta(self) -> FloatArray:
        return self.found.theta

    @property
    def standard_error(self) -> FloatArray:
        return self.found.standard_error

    @property
    def outside(self) -> BoolArray:
        return self.found.outside

    def interval(
        self, level: float = 0.95, method: str = intervals.DEFAULT, *, comparisons: int = 1
    ) -> FloatArray:
        each = intervals.bonferroni(level, comparisons)
        if (each, method) not in self.ends:
            self.ends[each, method] = self.found.interval(each, method)
        return self.ends[each, method]

    def end_method(self, method: str = intervals.DEFAULT) -> str:
        return self.found.end_method(method)


def _groups(n: int, channel: Channel) -> list[_Remembered]:
    """Return every group of n people, by how many reports of yes there are."""
    return [_Remembered(estimate([n - x, x], channel)) for x in range(n + 1)]


def ratios(
    channel: Channel, sizes: tuple[int, int], method: str, *, odds: bool
) -> tuple[float, float]:
    """Return the least coverage over `SHARES` where reports tell an interval, and how rarely."""
    m, n = sizes
    firsts, seconds = (_groups(size, channel) for size in sizes)
    ends = np.array(
        [
            [ratio_of(one, other, odds=odds).interval(LEVEL, method)[1] for other in seconds]
            for one in firsts
        ]
    )
    # Where it rules nothing out, delta knows no error. The others may rightly do so, but not where
    # no share of a group agrees with its reports.
    says = (ends[..., 0] > 0) | np.isfinite(ends[..., 1])
    if method != "delta":
        one, other = (
            [
                not intervals.missed(group.interval(LEVEL, group.end_method(method))[1])
                for group in of
            ]
            for of in (firsts, seconds)
        )
        says = np.logical_and.outer(one, other)
    (_, no), (_, yes) = channel.probabilities
    least = rarest = 1.0
    for first, second in itertools.product(SHARES, repeat=2):
        above, below = first, second
        if odds:
            above, below = first * (1 - second), (1 - first) * second
        if above == below == 0 or (not odds and below == 0):
            continue
        true = above / below if below else math.inf
        chance = np.outer(
            stats.binom.pmf(np.arange(m + 1), m, no + (yes - no) * first),
            stats.binom.pmf(np.arange(n + 1), n, no + (yes - no) * second),
        )
        shown = float(chance[says].sum())
        held = says & (ends[..., 0] <= true * (1 + 1e-9)) & (true * (1 - 1e-9) <= ends[..., 1])
        rarest = min(rarest, shown)
        if shown > _SHOWN:
            least = min(least, float(chance[held].sum()) / shown)
    return least, rarest


def _correlations(key: tuple[tuple[str, str], int]) -> str:
    """Return what is printed of a design, an ε and a number of people."""
    of, n = key
    found = [figures(pair, n) for pair in items()[of]]
    by_fisher = min((fisher for _, fisher, shown in found if shown > _SHOWN), default=math.nan)
    return f"{min(tail for tail, _, _ in found):.3f} ({by_fisher:.2f})"


def _ratios(key: tuple[str, tuple[int, int]]) -> list[str]:
    """Return the row of an ε and of two groups."""
    epsilon, sizes = key
    channel = identity(2) if epsilon == "–" else designs.warner(epsilon=epsilon)
    cells = (
        ratios(channel, sizes, method, odds=odds)
        for odds in (False, True)
        for method in ("auto", "delta")
    )
    row = [f"{least:.3f} ({rarest:.2f})" for least, rarest in cells]
    return [epsilon, f"{sizes[0]}, {sizes[1]}", *row]


def lines(workers: int = 2) -> Iterator[str]:
    """Write the tables of ratios and of correlations."""
    with ProcessPoolExecutor(workers) as pool:
        rows = pool.map(_ratios, itertools.product(("–", *EPSILONS), GROUPS))
        heads = ["ratio", "ratio, `delta`", "odds ratio", "odds ratio, `delta`"]
        yield from markdown(["ε", "people", *heads], rows, names=0)
        yield ""
        cells = pool.map(_correlations, itertools.product(items(), SIZES))
        found = ([*key, *(next(cells) for _ in SIZES)] for key in items())
        yield from markdown(["items", "ε", *(f"{n:,} people" for n in SIZES)], found)
