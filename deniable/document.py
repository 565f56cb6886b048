"""How questions and items are written on the wire, and read back.

Server, browser and headless respondent share the protocol document, `Survey.document`. Its hash is
the survey's revision, so that its bytes never change without need.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from deniable import exact
from deniable.channel import Channel
from deniable.items import Item
from deniable.questions import Answer, Condition, Protection, Question, QuestionType
from deniable.waves import Memory

REVISION_DIGITS: Final = 32
"""Hex digits of a revision: the first 128 bits of a SHA-256."""


def write_questions(questions: Sequence[Question], items: Sequence[Item]) -> list[dict[str, Any]]:
    """Write the questions of a survey.

    Parameters
    ----------
    questions : sequence of Question
    items : sequence of Item
        All of the survey: what a question needs is written by the places of items.

    Returns
    -------
    list of dict
        JSON-ready values, as all that is written here.
    """
    return [_question_document(question, _conditions(question, items)) for question in questions]


def write_items(items: Sequence[Item]) -> list[dict[str, Any]]:
    """Write the items of a survey, each with its table of weights."""
    return [_item_document(item) for item in items]


def read_questions(
    entries: Sequence[Mapping[str, Any]], items: Sequence[Mapping[str, Any]]
) -> tuple[Question, ...]:
    """Read what `write_questions` and `write_items` wrote, and return the questions.

    Raises
    ------
    KeyError, IndexError, TypeError, AttributeError, ValueError
        If a part is missing, or is not what it should be.
    """
    return tuple(_read_question(entry, items) for entry in entries)


def read_items(
    entries: Sequence[Mapping[str, Any]], questions: Sequence[Question]
) -> tuple[Item, ...]:
    """Read what `write_items` wrote, the items of these questions.

    Raises
    ------
    KeyError, IndexError, TypeError, AttributeError, ValueError
        If a part is missing, or is not what it should be.
    """
    protections = {question.id: question.protection for question in questions}
    return tuple(_read_item(entry, protections[entry["question"]]) for entry in entries)


def revision_of(content: Mapping[str, Any]) -> str:
    """Hash all that a survey asks and promises: `REVISION_DIGITS` hex digits."""
    return hashlib.sha256(canonical_json(content)).hexdigest()[:REVISION_DIGITS]


def canonical_json(value: object) -> bytes:
    """Write a value as JSON in the one form that is hashed: sorted keys, no spaces, UTF-8."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def _conditions(question: Question, items: Sequence[Item]) -> list[dict[str, Any]]:
    """Write what a question needs: items by their places, answers by those of the truths."""
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
    return document


def _item_document(item: Item) -> dict[str, Any]:
    document = {
        "id": item.id,
        "question": item.question,
        "text": item.text,
        "truths": _answers_document(item.truths),
        "reports": _answers_document(item.reports),
        "epsilon": item.epsilon,
        "weights": [list(row) for row in item.channel.weights],
    }
    if item.memory is not None:
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
    )


def _read_item(entry: Mapping[str, Any], protection: Protection) -> Item:
    memory = None
    if "permanent" in entry:
        memory = Memory(Channel(entry["permanent"]), entry["redraw"])
        # The law that is shown, and that estimates undo, is the one by which it is drawn.
        if memory.compose() != Channel(entry["weights"]):
            raise ValueError(f"item {entry['id']!r}: its weights are not what its redraw makes")
    return Item(
        id=entry["id"],
        question=entry["question"],
        text=entry["text"],
        truths=_read_answers(entry["truths"]),
        reports=_read_answers(entry["reports"]),
        channel=Channel(entry["weights"]),
        protection=protection,
        memory=memory,
    )


def _read_answers(entries: Sequence[Mapping[str, str]]) -> tuple[Answer, ...]:
    return tuple(Answer(entry["code"], entry["text"]) for entry in entries)
