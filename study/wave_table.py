"""The table of changes from wave to wave that `estimate` prints."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from rich.table import Table

from deniable.analysis.change_words import change_words
from deniable.analysis.waves import Change
from deniable.study.printed import interval_heading
from deniable.study.tables import table

NOTES: Final = (
    "Change: the later estimate minus the earlier one; for shares, in percentage points.",
    "SE: that of two independent samples. If the same people answer and their answers mostly",
    "stay the same, the true SE is smaller, because their devices keep part of the noise.",
)


def changes(found: Sequence[Change], level: float) -> Table:
    """Make the table of changes, a section for each item and pair of waves."""
    columns = ("Waves", "Change", interval_heading(level), "SE")
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
