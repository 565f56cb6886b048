"""The gain of questions that are randomised as one answer, and what the examples reach."""

import pytest

from deniable.analysis.planning.budgets import precision
from deniable.analysis.planning.together import gains
from deniable.study.planner import Wanted, plan
from deniable.survey_file import read
from deniable.text.sureness import sureness
from tests.kit.surveys import EXAMPLES, TOGETHER, together


@pytest.mark.parametrize("name", ["wellbeing", "journeys", "exams"])
def test_an_example_is_known_to_17_points(name: str) -> None:
    survey = read((EXAMPLES / f"{name}.yaml").read_text(encoding="utf-8")).survey
    found = sureness(survey)
    assert found is not None
    assert (found.one, found.all) == (75, 75)
    for one in precision(survey, 1000):
        assert one.widest <= 0.17 * (one.span or 1), one.item.id
        # Everybody who is asked gives a number, so that its mean is one among all.
        assert one.mean is None or not one.is_of_some


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
    said = str(plan(survey, Wanted(1000)).result)
    assert "Together: doped × knew, 6 cells, each ±" in said
    assert "With the same ε apart, the variance of the table is" in said
