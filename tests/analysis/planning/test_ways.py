"""Ways to spend ε, alone and as one answer, against closed forms and theory."""

import itertools
import math

import pytest

from deniable.analysis.planning.budgets import Measure, precision
from deniable.analysis.planning.together import gains
from deniable.analysis.planning.ways import MOST, Goal, Way, better, ways
from deniable.study.planner import Wanted, plan
from deniable.survey_file import SurveyFile, read
from deniable.text.sureness import sureness
from tests.kit.surveys import EXAMPLES, TOGETHER, file_of, together, yes_or_no

Z = 1.959963984540054


def written(*ends: str, head: str = "epsilon: 2") -> SurveyFile:
    """Read a survey of yes-or-no questions, of which each may say more of itself."""
    return read(file_of(*yes_or_no(*ends), head=head))


@pytest.fixture(scope="module")
def four() -> SurveyFile:
    """Four questions that share ε = 2."""
    return written("", "", "", "")


def found(file: SurveyFile, goal: Goal, design_effect: float = 1.0) -> tuple[Way, ...]:
    return ways(file, goal, Measure(design_effect=design_effect))


def half_width(asked: int, epsilon: float, n: int) -> float:
    """Of each of four questions, of which so many are drawn and share ε."""
    each = n * asked / 4
    return (Z * math.sqrt(0.25 / each) + 0.5 / each) / math.tanh(epsilon / asked / 2)


@pytest.mark.parametrize(
    "goal",
    [
        Goal(people=1000, one=75, together=90),
        Goal(within=0.1, together=75),
        Goal(within=0.1, people=2000),
    ],
)
def test_each_way_reaches_its_goal_at_its_price(four: SurveyFile, goal: Goal) -> None:
    now, *others = found(four, goal)
    assert now.keys == "as it is"
    assert (now.text, now.survey) == (four.text, four.survey)
    assert 1 <= len(others) < MOST
    for one in others:
        # What is shown is what the file says that somebody gets who uses it.
        assert read(one.text).survey == one.survey
        assert goal.one is None or one.one <= goal.one
        assert goal.together is None or one.together <= goal.together
        assert goal.people is None or one.people == goal.people
        assert goal.within is None or one.within <= goal.within + 1e-12
        asked = 4 if one.survey.ask is None else one.survey.ask.count
        assert one.keys.startswith(f"epsilon: {one.survey.epsilon:g}")
        assert ("ask:" in one.keys) == (asked < 4)
        assert one.pairs == pytest.approx(asked * (asked - 1) / 12)
        if "together" not in one.keys:
            expected = half_width(asked, one.survey.epsilon, one.people)
            assert one.within == pytest.approx(expected, rel=1e-4)
            assert len(one.lost) == (6 if asked == 1 else 0)


def test_a_worse_way_is_left_out() -> None:
    uneven = written(", epsilon: 1.8", ", epsilon: 0.2", head="")
    now, *others = found(uneven, Goal(people=1000, together=75))
    assert {one.keys.partition(", ")[2] for one in others} >= {"ask: 1, without epsilon"}
    for one, other in itertools.permutations(others, 2):
        assert any(a < b for a, b in zip(one.prices, other.prices, strict=True))
    for one in others:
        assert any(a < b for a, b in zip(one.prices, now.prices, strict=True))


def test_a_way_is_better_as_asked_for() -> None:
    """That somebody gets less sure of one answer counts where protection is sought."""
    drawn = written("", "", "", head="epsilon: 1.098\nask: 1")
    for goal in (Goal(people=1000, one=75, together=75), Goal(within=0.1, together=75)):
        assert len(found(drawn, goal)) == 1
    now, *others = found(drawn, Goal(within=0.1, people=2000))
    assert now.within < 0.1
    assert min(one.one for one in others) < now.one
    # Of four together each answer tells little: one question each would make somebody surer of it.
    now, *others = found(written("", "", "", ""), Goal(within=0.1, people=2000))
    assert others
    assert all(one.one <= 1.02 * now.one for one in others)


@pytest.mark.slow
def test_the_third_is_the_best_left(four: SurveyFile) -> None:
    # Both bounds at 75 in 100 leave ε = ln 3: one question each is the narrowest.
    best = found(four, Goal(people=1000, one=75, together=75))[1]
    assert "ask: 1" in best.keys
    assert best.survey.epsilon == pytest.approx(math.log(3), abs=3e-3)
    assert (best.one, best.together, best.pairs) == (75, 75, 0)
    # The least ε of one question each that is as precise as wanted.
    cheap = found(four, Goal(within=0.05, people=2000))[1]
    assert half_width(1, cheap.survey.epsilon * 0.99, 2000) > 0.05
    # Twice the variance takes twice the people.
    single, twice = (
        found(four, Goal(within=0.1, together=75), design_effect=effect)[1] for effect in (1, 2)
    )
    assert twice.people == pytest.approx(2 * single.people, abs=1)


def test_waves_are_searched_and_say_what_changes_cost() -> None:
    """Two answers and three, twice, with a redraw of 2/5: odds by which a change shows, squared."""
    text = (EXAMPLES / "season.yaml").read_text().replace("redraw: 1/5", "redraw: 2/5")
    file = read(text.replace("count: 3", "count: 2"))
    now, *others = found(file, Goal(people=2000, together=85))
    odds = {"together": (0.6 / (0.4 / 5)) ** 2, "ask: 1": (0.6 / 0.2) ** 2}
    assert {key for one in others for key in odds if key in one.keys} == {*odds}
    for one in (now, *others):
        kind = next((key for key in odds if key in one.keys), "")
        changing = odds.get(kind, (0.6 / 0.4 * 0.6 / 0.2) ** 2)
        assert one.changing == math.ceil(100 * changing / (1 + changing) - 1e-4)
        assert one.change == pytest.approx(math.sqrt(2) * one.within)
        if one is not now:
            assert one.together <= 85
            assert one.survey.waves == 2
            assert read(one.text).survey == one.survey


def test_two_questions_can_be_one_answer() -> None:
    _, *others = found(written("", ""), Goal(people=1000, together=90))
    (group,) = (one for one in others if "together: [q0, q1]" in one.keys)
    assert group.lost == ()
    assert [one.questions for one in group.survey.groups] == [("q0", "q1")]
    _, *others = found(written("", ", ask_if: {q0: yes}"), Goal(people=1000, together=90))
    assert any("together: [q0, q1]" in one.keys for one in others)


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


def test_the_best_example_has_no_better_way() -> None:
    file = read((EXAMPLES / "wellbeing.yaml").read_text())
    now, *others = found(file, Goal(people=1000, one=75, together=75))
    assert now.prices[1:] == (1000, 75, 75, 0, 4)
    assert now.within < 0.17
    # Each of k questions that somebody answers has ε/k, of ln 3: it is known by tanh(ε/2k), from k
    # times as many people. It buys the table of two of them, for which nobody asked.
    assert others == []
    assert better(file, 1000) is None


def test_a_question_may_need_a_narrower_interval() -> None:
    file, measure = written("", ""), Measure(scale_of={"q0": 2})
    now, *others = ways(file, Goal(people=1000, within=0.1), measure)
    first, second = (one.widest for one in precision(file.survey, 1000))
    assert first == second
    assert now.within == pytest.approx(2 * first)
    for one in others:
        first, second = (each.widest for each in precision(one.survey, 1000))
        assert max(2 * first, second) <= 0.1 + 1e-12


def test_a_skip_goes_only_for_a_missed_goal() -> None:
    file = written("", "", head="epsilon: 2\nskip: true")

    def without(within: float) -> list[Way]:
        every = found(file, Goal(people=1000, within=within))
        return [one for one in every if not one.survey.questions[0].prefer_not_to_say]

    reached = ways(file, Goal(people=1000, together=99), Measure())[0].within
    assert not without(2 * reached)
    given_up = without(reached / 2)
    assert all("without skip" in one.keys for one in given_up)
    assert any(one.survey.groups for one in given_up)  # also as one answer


@pytest.mark.parametrize(
    ("head", "ends"),
    [
        # A group of four has a question that costs half as much as all: two drawn cost no more.
        ("epsilon: 2.4\nsplit: weight", ["", "", *[", weight: 3"] * 2]),
        pytest.param(
            "epsilon: 2.9\ntogether: [q0, q1]", [""] * 6, marks=pytest.mark.slow, id="together"
        ),
        pytest.param(
            "epsilon: 2.4\nsplit: weight\nwaves: {count: 3, redraw: 1/8}",
            ["", "", *[", weight: 3"] * 2],
            marks=pytest.mark.slow,
            id="waves",
        ),
    ],
)
def test_a_better_way_makes_nobody_surer(head: str, ends: list[str]) -> None:
    file = written(*ends, head=head)
    now = found(file, Goal(people=1000, together=99))[0]
    made = better(file, 1000)
    assert made is not None
    assert made.within < 0.9 * now.within
    assert len(made.survey.groups) == len(file.survey.groups)
    assert all(a <= b for a, b in zip(made.prices[2:], now.prices[2:], strict=True))


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
