"""Names, values and labels within the limits of the formats of SPSS and Stata."""

import itertools
import math
import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Final

from deniable.analysis.results import numbers
from deniable.survey.items import NOISY, Item
from deniable.survey.questions import Protection

_MOST_IN_NAME: Final = 32
"""Characters of a name in Stata. The library that writes both files names the value labels of a
column by its name and its number, from 0, and these are names too."""

_BYTES_IN_NAME: Final = 64
"""SPSS counts the bytes of a name in UTF-8."""

SAV_TEXT: Final = 256
"""Bytes of a question's text in a .sav file."""

SAV_LABEL: Final = 120
"""Bytes of an answer's text in a .sav file."""

DTA_TEXT: Final = 80
"""Characters of a question's text in a .dta file."""

NOISE: Final = "Noise, do not tabulate: "
"""How the label of a column of randomised reports begins in a .sav file.

A .dta file has too little room: the options of a question would read alike.
"""

_ELLIPSIS: Final = "…"
_BEFORE_OPTION: Final = " – "

_RESERVED: Final = re.compile(
    "(?i:all|and|by|eq|ge|gt|le|lt|ne|not|or|to|with"
    "|byte|double|float|if|in|int|long|skip|str|strl|using)|str[0-9]+"
)
"""Reserved words of SPSS and Stata."""


def file_names(columns: Iterable[str]) -> dict[str, str]:
    """Return the name of each column in the files of SPSS and Stata.

    Both allow letters of any script, so `größe` and `عمر` stay; every other sign becomes a _.
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    listed = [*columns]
    most = _MOST_IN_NAME - len(str(len(listed)))  # a column of weights may follow
    for column in listed:
        name = "".join(
            one if _is_of_names(one) else "_" for one in unicodedata.normalize("NFC", column)
        )
        name = name if name[:1].isalpha() else f"v{name}"
        stem = name.removesuffix(NOISY)
        end = name[len(stem) :]
        stem = stem.rstrip("_") or "v"  # a code without any letter: a number is added below
        if not end and _RESERVED.fullmatch(stem):
            stem = f"{stem}_"
        short, number = _cut_name(stem, end, most), 1
        while short.casefold() in taken:
            number += 1
            short = _cut_name(stem, f"_{number}{end}", most)
        taken.add(short.casefold())
        found[column] = short
    return found


def _is_of_names(sign: str) -> bool:
    # A letter of any script, a digit, or an underscore.
    return unicodedata.category(sign) in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd") or sign == "_"


def _cut_name(stem: str, end: str, most: int) -> str:
    kept = stem[: most - len(end)].encode()[: _BYTES_IN_NAME - len(end)]
    return f"{kept.decode(errors='ignore')}{end}"


def values_of(item: Item, *, is_number: bool) -> list[float]:
    """Return the number that codes each report in the files of SPSS and Stata."""
    places = [float(place) for place in range(1, len(item.reports) + 1)]
    if not is_number or item.reports != item.truths:
        return places
    values = numbers(item)
    given = [value for value in values if not math.isnan(value)]
    if not all(value.is_integer() for value in given):
        return places
    others = itertools.count(min(0.0, *given) - 1, -1)
    return [next(others) if math.isnan(value) else value for value in values]


def cut_bytes(text: str, most: int) -> str:
    """Cut a text to `most` bytes of UTF-8; a cut text ends in an ellipsis.

    >>> cut_bytes("Straße", 6), cut_bytes("Straße", 7)
    ('Str…', 'Straße')
    """
    whole = text.encode()
    if len(whole) <= most:
        return text
    return whole[: most - len(_ELLIPSIS.encode())].decode(errors="ignore") + _ELLIPSIS


def cut_characters(text: str, most: int) -> str:
    """Cut a text to `most` characters; a cut text ends in an ellipsis.

    >>> cut_characters("Straße", 5), cut_characters("Straße", 6)
    ('Stra…', 'Straße')
    """
    return text if len(text) <= most else text[: most - 1] + _ELLIPSIS


def label_of(question: str, item: str, mark: str = "") -> str:
    """Return the text of a question joined with that of its option or row, after a mark.

    >>> label_of("Have you taken any?", "Caffeine"), label_of("Your age", "Your age", NOISE)
    ('Have you taken any? – Caffeine', 'Noise, do not tabulate: Your age')
    """
    return mark + (question if question == item else f"{question}{_BEFORE_OPTION}{item}")


def mark_of(item: Item) -> str:
    """Return what the label of an item's column begins with in a .sav file."""
    return "" if item.protection is Protection.DIRECT else NOISE


def label_within(
    question: str,
    item: str,
    cut: Callable[[str, int], str],
    most: int,
    size: Callable[[str], int],
    *,
    mark: str = "",
) -> str:
    """Return the label in at most `most` bytes or characters, with the question cut first.

    Otherwise the options of one question could read alike. `size`: the length of a text as `cut`
    counts it.

    >>> label_within("Have you taken any?", "Caffeine", cut_characters, 20, len)
    'Have you… – Caffeine'
    """
    whole = label_of(question, item, mark)
    if question == item or size(whole) <= most:
        return cut(whole, most)
    option = cut(item, most - size(f"{mark}{_ELLIPSIS}{_BEFORE_OPTION}"))
    left = most - size(f"{mark}{_BEFORE_OPTION}{option}")
    return f"{mark}{cut(question, left)}{_BEFORE_OPTION}{option}"


def shortened_in(text: str, *, is_label: bool, mark: str = "") -> list[str]:
    """Return the formats that are too short for a text, as a label of values or of a column.

    `mark`: what a .sav file has before it.
    """
    too_long = {
        "sav": len(f"{mark}{text}".encode()) > (SAV_LABEL if is_label else SAV_TEXT),
        "dta": not is_label and len(text) > DTA_TEXT,
    }
    return [form for form, cut in too_long.items() if cut]
