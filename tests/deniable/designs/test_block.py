"""Block designs and their difference sets."""

import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable import Channel, designs, least_variance
from deniable.designs.block import BlockDesign, blocks_for, copies
from deniable.designs.difference_sets import DifferenceSet, catalogue, paley, singer
from tests.kit import first_of

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


def optimum(k: int, epsilon: float) -> float:
    return min(subset_selection(k, epsilon, size) for size in range(1, k))


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


@pytest.mark.parametrize("epsilon", [0.5, 4])
def test_the_best_size_has_the_least_variance(epsilon: float) -> None:
    for k in (2, 7, 200):
        assert designs.subset_selection(k, epsilon) == pytest.approx(optimum(k, epsilon))


@pytest.mark.parametrize("epsilon", first_of(["1", "1/2", "2"]))
def test_fitting_sets_beat_every_mechanism(epsilon: str) -> None:
    for k in range(2, 24):
        least, size = min(
            (subset_selection(k, float(Fraction(epsilon)), size), size) for size in range(1, k)
        )
        best = designs.best_k_ary(k, epsilon)
        if math.comb(k, size) <= 254:
            assert total_variance(best) == pytest.approx(least, rel=1e-6)
        assert best.epsilon <= float(Fraction(epsilon))
        assert best.reports <= 254


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


@settings(derandomize=True, deadline=None, max_examples=200)
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
    assert total_variance(channel) / optimum(k, float(epsilon)) == pytest.approx(cost, abs=1e-3)
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


def test_answers_take_turns_in_the_copies() -> None:
    (two,) = (each for each in blocks_for(4) if each.name == "subsets-4-2")
    assert copies(two, 2).blocks[:3] == ((0, 1, 2), (6, 7, 8), (0, 3, 4))


HADAMARD = {(2**t - 1, 2 ** (t - 1) - 1, 2 ** (t - 2) - 1) for t in range(3, 9)}
PLANES = {(q * q + q + 1, q + 1, 1) for q in (3, 4, 5, 7, 8, 9, 11, 13)}
SPACES = {(40, 13, 4), (121, 40, 13), (85, 21, 5), (156, 31, 6)}
QUARTICS = {(37, 9, 2), (101, 25, 6), (109, 28, 7), (197, 49, 12)}
PRIMES = [7, 11, 19, 23, 31, 43, 47, 59, 67, 71, 79, 83, 103, 107, 127, 131, 139, 151, 163, 167]
PRIMES += [179, 191, 199, 211, 223, 227, 239, 251]


@pytest.mark.parametrize("design", catalogue(), ids=lambda design: design.name)
def test_each_residue_is_a_difference_equally_often(design: DifferenceSet) -> None:
    differences = Counter((a - b) % design.v for a in design.residues for b in design.residues)
    assert differences.pop(0) == design.m
    assert differences == dict.fromkeys(range(1, design.v), design.index)


def test_the_catalogue_holds_sets_and_complements() -> None:
    paleys = {(v, (v - 1) // 2, (v - 3) // 4) for v in PRIMES}
    by_family = {
        "hadamard": HADAMARD,
        "planar": PLANES,
        "singer": SPACES,
        "paley": paleys,
        "quartic": QUARTICS,
    }
    for family, expected in by_family.items():
        own = [design for design in catalogue() if design.name.startswith(f"{family}-")]
        found = {(design.v, design.m, design.index) for design in own}
        complements = {(v, v - m, v - 2 * m + index) for v, m, index in expected}
        assert found == expected | complements
        assert len(own) == 2 * len(expected)
    names = [design.name for design in catalogue()]
    assert len(set(names)) == len(names) == 2 * sum(map(len, by_family.values()))


def test_a_complement_holds_the_other_residues() -> None:
    assert paley(7).complement() == DifferenceSet("paley-7-complement", 7, (0, 3, 5, 6))
    assert singer(2, 1, 4).name == "hadamard-15"
    assert singer(2, 2, 3).name == "planar-21"
    assert singer(3, 1, 4).name == "singer-40"
