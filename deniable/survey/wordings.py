"""A survey's law and its wordings: what is asked, and the words that people read, apart.

The document that is served has a line for the law, one for all words, and one for each correction
of them: what changed, at its place. Reports name the law alone, so that nothing tells which words
somebody read. What people compare is a chain of hashes over all lines, so that nobody can be given
words of their own unseen.

The adversary is an operator who lets words change the meaning of reports that were sent. No text
may be one that stands, or stood, for another question or answer. Other words for the opposite no
program can find: readers do.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, TypeAlias
from unicodedata import category

from deniable.survey.document import canonical_json
from deniable.survey.questions import FIXED, QuestionType
from deniable.text.safety import seen

MEDIA_TYPE: Final = "application/jsonl"
"""What survey.json is: lines of JSON, though perhaps just one."""

MOST: Final = 8
"""How many wordings of one law there are at most, so that people can read all of them."""

Words: TypeAlias = dict[str, Any]
"""The ``languages``, and by each of them the text of each place: ``questions/doped/text``."""

_SIGN: Final = "@"
"""Begins what the law says in place of a text, before the text's place."""

_ABOUT: Final = ("purpose", "help", "logo")
"""What a survey says of itself in words. Who asks, and what people agree to, is law."""

_KEYS: Final = frozenset({"title", "introduction", "text", "hint", *_ABOUT})
"""Under which keys a law can have a place instead of a text: `core/wordings.js` has the same."""

_AGREED: Final = frozenset(
    f"about/{key}" for key in ("organisation", "contact", "consent", "results")
)
"""What translations say of it: in a language that is read, no correction changes it."""

_LISTS: Final = ("answers", "rows", "statements")


def split(document: Mapping[str, Any]) -> tuple[dict[str, Any], Words]:
    """Take a survey's document apart into its law and its words."""
    law = deepcopy(dict(document))
    languages = law.pop("languages", ["en"])
    translations = law.pop("translations", {})
    texts: dict[str, str] = {}

    def take(holder: dict[str, Any], key: str, place: str) -> None:
        texts[place] = holder[key]
        holder[key] = _SIGN + place

    for key in ("title", "introduction"):
        take(law, key, key)
    for key in _ABOUT:
        if key in law.get("about", {}):
            take(law["about"], key, f"about/{key}")
    for question in law["questions"]:
        own = f"questions/{_step(question['id'])}"
        take(question, "text", f"{own}/text")
        take(question, "hint", f"{own}/hint")
        for kind in () if QuestionType(question["type"]).is_number else _LISTS:
            for one in question.get(kind, ()):
                take(one, "text", f"{own}/{kind}/{_step(one['code'])}")
    questions = {question["id"]: question for question in law["questions"]}
    for item in law["items"]:
        _point(item, questions[item["question"]])
    words = {language: _flat(texts) for language, texts in translations.items()}
    return law, {"languages": languages, languages[0]: texts, **words}


def _step(name: str) -> str:
    """Return an id or a code as a step of a place."""
    if "/" in name:
        raise ValueError(f"expected ids and codes without a slash, found {name!r}")
    return name


def _point(item: dict[str, Any], question: Mapping[str, Any]) -> None:
    """Point an item's texts to those of its question."""
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


def join(law: Mapping[str, Any], words: Words) -> dict[str, Any]:
    """Put a law and words together: the document as everything reads it."""
    first, *others = words["languages"]
    document: dict[str, Any] = _filled(law, words[first])
    if [first, *others] != ["en"]:
        document["languages"] = [first, *others]
    if others:
        document["translations"] = {one: _nested(words[one]) for one in others}
    return document


def _filled(value: Any, texts: Mapping[str, str], key: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _filled(one, texts, key) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, texts) for one in value]
    if key in _KEYS and isinstance(value, str) and value.startswith(_SIGN):
        return texts[value.removeprefix(_SIGN)]
    return value


def _flat(value: Mapping[str, Any], before: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for key, one in value.items():
        found |= _flat(one, f"{before}{key}/") if isinstance(one, dict) else {before + key: one}
    return found


def _nested(texts: Mapping[str, str]) -> dict[str, Any]:
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
    """Return what is new in these words: the line that corrects those before."""
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


def read(written: bytes) -> tuple[list[dict[str, Any]], tuple[str, ...] | None]:
    """Read the bytes of survey.json: the document in each wording, and the lines of the earlier."""
    try:
        law, *lines = written.decode().split("\n")
        if not lines:
            return [json.loads(law)], None
        return [*_read_lines(law, lines)], tuple(lines[:-1])
    except RecursionError:
        raise ValueError("expected a protocol document, found too deep a nesting") from None
    except (KeyError, TypeError, AttributeError) as mistake:
        raise ValueError(f"expected a law and wordings, found a bad part: {mistake}") from None


def _read_lines(law: str, lines: Sequence[str]) -> Iterator[dict[str, Any]]:
    found: list[Words] = []
    for line in lines:
        patch = json.loads(line)
        now = corrected(found[-1], patch) if found else patch
        document = join(json.loads(law), now)
        _check_form(law, line, found, now)
        if found:
            check_correction(found, now)
        found.append(now)
        yield document


def _check_form(law: str, line: str, found: Sequence[Words], now: Words) -> None:
    """Refuse a line that could be written otherwise, or has a place that is no text of the law."""
    asked, words = split(join(json.loads(law), now))
    of = {*words["languages"], "languages"}
    new = changed(found[-1], words) if found else words
    if (
        canonical_json(asked).decode() != law
        or words != {key: one for key, one in now.items() if key in of}
        or canonical_json(new).decode() != line
        or not new
        or not all(
            isinstance(text, str) for one in of - {"languages"} for text in now[one].values()
        )
    ):
        raise ValueError("expected a law and its wordings in their one form, found other bytes")


def check_correction(found: Sequence[Words], now: Words) -> None:
    """Refuse words that no correction of those before may be."""
    if len(found) >= MOST:
        raise ValueError(
            f"expected at most {MOST} wordings of a law, so that people can read all of them; "
            "ask what is new as a new question, under a new id"
        )
    if now["languages"][0] != found[-1]["languages"][0]:
        raise ValueError("expected the same first language as before, in which it is asked")
    for language, texts in changed(found[-1], now).items():
        for place, text in texts.items() if language != "languages" else ():
            # Also where it was taken away meanwhile: people have agreed in it.
            if place in _AGREED and any(language in words["languages"] for words in found):
                raise ValueError(
                    f"{place}: expected who asks, and what people agree to, as before in "
                    f"{language!r}, found {text!r}: change it in the first language as well"
                )
            _check_new(place, text, [*found, now])


def _check_new(place: str, text: str, found: Sequence[Words]) -> None:
    """Refuse no text, and one that another question or answer has, or had, in any language."""
    (kind, own, is_hint), read = _meaning(place), _read_as(text)
    if not kind or (is_hint and not read):
        return
    if not read:
        raise ValueError(f"{place}: expected words that people can read, found {text!r}")
    others = [(code, fixed) for code in FIXED if code != own for fixed in FIXED[code]]
    for words in found:
        for language in words["languages"]:
            for other, theirs in words[language].items():
                of, whose, is_too = _meaning(other)
                if of == kind and whose != own and not (is_hint and is_too):
                    others.append((other, theirs))
    for other, theirs in others:
        if _read_as(theirs) == read:
            raise ValueError(
                f"{place}: expected words that stand, and stood, for nothing else, found "
                f"{text!r}, as {other} has or had: what people have answered would mean "
                "something else"
            )


def _meaning(place: str) -> tuple[str, str, bool]:
    """Return among what a place's text must be told apart, whose it is, and if it is a hint.

    Questions with their hints, or the answers to one; empty of all else.
    """
    _, id, list_, code, *_ = (*place.split("/"), "", "", "", "")
    if code:
        return f"{id}/{list_}", code, False
    return list_ and "all", id, list_ == "hint"


def _read_as(text: str) -> str:
    """Return a text without what makes it no other one: case, and the signs around it."""
    read = seen(text).lower()
    around = (letter for letter in read if category(letter).startswith(("P", "Sk")))
    return read.strip("".join(around)) or read


def write(document: Mapping[str, Any], before: Sequence[str] | None) -> tuple[str, ...]:
    """Write a document as lines, after those of the wordings before; one with texts, if None."""
    if before is None:
        return (canonical_json(document).decode(),)
    law, words = split(document)
    own = changed(all_words(before)[-1], words) if before else words
    return (canonical_json(law).decode(), *before, canonical_json(own).decode())


def all_words(lines: Iterable[str]) -> list[Words]:
    """Return all words of each wording."""
    found: list[Words] = []
    for line in lines:
        patch = json.loads(line)
        found.append(corrected(found[-1], patch) if found else patch)
    return found


def chain(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the number of each wording, the first first: hashes over the law and all before it."""
    number = hashlib.sha256(lines[0].encode()).hexdigest()
    if len(lines) == 1:
        return (number,)
    numbers = []
    for line in lines[1:]:
        number = hashlib.sha256(f"{number}\n{line}".encode()).hexdigest()
        numbers.append(number)
    return tuple(numbers)
