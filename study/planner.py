"""Before anybody is asked: how wide intervals will be, and how many people to ask."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from deniable import designs, exact
from deniable.analysis.intervals import bonferroni
from deniable.analysis.planning.advice import BY_ID, LEVEL, PLANNED, advice, is_too_wide
from deniable.analysis.planning.budgets import Precision, precision, respondents_for
from deniable.analysis.planning.power import power_two_groups, sample_size_two_groups
from deniable.analysis.planning.reach import greatest_reach, mean_variance_among, report_rates
from deniable.analysis.planning.significance import PlannedTest
from deniable.analysis.waves import told_together
from deniable.channel import Channel, identity
from deniable.estimator import share_variance
from deniable.results.files import Row
from deniable.results.plan import Plan, Wanted
from deniable.roles import yes_first, yes_of
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Question
from deniable.text.sureness import EVEN, in_hundred, sureness_of

if TYPE_CHECKING:
    from deniable.survey_file import PlanFields  # loads the schema

__all__ = ["PLANNED", "Wanted", "meaning", "plan", "wanted_of"]

_COUNTED: Final = 3_000
"""Up to so many people in a group, the power of a test is counted out. With more it takes seconds,
and the normal formula is off by some thousandths at most."""

_EXAMPLES: Final = (1, 3, 5, 9)
"""Values of ε whose meaning is said."""


def wanted_of(survey: Survey, plan: PlanFields, people: int, **given: Any) -> Wanted:
    """Return what a plan wants: what is `given`, else what the survey file says.

    A given width is of all questions.
    """
    found: dict[str, Any] = {"applies_of": plan.applied} if "applies" not in given else {}
    if plan.within is not None:
        found["within"] = float(plan.within / 100)
    if plan.within_of and "within" not in given:
        found["within_of"] = {
            id: float(own) / (survey.question(id).span or 100) for id, own in plan.within_of.items()
        }
    if plan.groups is not None:
        found["detect"] = tuple(float(share / 100) for share in plan.groups)
    return Wanted(people, **{**found, **given})


def plan(survey: Survey, wanted: Wanted, names: Mapping[str, str] = BY_ID) -> Plan:
    """Say of each question how precise it will be, and how many people it takes.

    `names`: of questions and items in the warnings, by id.
    """
    items = precision(survey, wanted.respondents, wanted.measure)
    # All items of a question are alike.
    found = [(one, items[survey.places[one.id][0]]) for one in survey.questions]
    changes = _changes(survey, wanted)
    rows = [_row(survey, *of, wanted) for of in zip(found, changes, strict=True)]
    measure = replace(wanted.measure, level=LEVEL, design_effect=1.0)
    people = max(1, round(wanted.respondents / wanted.design_effect))
    warnings = tuple(map(str, advice(survey, people, names, measure)))
    return Plan(survey, wanted, found, rows, warnings, changes)


def meaning() -> tuple[str, str, str]:
    """Say what ε = 1, 3, 5 and 9 mean, in three sentences whose numbers are computed."""
    values = _join([f"{epsilon:g}" for epsilon in _EXAMPLES])
    channels = [designs.k_ary(2, epsilon=epsilon) for epsilon in _EXAMPLES]
    even, one_in_ten = (
        _join([_number(in_hundred(channel.ratio, prior)) for channel in channels])
        for prior in (EVEN, Fraction(1, 10))
    )
    widths = _join([f"±{100 * greatest_reach(channel, PLANNED)[0]:.1f}" for channel in channels])
    direct = 100 * greatest_reach(identity(2), PLANNED)[0]
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


def _number(in_100: int) -> str:
    return "more than 99" if in_100 == 100 else str(in_100)


def _join(parts: list[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _changes(survey: Survey, wanted: Wanted) -> Sequence[Precision]:
    """Find how precise the change of each question between two waves would be."""
    comparisons = told_together(survey, survey.waves - 1)[0] or 1
    # As in results all hold together, and the variances of two waves add up.
    level, variances = bonferroni(wanted.level, comparisons), 2 * wanted.design_effect
    measure = replace(wanted.measure, level=level, design_effect=variances, counted=False)
    items = precision(survey, wanted.respondents, measure)
    return [items[survey.places[one.id][0]] for one in survey.questions]


def _row(survey: Survey, of: tuple[Question, Precision], change: Precision, wanted: Wanted) -> Row:
    question, found = of
    row: dict[str, str | float | bool | None] = {
        "question": question.id,
        "items": len(question.parts),
        "epsilon": survey.epsilon_of(question),
        "flip": _flip(found.item),
        "respondents": found.respondents,
        "reach": found.widest,
        **(survey.if_repeated({"change": change.widest}) or {}),
        "too_wide": is_too_wide(found),
        "price": _price(found),
        "sure": _share(sureness_of(survey, question)),
    }
    if wanted.prior is not None:
        row["posterior"] = _share(sureness_of(survey, question, exact.fraction(wanted.prior)))
    if wanted.within is not None or wanted.within_of:
        place = survey.places[question.id][0]
        row["within"] = within = wanted.within_of.get(question.id, wanted.within)
        row["n_within"] = within and respondents_for(survey, place, within, wanted.measure)
    if wanted.detect is not None:
        channel = found.item.channel
        # The planned shares are of yes.
        channel = yes_first(channel) if yes_of(question) == 0 else channel
        row["power"], row["n_detect"] = _power_of_two_groups(found, channel, wanted.detect, wanted)
    return row


def _power_of_two_groups(
    found: Precision, channel: Channel, shares: tuple[float, float], wanted: Wanted
) -> tuple[float | None, int | None]:
    """Return the power of the test of two groups and its sample size; None if it has none."""
    # The planned shares of a follow-up are among those to whom it applies: no binomial test.
    if found.is_followed or found.mean is not None or not channel.identifiable:
        return None, None
    if report_rates(channel, 1) is None:
        return None, None
    # In effect so many of those who take part answer it.
    in_effect = found.respondents / wanted.design_effect
    parts = wanted.first, 1 - wanted.first
    sizes = max(1, math.floor(in_effect * parts[0])), max(1, math.floor(in_effect * parts[1]))
    significance = 1 - wanted.level
    needed = _needed(channel, shares, wanted.power, significance, parts[1] / parts[0])
    return (
        _reached_by(channel, sizes, shares, significance),
        math.ceil(needed * wanted.respondents / in_effect),
    )


@lru_cache(maxsize=4096)
def _reached_by(
    channel: Channel, sizes: tuple[int, int], shares: tuple[float, float], significance: float
) -> float:
    """Return the power of the test of two groups of these sizes."""
    method = "interval" if max(sizes) <= _COUNTED else "normal"
    test = PlannedTest(method, significance=significance)
    return power_two_groups(channel, sizes, shares=shares, test=test).power


@lru_cache(maxsize=4096)
def _needed(
    channel: Channel, shares: tuple[float, float], power: float, significance: float, ratio: float
) -> int:
    """Return how many people it takes in two groups together, the second so many times as large."""

    def people(method: str) -> int:
        test = PlannedTest(method, significance=significance)
        found = sample_size_two_groups(channel, shares=shares, power=power, test=test, ratio=ratio)
        return sum(found.n)

    about = people("normal")
    return people("interval") if about <= 2 * _COUNTED else about


def _price(found: Precision) -> float:
    """Return how many times as many people it takes as if they were asked directly, at worst."""
    # Asked directly, a share is known worst at a half, and a mean if half of all are at each end.
    if found.mean is not None:
        variance = mean_variance_among(found.item.channel, found.values, found.applies)
        if found.is_of_some:
            variance *= found.applies
        return variance / ((found.span or 1) / 2) ** 2
    if found.shares is None:
        return math.nan
    return float(share_variance(found.item.channel).max()) / 0.25


def _flip(item: Item) -> float | None:
    flips = item.flips
    return flips[0] if flips and min(flips) == max(flips) else None


def _share(number: int | None) -> float | None:
    return None if number is None else number / 100
