"""How often a regression with random intercepts holds the truth, and how often one without does."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from benchmarks.measuring import markdown
from deniable import designs
from deniable.analysis.numerics.convergence import ConvergenceError
from deniable.analysis.regression.binary import regress
from deniable.analysis.regression.mixed import regress_mixed

DRAWS: Final = 100
PEOPLE: Final = 20
GROUPS: Final = (10, 30)
DEVIATIONS: Final = (0.0, 1.0)
CHANNEL: Final = designs.warner(epsilon=3)
BETA: Final = np.array([-1.0, 0.5, 0.5])
"""Of the intercept, of something about each person, and of something about each group."""

HEADS: Final = (
    "of a person",
    "of a group",
    "the same without intercepts",
    "of the variance",
    "no variance rejected",
    "no fit",
)


def coverage(groups: int, deviation: float) -> list[float]:
    """Return how often the truth is held: of two slopes, of one without groups, of the variance.

    And in which part no variance is rejected at 5 %, and there is no fit.
    """
    random = np.random.default_rng([groups, int(10 * deviation)])
    group = np.repeat(np.arange(groups), PEOPLE)
    n = len(group)
    held, failed = np.zeros(5), 0
    for _ in range(DRAWS):
        X = np.column_stack([np.ones(n), random.normal(size=n), group % 2])
        eta = X @ BETA + deviation * random.normal(size=groups)[group]
        truth = (random.random(n) < 1 / (1 + np.exp(-eta))).astype(np.int64)
        reports = np.where(random.random(n) < CHANNEL.probabilities[0, 1], 1 - truth, truth)
        try:
            fit = regress_mixed(reports, X, CHANNEL, group)
        except (ConvergenceError, ValueError):
            failed += 1
            continue
        ends = fit.interval()
        low, high = fit.variance_interval()[0]
        plain = regress(reports, X, CHANNEL).interval()
        held += [
            ends[1, 0] <= BETA[1] <= ends[1, 1],
            ends[2, 0] <= BETA[2] <= ends[2, 1],
            plain[2, 0] <= BETA[2] <= plain[2, 1],
            low <= deviation**2 <= high,
            fit.no_variance().p_value < 0.05,
        ]
    return [*held / (DRAWS - failed), failed / DRAWS]


def lines() -> Iterator[str]:
    """Write the table."""
    yield from markdown(
        ["groups", "standard deviation", *HEADS],
        (
            [str(groups), f"{s:g}", *(f"{one:.3f}" for one in coverage(groups, s))]
            for groups in GROUPS
            for s in DEVIATIONS
        ),
        names=2,
    )
