"""The published columns, and the rows that could identify a respondent.

Randomised columns are published: none of their cells reveals an answer. A direct answer is exact,
and a few of them together can identify a person. So no direct column is published unless the
researcher chooses it, and rows with a rare combination of direct answers then lose these cells.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.reports_csv import columns
from deniable.analysis.counts.rows import Rows, direct_places
from deniable.analysis.numerics.arrays import IndexArray
from deniable.analysis.privacy.disclosure import published_answers, unique_rows
from deniable.survey import Survey
from deniable.survey.items import Item, compile_items
from deniable.survey.questions import Question, wave_column
from deniable.survey.waves import COLUMN


@dataclass(frozen=True, eq=False)
class Column:
    """A published column."""

    name: str
    question: Question
    item: Item
    whole: bool  # whether no cell was left out
    cells: npt.NDArray[np.uint8]  # the place of each row's report, 255 for an empty cell

    @property
    def codes(self) -> list[str | None]:
        """The code of the report in each row, None for an empty cell."""
        named: list[str | None] = [report.code for report in self.item.reports]
        named += [None] * (256 - len(named))
        return [named[cell] for cell in self.cells.tolist()]


@dataclass(frozen=True, eq=False)
class Table:
    """The published columns; rows are sorted by their values."""

    columns: tuple[Column, ...]
    # Rows that no other row equals in the published direct answers and in the items asked, before
    # cells were left out.
    unique: int
    emptied: int  # rows whose direct cells were left out
    order: IndexArray  # the place of each person's report among the rows that it was made of

    def of(self, item: Item) -> Column | None:
        """Return an item's column, None if it is not published."""
        return next((column for column in self.columns if column.item.id == item.id), None)


def described(survey: Survey) -> list[tuple[str, Question, Item]]:
    """Return the name, question and item of each column, published or not; the wave is last."""
    found = [
        (name, survey.question(item.question), item)
        for name, item in zip(columns(survey), survey.items, strict=True)
    ]
    if survey.is_repeated:
        question = wave_column(survey.waves)
        found.append((COLUMN, question, compile_items(question, [])[0]))
    return found


def direct_items(survey: Survey) -> tuple[Item, ...]:
    """Return the direct items that a researcher can choose to publish."""
    return tuple(survey.items[place] for place in direct_places(survey))


def make_table(rows: Rows, direct: Sequence[str]) -> Table:
    """Make the table: choose the columns, and empty the direct cells of rare rows."""
    survey, answers = rows.survey, rows.answers
    chosen = places_of(survey, direct)
    left_out = {*rows.direct} - {*chosen}
    shown = published_answers(rows, chosen)
    emptied = rows.times[(shown != answers).any(axis=1)]
    whole = (shown == answers).all(axis=0)
    sent = np.column_stack([shown, (rows.waves - 1).astype(np.uint8)])
    cells = dict(enumerate(sent[:, : survey.row_length].T))
    kept = {place: column for place, column in cells.items() if place not in left_out}
    order = np.lexsort([*kept.values()][::-1]) if kept else np.empty(0, dtype=np.intp)
    order = np.repeat(order, rows.times[order])
    named = described(survey)
    return Table(
        tuple(
            Column(*named[place], place >= len(whole) or bool(whole[place]), column[order])
            for place, column in kept.items()
        ),
        len(unique_rows(rows, chosen)),
        int(emptied.sum()),
        order,
    )


def places_of(survey: Survey, direct: Sequence[str]) -> list[int]:
    """Return the places of direct items among all; `ValueError` if an id is of no direct item."""
    known = {item.id for item in direct_items(survey)}
    for id in direct:
        if id not in known:
            listed = ", ".join(sorted(known)) or "no direct item in this survey"
            raise ValueError(f"expected direct items to publish, found {id!r}; there is {listed}")
    return [place for place, item in enumerate(survey.items) if item.id in direct]
