import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable import designs
from deniable.analysis.estimation import estimate
from deniable.channel import ROW_SUM


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


def test_hiding_who_takes_part_need_cost_nothing_beyond_hiding_the_answer() -> None:
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
