"""A survey keeps its promise: what must hold of its questions and items."""

import dataclasses
from fractions import Fraction

import pytest

from deniable import Survey, designs
from deniable.survey.questions import Ask


def test_a_survey_that_spends_more_than_it_promises_cannot_be(survey: Survey) -> None:
    spent = sum(item.epsilon_millionths for item in survey.items)
    dataclasses.replace(survey, epsilon_millionths=spent)
    with pytest.raises(ValueError, match=r"add up to 2\.999997, more than the 2\.999996 promised"):
        dataclasses.replace(survey, epsilon_millionths=spent - 1)


def test_the_draws_name_choices_and_find_their_items(asking: Survey) -> None:
    questions, offered, knew, caught = asking.draws
    assert (questions.count, questions.choices) == (2, ("doped", "offered", "knew", "years"))
    assert questions.places == ((0,), (1, 2, 3, 4), (5, 6, 7), (8,))
    assert (offered.count, offered.choices[1], offered.places[1]) == (2, "offered.epo", (2,))
    assert (knew.count, knew.places) == (1, ((5,), (6,), (7,)))
    assert (caught.count, caught.places) == (1, ((9,), (10,), (11,)))
    assert asking.drawn_places == frozenset(range(12))


def test_the_share_that_is_asked_each_item(asking: Survey) -> None:
    half, third = Fraction(1, 2), Fraction(1, 3)
    assert asking.asked_shares == (half, *[half**2] * 4, *[half / 3] * 3, half, *[third] * 3, 1)


def test_the_dearest_that_can_be_drawn_must_keep_the_promise(asking: Survey) -> None:
    # 1 for the question of its own cost, of which one item is asked, and 1 for each of two others.
    assert asking.epsilon_of(asking.question("offered")) == 1
    assert asking.epsilon_of(asking.question("knew")) == 1
    assert asking.spent_millionths == 3_000_000
    with pytest.raises(ValueError, match=r"add up to 3\.0, more than the 2\.999999 promised"):
        dataclasses.replace(asking, epsilon_millionths=2_999_999)
    years = asking.items[8]
    dear = dataclasses.replace(years, reports=years.truths, channel=designs.k_ary(41, 2))
    items = (*asking.items[:8], dear, *asking.items[9:])
    with pytest.raises(ValueError, match=r"add up to 4\.0"):
        dataclasses.replace(asking, items=items)
    assert dataclasses.replace(asking, items=items, epsilon_millionths=4_000_000).epsilon == 4


@pytest.mark.parametrize(
    ("count", "questions"),
    [
        (0, ("doped", "knew")),
        (2, ("doped", "knew")),
        (True, ("doped", "knew")),
        (1, ("doped", "doped")),
        (1, ("doped", "nobody")),
        (1, ("doped", "age")),
        (1, ()),
    ],
)
def test_the_undrawable_is_refused(asking: Survey, count: int, questions: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="expected to ask"):
        dataclasses.replace(asking, ask=Ask(count, questions))


@pytest.mark.parametrize(("id", "ask"), [("offered", 4), ("offered", 0), ("doped", 1), ("age", 1)])
def test_an_unaskable_part_of_a_question_is_refused(asking: Survey, id: str, ask: int) -> None:
    questions = tuple(
        dataclasses.replace(question, ask=ask) if question.id == id else question
        for question in asking.questions
    )
    with pytest.raises(ValueError, match="expected to ask"):
        dataclasses.replace(asking, questions=questions)


def test_comprehension_of_nothing_cannot_be(survey: Survey) -> None:
    (direct,) = [item for item in survey.items if item.epsilon is None]
    question = survey.question(direct.question)
    with pytest.raises(ValueError, match="expected something randomised"):
        dataclasses.replace(survey, questions=(question,), items=(direct,), comprehension=True)
