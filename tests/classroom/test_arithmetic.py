"""From reports to shares, and chance by hand: sums come out, and rooms are enumerated."""

import re
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import comb

import pytest

from deniable import Channel, designs
from deniable.analysis.planning.widths import report_rates
from deniable.classroom.arithmetic import Sum, Unmixed, in_people, nearer, unmix

COINS = designs.truth_or_random()


def numbers(written: Sum) -> tuple[Decimal, ...]:
    return tuple(
        Decimal(part.replace("−", "-").replace(",", "").removesuffix(" %"))
        for part in (written.reports, written.chance, written.kept, written.share)
    )


@pytest.mark.parametrize(
    ("channel", "most"),
    [
        (designs.warner(flip="1/4"), 130),
        (designs.warner(flip="1/3"), 40),
        (designs.warner(flip="0.1"), 40),
        (designs.warner(flip="0.45"), 40),
        (designs.warner(epsilon=1), 60),
        (designs.forced_response("2/3", "1/2"), 40),
        (designs.forced_response("3/4", "1/6"), 40),
        (designs.k_ary(4, 1), 25),
    ],
)
def test_every_sum_comes_out(channel: Channel, most: int) -> None:
    rates = report_rates(channel, 1)
    assert rates is not None
    none, full = rates
    for n in (*range(1, most), 1000, 2999):
        for x in range(n + 1) if n < most else (0, 1, n // 3, n - 1, n):
            true = (x / n - none) / (full - none)
            said = in_people(Unmixed(none, full, x / n, true), n)
            reports, chance, kept, share = numbers(said)
            assert reports == x
            # What lies half-way between two tenths may be rounded either way.
            assert abs(100 * (reports - chance) / kept - share) <= Decimal("0.0501")
            assert abs(float(share) / 100 - true) <= 0.00051
            assert re.fullmatch(r"\(.* − .*\) / .* = .* %", str(said))


@pytest.mark.parametrize("n", [4, 12, 100, 116, 120, 300])
def test_whole_reports_give_whole_people(n: int) -> None:
    for x in (0, 1, n // 2, n):
        way = unmix(designs.warner(flip="1/4"), (n - x, x))
        assert way is not None
        said = in_people(way[1], n)
        assert (said.chance, said.kept) == (f"{n // 4}", f"{n // 2}")


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
def test_rooms_are_counted_as_in_fractions(yes: int, n: int) -> None:
    assert nearer(COINS, yes, n) == pytest.approx(
        [float(one) for one in enumerated(yes, n)], abs=1e-8
    )


def test_a_rare_yes_shows_it_in_more_rooms() -> None:
    """Of 40 people: the last is the first of the ready questions."""
    found = [nearer(COINS, yes, 40)[0] for yes in (2, 4, 8, 10)]
    assert [round(100 * one) for one in found] == [82, 81, 68, 65]
