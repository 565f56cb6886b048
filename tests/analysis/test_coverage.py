import math

import numpy as np
import pytest
from scipy import stats

from benchmarks.coverage import regressions, samples, tails
from benchmarks.coverage.cells import LEVEL, Case, measured
from deniable import Channel, designs, identity
from deniable.analysis import estimate, intervals
from deniable.analysis.intervals.coverage import exact_coverage, least_coverage
from tests.analysis.enumeration import compositions, tables
from tests.analysis.surveys import THREE_REPORTS
from tests.kit import first_of

pytestmark = pytest.mark.promise("coverage")


@pytest.mark.parametrize("method", intervals.NAMES)
@pytest.mark.parametrize(
    ("channel", "shares"),
    first_of(
        [
            (designs.custom([["1/5", "4/5"], ["9/10", "1/10"]]), [0.3, 0.7]),
            (THREE_REPORTS, [1, 0]),
            (designs.warner(flip="1/10"), [0.98, 0.02]),
            (designs.custom([["3/4", "0", "1/4"], ["1/4", "0", "3/4"]]), [0.5, 0.5]),
            (designs.k_ary(3, 2), [0.7, 0.3, 0]),
            (identity(2), [0.9, 0.1]),
        ],
        quick=2,
    ),
)
def test_it_sums_over_all_estimates(method: str, channel: Channel, shares: list[float]) -> None:
    n = 4
    P = np.array(shares) @ channel.probabilities
    for truth, share in enumerate(shares):
        covered = 0.0
        for chance, counts in tables(n, P):
            low, high = estimate(counts, channel).interval(0.9, method)[truth]
            covered += chance * (low <= share <= high)
        found = exact_coverage(channel, n, [shares], method=method, level=0.9, truth=truth)
        assert found.share == pytest.approx([share])
        assert found.coverage == pytest.approx([covered], abs=1e-9)


def test_the_least_coverage_is_below_every_grid() -> None:
    channel = designs.warner(flip="1/10")
    for method in ("wilson", "exact", "likelihood"):
        least = least_coverage(channel, 12, method=method)
        fine = exact_coverage(channel, 12, np.linspace(0, 1, 40_001), method=method).coverage.min()
        assert least <= fine <= least + 5e-4


@pytest.mark.parametrize("share", [0, 1])
def test_the_least_coverage_may_be_at_ends(share: int) -> None:
    rows = [["6/10", "4/10"], ["7/10", "3/10"]]
    channel = designs.custom(rows if share == 0 else rows[::-1])
    # Of 8 reports, 1 to 5 have a Wilson interval that holds 4/10.
    assert least_coverage(channel, 8, method="wilson") == pytest.approx(
        sum(math.comb(8, x) * 0.4**x * 0.6 ** (8 - x) for x in range(1, 6)), abs=1e-8
    )


@pytest.mark.parametrize("n", first_of([3, 33, 1, 2, 5, 10, 100, 300], quick=2))
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.999])
def test_exact_intervals_cover_as_often_as_they_say(n: int, level: float) -> None:
    for channel in (
        designs.warner(flip="1/4"),
        designs.forced_response("2/3", "1/2"),
        designs.custom([["1", "0"], ["2/5", "3/5"]]),
    ):
        for method in ("exact", "feldman-cousins"):
            assert least_coverage(channel, n, method=method, level=level) >= level - 1e-9


@pytest.mark.parametrize(
    ("method", "n", "epsilon", "tenths", "least"),
    [
        ("exact", 20, 1, 10, 0.95),
        ("feldman-cousins", 20, 1, 10, 0.95),
        ("likelihood", 12, 2, 5, 0.92),  # as often as it says on average
    ],
)
def test_three_answers_are_covered_as_said(
    method: str, n: int, epsilon: int, tenths: int, least: float
) -> None:
    grid, channel = np.array(compositions(tenths, 3)) / tenths, designs.k_ary(3, epsilon)
    for truth in range(3):
        found = exact_coverage(channel, n, grid, method=method, truth=truth).coverage
        assert found.min() >= least
        assert least == 0.95 or 0.94 < found.mean() < 0.98


def first_of_each_kind() -> list[Case]:
    every = (case for room in (tails, samples, regressions) for case in room.cases())
    found: dict[str, Case] = {}
    for case in every:
        found.setdefault(case.kind, case)
    return [*found.values()]


@pytest.mark.parametrize(
    "case", first_of(first_of_each_kind(), 3, pytest.mark.campaign), ids=lambda case: case.kind
)
def test_a_cell_of_each_published_kind_holds(case: Case) -> None:
    """By 400 surveys: at .95, less comes once in a million times."""
    assert measured(case, 400, 1).coverage >= stats.binom.ppf(1e-6, 400, LEVEL) / 400
