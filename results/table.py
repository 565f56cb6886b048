"""A table of findings: typed columns, rows in sections; `text` and `html` draw it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from deniable.results.meanings import meaning
from deniable.results.numbers import coefficient, number, p_value, ratio
from deniable.text.wording import percent, percentage_points, quantity

FOLDED: Final = 24
"""The most rows of a table that a page does not fold."""

UNKNOWN: Final = "–"

STAR: Final = "*"
DIAMOND: Final = "◆"
"""The marks of an impossible estimate in a text, and on a page, as in its figures."""


@dataclass(frozen=True)
class CellFormat:
    """The format of a column's cells.

    `write`: writes a known value. `unit`: the end of what `write` returns; an interval has it once.
    `error`: writes a standard error on a page, if not as `write` does. `is_text`: whether cells are
    words, which are aligned to the left.
    """

    write: Callable[[Any], str] = str
    unit: str = ""
    error: Callable[[Any], str] | None = None
    is_text: bool = False

    def cell(self, value: object) -> str:
        """Write a value or an interval; a dash if it is None or nan."""
        from deniable.analysis.findings import Interval  # noqa: PLC0415  most commands need none

        if isinstance(value, Interval):
            if math.isnan(value.low):
                return UNKNOWN
            low = self.write(value.low).removesuffix(self.unit)
            return f"{low} to {self.write(value.high)}"
        if isinstance(value, str):
            return value
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return UNKNOWN
        return self.write(value)


def _points(share: float) -> str:
    return number(100 * share, 1)


# A table may come from another process, so its columns hold named functions, which pickle.
SPAN: Final = CellFormat(is_text=True)
"""A span from one wave to another, in words."""
SHARE: Final = CellFormat(percent, " %", percentage_points)
POINTS: Final = CellFormat(_points)
"""Percentage points; a note below the table names the unit."""
COUNT: Final = CellFormat("{:,.0f}".format)
P: Final = CellFormat(p_value)


def decimals(places: int) -> CellFormat:
    """Return the kind of numbers with `places` decimals."""
    return CellFormat(partial(number, decimals=places))


COEFFICIENT: Final = CellFormat(coefficient)
RATIO: Final = CellFormat(ratio)


def quantities(span: float) -> CellFormat:
    """Return the kind of numbers in their own units, rounded to suit the answers' range, `span`."""
    return CellFormat(partial(quantity, span=span))


@dataclass(frozen=True)
class Column:
    """A column beside the names of the rows.

    `kind`: None where each row has its own. `full`: the heading on a page, if it differs. `of`:
    what it shows of an estimate, an attribute of `deniable.analysis.findings.Finding`.
    """

    heading: str
    kind: CellFormat | None = None
    full: str = ""
    of: str = ""

    @property
    def on_page(self) -> str:
        """The heading on a page."""
        return self.full or self.heading

    @property
    def meaning(self) -> str:
        """The meaning of the column in a sentence; empty if `meanings` has none."""
        return meaning(self.on_page)

    @property
    def is_noise(self) -> bool:
        """Whether it holds the observed shares, which are no estimates and come last on a page."""
        return self.of == "observed"

    @property
    def is_text(self) -> bool:
        """Whether its cells are words."""
        return self.kind is not None and self.kind.is_text


@dataclass(frozen=True)
class Row:
    """A row: its name, a value for each column, and the kind of values whose column has none.

    `outside`: the estimate is impossible and gets a star, and on a page the diamond of figures.
    `narrow`: little of the interval, which follows the estimate, is possible, and it gets a dagger.
    """

    name: str
    values: tuple[object, ...]
    kind: CellFormat = SHARE
    outside: bool = False
    narrow: bool = False


@dataclass(frozen=True)
class Section:
    """Rows that belong together.

    `name`: the heading of the rows. `people`: their number, None if not shown. `follows`: whether a
    text draws no line above the section.
    """

    name: str
    rows: tuple[Row, ...]
    people: int | None = None
    follows: bool = False

    @property
    def title(self) -> str:
        """The name, with the number of people if it is shown."""
        people = "" if self.people is None else f" (n = {self.people:,})"
        return self.name.strip() + people


@dataclass(frozen=True)
class Table:
    """A table.

    `names`: the heading of the rows' names, after that of the sections' names if sections have
    names. `is_ruled`: whether a text has a line between sections.
    """

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    sections: tuple[Section, ...]
    is_ruled: bool = True

    @property
    def is_long(self) -> bool:
        """Whether a page folds it."""
        return sum(len(section.rows) for section in self.sections) > FOLDED

    @property
    def turned(self) -> Table:
        """The same rows in a section each, as figures show groups, if all sections have them."""
        if len({tuple(row.name for row in one.rows) for one in self.sections}) > 1:
            return self  # some are of groups that are hidden
        rows = ([replace(row, name=one.title) for row in one.rows] for one in self.sections)
        named = zip(self.sections[0].rows, zip(*rows, strict=True), strict=True)
        sections = tuple(Section(row.name, some) for row, some in named)
        return replace(self, names=self.names[::-1], sections=sections)

    @property
    def estimate(self) -> int:
        """The place of the estimate's column, which gets the star."""
        return next(
            place for place, one in enumerate(self.columns) if not (one.is_noise or one.is_text)
        )

    def cells(self, row: Row, *, on_page: bool = False) -> list[str]:
        """Write the cells of a row, in the order of the columns."""
        cells = [
            _write_cell(column, row, value, on_page=on_page)
            for column, value in zip(self.columns, row.values, strict=True)
        ]
        if row.outside:
            cells[self.estimate] += f" {DIAMOND if on_page else STAR}"
        if row.narrow:
            cells[self.estimate + 1] += " †"
        return cells


def _write_cell(column: Column, row: Row, value: object, *, on_page: bool) -> str:
    kind = column.kind or row.kind
    if on_page and column.of == "standard_error" and kind.error is not None:
        kind = CellFormat(kind.error)
    return kind.cell(value)


def interval_heading(level: float) -> str:
    """Return the heading of the column of intervals.

    >>> interval_heading(0.95)
    '95 % interval'
    """
    return f"{100 * level:g} % interval"


def standard_error_column(kind: CellFormat | None = None) -> Column:
    """Return the definition of the column of standard errors; `kind`: how its cells are written."""
    return Column("SE", kind, "Standard error (SE)", of="standard_error")


def interval_column(level: float, kind: CellFormat | None = None) -> Column:
    """Return the definition of the column of intervals at a level."""
    return Column(interval_heading(level), kind, of="interval")
