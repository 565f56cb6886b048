"""Plain text: what the texts of a survey may hold, and how texts of others are printed.

The adversary writes a survey file, or serves a survey, whose texts move the cursor of a terminal,
forge its lines, or turn around what is read: a title could print a result of its own.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

_TURNING: Final = "\u202a-\u202e\u2066-\u2069"
"""Overrides, embeddings and isolates. The marks that Arabic and Hebrew need turn no other text."""

_ACTIVE: Final = re.compile(f"[\0-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029{_TURNING}]")
"""Controls, halves of characters, separators of lines and paragraphs, and what turns a text."""

_IN_LINES: Final = re.compile(f"(?!\n){_ACTIVE.pattern}")
"""The same of a text that may have several lines."""

AS_UTF8: Final = "save it as “CSV UTF-8” in a spreadsheet, or with the encoding UTF-8 in an editor"
"""How a file in another encoding becomes one that is read."""

_SHOWN: Final = 60

# Also behind blanks, which some programs leave out, and in the letters of East Asian keyboards.
_FORMULA: Final = re.compile(r"[\t\r]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")
# Where a spreadsheet may begin another cell or row: it takes the separator that it is set to.
_WITHIN: Final = re.compile(r"([;\t\r\n][\s\";]*)('?)([=+\-@\uff1d\uff0b\uff0d\uff20]?)")
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", re.IGNORECASE)

_UNSEEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
    "\U0001d159\U000e0000-\U000e0fff]"
)
"""Nothing is drawn for these, though no program takes them for format characters (category Cf)."""


def check_plain(text: str, *, lines: bool = False) -> None:
    """Refuse characters that nobody can see and that do something."""
    found = (_IN_LINES if lines else _ACTIVE).search(text)
    if found:
        raise ValueError(_refusal(found[0]))


def _refusal(character: str) -> str:
    kind = "direction" if re.match(f"[{_TURNING}]", character) else "control"
    return f"expected plain text, found the {kind} character U+{ord(character):04X}"


def printable(text: str, *, lines: bool = True) -> str:
    """Return a text as a terminal may show it, with a mark for each character that does something.

    `lines`: whether line ends stay. Not where a text of somebody else stands in a line of ours,
    which it could end to begin one of its own.
    """
    return (_IN_LINES if lines else _ACTIVE).sub("\N{REPLACEMENT CHARACTER}", text)


def shortened(value: object) -> str:
    """Return what an error repeats of a value: as Python writes it, but not all of a long one.

    >>> shortened("1/4"), len(shortened("[" * 20_000))
    ("'1/4'", 61)
    """
    written = repr(value)
    return written if len(written) <= _SHOWN else f"{written[:_SHOWN]}…"


@lru_cache(maxsize=4096)  # a simulation asks for the same few for each of its people
def seen(text: str) -> str:
    """Return a text as people see it: compatible forms made one, without what is not drawn."""
    normal = _UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    drawn = "".join(
        letter for letter in normal if unicodedata.category(letter) != "Cf" and not letter.isspace()
    )
    # What was not drawn may have kept an accent from its letter.
    return unicodedata.normalize("NFC", drawn)


def counted(number: int, noun: str) -> str:
    """Write a number with its noun, which has an s unless it is one.

    >>> counted(1, "report"), counted(2_000, "report")
    ('1 report', '2,000 reports')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def inert(text: str) -> str:
    """Return a text as a spreadsheet shows it and computes nothing from it.

    The adversary writes a survey's texts, and somebody else opens the file: what begins like a
    formula is one there, also in quotes, and behind what may separate cells or rows. It gets an
    apostrophe before it. Numbers stay.

    >>> inert("=1+1"), inert("-5"), inert("1 or 2"), inert("-5+1"), inert("a;=1")
    ("'=1+1", '-5', '1 or 2', "'-5+1", "a;'=1")
    """
    within = _WITHIN.sub(lambda one: f"{one[1]}'{one[3]}" if one[3] else f"{one[1]}{one[2]}", text)
    return f"'{within}" if _begins_formula(text) else within


def from_inert(text: str) -> str:
    """Return the text that an `inert` one was made of."""
    text = _WITHIN.sub(lambda one: f"{one[1]}{'' if one[3] else one[2]}{one[3]}", text)
    return text[1:] if text.startswith("'") and _begins_formula(text[1:]) else text


def _begins_formula(text: str) -> bool:
    return bool(_FORMULA.match(text)) and not _NUMBER.fullmatch(text)
