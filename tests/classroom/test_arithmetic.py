"""From reports to shares: sums come out."""

import re
from decimal import Decimal

import pytest

from deniable import Channel, designs
from deniable.analysis.planning.widths import report_rates
from deniable.classroom.arithmetic import Unmixed, in_people, unmix


def numbers(written: str) -> tuple[Decimal, ...]:
    found = re.fullmatch(r"\((.*) − (.*)\) / (.*) = (.*) %", written)
    assert found
    return tuple(Decimal(part.replace("−", "-").replace(",", "")) for part in found.groups())


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


@pytest.mark.parametrize("n", [4, 12, 100, 116, 120, 300])
def test_whole_reports_give_whole_people(n: int) -> None:
    for x in (0, 1, n // 2, n):
        way = unmix(designs.warner(flip="1/4"), (n - x, x))
        assert way is not None
        said = in_people(way[1], n)
        assert said.startswith(f"({x:,} − {n // 4}) / {n // 2} = ")
