"""The columns that are published, and the rows that would tell who somebody is.

What was randomised is published: no cell of it tells an answer. A direct answer is sent as it is
given, and a few of them together can be one person alone. So no direct column is published unless
somebody asks for it, and rows whose combination is rare then lose their direct cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.reports_csv import columns
from deniable.analysis.privacy.disclosure import Rows, direct_places
from deniable.items import Item
from deniable.survey import Survey


@dataclass(frozen=True, eq=False)
class Column:
    """A published column."""

    name: str
    item: Item
    whole: bool  # whether no cell was left out
    cells: npt.NDArray[np.uint8]  # which report each row holds, 255 for an empty cell

    @property
    def codes(self) -> list[str | None]:
        """The code in each row, None for an empty cell."""
        named: list[str | None] = [report.code for report in self.item.reports]
        named += [None] * (256 - len(named))
        return [named[cell] for cell in self.cells.tolist()]


@dataclass(frozen=True, eq=False)
class Table:
    """The published columns; rows are sorted by their values."""

    columns: tuple[Column, ...]
    # Rows of which nobody else gave the published direct answers and was asked the same, before
    # cells were left out.
    unique: int
    emptied: int  # rows whose direct cells were left out

    def of(self, item: Item) -> Column | None:
        """Return an item's column, None if it is not published."""
        return next((column for column in self.columns if column.item is item), None)


def direct_items(survey: Survey) -> tuple[Item, ...]:
    """Return the items that can be published or not: direct, and an answer of a person."""
    return tuple(survey.items[place] for place in direct_places(survey))


def make_table(rows: Rows, direct: Sequence[str]) -> Table:
    """Choose the columns, and leave out the direct cells of rows that are rare."""
    survey, answers = rows.survey, rows.answers
    chosen = places_of(survey, direct)
    left_out = {*rows.direct} - {*chosen}
    shown = rows.emptied(chosen)
    emptied = (shown != answers).any(axis=1)
    kept = [place for place in range(len(survey.items)) if place not in left_out]
    published = shown[:, kept]
    ordered = published[np.lexsort(published.T[::-1])] if kept else published
    names = columns(survey)
    return Table(
        tuple(
            Column(
                names[place],
                survey.items[place],
                bool((shown[:, place] == answers[:, place]).all()),
                ordered[:, at],
            )
            for at, place in enumerate(kept)
        ),
        len(rows.unique(chosen)),
        int(emptied.sum()),
    )


def places_of(survey: Survey, direct: Sequence[str]) -> list[int]:
    """Return where direct items stand; `ValueError` if one of the ids is not of one."""
    known = {item.id for item in direct_items(survey)}
    for id in direct:
        if id not in known:
            listed = ", ".join(sorted(known)) or "no direct item in this survey"
            raise ValueError(f"expected direct items to publish, found {id!r}; there is {listed}")
    return [place for place, item in enumerate(survey.items) if item.id in direct]
