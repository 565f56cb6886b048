"""A disc to spin a paper clip on: it makes channels by hand that no coin or die can."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Final

from deniable.channel import ROW_SUM
from deniable.survey.items import Item
from deniable.survey.questions import Protection

NARROWEST: Final = Fraction(1, 36)
"""The least part of a disc, 10 degrees: a paper clip misses a narrower one too often."""

_PARTS: Final = 12
"""The greatest number of parts of a disc."""

LETTERS: Final = ("A", "B")
"""A sheet's names for the two reports of a number, which are no numbers themselves."""


def disc_for(item: Item) -> tuple[Fraction, ...]:
    """Return the parts of a disc by which a spinner makes exactly the channel of an item.

    Result: the part of the disc that forces each answer, or each cell of a group; the rest asks for
    the truth. With `has_steps`: the parts that are always the second report, always the first, and
    for each number but the least the part that is the second if the true number is at least as
    large; these fill the disc. Empty if no disc makes the channel.
    """
    channel = item.channel if item.group is None else item.group.channel
    rows = channel.weights
    parts: list[int] = []
    if has_steps(item):
        second = [row[1] for row in rows]
        parts = [second[0], rows[-1][0], *(more - less for less, more in pairwise(second))]
    elif not item.has_spinner and (item.group is not None or item.reports_name_truths):
        forced = [rows[not place][place] for place in range(len(rows))]
        others = [
            weight == forced[place]
            for truth, row in enumerate(rows)
            for place, weight in enumerate(row)
            if place != truth
        ]
        parts = forced if all(others) and sum(forced) < ROW_SUM else []
    if (
        item.protection is Protection.DIRECT
        or not 0 < len(parts) <= _PARTS
        or min(parts) < NARROWEST * ROW_SUM
    ):
        return ()
    return tuple(Fraction(weight, ROW_SUM) for weight in parts)


def has_steps(item: Item) -> bool:
    """Return whether an item is a number with two reports."""
    if item.group is not None or not item.channel.reports == len(LETTERS) < item.channel.truths:
        return False
    try:
        numbers = [Fraction(one.code) for one in item.truths]
    except ValueError:  # an answer that declines, or does not apply
        return False
    return numbers == sorted(numbers)


def ticks(item: Item) -> tuple[str, ...]:
    """Return a sheet's names for the reports of an item that are no answers; empty for others."""
    if item.has_spinner:
        return tuple(one.text for one in item.reports)
    return LETTERS if has_steps(item) and disc_for(item) else ()
