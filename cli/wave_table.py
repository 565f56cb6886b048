"""The table of changes from wave to wave that `estimate` prints."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

import numpy as np
from rich.table import Table

from deniable.analysis.results import numbers
from deniable.analysis.waves import Change
from deniable.cli.output import table
from deniable.server.wording import percentage_points, quantity

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
                *written(change),
            )
        rows.add_section()
    return rows


def written(change: Change) -> tuple[str, str, str]:
    """Write a change, its interval and its standard error, in points or in the item's units."""

    def number(value: float | None) -> str:
        if change.answer is not None:
            return percentage_points(value).removesuffix(" points")
        values = numbers(change.item)
        return quantity(value, float(np.nanmax(values) - np.nanmin(values)))

    return (
        number(change.estimate),
        f"{number(change.low)} to {number(change.high)}",
        number(change.standard_error),
    )
