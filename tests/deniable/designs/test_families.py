"""A family has a channel for every ε, and none that costs more."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deniable import designs
from deniable.designs import best_k_ary, best_numeric, coarsened, laplace
from deniable.designs.families import ANSWERS, NUMBERS, Family

EPSILONS = st.integers(10_000, 8_000_000).map(lambda millionths: Fraction(millionths, 10**6))


@given(st.sampled_from(list(ANSWERS)), st.integers(2, 20), st.booleans(), EPSILONS)
def test_answers_cost_a_share(name: str, answers: int, declining: bool, epsilon: Fraction) -> None:
    channel = Family(name, answers, besides=declining).channel(epsilon)
    assert channel.truths == answers + declining
    assert channel.epsilon <= float(epsilon) + 1e-12
    assert channel.identifiable


@given(st.sampled_from(list(NUMBERS)), st.integers(2, 12), st.integers(0, 30), EPSILONS)
def test_numbers_keep_to_their_share(name: str, levels: int, more: int, epsilon: Fraction) -> None:
    channel = Family(name, levels + more, levels).channel(epsilon)
    assert channel.truths == levels + more
    assert channel.epsilon <= float(epsilon) + 1e-12


@given(st.integers(2, 12), st.integers(0, 60), EPSILONS)
def test_declining_a_number_is_randomised_too(levels: int, more: int, epsilon: Fraction) -> None:
    family = Family("k_ary", levels + more, levels, besides=1)
    channel = family.channel(epsilon)
    assert (channel.truths, channel.reports) == (levels + more + 1, levels + 1)
    assert channel.epsilon <= float(epsilon) + 1e-12
    exact = designs.k_ary(levels + 1, epsilon).probabilities
    # Rounding moved weights by less than 254 in all; ends and declining are k-ary response's rows.
    for row in (0, -2, -1):
        assert np.allclose(channel.probabilities[row], exact[row], rtol=0, atol=1e-6)
    # A number in between is a mixture of its neighbours: linear, so that the mean stays unbiased.
    position = np.arange(levels + more) * (levels - 1) / (levels + more - 1)
    below = np.minimum(position.astype(int), levels - 2)
    part = (position - below)[:, np.newaxis]
    mixed = (1 - part) * exact[below] + part * exact[below + 1]
    assert np.allclose(channel.probabilities[:-1], mixed, rtol=0, atol=1e-6)


def test_the_names_lead_to_the_designs() -> None:
    assert Family("best", 13).channel(1) == best_k_ary(13, 1)
    assert Family("k_ary", 5, besides=1).channel(1) == designs.k_ary(6, 1)
    assert Family("best", 21, 21).channel(1) == best_numeric(21, 1)
    assert Family("best", 101, 21).channel(1) == coarsened(designs.minimax(21, 1), 101)
    assert Family("laplace", 8, 8).channel("0.5") == laplace(8, "0.5")
    assert Family("k_ary", 8, 8, besides=1).channel(1) == designs.k_ary(9, 1)


def test_values_reach_from_0_to_1() -> None:
    assert Family("k_ary", 3, 2, besides=1).values == [0, Fraction(1, 2), 1, Fraction(1, 2)]
    assert Family("laplace", 5, 2).values == [Fraction(place, 4) for place in range(5)]
    assert Family("k_ary", 3).values is None
