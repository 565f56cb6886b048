"""Before anybody is asked: how wide intervals will be, and how many people to ask."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Final

from rich.console import RenderableType

from deniable import designs, exact
from deniable.analysis.planning.advice import LEVEL, PLANNED, advice, is_too_wide
from deniable.analysis.planning.budgets import Precision, precision
from deniable.analysis.planning.power import power_two_groups, sample_size_two_groups
from deniable.analysis.planning.significance import PlannedTest
from deniable.analysis.planning.spending import Spend, redesign
from deniable.analysis.planning.widths import half_width, report_rates
from deniable.channel import Channel, identity
from deniable.estimator import mean_variance, share_variance
from deniable.items import Item
from deniable.questions import Protection, Question
from deniable.results.files import Export, Row
from deniable.results.result import Result
from deniable.results.text import table
from deniable.survey import Survey
from deniable.text.safety import counted
from deniable.text.wording import (
    EVEN,
    at_most,
    in_hundred,
    percent,
    quantity,
    sureness,
    sureness_of,
    sureness_of_all,
)

__all__ = ["PLANNED", "Wanted", "meaning", "plan", "planned"]

_COUNTED: Final = 3_000
"""Up to so many people in a group, the power of a test is counted out. With more it takes seconds,
and the normal formula is off by some thousandths at most."""

_EXAMPLES: Final = (1, 3, 5, 9)
"""Values of ε whose meaning is said."""


@dataclass(frozen=True)
class Wanted:
    """What a plan is to say.

    Parameters
    ----------
    respondents : int
        How many are expected, at least 1.
    within : float or None
        A half-width that is wanted: .05 is five percentage points, or five hundredths of what the
        answers of a number span. Then the fewest people are found who must take part.
    detect : tuple of two floats, or None
        Shares of the second answer in two groups of equal size. Then it is found how often the
        interval of their difference leaves out 0 (its p-value is then below the significance), and
        the fewest people with whom it does as often as wanted.
    power : float
        How often that is, between the significance (1 − `level`) and 1.
    level : float
        Of the intervals, between 0 and 1.
    design_effect : float
        How many times as large variances are as in a simple random sample, above 0: above 1 where
        people who are asked together answer alike.
    prior : float or None
        How likely somebody thought a true answer, between 0 and 1, besides 50 in 100.

    Raises
    ------
    ValueError
        If one of them is out of range.
    """

    respondents: int = PLANNED
    within: float | None = None
    detect: tuple[float, float] | None = None
    power: float = 0.8
    level: float = LEVEL
    design_effect: float = 1.0
    prior: float | None = None

    def __post_init__(self) -> None:
        """Refuse what has no meaning, in the words of who asks."""
        if self.within is not None and not self.within > 0:
            raise ValueError(f"expected a half-width above 0, such as 0.05, found {self.within}")
        if not 0 < self.design_effect < math.inf:
            raise ValueError(
                f"expected a design effect above 0, such as 1.5, found {self.design_effect}"
            )
        if self.prior is not None and not 0 < self.prior < 1:
            raise ValueError(
                f"expected what somebody thought between 0 and 1, such as 0.1, found {self.prior}"
            )


def plan(  # noqa: PLR0913  what can be asked
    survey: Survey,
    respondents: int = PLANNED,
    *,
    within: float | None = None,
    detect: tuple[float, float] | None = None,
    power: float = 0.8,
    level: float = LEVEL,
    design_effect: float = 1.0,
    prior: float | None = None,
    spend: Spend | None = None,
) -> Result:
    """Say of each question how precise it will be, how many people it takes, and how sure it makes.

    Parameters
    ----------
    survey : Survey
    respondents, within, detect, power, level, design_effect, prior
        See `Wanted`.
    spend : Spend, optional
        How ε is spent, if not as the survey does.

    Returns
    -------
    Result
        Its rows have a half-width at the number of respondents, and the numbers that were asked
        for. People who are not asked every question count as respondents too.

    Raises
    ------
    ValueError
        If an argument is out of range, or ε cannot be spent so.

    Examples
    --------
    >>> from deniable.survey_file import read
    >>> survey = read('''version: 1
    ... survey: doping
    ... title: Doping
    ... questions:
    ...   - {id: doped, text: Doped, type: single, answers: [No, Yes], flip: 1/4}
    ... ''').survey
    >>> (row,) = plan(survey, 1000, within=.05, detect=(.1, .25), prior=.1).export.rows
    >>> round(row["half_width"], 3), row["n_within"], row["n_detect"], row["posterior"]
    (0.062, 1537, 1282, 0.25)
    """
    wanted = Wanted(respondents, within, detect, power, level, design_effect, prior)
    return planned(survey, wanted, spend)


def planned(survey: Survey, wanted: Wanted, spend: Spend | None = None) -> Result:
    """Say the same of what is wanted, see `plan`."""
    if spend is not None:
        survey = redesign(survey, spend)
    found = list(_precisions(survey, wanted))
    rows = [_row(survey, one, wanted) for one in found]
    warnings = advice(survey, max(1, round(wanted.respondents / wanted.design_effect)))
    found_of_all = sureness(survey)
    return Result(
        table=list(_as_table(survey, found, rows, wanted, warnings)),
        export=Export(
            tuple(rows[0]),
            rows,
            {
                "survey": survey.slug,
                "epsilon": survey.epsilon,
                "respondents": wanted.respondents,
                "level": wanted.level,
                "within": wanted.within,
                "detect": None if wanted.detect is None else list(wanted.detect),
                "power": None if wanted.detect is None else wanted.power,
                "design_effect": wanted.design_effect,
                "prior": wanted.prior,
                "sentences": [] if found_of_all is None else list(found_of_all.sentences()),
                "warnings": list(warnings),
            },
            key="questions",
        ),
    )


def meaning() -> tuple[str, str, str]:
    """Say what ε = 1, 3, 5 and 9 mean, in three sentences whose numbers are computed."""
    values = _listed([f"{epsilon:g}" for epsilon in _EXAMPLES])
    channels = [designs.k_ary(2, epsilon=epsilon) for epsilon in _EXAMPLES]
    even, one_in_ten = (
        _listed(
            [at_most(in_hundred(channel.ratio, prior)).split(" in 100")[0] for channel in channels]
        )
        for prior in (EVEN, Fraction(1, 10))
    )
    widths = _listed([f"±{100 * half_width(channel, PLANNED)[0]:.1f}" for channel in channels])
    direct = 100 * half_width(identity(2), PLANNED)[0]
    what = (
        "ε limits what all randomised answers of one person reveal together: the odds of any "
        "guess about them grow e^ε-fold at most."
    )
    sure = (
        f"With ε = {values}, somebody who thought an answer 50 in 100 likely can get to {even} in "
        f"100, and from 10 in 100 to {one_in_ten} in 100."
    )
    precise = (
        f"A yes-or-no question that has all of this ε is then known to {widths} points with "
        f"{PLANNED:,} people, and to ±{direct:.1f} points if it is asked directly."
    )
    return what, sure, precise


def _listed(parts: list[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _precisions(survey: Survey, wanted: Wanted) -> Iterator[tuple[Question, Precision]]:
    """Find how precise an item of each question will be: all of a question are alike."""
    items = precision(survey, wanted.respondents, wanted.level)
    wider = math.sqrt(wanted.design_effect)
    for question in survey.asked_questions:
        found = items[survey.places[question.id][0]]
        yield (
            question,
            replace(
                found,
                shares=None if found.shares is None else found.shares * wider,
                mean=None if found.mean is None else found.mean * wider,
            ),
        )


def _row(survey: Survey, of: tuple[Question, Precision], wanted: Wanted) -> Row:
    question, found = of
    row: dict[str, str | float | bool | None] = {
        "question": question.id,
        "items": len(question.parts),
        "epsilon": survey.epsilon_of(question),
        "flip": _flip(found.item),
        "respondents": found.respondents,
        "half_width": found.widest,
        "too_wide": is_too_wide(found),
        "price": _price(found),
        "sure": _in_one(sureness_of(survey, question)),
    }
    if wanted.prior is not None:
        row["posterior"] = _in_one(sureness_of(survey, question, exact.fraction(wanted.prior)))
    if wanted.within is not None:
        row["n_within"] = found.respondents_for(wanted.within, wanted.respondents)
    if wanted.detect is not None:
        row["power"], row["n_detect"] = _two_groups(found, wanted.detect, wanted)
    return row


def _two_groups(
    found: Precision, shares: tuple[float, float], wanted: Wanted
) -> tuple[float | None, int | None]:
    """Find the power of the test of two groups, and the people it takes."""
    channel = found.item.channel
    if found.mean is not None or not channel.identifiable or report_rates(channel, 1) is None:
        return None, None
    # In effect so many of those who take part answer it.
    in_effect = found.respondents / wanted.design_effect
    each = max(1, math.floor(in_effect / 2))
    significance = 1 - wanted.level
    needed = _needed(channel, shares, wanted.power, significance)
    return (
        _reached_by(channel, each, shares, significance),
        math.ceil(needed * wanted.respondents / in_effect),
    )


@lru_cache(maxsize=4096)
def _reached_by(
    channel: Channel, each: int, shares: tuple[float, float], significance: float
) -> float:
    """Return the power of the test of two groups of this size."""
    test = PlannedTest("interval" if each <= _COUNTED else "normal", significance=significance)
    return power_two_groups(channel, (each, each), shares=shares, test=test).power


@lru_cache(maxsize=4096)
def _needed(
    channel: Channel, shares: tuple[float, float], power: float, significance: float
) -> int:
    """Return how many people it takes, in two groups of one size together."""

    def people(method: str) -> int:
        test = PlannedTest(method, significance=significance)
        found = sample_size_two_groups(channel, shares=shares, power=power, test=test)
        return sum(found.n)

    about = people("normal")
    return people("interval") if about <= 2 * _COUNTED else about


def _price(found: Precision) -> float:
    """Return how many times as many people it takes as if they were asked directly, at worst."""
    # Asked directly, a share is known worst at a half, and a mean if half of all are at each end.
    if found.mean is not None:
        return mean_variance(found.item.channel, found.values) / ((found.span or 1) / 2) ** 2
    if found.shares is None:
        return math.nan
    return float(share_variance(found.item.channel).max()) / 0.25


def _flip(item: Item) -> float | None:
    flips = item.flips
    return flips[0] if flips and min(flips) == max(flips) else None


def _in_one(number: int | None) -> float | None:
    return None if number is None else number / 100


def _as_table(
    survey: Survey,
    found: list[tuple[Question, Precision]],
    rows: list[Row],
    wanted: Wanted,
    warnings: tuple[str, ...],
) -> Iterator[RenderableType]:
    columns = list(_columns(wanted))
    numbers = [heading for heading, _ in columns]
    printed = table("Question", *numbers, numbers=numbers)
    for (question, one), row in zip(found, rows, strict=True):
        several = f" ({len(question.parts)} items)" if question.has_several_items else ""
        direct = " (direct)" if question.protection is Protection.DIRECT else ""
        printed.add_row(
            question.id + several + direct, *(_cell(key, row, one) for _, key in columns)
        )
    yield (
        f"{survey.title} ({survey.slug}): planned for {counted(wanted.respondents, 'respondent')}, "
        f"ε {survey.epsilon:g}{survey.beside_epsilon}"
    )
    yield ""
    yield printed
    yield ""
    yield from _notes(survey, found, wanted, warnings)
    for warning in warnings:
        yield ""
        yield warning


def _columns(wanted: Wanted) -> Iterator[tuple[str, str]]:
    yield f"{100 * wanted.level:g} % interval", "half_width"
    if wanted.within is not None:
        yield f"People for ±{100 * wanted.within:g}", "n_within"
    if wanted.detect is not None:
        yield "Power", "power"
        yield "People to tell the groups apart", "n_detect"
    yield "× direct", "price"
    yield "ε", "epsilon"
    yield "Flip", "flip"
    yield "50 in 100 becomes", "sure"
    if wanted.prior is not None:
        yield f"{100 * wanted.prior:g} in 100 becomes", "posterior"


def _cell(key: str, row: Row, found: Precision) -> str:
    value = row[key]
    if key == "half_width":
        return _width(found)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    words = {
        "power": lambda: percent(float(value)),
        "price": lambda: f"{value:.3g}" if float(value) < 100 else f"{value:,.0f}",
        "epsilon": lambda: f"{value:.3f}",
        "flip": lambda: f"{value:.4f}",
        "sure": lambda: _reached(value),
        "posterior": lambda: _reached(value),
    }
    return words.get(key, lambda: f"{value:,}")()


def _reached(share: object) -> str:
    number = round(100 * float(str(share)))
    return "over 99" if number == 100 else str(number)


def _notes(
    survey: Survey,
    found: list[tuple[Question, Precision]],
    wanted: Wanted,
    warnings: tuple[str, ...],
) -> Iterator[str]:
    """Say what the columns are, and what people will read."""
    level, within, detect = wanted.level, wanted.within, wanted.detect
    yield (
        "Interval: at worst, in percentage points to either side of a share, or of the mean of a "
        "number in its own units."
    )
    yield (
        "× direct: how many times as many people it takes, at worst, as if they were asked "
        "directly."
    )
    if within is not None and any(one.span is not None for _, one in found):
        yield f"±{100 * within:g} of a number: in hundredths of what its answers span."
    if detect is not None:
        low, high = (f"{100 * share:g} %" for share in detect)
        yield (
            f"Groups: of equal size, {low} of the one and {high} of the other say the second "
            f"answer. Power: how often a test at {100 * (1 - level):.3g} % then finds the "
            f"difference. With the people in the next column, in both groups together, it does "
            f"{100 * wanted.power:g} % of the time."
        )
    if wanted.design_effect != 1:
        yield (
            f"With a design effect of {wanted.design_effect:g}, {wanted.respondents:,} people "
            f"tell as much as {wanted.respondents / wanted.design_effect:,.0f} of a simple random "
            "sample."
        )
    sure = sureness(survey)
    if sure is None:
        return
    yield (
        "Becomes: how sure somebody can get, in 100, of an answer that they thought so likely. All "
        f"protected answers together: {' and '.join(_together(survey, wanted))}."
    )
    said = f"“{' '.join(sure.sentences())}”"
    if not any(said in warning for warning in warnings):
        yield f"People will read: {said}"


def _together(survey: Survey, wanted: Wanted) -> Iterator[str]:
    for prior in (0.5, *([] if wanted.prior is None else [wanted.prior])):
        number = sureness_of_all(survey, exact.fraction(prior))
        yield f"{100 * prior:g} can become {_reached((number or 0) / 100)}"


def _width(found: Precision) -> str:
    wide = " (of no use)" if is_too_wide(found) else ""
    if found.span is None or found.mean is None:
        return f"±{100 * found.widest:.1f}{wide}"
    return f"mean ±{quantity(found.mean, found.span)}{wide}"
