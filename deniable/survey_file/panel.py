"""Surveys that are asked again over time: what `waves:` needs, and what it does not go with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final

from deniable.survey.items import Item, remember
from deniable.survey.waves import MAX_WAVES
from deniable.survey_file.located import Complaints
from deniable.survey_file.schema import WavesFields

_NO_REDRAW: Final = (
    "with a redraw of 0, there is no bound on what a change reveals. Two different reports of one "
    "person show that the answer changed, and someone who has the device and the database can read "
    "answers from reports. A redraw such as 1/10 gives a bound for both"
)


def check_waves(fields: WavesFields, complaints: Complaints) -> tuple[int, Fraction] | None:
    """Read how often a survey is asked, and how likely a report is drawn anew."""
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


def in_waves(items: Iterable[Item], redraw: Fraction, complaints: Complaints) -> Iterator[Item]:
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
