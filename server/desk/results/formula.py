"""Formulas that somebody typed at the desk, before anything reads them.

Behind formulas there is a library that runs parts of them as Python, with all that Python can do.
Whoever is signed in to the desk may look at estimates, and do nothing else on the server. So a
formula of the desk is made of the survey's items, numbers, signs and a few functions.
"""

import math
import re
from collections.abc import Collection, Mapping
from typing import Final

from deniable.survey.items import Item
from deniable.text.near import meant

MOST_CHARACTERS: Final = 200
"""Of a formula."""

FUNCTIONS: Final = ("C", "I", "center", "exp", "log", "log10", "scale")
"""What a formula may call."""

_MOST_POWERS: Final = 3

MOST_COLUMNS: Final = 200
"""Of a regression's table: a short formula can ask for more than fits into any memory."""

_PART: Final = re.compile(
    r"\s*(?:`(?P<quoted>[^`]*)`|(?P<name>[^\W\d][\w.]*)\s*(?P<call>\()?"
    r"|(?P<power>(?:\*\*|\^)\s*[1-3](?![\d.]))|(?P<sign>\d{1,6}(?:\.\d{1,6})?(?![\d.])"
    r"|[-+:/()~]|\*(?!\*)))\s*"
)


_IN_TERM: Final = re.compile(
    r"(C\()?(?P<name>[^\W\d][\w.]*)(?(1)\))(?:\[(?:T\.)?(?P<answer>[^\]]*)\])?"
)


def term_in_words(term: str, items: Mapping[str, Item]) -> str:
    """Write a term such as ``field[T.soc]:years`` as ``Field: Social sciences × Years``."""

    def said(found: re.Match[str]) -> str:
        item = items.get(found["name"])
        if item is None:
            return found[0]
        if found["answer"] is None:
            return item.text
        answers = {one.code: one.text for one in item.truths}
        answer = answers.get(found["answer"].removesuffix(".0"), found["answer"])
        return f"{item.text}{'' if item.text.endswith('?') else ':'} {answer}"

    return " × ".join(_IN_TERM.sub(said, part) for part in term.split(":"))


def check_formula(formula: str, items: Collection[str]) -> None:
    """Check that a formula holds items, numbers, signs and known functions."""
    if len(formula) > MOST_CHARACTERS:
        raise ValueError(f"expected at most {MOST_CHARACTERS} characters, found {len(formula):,}")
    if formula.count("~") != 1:
        raise ValueError("expected one ~ between the answer and what it may depend on")
    place = powers = 0
    while place < len(formula):
        part = _PART.match(formula, place)
        if part is None:
            raise ValueError(
                f"expected items, numbers, signs such as + and functions such as I(), found "
                f"{formula[place:].lstrip()[:12]!r}"
            )
        _check_name(part, items)
        powers += part["power"] is not None
        place = part.end()
    if formula.count("(") != formula.count(")"):
        raise ValueError("expected as many opening brackets as closing ones")
    if powers > _MOST_POWERS:
        raise ValueError(f"expected at most {_MOST_POWERS} powers, found {powers}")


def check_columns(terms: str, levels: Mapping[str, int]) -> None:
    """Check, before anything is expanded, that a formula comes to few columns.

    At most as many come of items that are crossed as their numbers of answers multiply to.
    """
    depth, pieces = 0, [""]
    for sign in terms:
        depth += (sign == "(") - (sign == ")")
        pieces = [*pieces, ""] if sign in "+-" and depth == 0 else [*pieces[:-1], pieces[-1] + sign]
    named = ({*re.findall(r"[^\W\d][\w.]*", piece)} & levels.keys() for piece in pieces)
    columns = sum(math.prod(levels[name] for name in names) for names in named)
    if columns > MOST_COLUMNS:
        raise ValueError(
            f"expected a formula of at most {MOST_COLUMNS} columns, found up to {columns:,}: cross "
            "fewer items, or items of fewer answers"
        )


def _check_name(part: re.Match[str], items: Collection[str]) -> None:
    if part["call"] is not None:
        if part["name"] not in FUNCTIONS:
            raise ValueError(
                f"there is no function {part['name']!r}; expected one of {', '.join(FUNCTIONS)}"
            )
        return
    for name in (part["name"], part["quoted"]):
        if name is not None and name not in items:
            raise ValueError(f"there is no item {name!r}; {meant(name, items)}")
