"""What it gains to randomise questions as one answer, as theory has it."""

import pytest

from deniable.analysis.planning.spending import Spend, redesign
from deniable.analysis.planning.together import gains
from deniable.study.planner import Wanted, plan
from deniable.survey_file import read
from tests.surveys_together import TOGETHER, together


@pytest.mark.parametrize(
    ("size", "epsilon", "table", "shares"),
    [(2, 1, 9.4, 1.51), (2, 2, 4.0, 1.77), (3, 2, 5.6, 1.30), (4, 2, 6.4, 0.90)],
)
def test_the_table_and_the_shares_gain_what_theory_says(
    size: int, epsilon: int, table: float, shares: float
) -> None:
    survey = read(together(size, size, epsilon=epsilon)).survey
    found, of_shares = gains(survey, survey.groups[0])
    assert found == pytest.approx(table, abs=0.06)
    assert [*of_shares.values()] == pytest.approx([shares] * 2, abs=0.006)


def test_a_plan_says_what_it_gains() -> None:
    survey = read(TOGETHER).survey
    said = str(plan(survey, Wanted(1000)))
    assert "Together: doped × knew, 6 cells, each ±" in said
    assert "With the same ε apart, the variance of the table is" in said


def test_groups_stay_as_they_are_when_the_rest_is_spent_otherwise() -> None:
    survey = read(TOGETHER).survey
    group = [item for item in survey.items if item.group is not None]
    for spend in (Spend(), Spend(split="even")):
        other = redesign(survey, spend)
        assert [item for item in other.items if item.group is not None] == group
        assert other.epsilon_millionths == survey.epsilon_millionths
    with pytest.raises(ValueError, match="with 'together'"):
        redesign(survey, Spend(ask=1))
