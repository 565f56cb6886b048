"""In how many rooms a class sees what un-mixing does: by enumeration, in fractions."""

from fractions import Fraction
from math import comb
from pathlib import Path

import pytest

from benchmarks.rooms import QUESTIONS, SIZES, lines, rooms
from deniable.server.desk.editor.starters import ready_questions

DOCS = Path(__file__).parents[2] / "docs" / "instructors.md"


def binomial(n: int, chance: Fraction) -> list[Fraction]:
    return [comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(n + 1)]


def enumerated(share: Fraction, n: int) -> tuple[Fraction, Fraction]:
    """Add up all rooms: how many say yes in truth, and what the coins of each kind make of it."""
    seen = below = Fraction(0)
    for truly, chance in enumerate(binomial(n, share)):
        kept, turned = binomial(truly, Fraction(3, 4)), binomial(n - truly, Fraction(1, 4))
        for one, of_yes in enumerate(kept):
            for other, of_no in enumerate(turned):
                # Un-mixed, a share ā of the reports is 2ā − 1/2.
                received, unmixed = Fraction(one + other, n), Fraction(4 * (one + other) - n, 2 * n)
                joint = chance * of_yes * of_no
                seen += joint if 20 * (received - unmixed) >= 1 else 0
                below += joint if unmixed < 0 else 0
    return seen, below


@pytest.mark.parametrize("share", [*QUESTIONS.values(), Fraction(1, 2)])
def test_rooms_are_counted_as_an_enumeration_in_fractions_counts_them(share: Fraction) -> None:
    for n in (4, 10, 20):
        assert rooms(share, n) == pytest.approx([float(one) for one in enumerated(share, n)])


def test_the_page_says_what_the_command_prints() -> None:
    assert "\n".join(lines()) in DOCS.read_text()
    found = [int(100 * rooms(share, n)[0]) for share in QUESTIONS.values() for n in SIZES]
    assert found == [93, 99, 87, 96]
    assert round(100 * rooms(Fraction(1, 5), 40)[1]) == 6


def test_the_questions_are_the_first_of_those_that_are_ready() -> None:
    assert list(ready_questions())[: len(QUESTIONS)] == list(QUESTIONS)
