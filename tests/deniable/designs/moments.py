"""Expectation and variance of an estimate from one report, by adding up over the reports."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from deniable import Channel, least_variance

SHARES = (0, 0.02, 0.3, 0.5, 0.85, 1)
"""Values of θ at which the papers' formulas are compared."""

# Weights are multiples of 2^-32, so that a channel's probabilities are 1e-10 away from a paper's.
ROUNDING = 1e-7


def variance(channel: Channel, g: Sequence[float], theta: float) -> float:
    """Return the variance of g(report) where a share θ of the people would say yes."""
    chances = np.array([1 - theta, theta]) @ channel.probabilities
    return float(chances @ np.square(g) - (chances @ np.asarray(g)) ** 2)


def follows_the_paper(
    channel: Channel, g: Sequence[float], published: Callable[[float], float]
) -> None:
    """Check a paper's estimator and its variance, for one report, against a channel.

    ``g`` is what each report counts for in the paper's estimate, ``published`` its variance for
    n = 1 as a function of θ. With two reports the channel's own estimator must be the same.
    """
    assert channel.probabilities @ np.asarray(g) == pytest.approx([0, 1], abs=ROUNDING)
    for theta in SHARES:
        expected = published(theta)
        assert variance(channel, g, theta) == pytest.approx(expected, rel=ROUNDING, abs=ROUNDING)
    if channel.reports == 2:
        assert least_variance(channel)[1] == pytest.approx(g, rel=ROUNDING, abs=ROUNDING)
