import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from deniable import designs
from deniable.channel import ROW_SUM


def test_singh_and_joarders_table_is_what_two_cards_do() -> None:
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
