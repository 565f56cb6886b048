"""What a sheet of paper can ask, and which answers it can hold."""

import pytest

from deniable import designs, paper
from deniable.paper import Asking
from deniable.report import NOT_ASKED, Report, ReportError, ValueMistake
from deniable.survey import Survey
from deniable.survey.questions import Answer
from deniable.survey_file import read
from tests import surveys, vectors

pytestmark = pytest.mark.promise("paper")

THREE = (Answer("a", "A"), Answer("b", "B"), Answer("c", "C"))


def mixed() -> Survey:
    """Build a survey with two options by hand, an item that no hand can do, and a direct one."""
    return surveys.survey(
        surveys.many("offered", ["EPO", "Steroids"]),
        surveys.single("odd"),
        surveys.single("three", THREE, designs.k_ary(3, 1)),
        surveys.single("age", THREE, direct=True),
    )


def test_a_sheet_asks_what_hands_can_do_and_what_is_direct() -> None:
    survey = mixed()
    found = [paper.asking(survey, question) for question in survey.questions]
    assert found == [
        Asking.BY_HAND,
        Asking.NOT_MAKEABLE,
        Asking.NOT_MAKEABLE,
        Asking.AS_IT_IS,
    ]
    assert paper.places_on_sheet(survey) == {0, 1, 4}


def test_what_chance_hardly_ever_decides_by_hand_is_said() -> None:
    channels = {"a": designs.warner(flip="1/26"), "b": designs.warner(flip="1/13")}
    survey = surveys.survey(
        *(surveys.single(id, channel=channel) for id, channel in channels.items())
    )
    (told,) = paper.rare_by_hand(survey)
    assert "less than once in 20 times: a." in told


def test_what_hands_cannot_do_is_not_said_to_be_rare() -> None:
    survey = surveys.survey(surveys.single(channel=designs.warner(epsilon=4.5)))
    assert paper.rare_by_hand(survey) == ()


def test_a_sheet_leaves_out_what_is_drawn() -> None:
    survey = read(vectors.asking_file()).survey
    found = {one.id: paper.asking(survey, one) for one in survey.questions}
    assert {id for id, how in found.items() if how is Asking.DRAWN} == {
        *("doped", "offered", "knew", "years", "caught")
    }
    head = "version: 1\nsurvey: part\ntitle: T\nquestions:\n"
    question = "{id: q, text: Q, type: many, answers: [a, b, c], ask: 1, flip: 1/4}"
    (one,) = (part := read(f"{head}  - {question}\n").survey).questions
    assert paper.asking(part, one) is Asking.DRAWN


@pytest.mark.parametrize("answers", [[0, 1, 255, 255, 2], [1, 1, 255, 255, 0]])
def test_a_sheet_s_answers_fit(answers: list[int]) -> None:
    paper.check_sheet(bytes(answers), mixed())


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([0, 1, 255, 255], "expected answers to 5 items, found 4"),
        # A blank among what the sheet asks, also where the question is direct.
        ([0, 255, 255, 255, 2], "item 2: expected a report below 2"),
        ([0, 1, 255, 255, 255], "item 5: expected a report below 3"),
        ([2, 1, 255, 255, 2], "item 1: expected a report below 2"),
        # An answer to what the sheet does not ask: nobody can have randomised it.
        ([0, 1, 0, 255, 2], "item 3: expected no answer, a sheet does not ask it"),
        ([0, 1, 255, 2, 2], "item 4: expected no answer, a sheet does not ask it"),
    ],
)
def test_other_answers_are_refused(answers: list[int], message: str) -> None:
    with pytest.raises(ValueMistake, match=message):
        paper.check_sheet(bytes(answers), mixed())


def test_a_browser_s_report_may_leave_out_what_a_sheet_may_not() -> None:
    survey = mixed()
    answers = bytes([0, NOT_ASKED, 1, 2, NOT_ASKED])
    Report(survey.slug, survey.revision, bytes(16), answers).check(survey)
    with pytest.raises(ReportError):
        paper.check_sheet(answers, survey)
