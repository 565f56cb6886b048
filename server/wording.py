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


def asked_if(survey: Survey, question: Question) -> str:
    """Say to whom a question applies, in the words that people read.

    Parameters
    ----------
    survey : Survey
    question : Question
        With `ask_if`.

    Returns
    -------
    str
        To follow "only": ``if the true answer to “Doped?” is “Yes” or “Unsure”``.
    """
    words = []
    for condition in question.ask_if:
        item, needed = _needed(survey, condition)
        part = "" if item.text == needed.text else f" – {item.text}"
        texts = [answer.text for answer in needed.offered if answer.code in condition.answers]
        words.append(f"to “{needed.text}{part}” is {_one_of(texts, needed, '“', '”')}")
    return f"if the true answer {', and '.join(words)}"


def asked_if_codes(survey: Survey, question: Question) -> str:
    """Say to whom a question applies, in the codes of the survey file: ``if doped is yes``."""
    words = (
        f"{condition.item} is {_one_of(condition.answers, _needed(survey, condition)[1])}"
        for condition in question.ask_if
    )
    return f"if {' and '.join(words)}"


def _needed(survey: Survey, condition: Condition) -> tuple[Item, Question]:
    (item,) = (item for item in survey.items if item.id == condition.item)
    return item, survey.question(item.question)


def _one_of(answers: Sequence[str], needed: Question, left: str = "", right: str = "") -> str:
    """List answers, or say from where to where numbers go."""
    values = [answer.text for answer in needed.answers]
    if needed.type is QuestionType.NUMBER and len(answers) > 2 and answers[0] in values:
        start = values.index(answers[0])
        if list(answers) == values[start : start + len(answers)]:
            return f"{left}{answers[0]}{right} to {left}{answers[-1]}{right}"
    *some, last = [f"{left}{answer}{right}" for answer in answers]
    return f"{', '.join(some)} or {last}" if some else last


def _number(value: float, decimals: int = 1) -> str:
    written = f"{value:.{decimals}f}"
    if float(written) == 0:  # not "-0.0"
        written = written.removeprefix("-")
    return written.replace("-", "\N{MINUS SIGN}")
