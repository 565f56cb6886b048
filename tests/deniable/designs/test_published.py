"""Designs of two truths have the estimates and variances of the papers that they are from."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import pytest

from deniable import designs
from deniable.channel import ROW_SUM, Channel
from deniable.estimator import least_variance
from tests.deniable.designs.moments import SHARES, follows_the_paper

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
def test_a_design_has_the_estimate_and_variance_of_its_paper(
    design: Callable[..., Channel], paper: Callable[..., Paper], given: Sequence[float]
) -> None:
    follows_the_paper(design(*given), *paper(*given))


def test_the_rest_of_a_tiny_flip_is_still_possible() -> None:
    assert designs.warner(flip=Fraction(1, 10**12)).weights[0] == (ROW_SUM - 1, 1)
    assert designs.warner(flip=0).epsilon == designs.triangular("1/4").epsilon == math.inf


@pytest.mark.parametrize("answers_to_both", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_the_report_is_what_the_two_answers_are(answers_to_both: tuple[int, int]) -> None:
    # Where everybody's harmless answer is known, so is the report.
    truth, harmless = answers_to_both
    same, triangle = designs.crosswise(harmless), designs.triangular("1/3")
    assert same.probabilities[truth, int(truth == harmless)] == 1
    assert (triangle.probabilities[truth, 0] > 0) == (truth == 0)


def test_a_correlated_question_leaves_the_estimate_unbiased_and_its_variance_as_it_was() -> None:
    p, harmless_no, harmless_yes = 0.7, 0.4, 0.9
    table = [[1 - (1 - p) * harmless_no, (1 - p) * harmless_no]]
    table += [[(1 - p) * (1 - harmless_yes), p + (1 - p) * harmless_yes]]
    for theta in SHARES:
        rate = (1 - theta) * harmless_no + theta * harmless_yes
        g = least_variance(designs.soberanis_cruz(p, rate))[1]
        chances = np.array([1 - theta, theta]) @ np.array(table)
        says_yes = p * theta + (1 - p) * rate
        assert chances @ g == pytest.approx(theta, abs=1e-7)
        assert chances @ g**2 - theta**2 == pytest.approx(says_yes * (1 - says_yes) / p**2)
    assert (
        designs.custom([["0.88", "0.12"], ["0.03", "0.97"]]).epsilon
        > designs.soberanis_cruz("0.7", "0.5").epsilon
    )
