"""Questions and items on the wire: how the protocol document is written and read.

Server, browser and headless respondent share the protocol document, `Survey.document`. The hash of
its law is the survey's revision, so its bytes never change without need.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from deniable import exact
from deniable.channel import Channel
from deniable.survey.about import About
from deniable.survey.items import Item
from deniable.survey.kind import read_parent
from deniable.survey.questions import (
    Answer,
    Ask,
    Condition,
    Pages,
    Protection,
    Question,
    QuestionType,
)
from deniable.survey.together import Group, group_of
from deniable.survey.waves import Memory
from deniable.text.languages import Texts

REVISION_DIGITS: Final = 64
"""Hex digits of a revision: a whole SHA-256."""

FINGERPRINT_DIGITS: Final = 16
"""Hex digits of a check number that people see, in groups of four.

The adversary is a server that gives one person another document with the same fingerprint as
everybody's. To find one it hashes about 2^64 documents: some 27 years of a graphics card that makes
2.2e10 SHA-256 a second, for each such document. With 12 digits it would take an afternoon. The
*author* of the survey can search for two documents with one fingerprint before giving out the first
link: 2^32 hashes, a second. No fingerprint that people compare withstands that (it would take 32
digits); a link may therefore hold more of the digits, up to all of them."""


def write_questions(questions: Sequence[Question], items: Sequence[Item]) -> list[dict[str, Any]]:
    """Write questions as JSON-ready values; their conditions name items by place in the survey."""
    return [_question_document(question, _conditions(question, items)) for question in questions]


def read_fields(document: Mapping[str, Any]) -> dict[str, Any]:
    """Read the arguments of a `Survey` from a protocol document."""
    items = document["items"]
    questions = {entry["id"]: _read_question(entry, items) for entry in document["questions"]}
    languages = tuple(document.get("languages", ["en"]))
    groups = {
        id: group_of([questions[one] for one in entry["questions"]], entry["other"], memory)
        for entry in document.get("together", ())
        for memory in (_read_memory(_first_item(entry, items)),)
        for id in entry["questions"]
    }
    return {
        "slug": _read_slug(document["survey"]),
        "title": document["title"],
        "introduction": document["introduction"],
        "epsilon_millionths": round(document["epsilon"] * exact.MILLION),
        "questions": tuple(questions.values()),
        "items": tuple(
            _read_item(entry, questions[entry["question"]], groups.get(entry["question"]))
            for entry in items
        ),
        "ask": _read_ask(document["ask"]) if "ask" in document else None,
        "pages": Pages(document["pages"]) if "pages" in document else None,
        "shuffled": "order" in document,
        "hides_branch": "branch" in document,
        "exit": _read_exit(document["exit"]) if "exit" in document else None,
        "waves": document["waves"]["count"] if "waves" in document else 1,
        "languages": languages,
        "translations": tuple(
            Texts.from_document(document["translations"][one]) for one in languages[1:]
        ),
        "comprehension": "comprehension" in document,
        "advance": "advance" in document,
        "same_fact": tuple(document.get("same_fact", ())),
        "is_named": "address" in document,
        **({"batch": document["batch"]} if "batch" in document else {}),
        "about": About(**document.get("about", {})),
        "token_keys": tuple(document.get("token_keys", ())),
        "parent": read_parent(document.get("parent")),
    }


def _read_slug(name: object) -> str:
    """Read the survey's name, without a colon: in the storage of devices a colon ends the name."""
    if not (isinstance(name, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name)):
        raise ValueError(f"expected a survey's name of a-z, 0-9, . and -, found {name!r}")
    return name


def _read_exit(address: object) -> str:
    """Read the address of "Leave quickly", a site or none: `core/about.js` has the same rule."""
    if not (isinstance(address, str) and re.match(r"none\Z|https?://[^/]", address)):
        raise ValueError(f"expected the address of a site to leave to, or none, found {address!r}")
    return address


def _read_ask(entry: Mapping[str, Any]) -> Ask:
    return Ask(entry["count"], tuple(entry["questions"]), tuple(entry.get("chances", ())))


def revision_of(written: bytes) -> str:
    """Return the SHA-256 of written bytes in `REVISION_DIGITS` hex digits; browsers do the same."""
    return hashlib.sha256(written).hexdigest()


def fingerprint_of(revision: str) -> str:
    """Return the first digits of a check number, in groups of four, for people to compare."""
    groups = range(0, FINGERPRINT_DIGITS, 4)
    return " ".join(revision[start : start + 4] for start in groups)


def canonical_json(value: object) -> bytes:
    """Write a value as canonical JSON, for hashing: sorted keys, no spaces, UTF-8."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def _conditions(question: Question, items: Sequence[Item]) -> list[dict[str, Any]]:
    """Write the conditions of a question: items and answers by their places."""
    places = {item.id: place for place, item in enumerate(items)}
    needed = [(places[one.item], one.answers) for one in question.ask_if]
    codes = [[truth.code for truth in items[place].truths] for place, _ in needed]
    return [
        {"item": place, "answers": [known.index(answer) for answer in answers]}
        for (place, answers), known in zip(needed, codes, strict=True)
    ]


def _question_document(question: Question, conditions: list[dict[str, Any]]) -> dict[str, Any]:
    document: dict[str, Any] = {
        "id": question.id,
        "text": question.text,
        "hint": question.hint,
        "type": question.type.value,
        "protection": question.protection.value,
        "prefer_not_to_say": question.prefer_not_to_say,
        "answers": _answers_document(question.answers),
        "rows": _answers_document(question.rows),
    }
    if question.ask is not None:
        document["ask"] = question.ask
    if question.shuffled:
        document["order"] = "random"
    if conditions:
        document["ask_if"] = conditions
    if question.statements:
        document["statements"] = _answers_document(question.statements)
    if question.known:
        document["known"] = list(question.known)
    if question.yes:
        document["yes"] = question.yes
    return document


def write_item(item: Item) -> dict[str, Any]:
    """Write an item, with its table of weights."""
    document = {
        "id": item.id,
        "question": item.question,
        "text": item.text,
        "truths": _answers_document(item.truths),
        "reports": _answers_document(item.reports),
        "epsilon": item.epsilon,
        "weights": [list(row) for row in item.channel.weights],
    }
    # For a group, the table of its cells, at its first item.
    if item.memory is not None and item.kept_words:
        document["permanent"] = [list(row) for row in item.memory.permanent.weights]
        document["redraw"] = item.memory.redraw
        document["once"] = item.one_report_millionths / exact.MILLION
    return document


def _answers_document(answers: tuple[Answer, ...]) -> list[dict[str, str]]:
    return [{"code": answer.code, "text": answer.text} for answer in answers]


def _read_condition(entry: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> Condition:
    item = items[entry["item"]]
    return Condition(
        item["id"], tuple(item["truths"][answer]["code"] for answer in entry["answers"])
    )


def _read_question(entry: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> Question:
    # An empty list is false in Python, and true in a browser.
    if not isinstance(entry["prefer_not_to_say"], bool):
        raise ValueError(
            f"question {entry['id']!r}: expected true or false as prefer_not_to_say, "
            f"found {entry['prefer_not_to_say']!r}"
        )
    return Question(
        id=entry["id"],
        text=entry["text"],
        hint=entry["hint"],
        type=QuestionType(entry["type"]),
        protection=Protection(entry["protection"]),
        prefer_not_to_say=entry["prefer_not_to_say"],
        answers=_read_answers(entry["answers"]),
        rows=_read_answers(entry["rows"]),
        ask=entry.get("ask"),
        shuffled="order" in entry,
        ask_if=tuple(_read_condition(one, items) for one in entry.get("ask_if", ())),
        statements=_read_answers(entry.get("statements", ())),
        known=tuple(entry.get("known", ())),
        yes=entry.get("yes", ""),
    )


def _first_item(entry: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    return [item for item in items if item["question"] == entry["questions"][0]][0]  # noqa: RUF015


def _read_memory(entry: Mapping[str, Any]) -> Memory | None:
    if "permanent" not in entry:
        return None
    return Memory(Channel(entry["permanent"]), entry["redraw"])


def _read_item(entry: Mapping[str, Any], question: Question, group: Group | None) -> Item:
    memory = _read_memory(entry) if group is None else group.memory
    # The table that people see, and that estimates undo, must be the law of the draws.
    if group is None and memory is not None and memory.compose() != Channel(entry["weights"]):
        raise ValueError(f"item {entry['id']!r}: its weights are not what its redraw makes")
    return Item(
        id=entry["id"],
        question=entry["question"],
        text=entry["text"],
        truths=_read_answers(entry["truths"]),
        reports=_read_answers(entry["reports"]),
        channel=Channel(entry["weights"]),
        protection=question.protection,
        memory=memory,
        statements=tuple(statement.text for statement in question.statements),
        group=group,
    )


def _read_answers(entries: Sequence[Mapping[str, str]]) -> tuple[Answer, ...]:
    return tuple(Answer(entry["code"], entry["text"]) for entry in entries)
