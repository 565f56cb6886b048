from collections import Counter

import pytest

from deniable.designs.difference_sets import DifferenceSet, catalogue, paley, singer

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


@pytest.mark.parametrize("design", catalogue()[:20], ids=lambda design: design.name)
def test_two_blocks_share_as_many_points(design: DifferenceSet) -> None:
    blocks = [set(design.block(x)) for x in range(design.v)]
    assert all(
        len(blocks[x] & blocks[y]) == (design.index if x != y else design.m)
        for x in range(design.v)
        for y in range(design.v)
    )


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
