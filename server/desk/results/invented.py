"""How far invented reports could move each estimate, for the page of results.

Nobody can keep people from sending reports that they made up. But each counts for so much only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from flask import request

from deniable.analysis.privacy.poisoning import poisoning
from deniable.analysis.results import ItemResults, Results, numbers
from deniable.questions import NO_NUMBERS
from deniable.server.desk.results.query import WrongChoiceError


@dataclass(frozen=True)
class Moved:
    """How far so many of the reports to an item could move its estimates.

    Parameters
    ----------
    item : ItemResults
    of_mean : bool
        Whether it is the mean that they move, in its own unit, and not shares.
    by : tuple of float
        At most so far, for each number of invented reports.
    """

    item: ItemResults
    of_mean: bool
    by: tuple[float, ...]


def invented(results: Results) -> tuple[tuple[int, ...], tuple[Moved, ...]]:
    """Say it for 1 %, 5 % and the number in the address.

    Returns
    -------
    counts : tuple of int
        Of invented reports.
    moved : tuple of Moved
        Of each item that has as many reports.

    Raises
    ------
    WrongChoiceError
        If the address has another number than 1 to that of the reports.
    """
    if not results.n:
        return (), ()
    counts = {math.ceil(results.n / 100), math.ceil(results.n / 20)}
    typed = request.args.get("invented", "")
    if typed:
        if not (typed.isascii() and typed.isdigit() and 1 <= int(typed) <= results.n):
            raise WrongChoiceError(f"another number of invented reports than 1 to {results.n:,}")
        counts.add(int(typed))
    ordered = tuple(sorted(counts))
    items = [item for question in results.questions for item in question.items]
    asked = {question.id for question in results.survey.asked_questions}
    shown = [item for item in items if item.item.question in asked and item.n]
    return ordered, tuple(one for item in shown for one in _moved(item, ordered))


def _moved(item: ItemResults, counts: tuple[int, ...]) -> Iterator[Moved]:
    if item.tells_shares:
        by = poisoning(item.item.channel, item.n)
        yield Moved(item, False, tuple(float(by.shift(min(m, item.n)).max()) for m in counts))
    declines = any(truth.code in NO_NUMBERS for truth in item.item.truths)
    if item.mean is not None and not declines:
        # Among those who gave a number it is a ratio, of which there is no such bound.
        by = poisoning(item.item.channel, item.n, values=numbers(item.item))
        yield Moved(item, True, tuple(float(by.shift(min(m, item.n)).max()) for m in counts))
