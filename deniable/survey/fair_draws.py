"""Chances of units with which the estimates from all drawn units are equally precise."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from deniable.budget import Claim
from deniable.survey.draws import MAX_CHANCE, MAX_SETS, linked
from deniable.survey.questions import Question

RAREST: Final = 1 / 20
"""The least probability of a set with fitted chances, relative to equally likely sets.

A rare set would identify the few people who were asked it. In surveys that would draw a set more
rarely this bound makes the widest interval .3 to 4 % wider; 1/10 would cost up to 7 %.
"""


def claims_of(
    units: Sequence[str],
    questions: Sequence[Question],
    claims: Mapping[str, Claim],
    groups: Sequence[Collection[str]],
) -> list[dict[str, Claim]]:
    """Return the claims of the questions in each unit, for the items that the unit asks.

    `claims`: by question; for a group by its first question. `groups`: as in `linked`.
    """
    owner = {id: one.id for one in questions for id, _ in one.parts}
    return [
        {id: claims[id] for id in linked(questions, unit, groups) if id in claims}
        if unit in claims
        else {owner[unit]: replace(claims[owner[unit]], items=1, asked=1)}
        for unit in units
    ]


def even_chances(widths: Sequence[float], count: int) -> tuple[int, ...]:
    """Return chances with which the estimates from all units are as equally precise as possible.

    `widths`: the variance of each unit's widest estimate, if everybody were asked it. `count`: how
    many are drawn. Result: for each unit a number of 1 to `MAX_CHANCE`, the smallest within 2 % of
    the fitted proportions, with no set rarer than `RAREST`; empty if all sets are equally likely.
    """
    if math.comb(len(widths), count) > MAX_SETS or not all(map(math.isfinite, widths)):
        return ()
    wanted, rest = [0.0] * len(widths), count
    for place in sorted(range(len(widths)), key=lambda one: -widths[one]):
        left = sum(width for at, width in enumerate(widths) if not wanted[at])
        wanted[place] = min(1.0, rest * widths[place] / left)
        if wanted[place] < 1:
            wanted = [one or rest * width / left for one, width in zip(wanted, widths, strict=True)]
            break
        rest -= 1
    odds, most = list(wanted), float(MAX_CHANCE)
    sets = [*combinations(range(len(widths)), count)]
    for _ in range(200):
        products = [math.prod(odds[one] for one in some) for some in sets]
        total, share = sum(products), [0.0] * len(odds)
        for some, product in zip(sets, products, strict=True):
            for one in some:
                share[one] += product / total
        if min(products) * len(sets) < RAREST * total:
            most *= 0.97
        odds = [one * goal / now for one, goal, now in zip(odds, wanted, share, strict=True)]
        odds = [max(one, max(odds) / most) for one in odds]
    return _small(odds)


def _small(odds: Sequence[float]) -> tuple[int, ...]:
    """Return the smallest whole numbers in about these proportions; empty if all are equal."""
    most = max(odds)
    for scale in range(1, MAX_CHANCE + 1):
        found = tuple(max(1, round(scale * one / most)) for one in odds)
        pairs = zip(found, odds, strict=True)
        if scale == MAX_CHANCE or all(
            abs(one * most / (scale * own) - 1) < 0.02 for one, own in pairs
        ):
            return found if len({*found}) > 1 else ()
    return ()
