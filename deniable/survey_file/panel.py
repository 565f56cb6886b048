"""Surveys that are asked again over time: what `waves:` needs, and what it does not go with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from fractions import Fraction
from typing import Final

from deniable.survey import Item, Question, compile_items, remember, wave_question
from deniable.survey_file.schema import WavesFields
from deniable.waves import MAX_WAVES, QUESTION

Complain = Callable[[str, str], None]
"""Called with a key of `waves`, or nothing, and what is wrong there."""

_WHY_REDRAW: Final = (
    "expected the key 'redraw', found none. A device keeps one noisy answer for each true one, and "
    "in each wave reports it, or with this probability another one. 0 sends it as it is: the most "
    "precise, but two different reports of one person show that their answer changed, and whoever "
    "has the device can read the answer from a report. More hides that, and costs precision: "
    "1/10, say. There is no default, because it is a choice"
)

NO_REDRAW: Final = (
    "with a redraw of 0 nothing bounds what a change reveals: two different reports of one person "
    "show that the answer changed, and whoever has the device and the database can read answers "
    "from reports. A redraw such as 1/10 bounds both"
)


def check_waves(
    fields: WavesFields, written: Collection[str], complain: Complain
) -> tuple[int, Fraction] | None:
    """Read how often a survey is asked, and how likely a report is drawn anew.

    Parameters
    ----------
    fields : WavesFields
        Those with a mistake of their own are None.
    written : collection of str
        The keys that stand in the file, readable or not.
    complain : callable
        Called for every mistake.

    Returns
    -------
    (int, Fraction) or None
        None if there is a mistake.
    """
    if "count" not in written:
        complain("", "expected the key 'count', found none: how often it is asked")
    if "redraw" not in written:
        complain("", _WHY_REDRAW)
    if fields.count is not None and not 2 <= fields.count <= MAX_WAVES:
        complain("count", f"expected 2 to {MAX_WAVES} waves, found {fields.count}")
        return None
    if fields.redraw is not None and not 0 <= fields.redraw < 1:
        complain("redraw", f"expected a probability of at least 0, below 1, found {fields.redraw}")
        return None
    if fields.count is None or fields.redraw is None:
        return None
    return fields.count, fields.redraw


def in_waves(items: Collection[Item], redraw: Fraction, complain: Complain) -> Iterator[Item]:
    """Ask items in waves, those that are randomised, and complain once where it says nothing."""
    failed = set()
    for item in items:
        try:
            yield remember(item, redraw)
        except ValueError as mistake:
            if item.question not in failed:
                failed.add(item.question)
                complain("redraw", f"question {item.question!r}: {mistake}")


def last_question(count: int) -> tuple[Question, tuple[Item, ...]]:
    """Return the question that says which wave a report belongs to, and its item."""
    question = wave_question(count)
    return question, compile_items(question, [])


def reserved(id: str) -> str | None:
    """Say why a question of a survey with waves may not have this id; None if it may."""
    if id != QUESTION:
        return None
    return f"the id {QUESTION!r} belongs to the wave that a report is of: expected another one"
