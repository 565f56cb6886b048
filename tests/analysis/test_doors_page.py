"""What ``docs/coverage.md`` says of randomised predictors, several arms and scrambled numbers."""

from benchmarks.coverage import doors
from tests.analysis.coverage_page import cells_of, section, tables

_, _, *LINES = tables(section("Randomised predictors, several arms, scrambled numbers"))
ROWS = {name: [float(cell.split()[0]) for cell in found] for name, *found in map(cells_of, LINES)}


def test_every_row_is_published_and_holds_in_93_of_100_surveys() -> None:
    assert list(ROWS) == list(doors.ROWS)
    assert min(min(found) for found in ROWS.values()) >= 0.93


def test_a_cell_is_what_the_command_prints() -> None:
    row = "mean of scrambled numbers"
    assert [round(doors.coverage(row, n)[0], 3) for n in doors.PEOPLE] == ROWS[row]
