"""One privacy budget ε over several questions.

Every ε here is an integer number of millionths, so that a budget holds exactly: shares are rounded
down, a channel built within a share never exceeds it, and integers add up without error (basic
composition: Dwork and Roth 2014, theorem 3.16).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from typing import Final

from deniable import exact
from deniable.channel import Channel
from deniable.designs.families import DEFAULT_LEVELS, Family
from deniable.estimator import NotIdentifiable, mean_variance, share_variance, variance

_FEW_LEVELS: Final = 8
"""With so many levels the least noise of a mean is within 4 % of that with more."""

_FINEST: Final = 2**12
"""Steps that the search does not reach: it halves them down to 1/2048 of the budget. The total
variance is flat around its minimum: finer steps would save some 1e-7 of it."""

_LESS: Final = 1 - 1e-9
"""The ratio of a loss to a gain above which their difference may be only rounding."""

_HOPELESS: Final = 1e300
"""A finite variance in place of infinity: two infinite variances have no difference."""


@dataclass(frozen=True)
class Claim:
    """What a question needs from a shared budget.

    `family`: the family of the channels of its items, the same for all. `asked`: how many of its
    `items` each respondent is asked. `weight`: its importance, above 0.
    """

    family: Family
    items: int = 1
    asked: int = 1
    weight: Fraction = Fraction(1)

    def variance(self, millionths: int) -> float:
        """Return the question's part of the total variance at an ε for each item.

        That is its weight, times its items, times `deniable.estimator.variance` of one item, times
        ``items / asked``, because each item is asked of ``asked / items`` of the respondents.
        Infinite where no channel can be built.
        """
        each = _variance_at(self.family, millionths)
        return float(self.weight * self.items**2 / self.asked) * each

    def widest(self, millionths: int) -> float:
        """Return the variance of its widest interval at an ε for each item.

        That is the greatest variance of an item's estimate, times ``items / asked``: of the share
        of an answer, or of the mean of a number whose range counts as 1. Half the width of an
        interval is the root of it, times a factor that is the same for all questions. Infinite
        where no channel can be built.
        """
        return self.items / self.asked * _worst_at(self.family, millionths)


def share(
    total: int,
    weights: Sequence[Fraction],
    items: Sequence[int],
    asked: int | None = None,
) -> list[int]:
    """Share a budget over questions by weight, and over the items of each equally.

    `total`: the ε to share, in millionths, at least 0. `weights`: one for each question, above 0;
    equal weights for an equal split. `items`: how many items of each question each respondent is
    asked, at least 1. `asked`: how many of the questions each respondent is asked; all by default.
    Result: the ε in millionths that each *item* of each question may cost, rounded down: the items
    of the `asked` questions of the greatest weights cost `total` together, or a little less.
    """
    whole = sum(sorted(weights, reverse=True)[:asked])
    return [total * weight // (whole * count) for weight, count in zip(weights, items, strict=True)]


def share_drawn(
    total: int, units: Sequence[Mapping[str, Claim]], asked: int, split: str
) -> tuple[dict[str, int], list[float]]:
    """Share a budget over the units of a draw, and within each unit over its questions.

    `units`: for each unit the claims of its questions, by their ids. `asked`: how many units are
    drawn. `split`: how a unit's part is shared within it; units get equal parts unless it is
    ``"weight"``. Result: the ε in millionths of each item of each question, and for each unit the
    variance of its widest estimate if everybody were asked it; see `Claim.widest`.
    """
    by_weight = split == "weight"
    weights = [
        sum((one.weight for one in unit.values()), start=Fraction()) if by_weight else Fraction(1)
        for unit in units
    ]
    found: dict[str, int] = {}
    widths = []
    for unit, budget in zip(units, share(total, weights, [1] * len(units), asked), strict=True):
        own = [*unit.values()]
        if split in SEARCHES:
            shares = SEARCHES[split](budget, own)
        else:
            shares = share(budget, [one.weight for one in own], [one.asked for one in own])
        found.update(zip(unit, shares, strict=True))
        widths.append(max(map(Claim.widest, own, shares)))
    return found, widths


def optimal(total: int, claims: Sequence[Claim]) -> list[int]:
    """Share a budget over questions such that the total variance of their estimates is least.

    `total` and result are those of `share`.

    Notes
    -----
    The total is the sum of `Claim.variance`. Where each question's variance is a convex function of
    its share, as in k-ary randomised response, shares are optimal in small steps if moving no such
    step to another question lowers the total (Fox 1966, theorem 1). The search ends with this
    certificate, at steps of 1/2048 of the budget; it begins with the equal split and with large
    steps, and every step lowers the total. Questions with equal claims get the same share.

    References
    ----------
    Fox, B. (1966). Discrete optimization via marginal analysis. Management Science 13, 210-216.
    """
    number = Counter(claims)
    return _settled(
        total,
        claims,
        lambda claim, each: number[claim] * claim.variance(each),
        wish=lambda now, more: now - more,
        price=lambda now, less: less - now,
    )


def even(total: int, claims: Sequence[Claim]) -> list[int]:
    """Share a budget over questions such that the widest of their intervals is least wide.

    `total` and result are those of `share`. The weights of the claims play no part.

    Notes
    -----
    An interval is as wide as `Claim.widest` says, and narrower for a larger ε. So where no question
    can give a step and stay below the widest, no other split in such steps has a narrower one: it
    would give the widest more, and another less. The search ends with this certificate, at steps of
    1/2048 of the budget. Questions with equal claims get the same share.
    """
    return _settled(
        total,
        claims,
        Claim.widest,
        wish=lambda now, _: now,
        price=lambda _, less: less,
    )


def _settled(
    total: int,
    claims: Sequence[Claim],
    measure: Callable[[Claim, int], float],
    *,
    wish: Callable[[float, float], float],
    price: Callable[[float, float], float],
) -> list[int]:
    """Move ε between questions until no wish for a step exceeds the price of giving it."""
    number = Counter(claims)
    kinds = list(number)
    sizes = [number[claim] * claim.asked for claim in kinds]

    @cache
    def cost(kind: int, budget: int) -> float:
        each = budget // sizes[kind]
        return min(measure(kinds[kind], each) if each > 0 else math.inf, _HOPELESS)

    budgets = [total * number[claim] // len(claims) for claim in kinds]
    step = total // 2
    while step > total // _FINEST:
        now = [cost(kind, budget) for kind, budget in enumerate(budgets)]
        more = [cost(kind, budget + step) for kind, budget in enumerate(budgets)]
        less = [cost(kind, budget - step) for kind, budget in enumerate(budgets)]
        wishes, prices = list(map(wish, now, more)), list(map(price, now, less))
        # A question gives nothing to itself, so the best two takers and givers are enough.
        takers = sorted(range(len(kinds)), key=lambda kind: -wishes[kind])[:2]
        givers = sorted(range(len(kinds)), key=lambda kind: prices[kind])[:2]
        giver, taker = max(
            product(givers, takers),
            key=lambda pair: -math.inf if pair[0] == pair[1] else wishes[pair[1]] - prices[pair[0]],
        )
        if giver != taker and prices[giver] < wishes[taker] * _LESS:
            budgets[giver] -= step
            budgets[taker] += step
        else:
            step //= 2
    shares = {
        claim: budget // size for claim, budget, size in zip(kinds, budgets, sizes, strict=True)
    }
    return [shares[claim] for claim in claims]


SEARCHES: Final = {"even": even, "optimal": optimal}
"""The splits that search for shares by the precision of each question, by name in a survey file."""


def channel_for(millionths: int, family: Family) -> Channel:
    """Return the family's channel for an item's share of ε, above 0."""
    return family.channel(Fraction(millionths, exact.MILLION))


@lru_cache(maxsize=4096)
def _variance_at(family: Family, millionths: int) -> float:
    """Return the variance of one item's estimate; infinite where no channel can be built."""
    made = _made_at(family, millionths)
    return math.inf if made is None else variance(*made)


@lru_cache(maxsize=4096)
def _worst_at(family: Family, millionths: int) -> float:
    """Return the greatest variance over all populations: of an answer's share, or of the mean."""
    made = _made_at(family, millionths)
    if made is None:
        return math.inf
    channel, values = made
    try:
        if values is None:
            return float(share_variance(channel).max())
        return mean_variance(channel, values)
    except NotIdentifiable:
        return math.inf


def _made_at(family: Family, millionths: int) -> tuple[Channel, list[float] | None] | None:
    """Return a family's channel and the values of its truths; None if it cannot be built."""
    if family.levels is not None:
        # The variance of a mean hardly depends on the number of levels, except in k-ary randomised
        # response; the time to build a channel does.
        name, levels = family.design, family.levels
        if name != "k_ary":
            levels = min(levels, _FEW_LEVELS if name == "mean_only" else DEFAULT_LEVELS)
        family = replace(family, name=name, answers=levels, levels=levels)
    try:
        channel = channel_for(millionths, family)
    except ValueError:
        return None
    values = family.values
    return channel, None if values is None else [float(value) for value in values]
