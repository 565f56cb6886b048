"""Harm without taking part: shares and premiums by hand, and one report's part by fractions."""

import math
from fractions import Fraction

import pytest

from deniable.lab.harm import PAGE, compute
from tests.lab.shown import picture, values


def test_the_course_s_numbers() -> None:
    found = values(PAGE, among_fast="0.9", among_slow="0.5", smokers="0.2", extra="1500")
    # One sprinter in five is under ten seconds: 0.2 × 0.9 + 0.8 × 0.5.
    assert found["before"] == pytest.approx(0.58)
    assert (found["together"], found["smoker"], found["other"]) == (1300, 2500, 1000)
    assert found["epsilon"] == pytest.approx(math.log(3), abs=1e-6)


@pytest.mark.parametrize("n", ["100", "3000", "10000"])
@pytest.mark.parametrize("flip", ["0.05", "0.25", "0.45"])
def test_one_report_changes_what_the_formula_says(flip: str, n: str) -> None:
    p, m = Fraction(flip), int(n) // 5
    found = values(PAGE, flip=flip, n=n)
    assert found["her_part"] == pytest.approx(float(1 / ((1 - 2 * p) * (m + 1))), rel=1e-5)
    # The estimate with her, from counts of reports and by Warner's formula.
    yes = round(m * (found["told"] * float(1 - 2 * p) + float(p)))
    for name, more in (("with_no", 0), ("with_yes", 1)):
        rate = Fraction(yes + more, m + 1)
        assert found[name] == pytest.approx(float((rate - p) / (1 - 2 * p)), rel=1e-5, abs=1e-6)


def test_what_is_believed_of_her_hardly_depends_on_her() -> None:
    shown = compute(PAGE.read({}))
    before, without, no, yes = shown.pictures[0].series[0].y
    assert max(abs(each - without) for each in (no, yes)) < 0.01
    assert without - before > 0.25


def test_the_picture_of_sizes_is_in_the_points_of_its_table() -> None:
    sizes = picture(PAGE, "sizes")
    assert sizes.y == "Points"
    for place, row in enumerate(sizes.table.rows):
        for series, cell in zip(sizes.series[:2], row[1:], strict=True):
            assert float(cell.split(" ")[0]) == pytest.approx(float(series.y[place]), abs=0.006)
