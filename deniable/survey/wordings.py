"""A survey's structure, which is all but the words, and its wordings, the words that people read.

The served document has a line for the structure, one for all words, and one for each correction of
them: the changed texts by their places. The wording of the last line is on. Reports name only the
revision, which is the hash of the structure, so that no report tells which words its sender read.
People compare a chain of hashes over all lines, so that a server cannot give one person other words
unnoticed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import reduce
from typing import Any, Final, TypeAlias

from deniable.survey.document import canonical_json
from deniable.survey.questions import QuestionType

MEDIA_TYPE: Final = "application/jsonl"
"""The media type of survey.json: lines of JSON, perhaps only one."""

Words: TypeAlias = dict[str, Any]
"""The ``languages``, and for each of them its texts by place: ``questions/doped/text``."""

_SIGN: Final = "@"
"""The prefix of a place that stands in the structure for a text."""

ABOUT: Final = ("purpose", "help", "logo")
"""The texts about a survey that are words. Who asks, and what people agree to, is not."""

_KEYS: Final = frozenset({"title", "introduction", "text", "hint", *ABOUT})
"""The keys whose texts a structure can replace by places: `core/wordings.js` has the same."""

_LISTS: Final = ("answers", "rows", "statements")


def split(document: Mapping[str, Any]) -> tuple[dict[str, Any], Words]:
    """Split a survey's document into its structure and its words."""
    structure = deepcopy(dict(document))
    languages = structure.pop("languages", ["en"])
    translations = structure.pop("translations", {})
    texts: dict[str, str] = {}

    def take(holder: dict[str, Any], key: str, place: str) -> None:
        texts[place] = holder[key]
        holder[key] = _SIGN + place

    for key in ("title", "introduction"):
        take(structure, key, key)
    for key in ABOUT:
        if key in structure.get("about", {}):
            take(structure["about"], key, f"about/{key}")
    for question in structure["questions"]:
        own = f"questions/{_step(question['id'])}"
        take(question, "text", f"{own}/text")
        take(question, "hint", f"{own}/hint")
        for kind in () if QuestionType(question["type"]).is_number else _LISTS:
            for one in question.get(kind, ()):
                take(one, "text", f"{own}/{kind}/{_step(one['code'])}")
    questions = {question["id"]: question for question in structure["questions"]}
    for item in structure["items"]:
        _point(item, questions[item["question"]])
    words = {language: _flatten(texts) for language, texts in translations.items()}
    return structure, {"languages": languages, languages[0]: texts, **words}


def _step(name: str) -> str:
    """Return an id or a code as a step of a place, or reject one with a slash."""
    if "/" in name:
        raise ValueError(f"expected ids and codes without a slash, found {name!r}")
    return name


def _point(item: dict[str, Any], question: Mapping[str, Any]) -> None:
    """Replace an item's texts by the places of its question's texts."""
    own = f"{question['id']}."
    parts = {own + one["code"]: one["text"] for one in question["answers"] + question["rows"]}
    item["text"] = parts.get(item["id"], question["text"])
    type = QuestionType(question["type"])
    if type.is_number or type.offers_yes_no:
        return  # "Yes" and "No", and numbers, are the same in all words
    answers = {one["code"]: one["text"] for one in question["answers"]}
    codes = [one["code"] for one in item["truths"]]
    named = codes == [one["code"] for one in item["reports"]] and "statements" not in question
    for one in item["truths"] + (item["reports"] if named else []):
        one["text"] = answers.get(one["code"], one["text"])


def join(structure: Mapping[str, Any], words: Words) -> dict[str, Any]:
    """Join a structure and words into a survey's document."""
    first, *others = words["languages"]
    document: dict[str, Any] = _fill_in(structure, words[first])
    if [first, *others] != ["en"]:
        document["languages"] = [first, *others]
    if others:
        document["translations"] = {one: _nest(words[one]) for one in others}
    return document


def _fill_in(value: Any, texts: Mapping[str, str], key: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _fill_in(one, texts, key) for key, one in value.items()}
    if isinstance(value, list):
        return [_fill_in(one, texts) for one in value]
    if key in _KEYS and isinstance(value, str) and value.startswith(_SIGN):
        return texts[value.removeprefix(_SIGN)]
    return value


def _flatten(value: Mapping[str, Any], before: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for key, one in value.items():
        found |= _flatten(one, f"{before}{key}/") if isinstance(one, dict) else {before + key: one}
    return found


def _nest(texts: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {"questions": {}}
    for place, text in texts.items():
        *way, last = place.split("/")
        at = found
        for step in way:
            at = at.setdefault(step, {})
        at[last] = text
    for question in found["questions"].values():
        question.setdefault("answers", {})
        question.setdefault("rows", {})
    return found


def changed(before: Words, now: Words) -> Words:
    """Return the difference of two wordings: the correction that makes `now` of `before`."""
    found = {
        language: {
            place: text
            for place, text in now[language].items()
            if before.get(language, {}).get(place) != text
        }
        for language in now["languages"]
    }
    patch: Words = {language: texts for language, texts in found.items() if texts}
    if before["languages"] != now["languages"]:
        patch["languages"] = now["languages"]
    return patch


def corrected(before: Words, patch: Words) -> Words:
    """Return the words after a correction."""
    languages = {"languages": patch.get("languages", before["languages"])}
    of = (set(before) | set(patch)) - {"languages"}
    return {one: {**before.get(one, {}), **patch.get(one, {})} for one in of} | languages


def write(document: Mapping[str, Any], before: Sequence[str] | None) -> tuple[str, ...]:
    """Write a document as lines: structure, wordings before, its own; one whole line if None."""
    if before is None:
        return (canonical_json(document).decode(),)
    structure, words = split(document)
    own = changed(reduce(corrected, map(json.loads, before)), words) if before else words
    return (canonical_json(structure).decode(), *before, canonical_json(own).decode())


def chain(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the check number of each wording, in order: a hash over all lines up to it."""
    number = hashlib.sha256(lines[0].encode()).hexdigest()
    if len(lines) == 1:
        return (number,)
    numbers = []
    for line in lines[1:]:
        number = hashlib.sha256(f"{number}\n{line}".encode()).hexdigest()
        numbers.append(number)
    return tuple(numbers)
