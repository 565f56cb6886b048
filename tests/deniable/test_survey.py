"""A survey compiles into items, keeps its promise, and survives the protocol document."""

import copy
import dataclasses
import json
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from deniable import designs
from deniable.survey import (
    PREFER_NOT_TO_SAY,
    Answer,
    Ask,
    Pages,
    Protection,
    Question,
    QuestionType,
    Survey,
    canonical_json,
    compile_items,
    name_reports,
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


def test_reports_that_each_speak_for_several_truths_are_numbered() -> None:
    # Seven truths and seven reports, but each report is as likely from three of the truths: the
    # lines and points of the Fano plane.
    lines = [(0, 1, 3), (1, 2, 4), (2, 3, 5), (3, 4, 6), (4, 5, 0), (5, 6, 1), (6, 0, 2)]
    table = [["1/5" if truth in line else "1/10" for line in lines] for truth in range(7)]
    truths = tuple(Answer(f"a{n}", f"A{n}") for n in range(7))
    named = name_reports(truths, designs.custom(table))
    assert [report.text for report in named] == [f"Report {n}" for n in range(1, 8)]
    assert name_reports(truths, designs.k_ary(7, 1)) == truths


def test_reports_that_speak_for_other_truths_are_numbered() -> None:
    truths = (Answer("no", "No"), Answer("yes", "Yes"))
    swapped = designs.custom([["1/4", "3/4"], ["3/4", "1/4"]])
    assert [report.code for report in name_reports(truths, swapped)] == ["report_1", "report_2"]


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


# ---------------------------------------------------------------- asking a part of the questions


@pytest.fixture
def asking() -> Survey:
    return read(vectors.asking_file()).survey


def test_what_is_asked_goes_through_json_and_back(asking: Survey) -> None:
    document = json.loads(json.dumps(asking.document))
    assert Survey.from_document(document) == asking
    assert document == vectors.asking()["document"]
    assert document["ask"] == {"count": 2, "questions": ["doped", "offered", "knew", "years"]}
    assert [question.get("ask") for question in document["questions"]] == [
        None,
        2,
        1,
        None,
        1,
        None,
    ]


def test_a_survey_that_asks_all_says_nothing_of_it(survey: Survey) -> None:
    # So that its revision is the same as before surveys could ask a part.
    assert not {"ask", "pages", "order", "exit", "comprehension"} & survey.document.keys()
    assert all(not {"ask", "order"} & question.keys() for question in survey.document["questions"])
    assert survey.revision == "98b553c95d468c7b15c3eb7da59f5cbe"


@pytest.mark.parametrize("pages", Pages)
def test_pages_go_through_json_and_back(survey: Survey, pages: Pages) -> None:
    paged = dataclasses.replace(survey, pages=pages)
    document = json.loads(json.dumps(paged.document))
    assert document["pages"] == pages.value
    assert Survey.from_document(document) == paged
    assert paged.revision != survey.revision
    with pytest.raises(ValueError, match="'several' is not a valid Pages"):
        Survey.from_document({**document, "pages": "several"})


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
    dear = dataclasses.replace(asking.items[8], channel=designs.k_ary(41, 2))
    items = (*asking.items[:8], dear, *asking.items[9:])
    with pytest.raises(ValueError, match=r"add up to 4\.0"):
        dataclasses.replace(asking, items=items)
    assert dataclasses.replace(asking, items=items, epsilon_millionths=4_000_000).epsilon == 4


def test_the_dearest_items_of_a_question_count(asking: Survey) -> None:
    dear = dataclasses.replace(asking.items[2], channel=designs.warner(epsilon="1.25"))
    items = (*asking.items[:2], dear, *asking.items[3:])
    with pytest.raises(ValueError, match=r"add up to 3\.75"):
        dataclasses.replace(asking, items=items)


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
def test_what_chance_cannot_draw_is_refused(
    asking: Survey, count: int, questions: tuple[str, ...]
) -> None:
    with pytest.raises(ValueError, match="expected to ask"):
        dataclasses.replace(asking, ask=Ask(count, questions))


@pytest.mark.parametrize(("id", "ask"), [("offered", 4), ("offered", 0), ("doped", 1), ("age", 1)])
def test_a_part_of_a_question_that_cannot_be_asked_is_refused(
    asking: Survey, id: str, ask: int
) -> None:
    questions = tuple(
        dataclasses.replace(question, ask=ask) if question.id == id else question
        for question in asking.questions
    )
    with pytest.raises(ValueError, match="expected to ask"):
        dataclasses.replace(asking, questions=questions)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda document: document.pop("ask"),
        lambda document: document.update(ask=None),
        lambda document: document["ask"].update(count=3),
        lambda document: document["ask"].update(count=True),
        lambda document: document["ask"]["questions"].pop(),
        lambda document: document["ask"].update(questions=[["doped"], ["years"]]),
        lambda document: document["questions"][1].pop("ask"),
        lambda document: document["questions"][1].update(ask=None),
        lambda document: document["questions"][1].update(ask="1"),
    ],
    ids=range(9),
)
def test_a_document_that_lies_about_what_is_asked_is_refused(
    asking: Survey, spoil: Callable[[dict[str, Any]], object]
) -> None:
    document = copy.deepcopy(asking.document)
    spoil(document)
    with pytest.raises(ValueError, match=r"protocol document|more than the|expected to ask"):
        Survey.from_document(document)


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


def test_comprehension_goes_through_json_and_back(survey: Survey) -> None:
    asking = dataclasses.replace(survey, comprehension=True)
    document = json.loads(json.dumps(asking.document))
    assert document["comprehension"] is True
    assert Survey.from_document(document) == asking
    assert asking.revision != survey.revision
    with pytest.raises(ValueError, match="does not agree with itself"):
        Survey.from_document({**document, "comprehension": False})


def test_comprehension_of_nothing_cannot_be(survey: Survey) -> None:
    (direct,) = [item for item in survey.items if item.epsilon is None]
    question = survey.question(direct.question)
    with pytest.raises(ValueError, match="expected something randomised"):
        dataclasses.replace(survey, questions=(question,), items=(direct,), comprehension=True)
