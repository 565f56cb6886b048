"""Designs of two truths have the estimates and variances of the papers that they are from."""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable import designs, least_variance
from deniable.analysis.estimation import estimate
from deniable.channel import ROW_SUM, Channel
from tests.deniable.designs.moments import SHARES, follows_the_paper, variance

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
    follows_the_paper(design(*given), *paper(*given))


def test_a_tiny_flip_s_rest_is_possible() -> None:
    assert designs.warner(flip=Fraction(1, 10**12)).weights[0] == (ROW_SUM - 1, 1)
    assert designs.warner(flip=0).epsilon == designs.triangular("1/4").epsilon == math.inf


@pytest.mark.parametrize("answers_to_both", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_the_report_is_what_the_two_answers_are(answers_to_both: tuple[int, int]) -> None:
    # Where everybody's harmless answer is known, so is the report.
    truth, harmless = answers_to_both
    same, triangle = designs.crosswise(harmless), designs.triangular("1/3")
    assert same.probabilities[truth, int(truth == harmless)] == 1
    assert (triangle.probabilities[truth, 0] > 0) == (truth == 0)


def test_a_correlated_question_changes_no_estimate() -> None:
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


def test_kuks_table_is_what_the_cards_do() -> None:
    channel = designs.kuk(yes="0.7", no="0.1", draws=3)
    for truth, red in enumerate((0.1, 0.7)):
        chances = np.zeros(4)
        for drawn in itertools.product((0, 1), repeat=3):
            chances[sum(drawn)] += math.prod(red if card else 1 - red for card in drawn)
        np.testing.assert_allclose(channel.probabilities[truth], chances, atol=4 / ROW_SUM)
    one = designs.kuk("0.7", "0.1")
    assert channel.epsilon == pytest.approx(3 * one.epsilon, abs=5e-6)


@pytest.mark.parametrize("draws", [2, 7, 25])
def test_red_cards_are_weighed_better_than_counted(draws: int) -> None:
    channel = designs.kuk("0.6", "0.2", draws)
    counting = [(count / draws - 0.2) / 0.4 for count in range(draws + 1)]
    best = least_variance(channel)[1]
    assert channel.probabilities @ best == pytest.approx([0, 1], abs=1e-8)
    assert variance(channel, best, 0.5) < variance(channel, counting, 0.5) - 1e-3


def test_cards_are_weighed_better_than_by_number() -> None:
    cards = np.array([0.1, 0.2, 0.3, 0.2, 0.2])
    channel = designs.christofides([str(share) for share in cards])
    number = np.arange(1, 6)
    by_number = list((number - number @ cards) / (6 - 2 * number @ cards))
    best = least_variance(channel)[1]
    for theta in SHARES:
        assert variance(channel, best, theta) < variance(channel, by_number, theta) - 2


def test_singh_and_joarder_s_table_is_two_cards() -> None:
    p = Fraction(3, 5)
    says_yes = [Fraction(0), Fraction(0)]
    for truth, first, second in itertools.product((0, 1), repeat=3):
        # Cards: 1 for "I am one of them", 0 for "I am not one of them".
        answers = [int(truth == card) for card in (first, second)]
        drawn_again = truth == 1 and answers[0] == 0
        chance = (p if first else 1 - p) * (p if second else 1 - p)
        says_yes[truth] += chance * answers[drawn_again]
    channel, expected = designs.singh_joarder(p), np.array(says_yes, float)
    np.testing.assert_allclose(channel.probabilities[:, 1], expected, atol=2 / ROW_SUM)
    assert channel.epsilon == pytest.approx(math.log(p / (1 - p) ** 2), abs=2e-6)


def test_the_table_is_what_the_coins_do() -> None:
    p, q = 0.25, 0.8
    expected = [
        [q * (1 - p), q * p, 1 - q],
        [q * p, q * (1 - p), 1 - q],
        [(1 - q) / 2, (1 - q) / 2, q],
    ]
    channel = designs.participation("1/4", "4/5")
    np.testing.assert_allclose(channel.probabilities, expected, rtol=0, atol=2 / ROW_SUM)


@given(st.integers(1, 499), st.integers(501, 999))
def test_epsilon_is_the_largest_ratio_of_the_table(flip: int, sampled: int) -> None:
    p, q = Fraction(flip, 1000), Fraction(sampled, 1000)
    absent = (1 - q) / 2
    columns = [[q * (1 - p), q * p, absent], [1 - q, 1 - q, q]]
    ratio = max(a / b for column in columns for a in column for b in column)
    epsilon = designs.participation(p, q).epsilon
    assert math.log(ratio) - 1e-6 < epsilon < math.log(ratio) + 2e-6
    assert ratio == max((1 - p) / p, 2 * q * (1 - p) / (1 - q))


def test_hiding_participation_need_cost_nothing() -> None:
    for flip in (Fraction(1, 4), Fraction(1, 10), Fraction(2, 5)):
        alone = designs.warner(flip).epsilon
        assert designs.participation(flip, 1 / (1 + 2 * flip)).epsilon == pytest.approx(
            alone, abs=2e-6
        )


def test_the_shares_of_all_three_are_estimated() -> None:
    channel = designs.participation("1/4", "2/3")
    shares = np.array([0.5, 0.2, 0.3])
    counts = np.round(shares @ channel.probabilities * 3_000_000).astype(int)
    assert estimate(counts, channel).theta == pytest.approx(shares, abs=1e-5)
