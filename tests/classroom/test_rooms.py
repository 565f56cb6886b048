"""In how many rooms a class sees what un-mixing does: by enumeration, in fractions."""

from fractions import Fraction
from itertools import product
from math import comb
from pathlib import Path

import pytest

from benchmarks.rooms import SHARES, SIZES, below, lines
from deniable import designs
from deniable.classroom.arithmetic import nearer
from deniable.server.desk.editor.starters import ready_questions

DOCS = Path(__file__).parents[2] / "docs" / "instructors.md"
COINS = designs.truth_or_random()


def binomial(n: int, chance: Fraction) -> list[Fraction]:
    return [comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(n + 1)]


def enumerated(truly: int, n: int) -> tuple[Fraction, Fraction, Fraction]:
    """Add up what the coins make of those who say yes in truth, and of the others."""
    first = same = under = Fraction(0)
    kept, turned = binomial(truly, Fraction(3, 4)), binomial(n - truly, Fraction(1, 4))
    for (one, of_yes), (other, of_no) in product(enumerate(kept), enumerate(turned)):
        # Un-mixed, a share ā of the reports is 2ā − 1/2.
        received = Fraction(one + other, n)
        unmixed, truth = 2 * received - Fraction(1, 2), Fraction(truly, n)
        first += of_yes * of_no * (abs(unmixed - truth) < abs(received - truth))
        same += of_yes * of_no * (abs(unmixed - truth) == abs(received - truth))
        under += of_yes * of_no * (unmixed < 0)
    return first, same, under


@pytest.mark.parametrize(("yes", "n"), [(0, 4), (1, 10), (2, 20), (4, 40), (8, 40), (20, 40)])
def test_rooms_are_counted_as_an_enumeration_in_fractions_counts_them(yes: int, n: int) -> None:
    found = (*nearer(COINS, yes, n), below(Fraction(yes, n), n))
    assert found == pytest.approx([float(one) for one in enumerated(yes, n)], abs=1e-8)


def test_a_rare_yes_shows_it_in_more_rooms() -> None:
    found = {share: nearer(COINS, int(40 * share), 40)[0] for share in SHARES}
    assert [round(100 * one) for one in found.values()] == [82, 81, 68, 65]


def test_the_page_says_what_the_command_prints() -> None:
    assert "\n".join(lines()) in DOCS.read_text()
    assert len(SHARES) * len(SIZES) == 8


def test_the_questions_are_the_first_of_those_that_are_ready() -> None:
    named = [name for name in SHARES.values() if name]
    assert list(ready_questions())[: len(named)] == named
