"""The wordings of a served survey, read back: which corrections of words are allowed.

The adversary is an operator whose corrections change the meaning of existing reports. No text may
be that of another question or answer, now or before. No program can detect a correction that says
the opposite in new words: readers can.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple
from unicodedata import category

from deniable.survey.about import TEXTS
from deniable.survey.document import canonical_json
from deniable.survey.questions import FIXED
from deniable.survey.wordings import ABOUT, Words, changed, corrected, join, split
from deniable.text.safety import seen

MOST: Final = 8
"""The most wordings of one revision, so that people can read all of them."""

_AGREED: Final = frozenset(f"about/{key}" for key in TEXTS if key not in ABOUT)
"""Translated texts of who asks and of consent: no correction changes them in a language in use."""


class Wordings(NamedTuple):
    """The document in the wording that is on, and in the earlier ones, whose lines stand before."""

    current: dict[str, Any]
    earlier: Sequence[dict[str, Any]] = ()
    before: tuple[str, ...] | None = None  # None if the structure holds its texts


def read(written: bytes) -> Wordings:
    """Read the bytes of survey.json in all its wordings; the last one is on."""
    try:
        structure, *lines = written.decode().split("\n")
        if not lines:
            return Wordings(json.loads(structure))
        *earlier, current = _read_lines(structure, lines)
        return Wordings(current, earlier, tuple(lines[:-1]))
    except RecursionError:
        raise ValueError("expected a protocol document, found too deep a nesting") from None
    except (KeyError, TypeError, AttributeError) as mistake:
        raise ValueError(f"expected a revision and wordings, found a bad part: {mistake}") from None


def _read_lines(structure: str, lines: Sequence[str]) -> Iterator[dict[str, Any]]:
    found: list[Words] = []
    for line in lines:
        patch = json.loads(line)
        now = corrected(found[-1], patch) if found else patch
        document = join(json.loads(structure), now)
        _check_form(structure, line, found, now)
        if found:
            check_correction(found, now)
        found.append(now)
        yield document


def _check_form(structure: str, line: str, found: Sequence[Words], now: Words) -> None:
    """Reject a line that is not canonical, or has a place without a text in the structure."""
    asked, words = split(join(json.loads(structure), now))
    of = {*words["languages"], "languages"}
    new = changed(found[-1], words) if found else words
    if (
        canonical_json(asked).decode() != structure
        or words != {key: one for key, one in now.items() if key in of}
        or canonical_json(new).decode() != line
        or not new
        or not all(
            isinstance(text, str) for one in of - {"languages"} for text in now[one].values()
        )
    ):
        raise ValueError(
            "expected a revision and its wordings in their one form, found other bytes"
        )


def check_correction(found: Sequence[Words], now: Words) -> None:
    """Reject words that are no allowed correction of the wordings before."""
    if len(found) >= MOST:
        raise ValueError(
            f"expected at most {MOST} wordings of a revision, so that people can read all of them; "
            "ask what is new as a new question, under a new id"
        )
    if now["languages"][0] != found[-1]["languages"][0]:
        raise ValueError("expected the same first language as before, in which it is asked")
    for language, texts in changed(found[-1], now).items():
        for place, text in texts.items() if language != "languages" else ():
            # Also if the language was removed meanwhile: people have agreed in it.
            if place in _AGREED and any(language in words["languages"] for words in found):
                raise ValueError(
                    f"{place}: expected who asks, and what people agree to, as before in "
                    f"{language!r}, found {text!r}: change it in the first language as well"
                )
            _check_new(place, text, [*found, now])


def _check_new(place: str, text: str, found: Sequence[Words]) -> None:
    """Reject an empty text, and one that another question or answer has or had in any language."""
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
                f"{place}: expected a text that nothing else has or had, found {text!r}, the text "
                f"of {other}: the answers that people gave would change their meaning"
            )


def _meaning(place: str) -> tuple[str, str, bool]:
    """Return the set in which a place's text must be unique, its owner, and if it is a hint."""
    _, id, list_, code, *_ = (*place.split("/"), "", "", "", "")
    if code:
        return f"{id}/{list_}", code, False
    return list_ and "all", id, list_ == "hint"


def _read_as(text: str) -> str:
    """Return a text for comparison: lower case, without punctuation around it."""
    read = seen(text).lower()
    around = (letter for letter in read if category(letter).startswith(("P", "Sk")))
    return read.strip("".join(around)) or read
