"""Batches: which held-back reports the desk sees next, the same in both engines.

If each report were shown at once, a person who looks at the desk again and again would learn when
each came. So a report is *held back* first. The desk sees the *snapshot*, which takes in whole
batches of held-back reports, chosen at random. One more batch always stays behind, so that an owner
who closes the survey at a chosen moment adds at least a batch, and never one report.

It is the pool of an anonymous remailer (Serjantov, Dingledine and Syverson 2002, "From a trickle to
a flood"). Chance replaces an order, which the store does not keep: neither content, nor key, nor
time decides which reports move.
"""

import math
import secrets
from collections.abc import Sequence
from typing import TypeVar

_Row = TypeVar("_Row")


def moving(held: int, batch: int, *, over: bool) -> int:
    """Return how many of the held-back reports the snapshot takes in now."""
    if batch == 1:
        return held
    if over:
        return held if held >= batch else 0
    return max(0, held // batch - 1) * batch


def divide(rows: Sequence[_Row], moving: int) -> tuple[list[_Row], list[_Row]]:
    """Choose `moving` rows at random; return them and the rows that stay, both in their order."""
    # Choose the rows that stay: they are few, however many come at once.
    staying = _chosen(len(rows), len(rows) - moving)
    return (
        [row for place, row in enumerate(rows) if place not in staying],
        [row for place, row in enumerate(rows) if place in staying],
    )


def _chosen(most: int, count: int) -> set[int]:
    """Choose `count` of the numbers below `most`, each choice equally likely.

    Draw one random number that stands for all choices in turn: many short random numbers take
    longer than a long one.
    """
    chosen: set[int] = set()
    drawn = secrets.randbelow(math.perm(most, count))
    # Fisher-Yates: the last remaining number moves to the place of the chosen one.
    moved: dict[int, int] = {}
    for left in range(most, most - count, -1):
        drawn, place = divmod(drawn, left)
        chosen.add(moved.get(place, place))
        moved[place] = moved.get(left - 1, left - 1)
    return chosen
