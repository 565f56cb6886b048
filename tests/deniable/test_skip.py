"""`skip: true` offers to decline every question whose design has room for one more answer."""

import pytest

from deniable.analysis.planning.budgets import people_for
from deniable.survey_file import read
from tests.kit.surveys import file_of

TWO = "type: single, answers: [No, Yes]"
ROOM = (
    f"{TWO}",
    f"{TWO}, flip: 1/4",
    "type: single, answers: [Low, Fair, Good], epsilon: 1",
    "type: many, answers: [One, Two]",
    "type: grid, rows: [Day, Night], answers: [Low, Fair, Good]",
    "type: number, min: 0, max: 9, family: k_ary",
)
NO_ROOM = (
    f"{TWO}, protection: direct",
    f"{TWO}, design: {{truth_or_random: {{truth: 1/2}}}}",
    f"{TWO}, flip: 1/4, known: {{yes: .1}}",
    f"{TWO}, flip: 1/4, style: statement, statements: [I never did, I did]",
    f"{TWO}, yes: yes",
    f"{TWO}, prefer_not_to_say: false",
    "type: number, min: 0, max: 9",
    f"type: single, answers: [{', '.join(f'A{n}' for n in range(254))}]",
    "type: single, answers: {'no': No, 'yes': Yes, prefer_not_to_say: Rather not}",
)


def skipping(*questions: str, top: str = "skip: true") -> str:
    listed = (f"id: q{n}, text: T, {one}" for n, one in enumerate(questions))
    return file_of(*listed, head=f"epsilon: 6\n{top}")


@pytest.mark.parametrize("question", ROOM)
def test_what_has_room_can_be_skipped(question: str) -> None:
    survey = read(skipping(question, question)).survey
    assert {item.truths[-1].code for item in survey.items} == {"prefer_not_to_say"}
    # Chance may send it, and may send something else in its place.
    assert all(0 < weight < 2**32 for item in survey.items for weight in item.channel.weights[-1])


@pytest.mark.parametrize("question", NO_ROOM)
def test_what_has_no_room_stays_as_it_is(question: str) -> None:
    found = read(skipping(question, question))
    assert found.survey == read(skipping(question, question, top="skip: false")).survey
    (note,) = [one for one in found.notes if one.place == ("skip",)]
    assert "has room for one more answer" in note.message


def test_the_only_question_cannot_be_skipped() -> None:
    assert read(skipping(TWO)).survey == read(skipping(TWO, top="")).survey


def test_by_default_nothing_can_be_skipped() -> None:
    survey = read(skipping(*ROOM, top="")).survey
    assert survey == read(skipping(*ROOM, top="skip: false")).survey
    assert not any(one.prefer_not_to_say for one in survey.questions)


def test_with_and_without_compare_the_same_questions() -> None:
    file = read(skipping(TWO, TWO, top=""))
    offered, without = file.skipping(offered=True), file.skipping(offered=False)
    assert without == file.survey
    assert offered == read(skipping(TWO, TWO)).survey
    assert offered.epsilon == without.epsilon
    # One more answer at the same ε: its price is people.
    wanted = dict.fromkeys(file.sharing, 0.1)
    assert people_for(offered, wanted) > people_for(without, wanted)
