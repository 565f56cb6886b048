"""The published columns, and what each holds.

Randomised columns are published: none of their cells reveals an answer. A direct answer is exact,
and a few of them together can identify a person. So no direct column is published unless the
researcher chooses it, and then in groups of which no combination has few people
(`deniable.analysis.privacy.columns`).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.reports_csv import columns
from deniable.analysis.counts.rows import Rows, join_rows
from deniable.analysis.numerics.arrays import IndexArray
from deniable.survey import Survey
from deniable.survey.grouped import absent_in
from deniable.survey.items import Item, compile_items
from deniable.survey.questions import Question, wave_column
from deniable.survey.waves import COLUMN


@dataclass(frozen=True, eq=False)
class Column:
    """A published column."""

    name: str
    question: Question
    item: Item  # of a direct question its answers are the groups
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


def make_table(rows: Rows) -> Table:
    """Make the table of the rows that a file holds; see `deniable.analysis.privacy.columns`."""
    survey = rows.survey
    sent = join_rows(rows.answers, rows.waves, survey)
    named = described(survey)
    kept = [place for place, (name, *_) in enumerate(named) if name not in absent_in(survey)]
    cells = [sent[:, place] for place in kept]
    order = np.lexsort(cells[::-1]) if cells else np.empty(0, dtype=np.intp)
    order = np.repeat(order, rows.times[order])
    return Table(
        tuple(Column(*named[place], cell[order]) for place, cell in zip(kept, cells, strict=True)),
        order,
    )
