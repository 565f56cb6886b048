"""What ``docs/coverage.md`` says of weights and of waves."""

import math
import re

import pytest

from benchmarks.coverage import people
from tests.analysis.coverage_page import section

ROWS = {
    name: re.findall(r"(\d\.\d{3}) \((\d\.\d{3})\)", cells)
    for name, cells in re.findall(r"^\| ([^|]+) \| (\d.*) \|$", section("Weights and waves"), re.M)
}


def test_every_row_is_published_with_what_it_is_about() -> None:
    named = [one.name for one in people.WEIGHINGS]
    waves = ["two waves, any dependence", *(f"`redraw: {one}`" for one in people.REDRAWS)]
    assert list(ROWS) == [*named, *people.DRAWN, *waves]


def test_every_interval_holds_in_94_of_100_surveys() -> None:
    for cells in ROWS.values():
        assert min(float(held) for held, _ in cells) >= people.ENOUGH


def test_what_is_exact_is_what_the_command_prints() -> None:
    found = [people.any_dependence(n) for n in people.TWO_WAVES[:2]]
    assert [f"{math.floor(1000 * held) / 1000:.3f}" for held, _ in found] == [
        held for held, _ in ROWS["two waves, any dependence"][:2]
    ]


@pytest.mark.evidence
@pytest.mark.parametrize("weighing", people.WEIGHINGS, ids=lambda one: one.name)
def test_what_is_exact_of_weights_is_what_the_command_prints(weighing: people.Weighing) -> None:
    for epsilon, (held, _) in zip(people.EPSILONS, ROWS[weighing.name], strict=True):
        assert f"{people.weighted_coverage(weighing, epsilon)[0] + 1e-9:.4f}"[:5] == held
