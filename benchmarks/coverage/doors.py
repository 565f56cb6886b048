"""How often intervals hold effects of randomised items, and what data from elsewhere tell."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from benchmarks.measuring import markdown
from deniable import designs
from deniable.analysis import scrambling
from deniable.analysis.arms import estimate_arms
from deniable.analysis.numerics.convergence import ConvergenceError
from deniable.analysis.regression.predictors import regress_on_randomised

DRAWS: Final = 500
PEOPLE: Final = (200, 1000)
SHARE: Final = 0.3
EFFECT: Final = 1.0
"""Of a true yes, on a number whose residuals have a standard deviation of 1, or on a logit."""
CLASSES: Final = (0.5, SHARE, 0.2)
"""Honest no, honest yes, and cheaters."""


def _effect(random: np.random.Generator, n: int, outcome: str) -> Any:
    channel, true = designs.warner(epsilon=2), random.random(n) < SHARE
    reports = (random.random(n) < channel.probabilities[true.astype(int), 1]).astype(np.int64)
    if outcome == "linear":
        y = EFFECT * true + random.normal(size=n)
    else:
        y = (random.random(n) < 1 / (1 + np.exp(-EFFECT * true))).astype(np.float64)
    return regress_on_randomised(y, reports, channel, outcome=outcome).interval()[1]


def _class(random: np.random.Generator, n: int, place: int) -> Any:
    arms = designs.arms.cheating_detection(yes=["1/4", "3/4"])
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


def lines() -> Iterator[str]:
    """Write the table."""
    yield from markdown(
        ["", *(f"{n:,} people" for n in PEOPLE)],
        (
            [row, *(f"{held:.3f} ({none})" for held, none in (coverage(row, n) for n in PEOPLE))]
            for row in ROWS
        ),
    )
