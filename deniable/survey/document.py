"""Questions and items on the wire: how the protocol document is written.

Server, browser and headless respondent share the protocol document, `Survey.document`. The hash of
its structure is the survey's revision, so its bytes never change without need.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Final

from deniable import exact
from deniable.survey.items import Item
from deniable.survey.questions import Answer, Question

REVISION_DIGITS: Final = 64
"""Hex digits of a revision: a whole SHA-256."""

SHOWN_DIGITS: Final = 16
"""Hex digits of a check number that people see, in groups of four.

The adversary is a server that gives one person another document with the same check number as
everybody's. To find one it hashes about 2^64 documents: some 27 years of a graphics card that makes
2.2e10 SHA-256 a second, for each such document. With 12 digits it would take an afternoon. The
*author* of the survey can search for two documents with one number before giving out the first
link: 2^32 hashes, a second. No number that people compare withstands that (it would take 32
digits); a link may therefore hold more of the digits, up to all of them."""


def revision_of(written: bytes) -> str:
    """Return the SHA-256 of written bytes in `REVISION_DIGITS` hex digits; browsers do the same."""
    return hashlib.sha256(written).hexdigest()


def as_shown(check_number: str) -> str:
    """Return the first digits of a check number, in groups of four, for people to compare."""
    groups = range(0, SHOWN_DIGITS, 4)
    return " ".join(check_number[start : start + 4] for start in groups)


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


def write_question(question: Question, items: Sequence[Item]) -> dict[str, Any]:
    """Write a question as JSON-ready values; its conditions name items by place in the survey."""
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
    used = {
        "ask": question.ask,
        "order": "random" if question.shuffled else None,
        "ask_if": _conditions(question, items) or None,
        "statements": _answers_document(question.statements) or None,
        "known": list(question.known) or None,
        "yes": question.yes or None,
    }
    return document | {key: value for key, value in used.items() if value is not None}


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
