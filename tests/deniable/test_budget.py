"""A budget is never overspent, in exact arithmetic."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deniable import budget

questions = st.lists(
    st.tuples(st.fractions(Fraction(1, 100), 100), st.integers(1, 30), st.integers(2, 30)),
    min_size=1,
    max_size=8,
)


@given(st.integers(0, 20_000_000), questions)
def test_shares_never_exceed_the_total_and_waste_almost_nothing(
    total: int, asked: list[tuple[Fraction, int, int]]
) -> None:
    weights, items, _ = zip(*asked, strict=True)
    shares = budget.share(total, weights, items)
    spent = sum(share * count for share, count in zip(shares, items, strict=True))
    assert spent <= total
    assert spent > total - sum(items)
    for share, weight, count in zip(shares, weights, items, strict=True):
        assert share == (total * weight / sum(weights) / count).__floor__()


@given(st.integers(1_000_000, 20_000_000), questions)
def test_what_the_channels_really_cost_never_exceeds_the_total(
    total: int, asked: list[tuple[Fraction, int, int]]
) -> None:
    weights, items, answers = zip(*asked, strict=True)
    shares = budget.share(total, weights, items)
    spent = 0
    for share, count, k in zip(shares, items, answers, strict=True):
        if share >= 100:
            millionths = budget.spend(share, k).epsilon_millionths
            assert millionths is not None
            spent += millionths * count
    assert spent <= total


def test_equal_weights_are_an_equal_split_over_questions_then_items() -> None:
    assert budget.share(3_000_000, [Fraction(1)] * 3, [1, 2, 5]) == [1_000_000, 500_000, 200_000]


def test_a_share_of_nothing_builds_nothing() -> None:
    with pytest.raises(ValueError, match="above 0"):
        budget.spend(0, 2)
