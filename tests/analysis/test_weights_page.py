"""What ``docs/coverage.md`` says of weights to margins."""

import pytest

from benchmarks.coverage import weights
from tests.analysis.coverage_page import cells_of, section, tables

_, _, *LINES = tables(section("Weights to margins"))
ROWS = {name: [*map(float, found)] for name, *found in map(cells_of, LINES)}


def test_every_row_is_published_and_holds_in_93_of_100_surveys() -> None:
    assert list(ROWS) == list(weights.ROWS)
    assert min(min(found) for found in ROWS.values()) >= 0.93


@pytest.mark.slow
def test_a_cell_is_what_the_command_prints() -> None:
    assert weights.coverage("share", 1, 300) == ROWS["share"][1]
