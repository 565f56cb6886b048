"""Surveys that are asked again over time: what `waves:` needs, and what it does not go with."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction
from typing import Final

from deniable.survey.items import Item, remember
from deniable.survey.waves import COLUMN, MAX_WAVES
from deniable.survey_file.complaints import Complaints
from deniable.survey_file.schema import WavesFields

_WHY_REDRAW: Final = (
    "expected the key 'redraw', found none. A device keeps one noisy answer for each possible "
    "answer. In each wave it reports this one or, with the probability 'redraw', another one. With "
    "0 it always reports this one. That is the most precise, but two different reports of one "
    "person show that their answer changed, and someone who has the device can read the answer "
    "from a report. A larger value such as 1/10 hides this, and costs precision. There is no "
    "default, because you have to choose"
)

_NO_REDRAW: Final = (
    "with a redraw of 0, there is no bound on what a change reveals. Two different reports of one "
    "person show that the answer changed, and someone who has the device and the database can read "
    "answers from reports. A redraw such as 1/10 gives a bound for both"
)


def check_waves(
    fields: WavesFields, written: Collection[str], complaints: Complaints
) -> tuple[int, Fraction] | None:
    """Read how often a survey is asked, and how likely a report is drawn anew.

    `fields`: those with a mistake of their own are None. `written`: the keys that stand in the
    file, readable or not. `complaints`: at `waves`. Result: None if there is a mistake.
    """
    if "count" not in written:
        complaints.add("expected the key 'count' with the number of waves, found none")
    if "redraw" not in written:
        complaints.add(_WHY_REDRAW)
    if fields.count is not None and not 2 <= fields.count <= MAX_WAVES:
        complaints.at("count").add(f"expected 2 to {MAX_WAVES} waves, found {fields.count}")
        return None
    if fields.redraw is not None and not 0 <= fields.redraw < 1:
        complaints.at("redraw").add(
            f"expected a probability of at least 0, below 1, found {fields.redraw}"
        )
        return None
    if fields.count is None or fields.redraw is None:
        return None
    return fields.count, fields.redraw


def in_waves(items: Collection[Item], redraw: Fraction, complaints: Complaints) -> Iterator[Item]:
    """Ask items in waves, those that are randomised, and complain once where it says nothing."""
    if not redraw:
        complaints.at("redraw").note(_NO_REDRAW)
    failed = set()
    for item in items:
        try:
            yield remember(item, redraw)
        except ValueError as mistake:
            if item.question not in failed:
                failed.add(item.question)
                complaints.at("redraw").add(f"question {item.question!r}: {mistake}")


def reserved(id: str) -> str | None:
    """Say why a question of a survey with waves may not have this id; None if it may."""
    if id != COLUMN:
        return None
    return f"the id {COLUMN!r} is taken by the number of the wave: expected another id"
