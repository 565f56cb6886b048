"""Revisions of a survey: what tells their questions apart, and what else differs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, TypeAlias

from deniable.survey import Survey

Mark: TypeAlias = tuple[str, ...]

_UNSEEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
    "\U000e0000-\U000e0fff]"
)
"""Nothing is drawn for these, though no program takes them for format characters (category Cf)."""

_LAW: Final = ("weights", "permanent", "redraw")
"""Where the document says by which law an item is drawn."""


def marks(survey: Survey) -> tuple[Mark, ...]:
    """Return what tells each item of a survey from all others: all that a person reads of it.

    What nobody can see makes it no other one: compatible forms are made one (NFKC), and blanks,
    format characters and others for which nothing is drawn are left out. Two items that read alike
    are told apart by their order. A device goes by the same marks
    (`client/browser/core/memory.js`), so that nobody reports a question twice.
    """
    texts = {question.id: question.text for question in survey.questions}
    found: list[Mark] = []
    for item in survey.items:
        read = (texts[item.question], item.text, *(truth.text for truth in item.truths))
        mark = tuple(map(_seen, read))
        while mark in found:
            mark = (*mark, "+")
        found.append(mark)
    return tuple(found)


def differences(survey: Survey, other: Survey) -> tuple[str, ...]:
    """Say what differs between two revisions, in the words of a survey file.

    `survey`, `other`: two revisions of one survey. Result: such as ``introduction``, ``doped:
    text``, ``doped: design``, ``year: only here`` (in the first) and ``year: only there``.
    """
    here, there = survey.document, other.document
    names = [name for name in {**here, **there} if name not in {"questions", "items", "about"}]
    found = [
        "by invitation" if name == "token_keys" else name
        for name in names
        if here.get(name) != there.get(name)
    ]
    about = [each.about.document() for each in (survey, other)]
    return (
        *found,
        *(key for key in {**about[0], **about[1]} if about[0].get(key) != about[1].get(key)),
        *_of_questions(survey, other),
    )


def _of_questions(survey: Survey, other: Survey) -> Iterator[str]:
    here, there = _questions(survey), _questions(other)
    for id in {**here, **there}:
        if id not in there:
            yield f"{id}: only here"
        elif id not in here:
            yield f"{id}: only there"
        else:
            one, another = here[id], there[id]
            differing = (key for key in {**one, **another} if one.get(key) != another.get(key))
            yield from (f"{id}: {key}" for key in differing)


def _questions(survey: Survey) -> dict[str, dict[str, Any]]:
    """Return what the document says of each question, by its id; all laws of it as its design."""
    document = survey.document
    found = {entry["id"]: dict(entry) for entry in document["questions"]}
    for question in survey.questions:
        # The document counts places, which another question moves.
        found[question.id]["ask_if"] = question.ask_if
        found[question.id]["design"] = []
    for item in document["items"]:
        found[item["question"]]["design"].append({key: item.get(key) for key in _LAW})
    return found


@lru_cache(maxsize=4096)  # a simulation asks for the same few for each of its people
def _seen(text: str) -> str:
    normal = _UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    return "".join(
        letter for letter in normal if unicodedata.category(letter) != "Cf" and not letter.isspace()
    )
