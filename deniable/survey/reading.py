"""Questions and items of a protocol document, read as a device reads them.

The adversary is a server whose document says one thing to people and another to their devices. What
is read here is checked by `Survey`, which also writes it again and compares.
"""

from __future__ import annotations

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

_ID: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_CODE: Final = re.compile(r"[\w-][\w.-]{0,99}")


def read_fields(document: Mapping[str, Any]) -> dict[str, Any]:
    """Read the arguments of a `Survey` from a protocol document."""
    items = document["items"]
    questions = {entry["id"]: _read_question(entry, items) for entry in document["questions"]}
    languages = tuple(document.get("languages", ["en"]))
    ask = document.get("ask")
    chances = () if ask is None else tuple(ask.get("chances", ()))
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
        "ask": None if ask is None else Ask(ask["count"], tuple(ask["questions"]), chances),
        "pages": Pages(document["pages"]) if "pages" in document else None,
        "shuffled": "order" in document,
        "hides_branch": "branch" in document,
        "exit": _read_exit(document["exit"]) if "exit" in document else None,
        "waves": document["waves"]["count"] if "waves" in document else 1,
        "same_people": "people" not in document.get("waves", ()),
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


def _read_name(name: object, pattern: re.Pattern[str]) -> str:
    """Read an id or a code: `core/shape.js` has the same patterns."""
    if not (isinstance(name, str) and pattern.fullmatch(name)):
        raise ValueError(f"expected an id or a code of {pattern.pattern}, found {name!r}")
    return name


def _read_exit(address: object) -> str:
    """Read the address of "Leave quickly", a site or none: `core/shape.js` has the same rule."""
    if not (isinstance(address, str) and re.match(r"none\Z|https?://[^/]", address)):
        raise ValueError(f"expected the address of a site to leave to, or none, found {address!r}")
    return address


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
        id=_read_name(entry["id"], _ID),
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
    # The table that people see, and that estimates undo, must be the channel of the draws.
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
    return tuple(Answer(_read_name(entry["code"], _CODE), entry["text"]) for entry in entries)
