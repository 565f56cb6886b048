"""Numbers, protection and channels in the words of pages and the command line."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Final

from deniable import exact
from deniable.coins import either
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Condition, Protection, Question
from deniable.text.languages import Say, in_english

LIMIT: Final = 10.0
"""The ε of all reports of a respondent above which a browser asks no more, until they raise it."""

_UNKNOWN: Final = "–"


_LARGE: Final = 100_000

TELLS_NOTHING: Final = 0.5
"""An interval that reaches this far to either side tells nothing about a share."""

_BUT_A_MILLIONTH: Final = 1 - Fraction(1, exact.MILLION)


def times(ratio: Fraction) -> str:
    """Write a ratio to one decimal, or as a power of 10 if it is large, rounded up.

    An excess of a millionth is ignored: weights are integers, so a ratio of 2 can be 2.000000002.

    >>> times(Fraction(3)), times(Fraction(2) + Fraction(1, 2**30)), times(Fraction(301, 100))
    ('3', '2', '3.1')
    """
    if ratio > _LARGE:
        power = math.log10(ratio.numerator) - math.log10(ratio.denominator)
        return f"10^{math.ceil(10 * power) / 10:.1f}"
    tenths = math.ceil(10 * ratio * _BUT_A_MILLIONTH)
    return f"{tenths / 10:,.1f}".removesuffix(".0")


def loss(epsilon: float) -> str:
    """Write an ε as a survey file would: to four decimals, rounded up.

    Shares of an ε are rounded down to millionths, so their sum can be less: three options share
    ε = 1 as 0.999999.

    >>> loss(0.999999), loss(2.9), loss(1.098613)
    ('1', '2.9', '1.0987')
    """
    return f"{math.ceil(round(epsilon * 1_000_000) / 100) / 10_000:g}"


def brief_loss(epsilon: float) -> str:
    """Write an ε for researchers: to two decimals, or two digits if it is below a tenth.

    >>> brief_loss(1.098613), brief_loss(3), brief_loss(0.012345)
    ('1.10', '3.00', '0.012')
    """
    return f"{epsilon:.2f}" if epsilon >= 0.1 or epsilon == 0 else f"{epsilon:.2g}"


def loss_in_all(total: float, parts: Sequence[float]) -> str:
    """Write the ε of all answers, with "about" where the parts as written do not add up to it.

    Parts that are not all asked, or are one answer, never add up, and nobody adds them.

    >>> loss_in_all(2.197226, [1.098613] * 2), loss_in_all(4.394452, [1.098613] * 4)
    ('2.20', 'about 4.39')
    """
    is_sum = math.isclose(sum(parts), total, abs_tol=1e-5)
    added = sum(float(brief_loss(one)) for one in parts)
    is_rounded = is_sum and not math.isclose(added, float(brief_loss(total)), abs_tol=1e-9)
    return "about " * is_rounded + brief_loss(total)


def plus_minus(part: float, say: Say = in_english) -> str:
    """Say how far the interval of a share reaches to either side, in points; no more than 50.

    >>> plus_minus(0.1234), plus_minus(2.062)
    ('±12.3 points', '±50 points or more')
    """
    if part >= TELLS_NOTHING:
        return say("±50 points or more")
    return say("±{width} points", width=round(100 * part, 1))


def percent(share: float | None) -> str:
    """Write a share in percent, with one decimal; a dash if it is unknown."""
    return _UNKNOWN if share is None else f"{fixed(100 * share)} %"


def percentage_points(share: float | None) -> str:
    """Write a difference of shares, such as a standard error, in percentage points."""
    return _UNKNOWN if share is None else f"{fixed(100 * share)} points"


def quantity(value: float | None, span: float) -> str:
    """Write a number in the units of its question, to about a thousandth of the answers' range."""
    return _UNKNOWN if value is None else fixed(value, decimals(span))


def reach(half: float | None) -> str:
    """Write how far an interval reaches to either side, with two significant digits.

    >>> reach(16.519), reach(0.4413), reach(5), reach(1234)
    ('17', '0.44', '5', '1,200')
    """
    return _UNKNOWN if half is None else f"{float(f'{half:.2g}'):,.10g}"


def decimals(span: float) -> int:
    """Return how many decimals show a thousandth of the answers' range."""
    return max(0, 3 - math.floor(math.log10(span)))


def seen_by_researchers(batch: int, say: Say = in_english) -> str:
    """Say whether the desk shows when a report arrived."""
    if batch == 1:
        return say(
            "The results page shows what you send as soon as it arrives. So the researchers can "
            "learn when you sent it."
        )
    return say(
        "The results page shows new reports later, in groups of {batch} or more. So it tells "
        "nobody when your report arrived. The people who run the server could find out.",
        batch=float(batch),
    )


def noise(item: Item) -> str:
    """Say how chance draws an item's reports."""
    if item.protection is Protection.DIRECT:
        return "Asked directly: sent as it is given."
    if item.flips is None:
        return (
            f"One of {len(item.reports)} codes is sent, drawn by chance. How often each is drawn "
            "depends on the answer."
        )
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


def shares_words(survey: Survey, quote: str = "", number: Callable[[float], str] = str) -> str:
    """Name the units of a draw, each with the share of people who are asked it, if these differ."""
    draw = survey.units
    if draw is None:
        return ""
    named = [quote + " + ".join(_names(survey, places)) + quote for places in draw.places]
    if not draw.chances:
        return ", ".join(named)
    shares = [float(draw.share(places)) for places in draw.places]
    said = (f"{number(round(100 * one, 1))} %" for one in shares)
    return ", ".join(f"{name} {share}" for name, share in zip(named, said, strict=True))


def _names(survey: Survey, places: Sequence[int]) -> list[str]:
    """Name a unit: the ids of its whole questions, or of its items."""
    whole = [one.id for one in survey.questions if {*survey.places[one.id]} <= {*places}]
    return whole or [survey.items[place].id for place in places]


def needs(survey: Survey, question: Question, say: Say = in_english) -> tuple[str, ...]:
    """Return the earlier answers that a question needs, each after the text of its question."""
    lines = []
    for condition in question.ask_if:
        item, needed = _item_and_question(survey, condition)
        part = "" if item.text == needed.text else f" – {item.text}"
        texts = [truth.text for truth in item.truths if truth.code in condition.answers]
        quoted = say("“{question}”", question=f"{needed.text}{part}")
        lines.append(f"{quoted}: {_span(texts, needed, '–') or ' / '.join(texts)}")
    return tuple(lines)


def time_tells(survey: Survey, say: Say = in_english) -> str:
    """Say what a respondent's time reveals.

    The figure assumes the same median reading time for every question, with a standard deviation of
    its logarithm of .45 from question to question and of .35 from person to person.
    """
    asked = len(survey.questions)
    least = asked - len(survey.follow_ups)
    if not survey.hides_branch or least == asked:
        return say(
            "How long an answer takes is not hidden from somebody who sees when the page opens and "
            "when the report leaves."
        )
    spread = sum(math.hypot(0.35, math.sqrt(math.expm1(0.45**2) / n)) for n in (least, asked))
    right = NormalDist().cdf(math.log(asked / least) / spread)
    return say(
        "Time can tell whether questions were left out. Somebody who sees when the page opens and "
        "when the report leaves guesses it right up to {count} times in 100, by usual reading "
        "times.",
        count=math.ceil(100 * right),
    )


def asked_if_codes(survey: Survey, question: Question) -> str:
    """Say when a question applies, in the codes of the survey file: ``if doped is yes``."""
    words = (
        f"{one.item} is "
        + (
            _span(one.answers, _item_and_question(survey, one)[1], " to ")
            or either([*one.answers], in_english)
        )
        for one in question.ask_if
    )
    return f"if {' and '.join(words)}"


def _item_and_question(survey: Survey, condition: Condition) -> tuple[Item, Question]:
    (item,) = (item for item in survey.items if item.id == condition.item)
    return item, survey.question(item.question)


def _span(answers: Sequence[str], needed: Question, between: str) -> str:
    """Return the ends of a run of three numbers or more; empty for other answers."""
    values = [answer.text for answer in needed.answers]
    if not needed.is_number or len(answers) < 3 or answers[0] not in values:
        return ""
    start = values.index(answers[0])
    whole = list(answers) == values[start : start + len(answers)]
    return f"{answers[0]}{between}{answers[-1]}" if whole else ""


def fixed(value: float, decimals: int = 1) -> str:
    """Write a number with `decimals` decimals and a real minus sign."""
    written = f"{value:.{decimals}f}"
    if float(written) == 0:  # not "-0.0"
        written = written.removeprefix("-")
    return written.replace("-", "\N{MINUS SIGN}")
