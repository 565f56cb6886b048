"""A survey survives the protocol document, whose revision covers it, and lies are refused."""

import copy
import dataclasses
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from deniable.survey import Survey
from deniable.survey.questions import Pages
from deniable.survey_file import read
from tests import vectors
from tests.kit import at
from tests.kit.surveys import EXAMPLES


def test_the_revision_covers_all_that_is_promised(survey: Survey) -> None:
    question = dataclasses.replace(survey.questions[0], text="Another question?")
    item = dataclasses.replace(survey.items[0], text="Another question?")
    revised = [
        dataclasses.replace(survey, title="Other"),
        dataclasses.replace(survey, introduction="Other"),
        dataclasses.replace(survey, slug="other"),
        dataclasses.replace(survey, epsilon_millionths=3_000_001),
        dataclasses.replace(
            survey, questions=(question, *survey.questions[1:]), items=(item, *survey.items[1:])
        ),
        dataclasses.replace(survey, items=survey.items[::-1]),
    ]
    assert len({survey.check_numbers[-1], *(other.check_numbers[-1] for other in revised)}) == 7
    # Words are no part of the structure.
    assert [other.revision == survey.revision for other in revised] == [1, 1, 0, 0, 1, 0]


def test_the_revision_is_the_served_law_s_hash(survey: Survey) -> None:
    structure, _ = survey.to_json().split(b"\n")
    assert survey.revision == hashlib.sha256(structure).hexdigest()
    assert survey.revision == vectors.survey()["revision"]
    assert survey.to_json().decode() == vectors.survey()["written"]
    assert Survey.from_json(survey.to_json()) == survey
    # What somebody could be told apart by is not in it.
    assert survey.revision.encode() not in survey.to_json()


def test_people_compare_its_first_digits(survey: Survey) -> None:
    digits = survey.check_numbers[-1][:16]
    assert survey.shown_number == f"{digits[:4]} {digits[4:8]} {digits[8:12]} {digits[12:]}"
    assert survey.path == f"{at('doping')}#{digits}"


@pytest.mark.parametrize("name", ["", "t:7", "a/b", "a\n", 7])
def test_a_survey_s_name_keeps_devices_apart(survey: Survey, name: object) -> None:
    with pytest.raises(ValueError, match="a survey's name"):
        Survey.from_document({**survey.document, "survey": name})


@pytest.mark.promise("once")
@pytest.mark.parametrize(
    ("of", "truth"), [(0, None), (1, None), (4, 0), (4, 3), (1, 1)], ids=lambda place: f"{place}"
)
@pytest.mark.parametrize("named", ["truths", "reports"])
def test_an_item_has_people_s_words(survey: Survey, of: int, truth: int | None, named: str) -> None:
    document = survey.document
    item = document["items"][of]
    (item if truth is None else item[named][truth])["text"] = "Read by nobody"
    with pytest.raises(ValueError, match="the words of question"):
        Survey.from_document(document)


@pytest.mark.promise("revision")
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(":", ": "),
        lambda text: text.replace('"epsilon":3.0', '"epsilon":3'),
        lambda text: text.replace("{", '{"title":"Other",', 1),
        lambda text: text.replace("{", '{"for":"person-0001@example.org",', 1),
        lambda text: text + "\n",
        lambda text: text[:-1],
        lambda text: "[" * 100_000,
        lambda text: "[]",
        lambda text: text.replace('"epsilon":3.0', '"epsilon":NaN', 1),
    ],
    ids=["spaces", "a number", "a key twice", "a key", "a line", "half", "deep", "a list", "NaN"],
)
def test_one_survey_has_one_revision(survey: Survey, change: Callable[[str], str]) -> None:
    text = survey.to_json().decode()
    assert change(text) != text
    with pytest.raises(ValueError, match=r"[Ee]xpect|NaN|agree|JSON"):
        Survey.from_json(change(text).encode())


def test_one_table_holds_for_all_items_of_a_question(survey: Survey) -> None:
    document = copy.deepcopy(survey.document)
    some, other = [one for one in document["items"] if one["question"] == "substances"][:2]
    assert some["weights"] == other["weights"]
    other["weights"], other["epsilon"] = [[2**31, 2**31]] * 2, 0.0
    with pytest.raises(ValueError, match="expected one table for all its items"):
        Survey.from_document(document)


@pytest.mark.parametrize("id", ["replaceChildren", "g-1", "__proto__", "", "_x", "x" * 65])
def test_an_id_is_a_plain_name(survey: Survey, id: str) -> None:
    document = json.loads(json.dumps(survey.document).replace('"doped"', json.dumps(id)))
    with pytest.raises(ValueError, match="expected an id or a code"):
        Survey.from_document(document)


def test_what_is_asked_goes_through_json_and_back(asking: Survey) -> None:
    document = json.loads(json.dumps(asking.document))
    assert Survey.from_document(document) == asking
    assert document == vectors.asking()["document"]
    assert document["ask"] == {"count": 2, "questions": ["doped", "offered", "knew", "years"]}
    asked = [question.get("ask") for question in document["questions"]]
    assert asked == [None, 2, 1, None, 1, None]


def test_asking_all_is_not_written(survey: Survey) -> None:
    # So that its revision is the same as before surveys could ask a part.
    assert not {"ask", "pages", "order", "exit", "comprehension", "batch"} & survey.document.keys()
    assert all(not {"ask", "order"} & question.keys() for question in survey.document["questions"])
    one_line = dataclasses.replace(survey, before=None)
    assert one_line.revision == ("4e57eac2f7e1257b72407b510a00cf9f3600be4c8a6c6d09e87888857f791a6c")


@pytest.mark.parametrize(
    ("key", "value", "written", "wrong"),
    [
        *(("pages", pages, pages.value, ["several"]) for pages in Pages),
        ("comprehension", True, True, [False]),
        ("advance", True, "auto", ["", "later"]),
        ("batch", 1, 1, [10, True, 1.0]),  # 10 is not written: a survey has one document
    ],
)
def test_settings_survive_json_and_are_promised(
    survey: Survey, key: str, value: object, written: object, wrong: Sequence[object]
) -> None:
    changes: dict[str, Any] = {key: value}
    changed = dataclasses.replace(survey, **changes)
    document = json.loads(json.dumps(changed.document))
    assert document[key] == written
    assert Survey.from_document(document) == changed
    assert changed.revision != survey.revision
    for lie in wrong:
        with pytest.raises(ValueError, match=r"agree with itself|a batch of 1|not a valid Pages"):
            Survey.from_document({**document, key: lie})


def move_a_weight(document: dict[str, Any]) -> None:
    row = document["items"][0]["weights"][0]
    row[:] = [row[0] - 2**20, row[1] + 2**20]


LIES: list[tuple[str, Callable[[dict[str, Any]], object]]] = [
    ("asking", lambda one: one.pop("ask")),
    ("asking", lambda one: one.update(ask=None)),
    ("asking", lambda one: one["ask"].update(count=3)),
    ("asking", lambda one: one["ask"]["questions"].pop()),
    ("asking", lambda one: one["questions"][1].update(ask=None)),
    ("asking", lambda one: one["questions"][1].update(prefer_not_to_say=[])),
    ("survey", move_a_weight),
    ("survey", lambda one: one["items"][0].update(epsilon=one["items"][0]["epsilon"] - 1e-6)),
    ("survey", lambda one: one.update(revision="0" * 64)),
    ("survey", lambda one: one["items"][0].pop("truths")),
    ("survey", lambda one: one["items"][0].update(question="nobody")),
    ("survey", lambda one: one["questions"][0].update(protection="direct")),
]


@pytest.mark.parametrize(("of", "spoil"), LIES, ids=range(len(LIES)))
def test_a_lying_document_fails(
    of: str, spoil: Callable[[dict[str, Any]], object], request: pytest.FixtureRequest
) -> None:
    document = copy.deepcopy(request.getfixturevalue(of).document)
    Survey.from_document(document)
    spoil(document)
    said = r"protocol document|more than the|is direct|expected t(o ask|rue)"
    with pytest.raises(ValueError, match=said):
        Survey.from_document(document)


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_example_survives_its_bytes(example: Path) -> None:
    survey = read(example.read_text(encoding="utf-8")).survey
    assert Survey.from_json(survey.to_json()) == survey


def test_a_batch_is_ten_unless_otherwise_possible(survey: Survey) -> None:
    assert survey.batch == 10
    for wrong in (0, 1001):
        with pytest.raises(ValueError, match="expected a batch of 1 to 1000 reports, found"):
            dataclasses.replace(survey, batch=wrong)
