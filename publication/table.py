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

from deniable.analysis.disclosure import hide_rare
from deniable.analysis.reports_csv import columns
from deniable.items import Item
from deniable.questions import Protection
from deniable.report import NOT_ASKED
from deniable.survey import Survey


@dataclass(frozen=True, eq=False)
class Column:
    """A published column.

    Parameters
    ----------
    name : str
    item : Item
    whole : bool
        Whether no cell was left out.
    cells : ndarray of uint8, shape (rows,)
        Which report each row holds, 255 for an empty cell.
    """

    name: str
    item: Item
    whole: bool
    cells: npt.NDArray[np.uint8]

    @property
    def codes(self) -> list[str | None]:
        """The code in each row, None for an empty cell."""
        named: list[str | None] = [report.code for report in self.item.reports]
        named += [None] * (256 - len(named))
        return [named[cell] for cell in self.cells.tolist()]


@dataclass(frozen=True, eq=False)
class Table:
    """The published columns; rows are sorted by their values.

    Parameters
    ----------
    columns : tuple of Column
    unique : int
        Rows that nobody else shares the published direct answers of.
    emptied : int
        Rows whose direct cells were left out.
    """

    columns: tuple[Column, ...]
    unique: int
    emptied: int

    def of(self, item: Item) -> Column | None:
        """Return an item's column, None if it is not published."""
        return next((column for column in self.columns if column.item is item), None)


def direct_items(survey: Survey) -> tuple[Item, ...]:
    """Return the items that can be published or not: direct, and an answer of a person."""
    asked = {question.id for question in survey.asked_questions}
    return tuple(
        item
        for item in survey.items
        if item.protection is Protection.DIRECT and item.question in asked
    )


def unique_rows(
    survey: Survey, answers: npt.NDArray[np.uint8], direct: Sequence[str]
) -> npt.NDArray[np.intp]:
    """Return the rows whose answers to some direct items nobody else has in the same wave.

    Parameters
    ----------
    survey : Survey
    answers : ndarray of uint8, shape (respondents, items)
    direct : sequence of str
        Ids of items.

    Returns
    -------
    ndarray of int
        Empty if there is no such item.
    """
    places = _places(survey, direct)
    if not places or not len(answers):
        return np.empty(0, dtype=np.intp)
    if survey.waves is not None:
        places.append(len(survey.items) - 1)
    _, first, counts = np.unique(answers[:, places], axis=0, return_index=True, return_counts=True)
    return np.sort(first[counts == 1])


def make_table(
    survey: Survey, answers: npt.NDArray[np.uint8], direct: Sequence[str], least_cell: int
) -> Table:
    """Choose the columns, and leave out the direct cells of rows that are rare.

    Parameters
    ----------
    survey : Survey
    answers : ndarray of uint8, shape (respondents, items)
    direct : sequence of str
        Ids of the direct items that are published.
    least_cell : int
        See `deniable.analysis.disclosure.hide_rare`; here of the published columns.

    Returns
    -------
    Table

    Raises
    ------
    ValueError
        If one of the ids is not that of a direct item.
    """
    chosen = _places(survey, direct)
    left_out = sorted({*_places(survey, [item.id for item in direct_items(survey)])} - {*chosen})
    only = answers.copy()
    only[:, left_out] = NOT_ASKED
    shown = hide_rare(only, survey, least_cell) if chosen else only
    emptied = (shown != only).any(axis=1)
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
        len(unique_rows(survey, answers, direct)),
        int(emptied.sum()),
    )


def _places(survey: Survey, direct: Sequence[str]) -> list[int]:
    known = {item.id for item in direct_items(survey)}
    for id in direct:
        if id not in known:
            listed = ", ".join(sorted(known)) or "no direct item in this survey"
            raise ValueError(f"expected direct items to publish, found {id!r}; there is {listed}")
    return [place for place, item in enumerate(survey.items) if item.id in direct]
