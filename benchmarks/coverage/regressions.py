"""How often a regression of few people holds the truth, by Wald and by profile likelihood."""

import warnings
from collections.abc import Iterator
from typing import Final

import numpy as np
from scipy import special

from benchmarks.measuring import markdown
from deniable import designs
from deniable.analysis.numerics.convergence import ConvergenceError, ConvergenceWarning
from deniable.analysis.regression.binary import regress
from deniable.analysis.regression.fit import METHODS

DRAWS: Final = 10_000
"""Two standard errors of a coverage of .95 are then .0044."""

PEOPLE: Final = (60, 120, 300)
CHANNEL: Final = designs.forced_response("3/4", "1/2")
BETA: Final = np.array([-0.8, 0.5, 1.0, 0.5])
"""Of the intercept, of two of three groups, and of a number."""

HEADS: Final = ("people", "intercept", "group b", "group c", "number", "no ends", "no maximum")


def coverage(n: int, draws: int) -> dict[str, list[float]]:
    """Return of each method how often it holds each coefficient, and where it has no ends.

    And in which part of the surveys the likelihood has no maximum, but a supremum at infinity.
    """
    random = np.random.default_rng([20261127, n])
    yes = CHANNEL.probabilities[:, 1]
    held = {method: np.zeros(len(BETA)) for method in METHODS}
    missing, separated, made = dict.fromkeys(METHODS, 0), 0, 0
    while made < draws:
        group, number = random.integers(0, 3, size=n), random.normal(size=n)
        X = np.column_stack([np.ones(n), group == 1, group == 2, number]).astype(np.float64)
        truth = random.random(n) < special.expit(X @ BETA)
        reports = (random.random(n) < yes[truth.astype(np.int64)]).astype(np.int64)
        made += 1
        try:
            fit = regress(reports, X, CHANNEL)
        except ConvergenceError:
            for method in METHODS:
                missing[method] += len(BETA)
            continue
        separated += fit.at_boundary
        for method in METHODS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                low, high = fit.interval(method=method).T
            held[method] += (low <= BETA) & (high >= BETA)
            missing[method] += int(np.isnan(low).sum())
    return {
        method: [
            *(held[method] / draws),
            missing[method] / draws / len(BETA),
            separated / draws,
        ]
        for method in METHODS
    }


def lines() -> Iterator[str]:
    """Write a table of each method."""
    found = {n: coverage(n, DRAWS) for n in PEOPLE}
    for method in METHODS:
        yield f"By `{method}`:"
        yield ""
        rows = [[f"{n}", *(f"{one:.3f}" for one in found[n][method])] for n in PEOPLE]
        yield from markdown(HEADS, rows)
        yield ""
