"""A survey survives the protocol document, whose revision covers it, and lies are refused."""

import copy
import dataclasses
import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from deniable.document import canonical_json
from deniable.questions import (
    Pages,
)
from deniable.survey import Survey
from deniable.survey_file import read
from tests import vectors


@pytest.fixture
def survey() -> Survey:
    return read(vectors.survey_file()).survey


@pytest.fixture
def asking() -> Survey:
    return read(vectors.asking_file()).survey


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
    assert not {"ask", "pages", "order", "exit", "comprehension", "batch"} & survey.document.keys()
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


def test_comprehension_goes_through_json_and_back(survey: Survey) -> None:
    asking = dataclasses.replace(survey, comprehension=True)
    document = json.loads(json.dumps(asking.document))
    assert document["comprehension"] is True
    assert Survey.from_document(document) == asking
    assert asking.revision != survey.revision
    with pytest.raises(ValueError, match="does not agree with itself"):
        Survey.from_document({**document, "comprehension": False})


def test_a_batch_goes_through_json_and_back_and_is_part_of_the_promise(survey: Survey) -> None:
    assert survey.batch == 10
    single = dataclasses.replace(survey, batch=1)
    document = json.loads(json.dumps(single.document))
    assert document["batch"] == 1
    assert Survey.from_document(document) == single
    assert single.revision != survey.revision
    for wrong in (10, True, 1.0):  # 10 is not written: a survey has one document
        with pytest.raises(ValueError, match=r"does not agree with itself|expected a batch of 1"):
            Survey.from_document({**document, "batch": wrong})
    for wrong in (0, 1001):
        with pytest.raises(ValueError, match="expected a batch of 1 to 1000 reports, found"):
            dataclasses.replace(survey, batch=wrong)
