"""A survey compiles into items, keeps its promise, and survives the protocol document."""

import copy
import dataclasses
import json
import math
from typing import Any

import pytest

from deniable import designs
from deniable.survey import (
    PREFER_NOT_TO_SAY,
    Answer,
    Protection,
    Question,
    QuestionType,
    Survey,
    canonical_json,
    compile_items,
)
from deniable.survey_file import read
from tests import vectors


@pytest.fixture
def survey() -> Survey:
    return read(vectors.survey_file()).survey


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


def test_the_document_goes_through_json_and_back(survey: Survey) -> None:
    document = json.loads(json.dumps(survey.document))
    assert Survey.from_document(document) == survey
    assert document == vectors.survey()["document"]


def test_the_revision_covers_everything_that_is_asked_and_promised(survey: Survey) -> None:
    question = dataclasses.replace(survey.questions[0], text="Another question?")
    revised = [
        dataclasses.replace(survey, title="Other"),
        dataclasses.replace(survey, introduction="Other"),
        dataclasses.replace(survey, slug="other"),
        dataclasses.replace(survey, epsilon_millionths=3_000_001),
        dataclasses.replace(survey, questions=(question, *survey.questions[1:])),
        dataclasses.replace(survey, items=survey.items[::-1]),
    ]
    assert len({survey.revision, *(other.revision for other in revised)}) == 7
    assert len(survey.revision) == 32


def test_canonical_json_has_one_form() -> None:
    assert canonical_json({"b": [1, "é"], "a": None}) == '{"a":null,"b":[1,"é"]}'.encode()


def test_a_survey_that_spends_more_than_it_promises_cannot_be(survey: Survey) -> None:
    spent = sum(item.epsilon_millionths for item in survey.items)
    dataclasses.replace(survey, epsilon_millionths=spent)
    with pytest.raises(ValueError, match=r"add up to 2\.999997, more than the 2\.999996 promised"):
        dataclasses.replace(survey, epsilon_millionths=spent - 1)


def spoil(document: dict[str, Any], what: str) -> None:
    """Tell one lie in a protocol document."""
    item = document["items"][0]
    match what:
        case "a weight":
            item["weights"][0][0] -= 1000
            item["weights"][0][1] += 1000
        case "an epsilon":
            item["epsilon"] -= 1e-6
        case "the promise":
            document["epsilon"] = 2.5
        case "an endless promise":
            document["epsilon"] = math.inf
        case "the text":
            document["questions"][0]["text"] += "!"
        case "the revision":
            document["revision"] = "0" * 32
        case "a key":
            del item["truths"]
        case "the question":
            item["question"] = "nobody"
        case "the protection":
            document["questions"][0]["protection"] = "direct"


@pytest.mark.parametrize(
    "what",
    [
        "a weight",
        "an epsilon",
        "the promise",
        "an endless promise",
        "the text",
        "the revision",
        "a key",
        "the question",
        "the protection",
    ],
)
def test_a_document_that_lies_is_refused(survey: Survey, what: str) -> None:
    document = copy.deepcopy(survey.document)
    Survey.from_document(document)
    spoil(document, what)
    with pytest.raises(ValueError, match=r"protocol document|more than the"):
        Survey.from_document(document)


def test_questions_are_found_by_id(survey: Survey) -> None:
    assert len(survey.items_of(survey.question("substances"))) == 3
    with pytest.raises(KeyError):
        survey.question("nobody")
