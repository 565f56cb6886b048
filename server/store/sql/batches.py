"""By how many reports at once the desk sees more of a survey, and which: the same in every engine.

Whoever looks at the desk again and again would learn when each report came, if each were shown as
it comes. So a report is *held back* first. The desk sees the *snapshot*, which takes in whole
batches of those that are held back, chosen at random. One more batch always stays behind, so that
whoever closes the survey at a moment of their choice adds a batch at least, and never one report.

It is the pool of an anonymous remailer (Serjantov, Dingledine and Syverson 2002, "From a trickle to
a flood"). Chance takes the place of an order, which the store does not keep: neither content, nor
key, nor time decides who moves.
"""

import math
import secrets
from collections.abc import Sequence
from typing import TypeVar

_Row = TypeVar("_Row")


def moving(held: int, batch: int, *, over: bool) -> int:
    """Return how many of the reports that are held back the snapshot takes in now."""
    if batch == 1:
        return held
    if over:
        return held if held >= batch else 0
    return max(0, held // batch - 1) * batch


def divide(rows: Sequence[_Row], moving: int) -> tuple[list[_Row], list[_Row]]:
    """Choose so many at random: return those that move and those that stay, each in their order."""
    # Those that stay are few, however many come at once.
    staying = _chosen(len(rows), len(rows) - moving)
    return (
        [row for place, row in enumerate(rows) if place not in staying],
        [row for place, row in enumerate(rows) if place in staying],
    )


def _chosen(most: int, count: int) -> set[int]:
    """Choose so many of the numbers below another, each choice as likely as any.

    Chance is asked once, for a number that stands for all choices in turn. The system takes longer
    to tell a number than to tell a long one.
    """
    chosen: set[int] = set()
    drawn = secrets.randbelow(math.perm(most, count))
    # What is left lies in the first places: the last of it moves to where one was taken.
    moved: dict[int, int] = {}
    for left in range(most, most - count, -1):
        drawn, place = divmod(drawn, left)
        chosen.add(moved.get(place, place))
        moved[place] = moved.get(left - 1, left - 1)
    return chosen
