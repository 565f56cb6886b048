"""The error of the default designs, relative to the least known error at their ε."""

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from deniable import designs
from deniable.analysis.numerics.arrays import FloatArray
from deniable.estimator import for_values, variance

EPSILONS: Final = ("0.5", "1", "2", "3", "4")
ANSWERS: Final = (2, 3, 5, 8, 10, 12, 16, 20, 24, 32, 40, 50, 64, 75, 100, 113, 136, 160, 183)
LEVELS: Final = (2, 3, 5, 11, 21)

Figures = tuple[str, int, str, float, float]
"""The design, answers or levels, ε, and the relative error on average and, for a mean, at the worst
level."""


def figures() -> Iterator[Figures]:
    """Yield the figures of all designs."""
    for k in ANSWERS:
        for epsilon in EPSILONS:
            yield "shares, `best`", k, epsilon, of_shares(k, epsilon), math.nan
    for levels in LEVELS:
        for epsilon in EPSILONS:
            for name, told in (("mean, `best`", True), ("mean, `mean_only`", False)):
                noise = of_mean(levels, epsilon, distribution=told)
                yield name, levels, epsilon, float(noise.mean()), float(noise.max())


def of_shares(k: int, epsilon: str) -> float:
    """Return the variance of `best` relative to the least of all, on average over k answers."""
    channel = designs.best_k_ary(k, epsilon)
    return variance(channel) / designs.subset_selection(k, float(epsilon))


def of_mean(levels: int, epsilon: str, *, distribution: bool) -> FloatArray:
    """Return the noise in a mean at each level, relative to the hybrid mechanism's worst noise."""
    channel = designs.best_numeric(levels, epsilon, distribution=distribution)
    x = np.linspace(-1, 1, levels)
    return np.asarray(
        (channel.probabilities @ for_values(channel, x) ** 2 - x**2) / hybrid(float(epsilon))
    )


def hybrid(epsilon: float) -> float:
    """Return the worst noise of the hybrid mechanism (Wang et al. 2019, corollary 1)."""
    e, root = math.exp(epsilon), math.exp(epsilon / 2)
    if epsilon <= 0.61:
        return ((e + 1) / (e - 1)) ** 2
    return (root + 3) / (3 * root * (root - 1)) + (e + 1) ** 2 / (root * (e - 1) ** 2)
