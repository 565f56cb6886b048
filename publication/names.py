"""Names, values and labels as SPSS and Stata take them, and what their formats cut."""

import itertools
import math
import re
from collections.abc import Iterable
from typing import Final

from deniable.analysis.results import numbers
from deniable.survey.items import NOISY, Item

MOST_IN_NAME: Final = 31
"""Characters of a name. Stata takes 32 and SPSS 64 bytes, but a column with value labels gives its
name to the set of them as well, and the library that writes both files takes 31 for that."""

SAV_TEXT: Final = 256
"""Bytes of a question's text in a .sav file."""

SAV_LABEL: Final = 120
"""Bytes of an answer's text in a .sav file."""

DTA_TEXT: Final = 80
"""Characters of a question's text in a .dta file."""

_ELLIPSIS: Final = "…"

# Words that one of the two takes for something else.
_RESERVED: Final = frozenset(
    {
        "all",
        "and",
        "by",
        "eq",
        "ge",
        "gt",
        "le",
        "lt",
        "ne",
        "not",
        "or",
        "to",
        "with",
        "byte",
        "double",
        "float",
        "if",
        "in",
        "int",
        "long",
        "skip",
        "str",
        "strl",
        "using",
    }
)


def file_names(columns: Iterable[str]) -> dict[str, str]:
    """Return the name of each column in the files of SPSS and Stata."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for column in columns:
        name = re.sub(r"[^A-Za-z0-9_]", "_", column)
        name = name if name[:1].isalpha() else f"v{name}"
        name = f"{name}_" if name.lower() in _RESERVED or re.fullmatch("str[0-9]+", name) else name
        stem = name.removesuffix(NOISY)
        end = name[len(stem) :]
        short, number = _cut_name(stem, end), 1
        while short.lower() in taken:
            number += 1
            short = _cut_name(stem, f"_{number}{end}")
        taken.add(short.lower())
        found[column] = short
    return found


def _cut_name(stem: str, end: str) -> str:
    return f"{stem[: MOST_IN_NAME - len(end)]}{end}"


def values_of(item: Item, *, is_number: bool) -> list[float]:
    """Return the number that stands for each report in the files of SPSS and Stata."""
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
    """Cut a text to so many bytes of UTF-8, and say so by an ellipsis.

    >>> cut_bytes("Straße", 6), cut_bytes("Straße", 7)
    ('Str…', 'Straße')
    """
    whole = text.encode()
    if len(whole) <= most:
        return text
    return whole[: most - len(_ELLIPSIS.encode())].decode(errors="ignore") + _ELLIPSIS


def cut_characters(text: str, most: int) -> str:
    """Cut a text to so many characters, and say so by an ellipsis.

    >>> cut_characters("Straße", 5), cut_characters("Straße", 6)
    ('Stra…', 'Straße')
    """
    return text if len(text) <= most else text[: most - 1] + _ELLIPSIS


def shortened_in(text: str, *, is_label: bool) -> list[str]:
    """Return the formats that cannot hold a text whole."""
    too_long = {
        "sav": len(text.encode()) > (SAV_LABEL if is_label else SAV_TEXT),
        "dta": not is_label and len(text) > DTA_TEXT,
    }
    return [form for form, cut in too_long.items() if cut]
