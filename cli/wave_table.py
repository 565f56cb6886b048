"""The table of changes from wave to wave that `estimate` prints."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from rich.table import Table

from deniable.analysis.waves import Change
from deniable.cli.output import table
from deniable.server.change_words import change_words

NOTES: Final = (
    "Change: the later estimate less the earlier one, of shares in percentage points.",
    "Its error: that of two independent samples. Where the same people answer and mostly stay the",
    "same, the true one is smaller, as their reports share the noise that their devices keep.",
)


def changes(found: Sequence[Change]) -> Table:
    """Make the table of changes, a section for each item and pair of waves."""
    columns = ("Waves", "Change", "Interval", "Error")
    rows = table("Item", "Answer", *columns, numbers=columns[1:])
    for _, group in groupby(found, key=lambda change: (change.since, change.item.id)):
        for place, change in enumerate(group):
            rows.add_row(
                "" if place else change.item.id,
                "Mean" if change.answer is None else change.answer.text,
                f"{change.since} to {change.wave}",
                *change_words(change),
            )
        rows.add_section()
    return rows
