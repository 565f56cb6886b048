import itertools
import math

import numpy as np
import pytest

from deniable import designs
from deniable.channel import ROW_SUM
from deniable.estimator import least_variance
from tests.deniable.designs.moments import SHARES, follows_the_paper, variance


@pytest.mark.parametrize("draws", [1, 2, 7, 25])
@pytest.mark.parametrize(("red_yes", "red_no"), [(0.6, 0.2), (0.3, 0.8)])
def test_kuk_has_the_estimate_and_variance_of_the_paper(
    red_yes: float, red_no: float, draws: int
) -> None:
    def published(theta: float) -> float:
        red = theta * red_yes + (1 - theta) * red_no
        within = red * (1 - red) / (draws * (red_yes - red_no) ** 2)
        return within + (1 - 1 / draws) * theta * (1 - theta)

    transformed = [(count / draws - red_no) / (red_yes - red_no) for count in range(draws + 1)]
    follows_the_paper(designs.kuk(red_yes, red_no, draws), transformed, published)


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
def test_each_number_of_red_cards_is_weighed_better_than_by_counting(draws: int) -> None:
    channel = designs.kuk("0.6", "0.2", draws)
    counting = [(count / draws - 0.2) / 0.4 for count in range(draws + 1)]
    best = least_variance(channel)[1]
    assert channel.probabilities @ best == pytest.approx([0, 1], abs=1e-8)
    assert variance(channel, best, 0.5) < variance(channel, counting, 0.5) - 1e-3


@pytest.mark.parametrize(
    "cards", [(0.3, 0.7), (0.1, 0.2, 0.3, 0.2, 0.2), (0.5, 0.1, 0.25, 0.15), (0.2, 0.5, 0.3)]
)
def test_christofides_has_the_estimate_and_variance_of_the_paper(cards: tuple[float, ...]) -> None:
    L = len(cards)
    number = np.arange(1, L + 1)
    mean = number @ cards
    spread = number**2 @ cards - mean**2
    follows_the_paper(
        designs.christofides([str(share) for share in cards]),
        list((number - mean) / (L + 1 - 2 * mean)),
        lambda theta: theta * (1 - theta) + spread / (L + 1 - 2 * mean) ** 2,
    )


def test_each_card_is_weighed_better_than_by_its_number() -> None:
    cards = np.array([0.1, 0.2, 0.3, 0.2, 0.2])
    channel = designs.christofides([str(share) for share in cards])
    number = np.arange(1, 6)
    by_number = list((number - number @ cards) / (6 - 2 * number @ cards))
    best = least_variance(channel)[1]
    for theta in SHARES:
        assert variance(channel, best, theta) < variance(channel, by_number, theta) - 2


@pytest.mark.parametrize("p", [0.2, 0.7, 0.8])
def test_disguised_response_has_the_estimate_and_variance_of_warners_paper(p: float) -> None:
    follows_the_paper(
        designs.disguised(p),
        [(z - (1 - p)) / (2 * p - 1) for z in (0, 1)],
        lambda theta: theta * (1 - theta) + p * (1 - p) / (2 * p - 1) ** 2,
    )
