"""Questions compile into items, and reports are named after the truths that they speak for."""

from deniable import designs
from deniable.survey.items import compile_items
from deniable.survey.questions import PREFER_NOT_TO_SAY, Answer, Protection, Question, QuestionType


def test_every_kind_of_question_compiles_into_its_items() -> None:
    yes_no = (Answer("no", "No"), Answer("yes", "Yes"))
    rows = (Answer("home", "At home"), Answer("work", "At work"))
    question = Question("q", "?", QuestionType.GRID, yes_no, rows, prefer_not_to_say=True)
    grid = compile_items(question, [designs.k_ary(3, 1)] * 2)
    assert [(item.id, item.text) for item in grid] == [("q.home", "At home"), ("q.work", "At work")]
    assert [answer.code for answer in grid[0].truths] == ["no", "yes", PREFER_NOT_TO_SAY]

    question = Question("q", "?", QuestionType.MANY, rows)
    many = compile_items(question, [designs.warner(0.2)] * 2)
    assert [(item.id, [answer.code for answer in item.truths]) for item in many] == [
        ("q.home", ["no", "yes"]),
        ("q.work", ["no", "yes"]),
    ]

    question = Question("q", "?", QuestionType.SINGLE, yes_no, protection=Protection.DIRECT)
    (direct,) = compile_items(question, [])
    assert direct.epsilon is None
    assert direct.channel.probabilities.tolist() == [[1, 0], [0, 1]]


def test_reports_that_are_not_the_truths_are_numbered() -> None:
    question = Question("q", "?", QuestionType.SINGLE, (Answer("no", "No"), Answer("yes", "Yes")))
    channel = designs.custom([["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"]])
    (item,) = compile_items(question, [channel])
    assert [report.code for report in item.reports] == ["report_1", "report_2", "report_3"]
