"""What it gains to randomise questions as one answer, as theory has it."""

from fractions import Fraction

import pytest

from deniable.analysis.planning.spending import Spend, redesign
from deniable.analysis.planning.together import gains
from deniable.study.planner import Wanted, plan
from deniable.survey_file import read
from tests.surveys_together import DRAWN, TOGETHER, together


@pytest.mark.parametrize(
    ("size", "epsilon", "table", "shares"),
    [(2, 1, 9.4, 1.51), (2, 2, 4.0, 1.77), (3, 2, 5.6, 1.30), (4, 2, 6.4, 0.90)],
)
def test_joint_gains_are_as_in_theory(size: int, epsilon: int, table: float, shares: float) -> None:
    survey = read(together(size, size, epsilon=epsilon)).survey
    found, of_shares = gains(survey, survey.groups[0])
    assert found == pytest.approx(table, abs=0.06)
    assert [*of_shares.values()] == pytest.approx([shares] * 2, abs=0.006)


def test_a_plan_says_what_it_gains() -> None:
    survey = read(TOGETHER).survey
    said = str(plan(survey, Wanted(1000)))
    assert "Together: doped × knew, 6 cells, each ±" in said
    assert "With the same ε apart, the variance of the table is" in said


def test_spending_otherwise_is_a_file_that_says_so() -> None:
    survey = read(TOGETHER).survey
    assert redesign(survey, Spend()) == survey
    drawn = read(DRAWN).survey
    assert redesign(survey, Spend(Fraction("1.098612"), ask=1)).items == drawn.items
    assert redesign(survey, Spend(Fraction("1.098612"), ask=1)).ask == drawn.ask
    twice = redesign(drawn, Spend(Fraction("2.197224")))
    assert twice.ask == drawn.ask
    assert twice.spent_millionths == pytest.approx(2_197_224, abs=3)
    for split in ("equal", "even"):
        other = redesign(survey, Spend(split=split, design="best"))
        assert other.groups[0].cells == survey.groups[0].cells
        assert other.spent_millionths == pytest.approx(survey.epsilon_millionths, abs=3)
