"""Numbers and channels as a page says them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from deniable.survey import Condition, Item, Protection, Question, QuestionType, Survey

_UNKNOWN: Final = "–"


def percent(share: float | None) -> str:
    """Write a share in percent, with one decimal; a dash if it is not known."""
    return _UNKNOWN if share is None else f"{_number(100 * share)} %"


def percentage_points(share: float | None) -> str:
    """Write a difference of shares, such as a standard error, in percentage points."""
    return _UNKNOWN if share is None else f"{_number(100 * share)} points"


def quantity(value: float | None, span: float) -> str:
    """Write a number in the units of its question, to about a thousandth of what answers span.

    Parameters
    ----------
    value : float or None
        A dash if it is not known.
    span : float
        Above 0: a mean of ages has one decimal, one of hours a day two, one of incomes none.

    Returns
    -------
    str
    """
    if value is None:
        return _UNKNOWN
    return _number(value, max(0, 3 - math.floor(math.log10(span))))


def noise(item: Item) -> str:
    """Say how an item's reports are drawn.

    Parameters
    ----------
    item : Item

    Returns
    -------
    str
        One sentence, computed from the channel's weights alone.
    """
    if item.protection is Protection.DIRECT:
        return "Asked directly: sent as it is given."
    if item.flips is None:
        return "Reports are drawn by a design of their own, and are not named after the answers."
    if min(item.flips) == max(item.flips):
        return (
            f"A report differs from the true answer with probability {percent(item.flips[0])} "
            "(the flip probability)."
        )
    chances = ", ".join(
        f"{percent(flip)} for “{answer.text}”"
        for flip, answer in zip(item.flips, item.truths, strict=True)
    )
    return f"A report differs from the true answer with probability {chances}."


def needs(survey: Survey, question: Question) -> tuple[str, ...]:
    """Return the earlier answers that a question needs, each after what was asked.

    Parameters
    ----------
    survey : Survey
        In the language in which they are to be read.
    question : Question

    Returns
    -------
    tuple of str
        Such as ``“Doped?”: Yes / Unsure``; empty if it applies to everybody.
    """
    lines = []
    for condition in question.ask_if:
        item, needed = _needed(survey, condition)
        part = "" if item.text == needed.text else f" – {item.text}"
        texts = [truth.text for truth in item.truths if truth.code in condition.answers]
        lines.append(f"“{needed.text}{part}”: {_span(texts, needed, '–') or ' / '.join(texts)}")
    return tuple(lines)


def asked_if_codes(survey: Survey, question: Question) -> str:
    """Say to whom a question applies, in the codes of the survey file: ``if doped is yes``."""
    words = (
        f"{one.item} is "
        + (_span(one.answers, _needed(survey, one)[1], " to ") or _any_of(one.answers))
        for one in question.ask_if
    )
    return f"if {' and '.join(words)}"


def _needed(survey: Survey, condition: Condition) -> tuple[Item, Question]:
    (item,) = (item for item in survey.items if item.id == condition.item)
    return item, survey.question(item.question)


def _span(answers: Sequence[str], needed: Question, between: str) -> str:
    """Say from where to where numbers go, if they are more than two in a row."""
    values = [answer.text for answer in needed.answers]
    if needed.type is not QuestionType.NUMBER or len(answers) < 3 or answers[0] not in values:
        return ""
    start = values.index(answers[0])
    whole = list(answers) == values[start : start + len(answers)]
    return f"{answers[0]}{between}{answers[-1]}" if whole else ""


def _any_of(answers: Sequence[str]) -> str:
    *some, last = answers
    return f"{', '.join(some)} or {last}" if some else last


def _number(value: float, decimals: int = 1) -> str:
    written = f"{value:.{decimals}f}"
    if float(written) == 0:  # not "-0.0"
        written = written.removeprefix("-")
    return written.replace("-", "\N{MINUS SIGN}")
