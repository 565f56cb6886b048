"""Ways to spend ε, against closed forms for yes-or-no questions."""

import itertools
import math

import pytest

from deniable.analysis.planning.ways import MOST, Goal, Way, ways
from deniable.survey import Survey
from deniable.survey_file import read

Z = 1.959963984540054


@pytest.fixture(scope="module")
def four() -> Survey:
    """Four yes-or-no questions that share ε = 2."""
    questions = "".join(
        f"  - {{id: q{n}, text: T, type: single, answers: [No, Yes]}}\n" for n in range(4)
    )
    return read(f"version: 1\nsurvey: s\ntitle: T\nepsilon: 2\nquestions:\n{questions}").survey


def found(survey: Survey, goal: Goal, **more: float) -> tuple[Way, ...]:
    return ways(survey, goal, 0.95, **{"applies": 1.0, "design_effect": 1.0, **more})


def half_width(asked: int, epsilon: float, n: int) -> float:
    """Of each of four questions, of which so many are drawn and share ε."""
    return Z * math.sqrt(4 / asked * 0.25 / n) / math.tanh(epsilon / asked / 2)


@pytest.mark.parametrize(
    "goal",
    [
        Goal(people=1000, one=75, together=90),
        Goal(within=0.1, together=75),
        Goal(within=0.1, people=2000),
    ],
)
def test_each_way_reaches_the_goal_at_its_own_price(four: Survey, goal: Goal) -> None:
    now, *others = found(four, goal)
    assert now.keys == "as it is"
    assert now.survey == four
    assert 1 <= len(others) < MOST
    for one in others:
        assert goal.one is None or one.one <= goal.one
        assert goal.together is None or one.together <= goal.together
        assert goal.people is None or one.people == goal.people
        assert goal.within is None or one.within <= goal.within + 1e-12
        asked = 4 if one.survey.ask is None else one.survey.ask.count
        assert one.keys.startswith(f"epsilon: {one.survey.epsilon:g}")
        assert ("ask:" in one.keys) == (asked < 4)
        expected = half_width(asked, one.survey.epsilon, one.people)
        assert one.within == pytest.approx(expected, rel=1e-4)
        assert one.pairs == pytest.approx(asked * (asked - 1) / 12)


def test_a_way_that_is_worse_in_all_is_left_out() -> None:
    questions = "".join(
        f"  - {{id: q{n}, text: T, type: single, answers: [No, Yes], epsilon: {epsilon}}}\n"
        for n, epsilon in enumerate(["1.8", "0.2"])
    )
    uneven = read(f"version: 1\nsurvey: s\ntitle: T\nquestions:\n{questions}").survey
    _, *others = found(uneven, Goal(people=1000, together=75))
    assert {one.keys.partition(", ")[2] for one in others} == {"split: equal", "ask: 1"}
    for one, other in itertools.permutations(others, 2):
        assert any(a < b for a, b in zip(one.prices, other.prices, strict=True))


def test_the_third_is_the_best_that_the_other_two_leave(four: Survey) -> None:
    # Both bounds at 75 in 100 leave ε = ln 3: one question each is the narrowest.
    best = found(four, Goal(people=1000, one=75, together=75))[1]
    assert "ask: 1" in best.keys
    assert best.survey.epsilon == pytest.approx(math.log(3), abs=1e-3)
    assert (best.one, best.together, best.pairs) == (75, 75, 0)
    # The least ε of one question each that is as precise as wanted.
    cheap = found(four, Goal(within=0.1, people=2000))[1]
    assert half_width(1, cheap.survey.epsilon * 0.99, 2000) > 0.1
    # Twice the variance takes twice the people.
    single, twice = (
        found(four, Goal(within=0.1, together=75), design_effect=effect)[1] for effect in (1, 2)
    )
    assert twice.people == pytest.approx(2 * single.people, abs=1)


@pytest.mark.parametrize("goals", [{}, {"people": 100}, {"people": 9, "within": 0.1, "one": 75}])
def test_a_goal_is_two_of_three(goals: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="two of precision"):
        Goal(**goals)
