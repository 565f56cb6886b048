"""How often intervals hold effects of randomised items, and what data from elsewhere tell."""

import math
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from benchmarks.measuring import markdown
from deniable import designs
from deniable.analysis.numerics.convergence import ConvergenceError
from deniable.analysis.regression.predictors import METHODS, regress_on_randomised
from deniable.reanalysis import scrambling
from deniable.reanalysis.arms import estimate_arms
from deniable.reanalysis.designs import cheating_detection

DRAWS: Final = 500
LEVEL: Final = 0.95
PEOPLE: Final = (200, 1000)
SHARE: Final = 0.3
EFFECT: Final = 1.0
"""Of a true yes, on a number whose residuals have a standard deviation of 1, or on a logit."""
FEW: Final = (40, 80)
"""People of whom a quarter have a true yes, whose reports are flipped by one in five."""
FEW_SHARE: Final = 0.25
CLASSES: Final = (0.5, SHARE, 0.2)
"""Honest no, honest yes, and cheaters."""


def _effect(random: np.random.Generator, n: int, outcome: str) -> Any:
    channel, true = designs.warner(epsilon=2), random.random(n) < SHARE
    reports = (random.random(n) < channel.probabilities[true.astype(int), 1]).astype(np.int64)
    if outcome == "linear":
        y = EFFECT * true + random.normal(size=n)
    else:
        y = (random.random(n) < 1 / (1 + np.exp(-EFFECT * true))).astype(np.float64)
    return regress_on_randomised(y, reports, channel, outcome=outcome).interval(method="wald")[1]


def _class(random: np.random.Generator, n: int, place: int) -> Any:
    arms = cheating_detection(yes=["1/4", "3/4"])
    counts = [random.multinomial(n // 2, CLASSES @ one.probabilities) for one in arms.channels]
    return estimate_arms(counts, arms).interval()[place]


def _scrambled(random: np.random.Generator, n: int) -> Any:
    law = scrambling.saha(scrambling.Scrambler(1, 0.3), scrambling.Scrambler(2, 1))
    responses = random.normal(1, 0.3, n) * (random.poisson(EFFECT, n) + random.normal(2, 1, n))
    return scrambling.estimate_mean(responses, law).interval()


ROWS: Final[dict[str, tuple[Callable[..., Any], tuple[Any, ...], float]]] = {
    "effect of a true yes on a number": (_effect, ("linear",), EFFECT),
    "effect of a true yes on a logit": (_effect, ("logistic",), EFFECT),
    "honest yes, two arms": (_class, (1,), CLASSES[1]),
    "cheaters, two arms": (_class, (2,), CLASSES[2]),
    "mean of scrambled numbers": (_scrambled, (), EFFECT),
}
"""What is estimated, and its true value."""


def coverage(row: str, n: int) -> tuple[float, int]:
    """Return how often the interval holds it, and in how many surveys there is none."""
    find, more, truth = ROWS[row]
    random, held, none = np.random.default_rng([n, *row.encode()]), 0, 0
    for _ in range(DRAWS):
        try:
            low, high = find(random, n, *more)
        except ConvergenceError:
            none += 1
            continue
        held += bool(low - 1e-9 <= truth <= high + 1e-9)
    return held / (DRAWS - none), none


def of_few(n: int, draws: int = DRAWS) -> tuple[float, float, int]:
    """Return how often two intervals of the effect on a number hold it.

    The one by profile likelihood holds what its test does not reject. The other one is Wald's. Last
    stands in how many surveys there is no maximum.
    """
    random, channel = np.random.default_rng([n, *b"few"]), designs.warner(flip="1/5")
    held, none = np.zeros(2), 0
    for _ in range(draws):
        true = random.random(n) < FEW_SHARE
        reports = (random.random(n) < channel.probabilities[true.astype(int), 1]).astype(np.int64)
        y = EFFECT * true + random.normal(size=n)
        try:
            fit = regress_on_randomised(y, reports, channel)
        except ConvergenceError:
            none += 1
            continue
        tested = [math.nan, EFFECT]
        held += [fit.p_value(one, against=tested)[1] >= 1 - LEVEL for one in METHODS]
    profile, wald = held / (draws - none)
    return float(profile), float(wald), none


def lines() -> Iterator[str]:
    """Write the tables."""
    yield from markdown(
        ["", *(f"{n:,} people" for n in PEOPLE)],
        (
            [row, *(f"{held:.3f} ({none})" for held, none in (coverage(row, n) for n in PEOPLE))]
            for row in ROWS
        ),
    )
    yield ""
    yield from markdown(
        ["people", "profile likelihood", "Wald's", "no maximum"],
        (
            [f"{n}", f"{profile:.3f}", f"{wald:.3f}", f"{none}"]
            for n, (profile, wald, none) in ((n, of_few(n)) for n in FEW)
        ),
    )
