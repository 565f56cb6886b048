"""Designs of several answers, alone, together, and by families for every ε."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.precision import EPSILONS, of_mean, of_shares
from deniable import designs, least_variance
from deniable.channel import ROW_SUM, Channel
from deniable.designs import best_k_ary, best_numeric, coarsened, laplace
from deniable.designs.families import ANSWERS, NUMBERS, Family
from tests.kit import first_of


@pytest.mark.parametrize(
    ("channel", "table"),
    [
        (designs.truth_or_random(), [[0.75, 0.25], [0.25, 0.75]]),
        (designs.truth_or_random("1/2", k=4), np.full((4, 4), 0.125) + 0.5 * np.eye(4)),
        (designs.k_ary(3, keep="1/2"), [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]),
        (
            designs.custom([["1/3", "2/3", 0], [0, "1/2", "1/2"]]),
            [[1 / 3, 2 / 3, 0], [0, 0.5, 0.5]],
        ),
    ],
)
def test_the_table_of_a_design(channel: Channel, table: list[list[float]]) -> None:
    np.testing.assert_allclose(channel.probabilities, table, rtol=0, atol=2 / ROW_SUM)


@pytest.mark.parametrize(
    ("channel", "ratio"),
    [
        (designs.truth_or_random(), 3),
        (designs.k_ary(4, keep="1/2"), 3),
        (designs.truth_or_random("1/2", k=4), 5),
        # (0.5 + 0.1) / 0.1, the answer that is forced most seldom
        (designs.forced_response_k("1/2", ["1/5", "2/5", "2/5"]), 6),
    ],
)
def test_epsilon_is_the_logarithm_of_the_largest_ratio(channel: Channel, ratio: int) -> None:
    # Rounding the weights moves the ratio by 1e-9 at most, and ε is rounded up to a millionth.
    assert math.log(ratio) - 1e-8 < channel.epsilon < math.log(ratio) + 2e-6


@given(st.integers(2, 255), st.integers(100, 25_000_000))
def test_epsilon_is_never_above_the_one_asked_for(k: int, millionths: int) -> None:
    channel = designs.k_ary(k, Fraction(millionths, 10**6))
    assert channel.epsilon_millionths is not None
    assert channel.epsilon_millionths <= millionths
    # And what is asked for is used: one step less of the off-diagonal would exceed it.
    own, other = channel.weights[0][:2]
    if other > 1:
        more = Fraction(own + k - 1, other - 1)
        assert float(more) > math.exp(millionths / 10**6) * (1 - 1e-9)


@given(st.integers(2, 60), st.fractions(0, 1, max_denominator=1000))
def test_flip_is_the_chance_of_another_report(k: int, share: Fraction) -> None:
    flip = share * Fraction(k - 1, k) * Fraction(999, 1000)
    channel = designs.k_ary(k, keep=1 - designs.flip_probability(flip, k))
    for truth, row in enumerate(channel.weights):
        assert abs(ROW_SUM - row[truth] - flip * ROW_SUM) <= k
        assert len({weight for report, weight in enumerate(row) if report != truth}) == 1


def test_forced_response_of_k_is_the_paper_s() -> None:
    truth, forced = 0.6, np.array([0.1, 0.5, 0.15, 0.25])
    channel = designs.forced_response_k(truth, [str(share) for share in forced])
    G = least_variance(channel)
    expected = (np.eye(4) - (1 - truth) * forced[:, np.newaxis]) / truth
    np.testing.assert_allclose(G, expected, rtol=0, atol=1e-8)
    theta = np.array([0.4, 0.3, 0.2, 0.1])
    says = truth * theta + (1 - truth) * forced
    variances = G**2 @ (theta @ channel.probabilities) - theta**2
    np.testing.assert_allclose(variances, says * (1 - says) / truth**2, rtol=0, atol=1e-8)


def test_a_revealing_design_names_its_report() -> None:
    designs.refuse_for_collection(designs.warner(0.3), ["No", "Yes"])
    with pytest.raises(ValueError, match="the report 'No' would give its sender away"):
        designs.refuse_for_collection(designs.forced_response("1/2", 1), ["No", "Yes"])


def test_a_design_that_says_nothing_is_refused() -> None:
    same_rows = designs.custom([["1/4", "3/4"], ["1/4", "3/4"]])
    assert not same_rows.identifiable
    assert designs.k_ary(255, "1/100").identifiable
    with pytest.raises(ValueError, match="nothing could be learned"):
        designs.refuse_for_collection(same_rows, ["No", "Yes"])


@pytest.mark.parametrize("k", first_of([10, 3, 16, 31, 75, 113, 136, 183], quick=4))
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_limit_is_reached_or_nearly(k: int, epsilon: str) -> None:
    """A report is a byte, so at most 254 sets of one size fit beside "prefer not to say"."""
    size = min(range(1, k), key=lambda d: abs(math.log(d / (k - d)) + float(epsilon)))
    found = of_shares(k, epsilon)
    assert found > 1 - 1e-6
    if max(math.comb(k, size), math.comb(k, size + 1)) <= 254:
        assert found == pytest.approx(1, abs=5e-3)
    assert found <= (1.205 if epsilon == "4" and k > 113 else 1.135)


@pytest.mark.parametrize("levels", first_of([3, 11, 21]))
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_means_have_less_noise_than_the_hybrid(levels: int, epsilon: str) -> None:
    noise = of_mean(levels, epsilon, distribution=False)
    assert noise.max() < 0.98


SHARES = st.integers(10_000, 8_000_000).map(lambda millionths: Fraction(millionths, 10**6))


@given(st.sampled_from(list(ANSWERS)), st.integers(2, 20), st.booleans(), SHARES)
def test_answers_cost_a_share(name: str, answers: int, declining: bool, epsilon: Fraction) -> None:
    channel = Family(name, answers, besides=declining).channel(epsilon)
    assert channel.truths == answers + declining
    assert channel.epsilon <= float(epsilon) + 1e-12
    assert channel.identifiable


@given(st.sampled_from(list(NUMBERS)), st.integers(2, 12), st.integers(0, 30), SHARES)
def test_numbers_keep_to_their_share(name: str, levels: int, more: int, epsilon: Fraction) -> None:
    channel = Family(name, levels + more, levels).channel(epsilon)
    assert channel.truths == levels + more
    assert channel.epsilon <= float(epsilon) + 1e-12


@given(st.integers(2, 12), st.integers(0, 60), SHARES)
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
