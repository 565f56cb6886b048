"""What somebody without a phone does with coins or a die: their paper is then a report."""

from __future__ import annotations

from itertools import product
from typing import Final

from deniable import coins, designs
from deniable.survey.items import Item

_TOSSES: Final = 2
"""After the first one: enough for four answers."""

_PIPS: Final = 6


def by_hand(item: Item) -> str:
    """Say how the reports of an item are made by hand; nothing if they cannot be."""
    if item.has_spinner:
        return ""
    if coins.can_be_forced(item):
        made = coins.procedure_for(item.channel)
        return "" if made is None else _named(str(made), item)
    truths = item.channel.truths
    if item.channel != designs.truth_or_random(k=truths):
        return ""
    names = [one.text for one in item.truths]
    if truths == 2**_TOSSES:
        sides = (" then ".join(two) for two in product(("heads", "tails"), repeat=_TOSSES))
        rest = (
            "toss it twice more",
            *(f"{side}: {name}" for side, name in zip(sides, names, strict=True)),
        )
    elif _PIPS % truths == 0:
        each = _PIPS // truths
        rest = (
            "roll a die",
            *(
                f"{' or '.join(str(pip) for pip in range(first, first + each))}: {name}"
                for first, name in zip(range(1, _PIPS + 1, each), names, strict=True)
            ),
        )
    else:
        return ""
    return "; ".join(("toss a coin", "heads: the truth", f"tails: {rest[0]}", *rest[1:]))


def _named(words: str, item: Item) -> str:
    """Put an item's own answers where the procedure says No and Yes."""
    no, yes = (one.text for one in item.truths)
    return words.replace(": No;", f": {no};").replace(": Yes;", f": {yes};")
