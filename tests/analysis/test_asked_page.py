"""What ``docs/coverage.md`` says of asking a part, of pairs, and of means alone."""

import pytest

from benchmarks.coverage import asked, small_samples
from tests.analysis.coverage_page import cells_of, section, tables

pytestmark = pytest.mark.promise("coverage")

TITLE = "Some questions of each person, pairs, and means alone"
TABLE = {name: cells for name, *cells in map(cells_of, tables(section(TITLE))[2:])}


def test_every_row_is_published_and_holds_in_94_of_100_surveys() -> None:
    assert list(TABLE) == list(asked.ROWS)
    for cells in TABLE.values():
        assert len(cells) == len(asked.CELLS)
        assert min(map(float, cells)) >= small_samples.ENOUGH


@pytest.mark.parametrize("row", [*asked.ROWS][:6])
def test_what_is_exact_is_what_the_command_prints(row: str) -> None:
    assert asked.written(asked.ROWS[row]("1", 30)) == TABLE[row][0]


@pytest.mark.slow
def test_the_table_is_what_the_command_prints() -> None:
    assert tables("\n".join(asked.lines())) == tables(section(TITLE))
