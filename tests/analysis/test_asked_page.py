"""What ``docs/coverage.md`` says of asking a part, and of other doors to numbers than a share."""

import pytest

from benchmarks.coverage import asked, doors, small_samples, weights
from tests.analysis.coverage_page import cells_of, section, tables

pytestmark = pytest.mark.promise("coverage")

TITLE = "Some questions of each person, pairs, and means alone"
TABLE = {name: cells for name, *cells in map(cells_of, tables(section(TITLE))[2:])}


DOORS, MARGINS = (
    {name: [float(cell.split()[0]) for cell in cells] for name, *cells in map(cells_of, lines[2:])}
    for lines in (
        tables(section("Randomised predictors, several arms, scrambled numbers")),
        tables(section("Weights to margins")),
    )
)


def test_every_row_is_published_and_holds_in_93_of_100_surveys() -> None:
    assert list(TABLE) == list(asked.ROWS)
    assert list(DOORS) == list(doors.ROWS)
    assert list(MARGINS) == list(weights.ROWS)
    for cells in TABLE.values():
        assert len(cells) == len(asked.CELLS)
        assert min(map(float, cells)) >= small_samples.ENOUGH
    for found in (*DOORS.values(), *MARGINS.values()):
        assert min(found) >= 0.93


def test_a_cell_is_what_the_command_prints() -> None:
    row = "mean of scrambled numbers"
    assert [round(doors.coverage(row, n)[0], 3) for n in doors.PEOPLE] == DOORS[row]


def test_effects_of_few_people_are_published_and_hold() -> None:
    lines = tables(section("Effects of a randomised trait, few people"))
    rows = [list(map(float, cells_of(line))) for line in lines[2:]]
    assert [row[0] for row in rows] == list(doors.FEW)
    for _, profile, wald, _ in rows:
        assert profile >= 0.93 > wald


@pytest.mark.evidence
def test_the_effects_of_80_people_are_what_the_command_prints() -> None:
    lines = tables(section("Effects of a randomised trait, few people"))
    printed = [float(f"{one:.3f}") for one in doors.of_few(80)]
    assert [80, *printed] == list(map(float, cells_of(lines[-1])))


@pytest.mark.evidence
def test_a_cell_of_weights_is_what_the_command_prints() -> None:
    assert weights.coverage("share", 1, 300) == MARGINS["share"][1]


@pytest.mark.parametrize("row", [*asked.ROWS][:6])
def test_what_is_exact_is_what_the_command_prints(row: str) -> None:
    assert asked.written(asked.ROWS[row]("1", 30)) == TABLE[row][0]


@pytest.mark.evidence
def test_the_table_is_what_the_command_prints() -> None:
    assert tables("\n".join(asked.lines())) == tables(section(TITLE))
