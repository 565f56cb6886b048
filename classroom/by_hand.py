"""How to randomise an answer without a phone, with coins or a die, for a report on paper."""

from itertools import product
from typing import Final

from deniable import coins, designs
from deniable.survey.items import Item
from deniable.text.languages import Say, in_english

_TOSSES: Final = 2
"""Tosses after the first one: enough for four answers."""

_PIPS: Final = 6


def by_hand(item: Item, say: Say = in_english) -> str:
    """Say how to make a report of an item by hand; empty if no coin or die has its chances."""
    if item.has_spinner:
        return ""
    names = [one.text for one in item.truths]
    if coins.can_be_forced(item):
        made = coins.procedure_for(item.channel)
        return "" if made is None else made.line((names[0], names[1]), say)
    truths = item.channel.truths
    if item.channel != designs.truth_or_random(k=truths):
        return ""
    if truths == 2**_TOSSES:
        sides = product((say("heads"), say("tails")), repeat=_TOSSES)
        action = say("toss it twice more")
        cases = [say("{first} then {second}", first=one, second=other) for one, other in sides]
    elif _PIPS % truths == 0:
        each = _PIPS // truths
        action = say("roll a die")
        cases = [
            coins.either([f"{pip}" for pip in range(first, first + each)], say)
            for first in range(1, _PIPS + 1, each)
        ]
    else:
        return ""
    rest = (f"{case}: {name}" for case, name in zip(cases, names, strict=True))
    begin = say("toss a coin; heads: the truth; tails: {action}", action=action)
    return "; ".join((begin, *rest))
