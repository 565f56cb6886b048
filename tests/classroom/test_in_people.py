"""Sums on the wall that come out for whoever computes them with the digits shown."""

import re
from decimal import Decimal

import pytest

from deniable import designs
from deniable.analysis.planning.widths import report_rates
from deniable.channel import Channel
from deniable.classroom.arithmetic import Sum, Unmixed, in_people, unmix


def numbers(written: Sum) -> tuple[Decimal, ...]:
    return tuple(
        Decimal(part.replace("−", "-").replace(",", "").removesuffix(" %"))
        for part in (
            written.reports,
            written.chance,
            written.left,
            written.kept,
            written.all,
            written.share,
        )
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
            reports, chance, left, kept, everybody, share = numbers(said)
            assert reports == x
            assert reports - chance == left
            assert chance + kept == everybody
            # What lies half-way between two tenths may be rounded either way.
            assert abs(100 * left / kept - share) <= Decimal("0.0501")
            assert abs(float(share) / 100 - true) <= 0.00051
            assert re.fullmatch(r"\(.* − .*\) / .* = .* %", str(said))


@pytest.mark.parametrize("n", [4, 12, 100, 116, 120, 300])
def test_people_are_whole_where_chance_sends_a_whole_number_of_reports(n: int) -> None:
    for x in (0, 1, n // 2, n):
        way = unmix(designs.warner(flip="1/4"), (n - x, x))
        assert way is not None
        said = in_people(way[1], n)
        assert (said.chance, said.kept) == (f"{n // 4}", f"{n // 2}")
