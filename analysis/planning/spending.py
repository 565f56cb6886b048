"""The same survey with its ε spent differently, for plans before anyone is asked.

A survey does not store the family of a channel, since no respondent needs it. The channel tells it:
the family that makes this channel from its ε.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Final

import numpy as np

from deniable import budget, designs, exact
from deniable.analysis.numerics.levels import check_choice
from deniable.channel import ROW_SUM, Channel
from deniable.designs.families import ANSWERS, DEFAULT_LEVELS, NUMBERS, Family
from deniable.survey import Survey
from deniable.survey.draws import add, dearest, linked, unit_ids
from deniable.survey.fair_draws import claims_of, even_chances
from deniable.survey.items import Item, compile_items, remember
from deniable.survey.questions import Ask, Protection, Question

SPLITS: Final = ("equal", "even", "optimal")
"""Ways to share ε that depend only on the questions."""

DESIGNS: Final = ("k_ary", "best")
"""Families for both answers and numbers."""

_ANY: Final = 10**12
"""Placeholder above any real cost, until the cost is computed."""

_ALIKE: Final = 1e-5
"""Chances that differ by less are equal: a share of ε is rounded before it makes a channel."""


@dataclass(frozen=True)
class Spend:
    """How to spend a survey's ε; None leaves a setting unchanged.

    Parameters
    ----------
    epsilon : Fraction or None
        Greatest loss of a respondent who answers every question that they are asked.
    split : str or None
        One of `SPLITS`.
    ask : int or None
        How many randomly drawn units of those that share ε each respondent is asked.
    design : str or None
        One of `DESIGNS`, for every question that supports it.
    flips : tuple of (str, Fraction)
        By question, the chance that a report differs from the truth. Such a question has its own ε,
        and does not share the rest.
    """

    epsilon: Fraction | None = None
    split: str | None = None
    ask: int | None = None
    design: str | None = None
    flips: tuple[tuple[str, Fraction], ...] = ()


@lru_cache(maxsize=256)
def redesign(survey: Survey, spend: Spend) -> Survey:
    """Return a survey with its ε spent differently.

    Returns
    -------
    Survey
        The same questions. Questions with a custom design, which no family makes, do not change.
        Questions randomised as one answer remain so.

    Examples
    --------
    >>> from deniable.survey_file import read
    >>> survey = read('''version: 1
    ... survey: two
    ... title: Two questions
    ... epsilon: 2
    ... questions:
    ...   - {id: a, text: A, type: single, answers: [No, Yes]}
    ...   - {id: b, text: B, type: single, answers: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}
    ... ''').survey
    >>> [round(item.epsilon, 3) for item in redesign(survey, Spend(split="even")).items]
    [0.543, 1.457]
    """
    _check(survey, spend)
    claims = {
        question.id: budget.Claim(family, len(question.parts), question.ask or len(question.parts))
        for question, family in _families(survey, spend)
    }
    made = {id: _flip_channel(survey.question(id), flip) for id, flip in spend.flips}
    ask = _ask(survey, spend, tuple(claims))
    shares, ask = _shares(survey, spend, claims, made, ask)
    for id, each in shares.items():
        try:
            channel = budget.channel_for(each, claims[id].family)
        except ValueError as mistake:
            raise ValueError(f"too little ε is left for {id!r}: {mistake}") from None
        now = survey.items_of(survey.question(id))[0].longitudinal
        # An unchanged channel must not change by rounding either: 75 in 100 remain 75.
        if each != now.epsilon_millionths or not _are_alike(channel, now):
            made[id] = channel
    changed = replace(
        survey,
        items=tuple(_items(survey, made)),
        ask=ask,
        epsilon_millionths=_ANY,
    )
    promised = changed.spent_millionths
    if spend.epsilon is not None:
        promised = max(promised, int(exact.MILLION * spend.epsilon))
    elif not spend.flips:
        promised = max(promised, survey.epsilon_millionths)
    return replace(changed, epsilon_millionths=promised)


def coin_questions(survey: Survey) -> dict[str, float]:
    """Return the flip probability of each question that has only one.

    These are questions by k-ary randomised response, which can have a flip such as 1/4.
    """
    found = {}
    for question in survey.questions:
        item = survey.items_of(question)[0]
        if (
            question.protection is Protection.RANDOMISED
            and not question.is_number
            and item.group is None
        ):
            flips = item.flips
            if flips and max(flips) - min(flips) < _ALIKE and len(item.reports) == len(flips):
                found[question.id] = flips[0]
    return found


def _check(survey: Survey, spend: Spend) -> None:
    if spend.split is not None:
        check_choice(spend.split, SPLITS, "a split")
    if spend.design is not None:
        check_choice(spend.design, DESIGNS, "a design")
    if spend.epsilon is not None and spend.epsilon <= 0:
        raise ValueError(f"expected an ε above 0, found {float(spend.epsilon):g}")
    coins = coin_questions(survey)
    for id, _ in spend.flips:
        if id not in coins:
            known = ", ".join(coins) or "there is none in this survey"
            raise ValueError(f"expected a question with a flip ({known}), found {id!r}")


@lru_cache(maxsize=64)
def families(survey: Survey) -> tuple[tuple[Question, Family], ...]:
    """Return the randomised questions whose channel a family makes from its ε, with the family.

    The first question of a group that is randomised as one answer stands for all of it.
    """
    return tuple(
        (question, family)
        for question in survey.questions
        if question.protection is Protection.RANDOMISED
        and not survey.is_drawn_with_another(question.id)
        and (family := _family(question, survey.items_of(question)[0])) is not None
    )


def _flip_channel(question: Question, flip: Fraction) -> Channel:
    answers = len(question.truths)
    return designs.k_ary(answers, keep=1 - designs.flip_probability(flip, answers))


def _families(survey: Survey, spend: Spend) -> Iterator[tuple[Question, Family]]:
    """Yield the questions whose channels follow from an ε, with their families under the plan."""
    # Where some questions are drawn, the others have a cost of their own.
    shared = spend.split is not None or spend.ask is not None
    flipped = dict(spend.flips)
    for question, family in families(survey):
        charged = shared and survey.ask is not None and not _is_drawn(survey, question)
        if question.id in flipped or charged:
            continue
        if spend.design is None or survey.items_of(question)[0].group is not None:
            yield question, family
            continue
        try:
            yield question, replace(family, name=spend.design)
        except ValueError:  # a number with other answers, such as declining
            yield question, family


def _family(question: Question, item: Item) -> Family | None:
    """Return the family that makes an item's channel from its ε; None if none does."""
    channel = item.longitudinal
    values = len(question.answers)
    if item.group is not None:
        return Family("k_ary", len(item.group.cells), None, 0)
    if not question.is_number:
        besides = int(question.prefer_not_to_say)
        answers = len(question.truths) - besides
        tried = [Family(name, answers, None, besides) for name in ANSWERS]
    else:
        besides = len(question.truths) - values
        levels = dict.fromkeys((min(values, DEFAULT_LEVELS), values, channel.reports - besides))
        tried = [
            Family(name, values, level, besides)
            for name in (["k_ary"] if besides else NUMBERS)
            for level in levels
            if 2 <= level <= values
        ]
    return next((family for family in tried if _makes_channel(family, channel)), None)


def _makes_channel(family: Family, channel: Channel) -> bool:
    epsilon = channel.epsilon_millionths
    if not epsilon:
        return False
    try:
        made = budget.channel_for(epsilon, family)
    except ValueError:
        return False
    return _are_alike(made, channel)


def _are_alike(one: Channel, other: Channel) -> bool:
    return (one.truths, one.reports) == (other.truths, other.reports) and bool(
        np.allclose(one.probabilities, other.probabilities, atol=_ALIKE, rtol=0)
    )


def _ask(survey: Survey, spend: Spend, sharing: tuple[str, ...]) -> Ask | None:
    if spend.ask is None:
        return survey.ask if spend.split is None else None
    named = () if survey.ask is None else survey.ask.units
    groups = [one.questions for one in survey.groups]
    units = tuple(unit_ids(survey.questions, sharing, groups, named))
    for id in sharing:
        others = linked(survey.questions, id, groups)
        if any(one not in sharing and not survey.is_drawn_with_another(one) for one in others):
            raise ValueError(f"{id!r} is drawn with a question that shares no ε with it")
    if not 1 <= spend.ask <= len(units):
        raise ValueError(
            f"expected to ask 1 to {len(units)} of the units that share ε "
            f"({', '.join(units)}), found {spend.ask}"
        )
    return None if spend.ask == len(units) else Ask(spend.ask, units)


def _is_drawn(survey: Survey, question: Question) -> bool:
    drawn = () if survey.units is None else {*chain(*survey.units.places)}
    return not {*survey.places[question.id]}.isdisjoint(drawn)


def _shares(
    survey: Survey,
    spend: Spend,
    claims: Mapping[str, budget.Claim],
    flipped: Mapping[str, Channel],
    ask: Ask | None,
) -> tuple[dict[str, int], Ask | None]:
    """Return the ε in millionths of each item of the questions that share it, and the draw."""
    now = {id: _epsilon(survey, id) for id in claims}
    if spend.split is None and spend.ask is None and spend.epsilon is None:
        return now, ask
    fixed = sum(
        _price(survey, question, flipped)
        for question in survey.questions
        if question.id not in claims and not survey.is_drawn_with_another(question.id)
    )
    total = survey.epsilon_millionths
    if spend.epsilon is not None:
        total = int(exact.MILLION * spend.epsilon)
    left = total - fixed
    if left < 0 or (claims and not left):
        raise ValueError(
            f"the questions with a design or a flip of their own cost ε = "
            f"{fixed / exact.MILLION:g}, of {total / exact.MILLION:g} in all"
        )
    if not claims:
        return {}, ask
    if spend.split is None and spend.ask is None:
        # All in proportion, so that the dearest report costs what is left.
        before = _dearest(survey, now)
        return {id: now[id] * left // before for id in claims}, ask
    if ask is None:
        return budget.share_drawn(left, [claims], 1, spend.split or "equal")[0], None
    groups = [one.questions for one in survey.groups]
    units = claims_of(ask.units, survey.questions, claims, groups)
    shares, widths = budget.share_drawn(left, units, ask.count, spend.split or "equal")
    return shares, replace(ask, chances=even_chances(widths, ask.count))


def _dearest(survey: Survey, each: Mapping[str, int]) -> int:
    """Return the cost of the dearest draw of one person, given the ε of each item."""

    def cost(item: Item) -> int | None:
        return each.get(item.question, 0)

    return dearest(survey.questions, survey.items, survey.units, cost, add) or 1


def _epsilon(survey: Survey, id: str) -> int:
    # In millionths.
    return survey.items_of(survey.question(id))[0].epsilon_millionths


def _price(survey: Survey, question: Question, flipped: Mapping[str, Channel]) -> int:
    """Return the cost of a question that shares no ε, in millionths."""
    channel = flipped.get(question.id)
    now = survey.items_of(question)[0].epsilon_millionths
    each = now if channel is None else channel.epsilon_millionths or 0
    return each * survey.most_asked(question)


def _items(survey: Survey, made: Mapping[str, Channel]) -> Iterator[Item]:
    """Yield the items with the new channels; a group gets one channel for its cells."""
    groups = {
        id: replace(group, other=made[group.questions[0]].weights[0][1], memory=None)
        for group in survey.groups
        if group.questions[0] in made
        for id in group.questions
    }
    for question in survey.questions:
        old = survey.items_of(question)
        group = groups.get(question.id)
        if group is None and question.id not in made:
            yield from old
            continue
        channel = made[question.id] if group is None else group.marginal(question.id)[1]
        for item, before in zip(
            compile_items(question, [channel] * len(old), group), old, strict=True
        ):
            if before.memory is None:
                yield item
            else:
                others = before.memory.permanent.reports - 1
                yield remember(item, Fraction(before.memory.redraw * others, ROW_SUM))
