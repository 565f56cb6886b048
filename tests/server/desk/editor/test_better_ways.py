"""The few ways to change a plan that misses its goal, against closed forms and the plan itself."""

import math

import pytest

from deniable.analysis.planning.budgets import measure_of, precision
from deniable.server.desk.editor.better_ways import Way, better_ways
from deniable.survey.questions import Protection
from deniable.survey_file import read
from tests.kit.surveys import file_of, yes_or_no

Z = 1.959963984540054
SINGLE = "type: single, answers: [No, Yes]"
OFTEN = "type: single, answers: [Never, Once, A few times, Nearly every week]"

EATING = file_of(
    f"id: eat, text: Eat?, {OFTEN}",
    f"id: accident, text: Accident?, {SINGLE}",
    f"id: work, text: Work?, {SINGLE}",
    head="epsilon: 2.482 # agreed\nskip: true\nplan: {people: 1600, within: 8, one: 75, all: 95}",
)

WITHOUT = "Without question 1, ε 2.197"
"""One question less would share ε, and 75 in 100 of one answer be exceeded."""


def of(text: str, people: int = 1000) -> dict[str, Way]:
    return {one.words: one for one in better_ways(text, people, {}).ways}


def half_width(asked: int, epsilon: float, n: float) -> float:
    """Of each of two yes-or-no questions, of which so many are drawn and share ε."""
    each = n * asked / 2
    return (Z * math.sqrt(0.25 / each) + 0.5 / each) / math.tanh(epsilon / asked / 2)


def test_a_plan_is_helped_as_a_researcher_would() -> None:
    found = of(EATING, 1600)
    assert [*found] == [
        "As it is",
        WITHOUT,
        "Question 1 with two answers",
        "Question 1 by the best design",
        "Without Skip",
        "With 3,376 people",
    ]
    asked = [one.people for one in found.values()][1:-1]
    assert asked == sorted(asked)
    told = better_ways(EATING, 1600, {}).told
    assert (
        told
        == "1 way below reaches ±8 with 1,600 people. Question 1 decides how many people it takes."
    )
    now, more = found["As it is"], found["With 3,376 people"]
    assert now.people == more.people == 3376
    assert (now.is_reached, more.is_reached) == (False, True)
    assert read(more.text).plan.people == 3376
    assert [one.id for one in read(found[WITHOUT].text).survey.questions] == [
        "accident",
        "work",
    ]
    plain = read(found["Without Skip"].text).survey
    assert not any(one.prefer_not_to_say for one in plain.questions)
    assert len(read(found["Question 1 with two answers"].text).survey.questions[0].answers) == 2
    # Few keys differ: the other lines stay as they are.
    for one in found.values():
        assert "# agreed" in one.text


@pytest.mark.parametrize("words", ["As it is", WITHOUT, "Without Skip"])
def test_as_many_people_suffice_and_fewer_do_not(words: str) -> None:
    one = of(EATING, 1600)[words]
    file = read(one.text)

    def widest(people: int) -> float:
        found = precision(file.survey, people, measure_of(file.plan))
        return max(each.widest for each in found)

    assert widest(one.people) <= 0.08 < widest(one.people - 1)
    assert one.width.startswith(f"±{100 * widest(1600):.3g}"[:4])


def test_the_people_are_those_of_the_closed_form() -> None:
    found = of(file_of(*yes_or_no("", ""), head="epsilon: 1\nplan: {within: 10}"))
    # Another design would take as many people, so it is no way.
    drawn, more = "Each person asked 1 of 2", f"With {found['As it is'].people:,} people"
    assert [*found] == ["As it is", "Without question 1", drawn, more]
    for words, asked in (("As it is", 2), ("Each person asked 1 of 2", 1)):
        people = found[words].people
        assert half_width(asked, 1, people) <= 0.1 < half_width(asked, 1, people - 1)
    # Without the other, it has all of ε, and everybody is asked.
    alone = found["Without question 1"].people
    assert half_width(1, 1, 2 * alone) <= 0.1 < half_width(1, 1, 2 * (alone - 1))


def test_no_way_makes_somebody_surer_than_the_limits() -> None:
    text = file_of(*yes_or_no("", ""), head="epsilon: 3\nplan: {within: 20, one: 60}")
    sought = better_ways(text, 1000, {})
    assert sought.told.startswith("As it is, somebody gets surer than the plan wants.")
    now, limited, *others = sought.ways
    assert now.one > 60
    assert limited.words == f"ε {read(limited.text).survey.epsilon:g}, as the limits say"
    # The greatest ε of two answers: log(60/40) each.
    assert read(limited.text).survey.epsilon == pytest.approx(2 * math.log(1.5), abs=0.02)
    assert all(one.one <= 60 for one in (limited, *others))
    # Without limits, no answer comes close to proof that does not now.
    free = of(file_of(*yes_or_no("", "", ""), head="epsilon: 6\nplan: {within: 2}"))
    assert free["As it is"].one == 89
    assert max(one.one for one in free.values()) <= 90


def test_what_depends_on_a_question_goes_with_it() -> None:
    text = file_of(
        "id: n, text: N, type: single, answers: [a, b, c, d, e, f]",
        f"id: then, text: Then?, {SINGLE}, ask_if: {{n: b}}",
        f"id: other, text: Other?, {SINGLE}",
        head="epsilon: 2\nplan: {within: 10, within_of: {n: 2}, applies: {then: 40}}",
    )
    without = read(of(text)["Without question 1"].text)
    assert [one.id for one in without.survey.questions] == ["other"]
    assert (without.plan.within_of or {}) == {}


def test_a_number_can_be_asked_in_groups() -> None:
    number = "id: n, text: N, type: number, min: 0, max: 60, family: k_ary"
    text = file_of(number, head="epsilon: 2\nplan: {within: 5}")
    grouped = read(of(text)["Question 1 in groups"].text).survey
    (question,) = grouped.questions
    assert [one.text for one in question.answers] == ["0–14", "15–29", "30–44", "45–60"]


def test_the_own_goal_of_a_question_decides() -> None:
    head = "epsilon: 2\nplan: {people: 1000, within: 10, within_of: {q1: 3}}"
    sought = better_ways(file_of(*yes_or_no("", ""), head=head), 1000, {})
    assert "Question 2 decides" in sought.told
    assert sought.within == "each question’s ±"


def test_without_a_goal_todays_counts() -> None:
    sought = better_ways(file_of(*yes_or_no("", ""), head="epsilon: 1"), 1000, {})
    now, *_ = sought.ways
    assert (now.people, now.is_reached) == (1000, True)
    assert sought.told.startswith(f"The survey reaches {sought.within} with 1,000 people as it is.")
    # Where today's is of no use, it is the widest that is of use.
    assert better_ways(file_of(*yes_or_no("", ""), head="epsilon: 1"), 20, {}).within == "±25"


def test_what_randomises_nothing_has_no_way() -> None:
    text = file_of(f"id: a, text: A, {SINGLE}, protection: direct")
    assert read(text).survey.questions[0].protection is Protection.DIRECT
    with pytest.raises(ValueError, match="randomised, found none"):
        better_ways(text, 1000, {})
