"""Plain text: which characters the texts of a survey may hold, and how untrusted text is printed.

The adversary writes a survey file, or serves a survey, whose texts move the cursor of a terminal,
forge its lines, or reverse the direction of reading: a title could print a result of its own.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

_TURNING: Final = "\u202a-\u202e\u2066-\u2069"
"""Overrides, embeddings and isolates. The marks of Arabic and Hebrew reverse no other text."""

_ACTIVE: Final = re.compile(f"[\0-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029{_TURNING}]")
"""Controls, surrogates, separators of lines and paragraphs, and changes of direction."""

_IN_LINES: Final = re.compile(f"(?!\n){_ACTIVE.pattern}")
"""`_ACTIVE` for a text that may have several lines."""

AS_UTF8: Final = "save it as “CSV UTF-8” in a spreadsheet, or with the encoding UTF-8 in an editor"
"""Advice for a file in another encoding."""

_SHOWN: Final = 60

# Also behind blanks, which some programs strip, and in the full-width letters of East Asia.
_FORMULA: Final = re.compile(r"[\t\r]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")
# Where a spreadsheet may begin another cell or row, whichever separator it is set to.
_WITHIN: Final = re.compile(r"([;\t\r\n][\s\";]*)('?)([=+\-@\uff1d\uff0b\uff0d\uff20]?)")
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", re.IGNORECASE)

_UNSEEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
    "\U0001d159\U000e0000-\U000e0fff]"
)
"""Characters that are not drawn, although they are not in the category of formats (Cf)."""


MOST_MARKS: Final = 4
"""The most combining marks on a letter: no script needs more, and many would paint over others."""


def check_plain(text: str, *, lines: bool = False) -> None:
    """Reject invisible characters that have an effect, and many combining marks on a letter."""
    found = (_IN_LINES if lines else _ACTIVE).search(text)
    if found:
        raise ValueError(_refusal(found[0]))
    if text.isascii():
        return
    marks = 0
    for letter in text:
        kind = unicodedata.category(letter)
        marks = marks + 1 if kind.startswith("M") else marks if kind == "Cf" else 0
        if marks > MOST_MARKS:
            raise ValueError(
                f"expected plain text, found more than {MOST_MARKS} combining marks on a letter, "
                f"such as U+{ord(letter):04X}"
            )


def _refusal(character: str) -> str:
    kind = "direction" if re.match(f"[{_TURNING}]", character) else "control"
    return f"expected plain text, found the {kind} character U+{ord(character):04X}"


def printable(text: str, *, lines: bool = True) -> str:
    """Return a text that a terminal can show, with a mark for each active character.

    `lines`: whether line ends stay. They must not where an untrusted text is part of a line of
    ours: it could end that line and forge another.
    """
    return (_IN_LINES if lines else _ACTIVE).sub("\N{REPLACEMENT CHARACTER}", text)


def shortened(value: object) -> str:
    """Return a value for an error message: as Python writes it, but cut if long.

    >>> shortened("1/4"), len(shortened("[" * 20_000))
    ("'1/4'", 61)
    """
    written = repr(value)
    return written if len(written) <= _SHOWN else f"{written[:_SHOWN]}…"


_QUESTION: Final = "\u037e"
"""The question mark of Greek, of which NFC makes a semicolon, and so a new cell of a file."""


def composed(text: str) -> str:
    """Return a text in NFC, the normal form of codes, columns and groups.

    So é is the same whether it was typed as one character or as two.
    """
    if text.isascii():
        return text
    return _QUESTION.join(unicodedata.normalize("NFC", part) for part in text.split(_QUESTION))


@lru_cache(maxsize=4096)  # a simulation asks for the same few texts for each respondent
def seen(text: str) -> str:
    """Return a text as people see it: NFKC, without blanks and undrawn characters."""
    normal = _UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    drawn = "".join(
        letter for letter in normal if unicodedata.category(letter) != "Cf" and not letter.isspace()
    )
    # An undrawn character may have stood between a letter and its accent.
    return unicodedata.normalize("NFC", drawn)


_LATIN: Final = str.maketrans("авекмнорстухіјѕһαβεζηικμνορτυχ", "abekmhopctyxijshabezhikmnoptyx")
"""Letters of Cyrillic and Greek that look like Latin ones, in small letters or in capitals."""


def alike(text: str) -> str:
    r"""Return a text such that texts which people cannot tell apart are equal.

    >>> alike("Yes") == alike("yes\u200b"), alike("Caf\u00e9") == alike("Cafe\u0301")
    (True, True)
    """
    return seen(text).casefold().translate(_LATIN)


def counted(number: int, noun: str) -> str:
    """Write a number with its noun, in the plural unless the number is 1.

    >>> counted(1, "report"), counted(2_000, "report")
    ('1 report', '2,000 reports')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def inert(text: str) -> str:
    """Return a text that a spreadsheet shows and does not compute.

    The adversary writes a survey's texts, and a colleague opens the file: text that begins like a
    formula is a formula there, also in quotes, and after a separator of cells or rows. It gets an
    apostrophe before it. Numbers stay.

    >>> inert("=1+1"), inert("-5"), inert("1 or 2"), inert("-5+1"), inert("a;=1")
    ("'=1+1", '-5', '1 or 2', "'-5+1", "a;'=1")
    """
    within = _WITHIN.sub(lambda one: f"{one[1]}'{one[3]}" if one[3] else f"{one[1]}{one[2]}", text)
    return f"'{within}" if _begins_formula(text) else within


def from_inert(text: str) -> str:
    """Undo `inert`."""
    text = _WITHIN.sub(lambda one: f"{one[1]}{'' if one[3] else one[2]}{one[3]}", text)
    return text[1:] if text.startswith("'") and _begins_formula(text[1:]) else text


def _begins_formula(text: str) -> bool:
    return bool(_FORMULA.match(text)) and not _NUMBER.fullmatch(text)
