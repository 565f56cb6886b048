"""In how many rooms a class sees what un-mixing does: by enumeration, in fractions."""

from fractions import Fraction
from itertools import product
from math import comb

import pytest

from deniable import designs
from deniable.classroom.arithmetic import nearer

COINS = designs.truth_or_random()


def binomial(n: int, chance: Fraction) -> list[Fraction]:
    return [comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(n + 1)]


def enumerated(truly: int, n: int) -> tuple[Fraction, Fraction]:
    """Add up what the coins make of those who say yes in truth, and of the others."""
    first = same = Fraction(0)
    kept, turned = binomial(truly, Fraction(3, 4)), binomial(n - truly, Fraction(1, 4))
    for (one, of_yes), (other, of_no) in product(enumerate(kept), enumerate(turned)):
        # Un-mixed, a share ā of the reports is 2ā − 1/2.
        received = Fraction(one + other, n)
        unmixed, truth = 2 * received - Fraction(1, 2), Fraction(truly, n)
        first += of_yes * of_no * (abs(unmixed - truth) < abs(received - truth))
        same += of_yes * of_no * (abs(unmixed - truth) == abs(received - truth))
    return first, same


@pytest.mark.parametrize(("yes", "n"), [(0, 4), (1, 10), (2, 20), (4, 40), (8, 40), (20, 40)])
def test_rooms_are_counted_as_an_enumeration_in_fractions_counts_them(yes: int, n: int) -> None:
    assert nearer(COINS, yes, n) == pytest.approx(
        [float(one) for one in enumerated(yes, n)], abs=1e-8
    )


def test_a_rare_yes_shows_it_in_more_rooms() -> None:
    """Of 40 people: the second is the first of the ready questions."""
    found = [nearer(COINS, yes, 40)[0] for yes in (2, 4, 8, 10)]
    assert [round(100 * one) for one in found] == [82, 81, 68, 65]
