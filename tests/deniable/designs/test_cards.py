import itertools
import math

import numpy as np
import pytest

from deniable import designs
from deniable.channel import ROW_SUM
from deniable.estimator import least_variance
from tests.deniable.designs.moments import SHARES, variance


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


def test_each_card_is_weighed_better_than_by_its_number() -> None:
    cards = np.array([0.1, 0.2, 0.3, 0.2, 0.2])
    channel = designs.christofides([str(share) for share in cards])
    number = np.arange(1, 6)
    by_number = list((number - number @ cards) / (6 - 2 * number @ cards))
    best = least_variance(channel)[1]
    for theta in SHARES:
        assert variance(channel, best, theta) < variance(channel, by_number, theta) - 2
