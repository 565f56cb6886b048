"""Numbers, odds and channels as pages and the command line say them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from deniable import exact
from deniable.items import Item
from deniable.languages import Say, in_english
from deniable.questions import Condition, Protection, Question
from deniable.survey import Survey

WEAK: Final = 5.0
"""Above this ε (odds of 148 to 1) chance hides little, and pages say so."""

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


def large_factor(say: Say = in_english) -> str:
    """Warn that chance hides little, above `WEAK`; the respondent's device says it as well."""
    return say(
        "That is a large factor. Someone who has all your randomised answers can guess a lot "
        "from them."
    )


def seen_by_researchers(
    batch: int, say: Say = in_english, number: Callable[[float], str] = "{:,}".format
) -> str:
    """Say whether the desk tells when a report came; parameters as in `odds_factor`."""
    if batch == 1:
        return say(
            "The results page shows each report as soon as it arrives. So the researchers can "
            "learn when your report arrived."
        )
    return say(
        "The results page shows new reports later, in groups of {batch} or more. So it tells "
        "nobody when your report arrived. The people who run the server could find out.",
        batch=number(batch),
    )


def odds_factor(
    epsilon: float, say: Say = in_english, number: Callable[[float], str] = "{:,.7g}".format
) -> str:
    """Say e^ε as people say it, rounded up.

    ε itself was rounded up by at most a millionth, which is undone first, so that ln 3 is a factor
    of 3 and not of 3.1.

    Parameters
    ----------
    epsilon : float
    say : Say
        Says a sentence in the reader's language.
    number : callable
        Writes a number as that language does; below a million.

    Examples
    --------
    >>> odds_factor(1.098613), odds_factor(3.0), odds_factor(0.5), odds_factor(13.8)
    ('3', '21', '1.7', '984,609')
    """
    factor = math.exp(epsilon - 1 / exact.MILLION)
    if factor >= exact.MILLION:
        return say("more than a million")
    return number(math.ceil(factor * 10) / 10 if factor < 10 else math.ceil(factor))


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
        return "Reports are codes of the design, not answers."
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
    if not needed.is_number or len(answers) < 3 or answers[0] not in values:
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
