"""What ``docs/coverage.md`` says of means, tables and shares that are not one proportion."""

import re

import numpy as np
import pytest

from benchmarks.coverage import small_samples
from benchmarks.coverage.small_samples import ROWS, SIZES, Cell, cell, difference_coverage, written
from deniable.analysis.intervals import inversion
from tests.analysis.coverage_page import section
from tests.quickly import first_of

pytestmark = pytest.mark.promise("coverage")

SECTION = section("Means, tables, and shares that are not one proportion")
TABLE = {
    (row, epsilon): shown.split(" | ")
    for row, epsilon, shown in re.findall(r"^\| ([^|]+) \| ([^|]+) \| (.*) \|$", SECTION, re.M)
    if row in ROWS
}


def test_every_row_is_published_with_what_it_is_about() -> None:
    assert set(TABLE) == {(row, epsilon) for row, (_, some) in ROWS.items() for epsilon in some}


def test_every_default_interval_holds_in_94_of_100_surveys() -> None:
    for shown in TABLE.values():
        for one in shown:
            assert float(one.split(" ")[0]) >= small_samples.ENOUGH
    last = SECTION[SECTION.index("### Differences") :]
    differences = re.findall(r"^\| [^|]+ \| (0\.\d+ .*) \|$", last, re.M)
    assert len(differences) == 5
    for line in differences:
        for one in line.split(" | "):
            assert float(one.split(" ")[0]) >= small_samples.ENOUGH


@pytest.mark.parametrize("epsilon", first_of(small_samples.EPSILONS))
def test_what_is_exact_is_what_the_command_prints(epsilon: str) -> None:
    found = small_samples.two_point(epsilon)
    assert TABLE["mean, two-point design", epsilon] == [
        written([cell(problem, n) for problem in found]) for n in SIZES
    ]
    line = next(line for line in SECTION.splitlines() if line.startswith(f"| {epsilon} | 0"))
    shown = [cell.strip() for cell in line.strip("|").split("|")][1:]
    for n, one in zip(SIZES[:2], shown, strict=False):
        assert one == "{:.3f} ({:.3f})".format(*difference_coverage(epsilon, n))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("row", "epsilon", "n"),
    [
        ("share, Kuk's design of 9 draws", "3", 8),
        ("mean, number of 11 levels", "1", 8),
        ("cell, Warner × direct", "3", 8),
    ],
)
def test_what_was_drawn_is_drawn_again(row: str, epsilon: str, n: int) -> None:
    cells = [cell(problem, n) for problem in ROWS[row][0](epsilon)]
    assert written(cells) == TABLE[row, epsilon][SIZES.index(n)]


def test_an_interval_holds_a_value_where_its_test_does_not_reject_it() -> None:
    """Coverage is measured by the test alone, which is much sooner computed."""
    random = np.random.default_rng(7)
    for problem in (*small_samples.levels("3"), *small_samples.both("1")):
        for table in random.multinomial(12, problem.truth @ problem.C, size=8):
            low, high = inversion.tail_interval(table, problem.C, problem.ratio, 0.95)
            held = inversion.holds(table, problem.C, problem.ratio, 0.95, problem.value)
            if min(abs(low - problem.value), abs(high - problem.value)) > 1e-3:
                assert held == (low <= problem.value <= high)


def test_a_cell_of_the_table_is_its_worst_coverage_and_its_fair_widths() -> None:
    cells = [Cell("a", 0.96, 0.95, 1.02), Cell("b", 0.95, 0.5, 3.0), Cell("c", 0.97, 0.96, 1.1)]
    assert written(cells) == "0.950 (0.500), 1.10"
    assert written(cells[1:2]) == "0.950 (0.500), –"
