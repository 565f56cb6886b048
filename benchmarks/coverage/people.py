"""How often intervals hold the truth where people weigh unlike, or answer in several waves."""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy import special, stats

from benchmarks.measuring import markdown
from deniable import designs
from deniable.analysis.intervals import inversion, proportion
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.levels import normal_quantile
from deniable.analysis.sampling.debiased import (
    Debiased,
    debiased_applicable,
    debiased_shares,
    debiased_values,
)
from deniable.analysis.sampling.design import sampling_design
from deniable.analysis.sampling.design_based import DesignEstimate, mean
from deniable.channel import Channel, identity
from deniable.estimator import least_variance
from deniable.survey.items import Item
from deniable.survey_file import read

LEVEL: Final = 0.95
ENOUGH: Final = 0.94
EPSILONS: Final = ("1", "3", "5", "direct")
SHARES: Final = (0, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97, 0.99, 1)

Pair = tuple[float, float]
"""What is found of the default interval, and of the textbook's."""


def channel_of(epsilon: str) -> Channel:
    """Return Warner's design at an ε, or that of a direct question."""
    return identity(2) if epsilon == "direct" else designs.warner(epsilon=epsilon)


# ------------------------------------------------------------------------- weights, exactly


@dataclass(frozen=True)
class Weighing:
    """Two kinds of people, each with a weight of their own."""

    heavy: int  # how many there are
    light: int
    weight: float  # of each heavy one; a light one weighs 1
    strata: bool = False  # whether the two kinds were drawn apart from each other

    @property
    def name(self) -> str:
        """The same in words."""
        how = " in two strata" if self.strata else ""
        return f"{self.heavy} people of weight {self.weight:g} and {self.light} of weight 1{how}"


WEIGHINGS: Final = (
    Weighing(10, 10, 3),
    Weighing(5, 35, 10),
    Weighing(3, 57, 40),
    Weighing(20, 20, 1.1),
    Weighing(20, 20, 5, strata=True),
)


def weighted_coverage(weighing: Weighing, epsilon: str) -> Pair:
    """Compute the least coverage of a weighted share, exactly, and that of the t interval."""
    channel, heavy, light = channel_of(epsilon), weighing.heavy, weighing.light
    weights = np.repeat([weighing.weight, 1.0], [heavy, light])
    kind = np.repeat([0, 1], [heavy, light])
    design = sampling_design(weights, strata=kind if weighing.strata else None)
    ends = np.empty((heavy + 1, light + 1, 2, 2))
    for a, b in np.ndindex(heavy + 1, light + 1):
        reports = np.r_[np.arange(heavy) < a, np.arange(light) < b].astype(np.int64)
        found = mean(debiased_shares(reports, channel), design)
        ends[a, b] = found.interval(LEVEL)[1], found.interval(LEVEL, "wald")[1]
    part = heavy * weighing.weight / weights.sum()
    (_, p), (_, q) = channel.probabilities
    least = np.ones(2)
    for one, other in itertools.product(SHARES, repeat=2):
        of_heavy, of_light = (
            stats.binom.pmf(np.arange(n + 1), n, p + (q - p) * share)
            for n, share in ((heavy, one), (light, other))
        )
        chance, truth = np.outer(of_heavy, of_light), part * one + (1 - part) * other
        held = (ends[..., 0] <= truth + 1e-9) & (truth - 1e-9 <= ends[..., 1])
        least = np.minimum(least, np.einsum("ab,abk->k", chance, held))
    return float(least[0]), float(least[1])


# ----------------------------------------------------------------------- weights, by drawing

DRAWS: Final = 1000


@dataclass(frozen=True)
class Population:
    """Something that is estimated from a sample that is not simple."""

    truth: FloatArray  # distribution of the truth
    channel: Channel
    # Debiases the reports; of several variables the last is looked at.
    variable: Callable[[npt.NDArray[np.int64], Channel], Debiased]
    value: float  # the true one
    # How many there are, within which people are alike (correlation .1); 0 without.
    clusters: int = 0

    def draw(self, random: np.random.Generator, weights: FloatArray) -> DesignEstimate:
        """Draw a survey and estimate from it."""
        n, truths = len(weights), len(self.truth)
        cluster = None
        if self.clusters:
            cluster = np.arange(n) % self.clusters
            shares = random.dirichlet(self.truth * 9, size=self.clusters)  # correlation 1 / (9 + 1)
        else:
            shares = self.truth[np.newaxis]
        of = shares[np.zeros(n, np.intp) if cluster is None else cluster]
        truth = (random.random((n, 1)) > of.cumsum(axis=1)).sum(axis=1).clip(0, truths - 1)
        chances = self.channel.probabilities[truth].cumsum(axis=1)
        reports = (random.random((n, 1)) > chances).sum(axis=1).clip(0, self.channel.reports - 1)
        return mean(
            self.variable(reports, self.channel), sampling_design(weights, clusters=cluster)
        )


def uneven(n: int) -> FloatArray:
    """Return weights of people as a panel has them: log-normal, with a standard deviation of .7."""
    return np.exp(0.7 * special.ndtri((np.arange(n) + 0.5) / n))


def _clusters(epsilon: str, clusters: int) -> list[Population]:
    return [
        Population(
            np.array([1 - share, share]), channel_of(epsilon), debiased_shares, share, clusters
        )
        for share in (0.1, 0.5)
    ]


def _numbers(epsilon: str) -> list[Population]:
    found = []
    for shares in ({0: 1.0}, {0: 0.97, 10: 0.03}, dict.fromkeys(range(11), 1 / 11)):
        truth = np.array([shares.get(level, 0.0) for level in range(11)])
        found.append(
            Population(
                truth,
                designs.best_numeric(11, epsilon),
                lambda reports, channel: debiased_values(reports, channel, range(11)),
                float(truth @ np.arange(11)),
            )
        )
    return found


def _given(epsilon: str) -> list[Population]:
    truth = np.array([0.4, 0.2, 0.1, 0.3])
    return [
        Population(
            truth,
            designs.k_ary(4, epsilon),
            lambda reports, channel: debiased_values(reports, channel, [0, 1, 2, math.nan]),
            float(truth[:3] @ np.arange(3)) / 0.7,
        )
    ]


def _applicable(epsilon: str) -> list[Population]:
    return [
        Population(
            np.array([0.4, 0.2, 0.1, 0.3]),
            designs.k_ary(4, epsilon),
            lambda reports, channel: debiased_applicable(reports, channel, 3),
            0.1 / 0.7,
        )
    ]


DRAWN: Final[dict[str, tuple[Callable[[str], list[Population]], Callable[[int], FloatArray]]]] = {
    "share, 5 clusters of 6 and 30": (lambda epsilon: _clusters(epsilon, 5), np.ones),
    "share, 10 clusters of 3 and 15": (lambda epsilon: _clusters(epsilon, 10), np.ones),
    "share, 10 clusters, uneven weights": (lambda epsilon: _clusters(epsilon, 10), uneven),
    "mean of 11 levels, uneven weights": (_numbers, uneven),
    "mean, three in ten prefer not to say": (_given, uneven),
    "share if it applies, uneven weights": (_applicable, uneven),
}
"""What is drawn, and how people weigh."""
DRAWN_SIZES: Final = (30, 150)
DRAWN_EPSILONS: Final = ("1", "3")


def drawn_coverage(row: str, epsilon: str, n: int, draws: int = DRAWS) -> Pair:
    """Measure the least coverage of the default interval, and of the t interval, by drawing."""
    of, weigh = DRAWN[row]
    weights, least = weigh(n), [1.0, 1.0]
    for place, population in enumerate(of(epsilon)):
        random = np.random.default_rng([n, place, *f"{row} {epsilon}".encode()])
        held = np.zeros(2)
        for _ in range(draws):
            found = population.draw(random, weights)
            low, high = found.interval(LEVEL, "wald")[-1]
            held += _holds(found, population.value), low <= population.value <= high
        least = [min(pair) for pair in zip(least, held / draws, strict=True)]
    return least[0], least[1]


def _holds(found: DesignEstimate, value: float) -> bool:
    """Tell whether the last variable's default interval holds a value, without its ends if so."""
    effective, last = found.effective, len(found.theta) - 1
    assert effective is not None
    freedom = found.degrees_of_freedom
    if effective.method(last, "auto") == "tail":
        counts = effective.counted(last, LEVEL, "auto", freedom)
        C, ratio = effective.item.channel.probabilities, effective.item.ratio(last)
        return inversion.holds(counts, C, ratio, LEVEL, value)
    low, high = effective.interval(last, LEVEL, "auto", freedom)
    return low - 1e-9 <= value <= high + 1e-9


# ------------------------------------------------------------------------------------- waves

TWO_WAVES: Final = (3, 8, 15, 25)
DEPENDENCES: Final = (0, 0.1, 0.25, 0.5, 0.75, 0.9, 1)


def any_dependence(n: int) -> Pair:
    """Compute the least coverage of the mean of two waves' shares, exactly."""
    both, first, second = (
        each.ravel() for each in np.meshgrid(*[np.arange(n + 1)] * 3, indexing="ij")
    )
    some = both + first + second <= n
    both, first, second = both[some], first[some], second[some]
    neither = n - both - first - second
    ways = special.gammaln(n + 1) - sum(
        special.gammaln(each + 1) for each in (both, first, second, neither)
    )
    low, high = proportion.exact(np.arange(n + 1.0), n, LEVEL)
    twice = proportion.exact(np.arange(2 * n + 1.0), 2 * n, LEVEL)
    one, other = both + first, both + second
    ends = (
        ((low[one] + low[other]) / 2, (high[one] + high[other]) / 2),
        (twice[0][one + other], twice[1][one + other]),
    )
    least = [1.0, 1.0]
    for p, q in itertools.combinations_with_replacement(SHARES, 2):
        fewest, most = max(0.0, p + q - 1), min(p, q)
        for part in DEPENDENCES:
            shared = fewest + part * (most - fewest)
            chances = np.clip([shared, p - shared, q - shared, 1 - p - q + shared], 0, 1)
            powers = special.xlogy(np.stack([both, first, second, neither]), chances[:, np.newaxis])
            chance, truth = np.exp(ways + powers.sum(axis=0)), (p + q) / 2
            for which, (bottom, top) in enumerate(ends):
                held = chance[(bottom <= truth + 1e-12) & (truth - 1e-12 <= top)].sum()
                least[which] = min(least[which], float(held))
    return least[0], least[1]


PANEL_DRAWS: Final = 2000
PANEL_SIZES: Final = (30, 300)
PANEL_WAVES: Final = (2, 4, 12)
REDRAWS: Final = ("0", "1/20", "1/5")
PANEL_SHARES: Final = (0.02, 0.3)
CHANGES: Final = (0.0, 0.2)
"""Part of the people whose answer is drawn anew from one wave to the next."""


@cache
def panel_item(epsilon: str, redraw: str) -> Item:
    """Return a question that is asked in waves, whose one report may cost ε as a wave's alone."""
    return read(
        "version: 1\nsurvey: panel\ntitle: Panel\n"
        f"waves: {{count: 12, redraw: {redraw}}}\nquestions:\n"
        f"  - {{id: p, text: P, type: single, answers: [No, Yes], epsilon: {epsilon}}}\n"
    ).survey.items[0]


def panel_coverage(redraw: str, waves: int, n: int, draws: int = PANEL_DRAWS) -> Pair:
    """Measure the least coverage of the mean over waves in a panel of n, by drawing."""
    item = panel_item("1", redraw)
    assert item.memory is not None
    permanent, again = item.memory.permanent.probabilities, item.memory.instantaneous.probabilities
    g = least_variance(item.channel)[1]
    low, high = (
        g[0] + (g[1] - g[0]) * each for each in proportion.exact(np.arange(n + 1.0), n, LEVEL)
    )
    least = [1.0, 1.0]
    for share, changing in itertools.product(PANEL_SHARES, CHANGES):
        random = np.random.default_rng([n, waves, *f"{redraw} {share} {changing}".encode()])
        truth = random.random((draws, n)) < share
        kept = random.random((draws, n, 2)) < permanent[:, 1]  # the device's noisy answers
        yes = np.empty((waves, draws), dtype=np.intp)
        for wave in range(waves):
            if wave:
                anew = random.random((draws, n)) < changing
                truth = np.where(anew, random.random((draws, n)) < share, truth)
            noisy = np.where(truth, kept[..., 1], kept[..., 0])
            report = random.random((draws, n)) < again[noisy.astype(np.intp), 1]
            yes[wave] = report.sum(axis=1)
        held = (low[yes].mean(axis=0) <= share) & (share <= high[yes].mean(axis=0))
        part = yes.sum(axis=0) / (waves * n)
        half = normal_quantile(LEVEL) * np.sqrt(part * (1 - part) / (waves * n - 1))
        pooled = np.abs(g[0] + (g[1] - g[0]) * part - share) <= (g[1] - g[0]) * half
        least = [min(least[0], float(held.mean())), min(least[1], float(pooled.mean()))]
    return least[0], least[1]


# ------------------------------------------------------------------------------- the section


def _written(found: Pair) -> str:
    # Down, so that nothing is rounded up to a promise.
    return "{:.3f} ({:.3f})".format(*(math.floor(1000 * one + 1e-9) / 1000 for one in found))


def lines() -> Iterator[str]:
    """Write the tables."""
    drawn = [*itertools.product(DRAWN_EPSILONS, DRAWN_SIZES)]
    panels = [*itertools.product(PANEL_SIZES, PANEL_WAVES)]
    tables: tuple[tuple[list[str], Iterable[tuple[str, list[Pair]]]], ...] = (
        (
            [f"ε = {one}" if one != "direct" else one for one in EPSILONS],
            ((one.name, [weighted_coverage(one, each) for each in EPSILONS]) for one in WEIGHINGS),
        ),
        (
            [f"ε = {epsilon}, n = {n}" for epsilon, n in drawn],
            ((row, [drawn_coverage(row, *cell) for cell in drawn]) for row in DRAWN),
        ),
        (
            [f"n = {n}" for n in TWO_WAVES],
            [("two waves, any dependence", [any_dependence(n) for n in TWO_WAVES])],
        ),
        (
            [f"n = {n}, {waves} waves" for n, waves in panels],
            (
                (f"`redraw: {redraw}`", [panel_coverage(redraw, waves, n) for n, waves in panels])
                for redraw in REDRAWS
            ),
        ),
    )
    for heads, rows in tables:
        yield from markdown(["", *heads], ([name, *map(_written, row)] for name, row in rows))
        yield ""
