"""From reports to shares: sums come out."""

from decimal import Decimal

import pytest

from deniable import Channel, designs
from deniable.analysis.planning.reach import report_rates
from deniable.classroom.arithmetic import Unmixed, in_people, unmix


def numbers(written: tuple[str, ...]) -> tuple[Decimal, ...]:
    return tuple(Decimal(part.replace("−", "-").replace(",", "")) for part in written)


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
            reports, chance, left, coins, kept = numbers(said)
            assert (reports, left, kept) == (x, reports - chance, n - coins)
            # What is read comes out, to the digit that is said of the share.
            assert abs(float(left / kept) - true) <= 0.00101


@pytest.mark.parametrize("n", [4, 12, 100, 116, 120, 300])
def test_whole_reports_give_whole_people(n: int) -> None:
    for x in (0, 1, n // 2, n):
        way = unmix(designs.warner(flip="1/4"), (n - x, x))
        assert way is not None
        said = in_people(way[1], n)
        assert [*numbers(said)] == [x, n // 4, x - n // 4, n // 2, n // 2]
