"""Designs of two truths have the estimates and variances of the papers that they are from."""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import pytest

from deniable import Channel, designs, least_variance
from deniable.channel import ROW_SUM

SHARES = (0, 0.02, 0.3, 0.5, 0.85, 1)
"""Values of θ at which the papers' formulas are compared."""

# Weights are multiples of 2^-32, so that a channel's probabilities are 1e-10 away from a paper's.
ROUNDING = 1e-7


def variance(channel: Channel, g: Sequence[float], theta: float) -> float:
    """Return the variance of g(report) where a share θ of the people would say yes."""
    chances = np.array([1 - theta, theta]) @ channel.probabilities
    return float(chances @ np.square(g) - (chances @ np.asarray(g)) ** 2)


Paper: TypeAlias = tuple[Sequence[float], Callable[[float], float]]
"""What each report counts for, and the variance of one report as a function of the share."""


def by_rate(c: float, slope: float) -> Paper:
    """Take the rate of yes, λ = c + slope θ: the variance is λ(1 − λ) / slope²."""

    def published(theta: float) -> float:
        says_yes = c + slope * theta
        return says_yes * (1 - says_yes) / slope**2

    return [-c / slope, (1 - c) / slope], published


def with_noise(c: float, slope: float, noise: Callable[[float], float]) -> Paper:
    """Take the same estimate, and write the variance as θ(1 − θ) and what the noise adds."""
    return [-c / slope, (1 - c) / slope], lambda theta: theta * (1 - theta) + noise(theta)


def warner(p: float) -> Paper:
    # Warner's p is the chance of the truthful statement.
    return (
        [(p - 1) / (2 * p - 1), p / (2 * p - 1)],
        lambda theta: 1 / (16 * (p - 1 / 2) ** 2) - (theta - 1 / 2) ** 2,
    )


def mirrored(p: float) -> Paper:
    return with_noise(1 - p, 2 * p - 1, lambda _: p * (1 - p) / (2 * p - 1) ** 2)


def mangat_singh(T: float, p: float) -> Paper:
    c, slope = (1 - T) * (1 - p), 2 * p - 1 + 2 * T * (1 - p)
    return with_noise(c, slope, lambda _: c * (1 - c) / slope**2)


def kuk(yes: float, no: float, draws: int) -> Paper:
    def published(theta: float) -> float:
        red = theta * yes + (1 - theta) * no
        within = red * (1 - red) / (draws * (yes - no) ** 2)
        return within + (1 - 1 / draws) * theta * (1 - theta)

    return [(count / draws - no) / (yes - no) for count in range(draws + 1)], published


def christofides(*cards: float) -> Paper:
    number, L = np.arange(1, len(cards) + 1), len(cards)
    mean = number @ cards
    spread = (number**2 @ cards - mean**2) / (L + 1 - 2 * mean) ** 2
    return list((number - mean) / (L + 1 - 2 * mean)), lambda theta: theta * (1 - theta) + spread


CARDS = [(0.3, 0.7), (0.1, 0.2, 0.3, 0.2, 0.2), (0.5, 0.1, 0.25, 0.15), (0.2, 0.5, 0.3)]
RED = [(yes, no, draws) for yes, no in ((0.6, 0.2), (0.3, 0.8)) for draws in (1, 2, 7, 25)]
UNRELATED = [(0.5, 1 / 12), (0.7, 0.4), (0.25, 1), (0.9, 0)]
STAGES = [(0.5, 0.5, 1 / 3), (0.2, 0.7, 0.9), (0, 0.6, 0.1)]
PUBLISHED: list[tuple[Callable[..., Channel], Callable[..., Paper], Sequence[float]]] = [
    *((lambda p: designs.warner(1 - Fraction(str(p))), warner, (p,)) for p in (0.55, 0.7, 0.95)),
    *((designs.truth_or_lie, mirrored, (p,)) for p in (0.55, 0.7, 0.95)),
    *((designs.disguised, mirrored, (p,)) for p in (0.2, 0.7, 0.8)),
    *((designs.crosswise, mirrored, (p,)) for p in (0.1, 0.25, 0.8)),
    *(
        (designs.forced_response, lambda t, y: by_rate((1 - t) * y, t), each)
        for each in ((2 / 3, 1 / 2), (0.2, 0.9), (0.75, 0))
    ),
    # Transformed as in RRTCS: (z − (1 − p) α) / p.
    *(
        (design, lambda p, alpha: by_rate((1 - p) * alpha, p), each)
        for design in (designs.unrelated_question, designs.soberanis_cruz)
        for each in UNRELATED
    ),
    *(
        (designs.triangular, lambda p: with_noise(p, 1 - p, lambda t: p * (1 - t) / (1 - p)), (p,))
        for p in (0.1, 0.25, 0.8)
    ),
    *(
        (design, lambda p: with_noise(1 - p, p, lambda theta: (1 - theta) * (1 - p) / p), (p,))
        for design, shares in ((designs.devore, (0.3, 0.5, 0.7)), (designs.mangat, (0.2, 0.5, 0.7)))
        for p in shares
    ),
    *(
        (designs.mangat_singh, mangat_singh, each)
        for each in ((0.55, 0.7), (0.4, 0.3), (0, 0.8), (0.1, 0.2))
    ),
    *(
        (designs.mangat_singh_singh, lambda p, a: by_rate((1 - p) * a, 1 - (1 - p) * a), each)
        for each in ((0.6, 0.5), (0.3, 0.9), (0.5, 0))
    ),
    *(
        (
            designs.mangat_unrelated,
            lambda t, p, alpha: by_rate((1 - t) * (1 - p) * alpha, t + (1 - t) * p),
            each,
        )
        for each in STAGES
    ),
    *(
        (designs.singh_joarder, lambda p: by_rate(1 - p, 2 * p - 1 + p * (1 - p)), (p,))
        for p in (0.45, 0.6, 0.8)
    ),
    *((designs.kuk, kuk, each) for each in RED),
    *((lambda *c: designs.christofides([*map(str, c)]), christofides, each) for each in CARDS),
]


@pytest.mark.parametrize(("design", "paper", "given"), PUBLISHED)
def test_a_design_has_its_paper_s_estimate(
    design: Callable[..., Channel], paper: Callable[..., Paper], given: Sequence[float]
) -> None:
    channel, (g, published) = design(*given), paper(*given)
    assert channel.probabilities @ np.asarray(g) == pytest.approx([0, 1], abs=ROUNDING)
    for theta in SHARES:
        expected = published(theta)
        assert variance(channel, g, theta) == pytest.approx(expected, rel=ROUNDING, abs=ROUNDING)
    if channel.reports == 2:  # then there is no other estimator
        assert least_variance(channel)[1] == pytest.approx(g, rel=ROUNDING, abs=ROUNDING)


def test_a_tiny_flip_s_rest_is_possible() -> None:
    assert designs.warner(flip=Fraction(1, 10**12)).weights[0] == (ROW_SUM - 1, 1)
    assert designs.warner(flip=0).epsilon == designs.triangular("1/4").epsilon == math.inf


def test_kuks_table_is_what_the_cards_do() -> None:
    channel = designs.kuk(yes="0.7", no="0.1", draws=3)
    for truth, red in enumerate((0.1, 0.7)):
        chances = np.zeros(4)
        for drawn in itertools.product((0, 1), repeat=3):
            chances[sum(drawn)] += math.prod(red if card else 1 - red for card in drawn)
        np.testing.assert_allclose(channel.probabilities[truth], chances, atol=4 / ROW_SUM)
    one = designs.kuk("0.7", "0.1")
    assert channel.epsilon == pytest.approx(3 * one.epsilon, abs=5e-6)


def test_the_table_is_what_the_coins_do() -> None:
    p, q = 0.25, 0.8
    expected = [
        [q * (1 - p), q * p, 1 - q],
        [q * p, q * (1 - p), 1 - q],
        [(1 - q) / 2, (1 - q) / 2, q],
    ]
    channel = designs.participation("1/4", "4/5")
    np.testing.assert_allclose(channel.probabilities, expected, rtol=0, atol=2 / ROW_SUM)


def test_hiding_participation_need_cost_nothing() -> None:
    for flip in (Fraction(1, 4), Fraction(1, 10), Fraction(2, 5)):
        alone = designs.warner(flip).epsilon
        assert designs.participation(flip, 1 / (1 + 2 * flip)).epsilon == pytest.approx(
            alone, abs=2e-6
        )
