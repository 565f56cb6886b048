"""Designs of several answers: their tables, block designs, and families for every ε."""

import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.precision import EPSILONS, of_mean, of_shares
from deniable import designs, least_variance
from deniable.channel import ROW_SUM, Channel
from deniable.designs import best_k_ary, best_numeric, coarsened, laplace
from deniable.designs.block import BlockDesign, blocks_for
from deniable.designs.difference_sets import DifferenceSet, catalogue
from deniable.designs.families import Family
from tests.kit import first_of


@pytest.mark.parametrize(
    ("channel", "table"),
    [
        (designs.truth_or_random(), [[0.75, 0.25], [0.25, 0.75]]),
        (designs.truth_or_random("1/2", k=4), np.full((4, 4), 0.125) + 0.5 * np.eye(4)),
        (designs.k_ary(3, keep="1/2"), [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]),
        (designs.custom([["1/3", "2/3", 0], [0, ".5", ".5"]]), [[1 / 3, 2 / 3, 0], [0, 0.5, 0.5]]),
    ],
)
def test_the_table_of_a_design(channel: Channel, table: list[list[float]]) -> None:
    np.testing.assert_allclose(channel.probabilities, table, rtol=0, atol=2 / ROW_SUM)


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
    assert Family("best", 12, besides=1).channel(1) == best_k_ary(13, 1)
    assert Family("k_ary", 5, besides=1).channel(1) == designs.k_ary(6, 1)
    assert Family("best", 21, 21).channel(1) == best_numeric(21, 1)
    assert Family("best", 101, 21).channel(1) == coarsened(designs.minimax(21, 1), 101)
    assert Family("laplace", 8, 8).channel("0.5") == laplace(8, "0.5")
    assert Family("k_ary", 8, 8, besides=1).channel(1) == designs.k_ary(9, 1)


def test_values_reach_from_0_to_1() -> None:
    assert Family("k_ary", 3, 2, besides=1).values == [0, Fraction(1, 2), 1, Fraction(1, 2)]
    assert Family("laplace", 5, 2).values == [Fraction(place, 4) for place in range(5)]
    assert Family("k_ary", 3).values is None


LN3 = Fraction(1_098_612, 10**6)


def total_variance(channel: Channel) -> float:
    """Add up the variances of all shares, for one report and equally likely truths."""
    G = least_variance(channel)
    chances = channel.probabilities.mean(axis=0)
    return float((G**2 @ chances - (G @ chances) ** 2).sum())


def subset_selection(k: int, epsilon: float, size: int) -> float:
    """Return the same for subset selection (Ye and Barg 2018, proposition on its risk)."""
    e = math.exp(epsilon)
    return ((k - 1) * (size * e + k - size) / (e - 1)) ** 2 / (k * size * (k - size))


@pytest.mark.parametrize(
    ("name", "v", "m", "epsilon"),
    [
        ("planar-13", 13, 4, Fraction(1, 10)),
        ("planar-13", 13, 4, LN3),
        ("paley-23", 23, 11, Fraction(1)),
        ("singer-40-complement", 40, 27, Fraction(4)),
        ("hadamard-255", 255, 127, Fraction(1)),
    ],
)
def test_all_answers_have_the_closed_forms(name: str, v: int, m: int, epsilon: Fraction) -> None:
    channel = designs.block_design(v, epsilon, name)
    (design,) = (design for design in designs.blocks_for(v) if design.name == name)
    expected = subset_selection(v, float(epsilon), m)
    assert designs.total_variance(design, v, epsilon) == pytest.approx(expected, rel=1e-9)
    assert total_variance(channel) == pytest.approx(expected, rel=1e-5)
    e = math.exp(epsilon)
    Q = 1 / (m * e + v - m)
    P = e * Q
    in_block = np.zeros((v, v))
    for x in range(v):
        in_block[x, list(design.blocks[x])] = 1
    elsewhere = design.index * P + (m - design.index) * Q
    G = (in_block - elsewhere) / ((m - design.index) * (P - Q))
    scale = np.abs(G).max()
    # Weights of 32 bits over 255 reports are relatively 1e-7 off; dividing by P − Q amplifies that.
    np.testing.assert_allclose(least_variance(channel), G, rtol=0, atol=1e-6 * scale)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.sampled_from(blocks_for(2)[:60]), st.data(), st.integers(20, 12_000))
def test_designs_are_chosen_by_the_channel_s_variance(
    design: BlockDesign, data: st.DataObject, thousandths: int
) -> None:
    k = data.draw(st.integers(2, len(design.blocks)))
    epsilon = Fraction(thousandths, 1000)
    channel = designs.block_design(k, epsilon, design.name)
    assert designs.total_variance(design, k, epsilon) == pytest.approx(
        total_variance(channel), rel=1e-3
    )


@pytest.mark.parametrize("epsilon", first_of(["1", "1e-5", "1/10", "3"], 2))
@pytest.mark.parametrize("k", [2, 7, 17, 24, 40, 125])
def test_the_best_is_chosen(k: int, epsilon: str) -> None:
    blocks = min(designs.total_variance(each, k, Fraction(epsilon)) for each in blocks_for(k))
    least = min(blocks, total_variance(designs.k_ary(k, epsilon)))
    # Weights of 32 bits say less of a small ε.
    near = 1e-3 + 3e-7 / float(Fraction(epsilon))
    assert total_variance(designs.best_k_ary(k, epsilon)) == pytest.approx(least, rel=near)
    assert total_variance(designs.block_design(k, epsilon)) == pytest.approx(blocks, rel=near)


def test_subsets_have_a_report_a_set() -> None:
    channel = designs.block_design(5, 1, "subsets-5-2")
    (design,) = (each for each in blocks_for(5) if each.name == "subsets-5-2")
    sets = list(combinations(range(5), 2))
    assert [[x in each for each in sets] for x in range(5)] == [
        [a in block for a in range(10)] for block in design.blocks
    ]
    assert (design.v, design.m, design.index, channel.epsilon) == (10, 4, 1, 1.0)
    expected = subset_selection(5, 1, 2)
    assert designs.total_variance(design, 5, Fraction(1)) == pytest.approx(expected, rel=1e-12)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.sampled_from(blocks_for(2)), st.data(), st.integers(50, 25_000_000))
def test_epsilon_stays_in_bounds(design: BlockDesign, data: st.DataObject, millionths: int) -> None:
    k = data.draw(st.integers(2, len(design.blocks)))
    channel = designs.block_design(k, Fraction(millionths, 10**6), design.name)
    assert channel.epsilon_millionths is not None
    assert channel.epsilon_millionths <= millionths
    inside = max(channel.weights[0])
    for x, row in enumerate(channel.weights):
        assert tuple(a for a, weight in enumerate(row) if weight == inside) == design.blocks[x]
        # Nothing but what is left over, less than m in all, is given away.
        outside = [weight for weight in row if weight != inside]
        assert max(outside) - min(outside) <= 1
        assert sum(outside) - len(outside) * min(outside) < design.m
    if millionths < 10_000_000 and design.v < 40:
        assert channel.epsilon_millionths >= millionths - max(2, millionths // 10_000)


@pytest.mark.parametrize(
    ("k", "epsilon", "name", "cost"),
    [
        (72, "3", "family-37-4-copies-2", 1.037),
        (130, "3", "net-11-6-copies-2", 1.053),
        (134, "4", "net-5-3-copies-9", 1.155),
        (183, "4", "planar-31-residual-copies-8", 1.176),
        (245, "4", "planar-31-copies-8", 1.171),
        (197, "3", "planar-73-copies-3", 1.084),
        (230, "2", "singer-121-copies-2", 1.282),
    ],
)
def test_copies_are_near_the_optimum(k: int, epsilon: str, name: str, cost: float) -> None:
    channel = designs.best_k_ary(k, epsilon)
    assert channel == designs.block_design(k, epsilon, name)
    assert channel.reports <= 254
    optimum = min(subset_selection(k, float(epsilon), size) for size in range(1, k))
    assert total_variance(channel) / optimum == pytest.approx(cost, abs=1e-3)
    # All that can be sent, with the integers by which it is drawn.
    odds = max(Fraction(max(column), min(column)) for column in zip(*channel.weights, strict=True))
    assert 1 - Fraction(1, 10**5) < odds / Fraction(Decimal(epsilon).exp()) <= 1
    chances = np.array(channel.weights) / 2**32
    np.testing.assert_allclose(chances @ least_variance(channel).T, np.eye(k), atol=1e-9)


def test_two_blocks_overlap_equally_in_one_copy() -> None:
    small = {each for each in blocks_for(2) if each.name.startswith(("family", "net", "subsets"))}
    for design in {*small, *(each for each in blocks_for(150) if each.copies > 1)}:
        members = np.zeros((len(design.blocks), design.v), int)
        for x, block in enumerate(design.blocks):
            members[x, list(block)] = 1
        of = np.arange(len(members)) % design.copies
        expected = np.where(of[:, None] == of, design.index, 0)
        np.fill_diagonal(expected, design.m)
        np.testing.assert_array_equal(members @ members.T, expected, design.name)


@pytest.mark.parametrize("design", catalogue(), ids=lambda design: design.name)
def test_each_residue_is_a_difference_equally_often(design: DifferenceSet) -> None:
    differences = Counter((a - b) % design.v for a in design.residues for b in design.residues)
    assert differences.pop(0) == design.m
    assert differences == dict.fromkeys(range(1, design.v), design.index)
