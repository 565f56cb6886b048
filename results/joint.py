"""The result of two items together: a table of their pairs of answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
import numpy.typing as npt

from deniable.analysis.findings import Interval, ItemResults, Share
from deniable.analysis.joint.association import ChiSquareTest
from deniable.results.files import Export, Row
from deniable.results.findings import Cell
from deniable.results.item import Sample, as_question, names_of, ways_said
from deniable.results.numbers import number, p_said
from deniable.results.result import Result
from deniable.results.rows import effective_row
from deniable.results.shares import (
    DIVIDED_BY_NOTHING,
    EFFECTIVE,
    EFFECTIVE_COLUMNS,
    NARROW,
    NARROW_RATIO,
    OUTSIDE,
    effective_cells,
)
from deniable.results.table import Column, Section, Table, error, interval_heading
from deniable.results.table import Row as TableRow
from deniable.survey.items import Item
from deniable.text.safety import counted


@dataclass(frozen=True, eq=False)
class JointTable:
    """Every estimate of two items together.

    `source`: the name of the data. `counts`, shape (reports of the first, reports of the second).
    `cells`: the pairs of answers, those of each first answer together. `said`: a sentence on whose
    shares these are. `independence`: None where the answers cannot be independent. `is_of_groups`:
    whether the shares are those within each first answer. `sample`: how people were drawn, if not
    alike.
    """

    source: str
    first: Item
    second: Item
    counts: npt.NDArray[np.int64]
    cells: tuple[Cell, ...]
    level: float
    method: str
    said: str
    independence: ChiSquareTest | None
    is_of_groups: bool
    sample: Sample | None = None

    @property
    def result(self) -> Result:
        """The table in every form."""
        rows = [one.row(self._names(one), self.level) for one in self.cells]
        if self.sample is not None:
            n = int(self.counts.sum())
            effects = (effective_row(n, one.design_effect) for one in self.cells)
            rows = [{**row, **more} for row, more in zip(rows, effects, strict=True)]
        tested = self.independence
        if tested is not None:
            rows = [{**row, "p_value": None} for row in rows]
            rows.append({**dict.fromkeys(rows[0]), **self._row_of_test(tested)})
        document = {
            "data": self.source,
            "first_question": self.first.id,
            "second_question": self.second.id,
            "n": int(self.counts.sum()),
            "level": self.level,
            "method": self.method,
            "counts": self.counts.tolist(),
            **({} if self.sample is None else {"sample": self.sample.document}),
        }
        if tested is not None:
            document["independence"] = {
                "statistic": tested.statistic,
                "degrees_of_freedom": tested.degrees_of_freedom,
                "p_value": tested.p_value,
            }
        return Result([*self._parts()], Export(tuple(rows[0]), rows, document), self.draw)

    def draw(self, form: str, *, narrow: bool = False) -> bytes:
        """Draw the shares, with the answers to the first item as groups."""
        from deniable.results.figures.question import question_figure  # noqa: PLC0415  matplotlib is slow

        groups = tuple(
            ItemResults(
                replace(self.second, id=truth.code, text=truth.text),
                int(self.counts.sum()),
                tuple(_share(one) for one in self.cells if one.first is truth),
            )
            for truth in self.first.truths
        )
        drawn = as_question(self.second.id, self.first.truths, groups)
        return question_figure(drawn, self.level, form, narrow=narrow)

    def _names(self, cell: Cell) -> Row:
        if self.is_of_groups:
            of = names_of(self.second.id, self.first.id, cell.first)
            return {**of, "answer": cell.second.code, "statistic": "share"}
        return {
            "first_question": self.first.id,
            "first_answer": cell.first.code,
            "second_question": self.second.id,
            "second_answer": cell.second.code,
            "statistic": "share",
        }

    def _row_of_test(self, test: ChiSquareTest) -> Row:
        if self.is_of_groups:
            names: Row = {"item": self.second.id, "group_question": self.first.id}
        else:
            names = {"first_question": self.first.id, "second_question": self.second.id}
        return {
            **names,
            "statistic": "test_of_independence",
            "estimate": test.statistic,
            "p_value": test.p_value,
            "outside": False,
            "narrow": False,
        }

    def _parts(self) -> Iterator[Table | str]:
        n, test = int(self.counts.sum()), self.independence
        yield f"{self.first.id} × {self.second.id}; {self.source}: {counted(n, 'respondent')}"
        if self.sample is not None:
            yield self.sample.words
        yield ""
        yield cell_table((self.first.id, self.second.id), self.cells, self.level, n)
        if any(one.outside for one in self.cells):
            yield ""
            yield OUTSIDE
        if any(one.narrow for one in self.cells):
            yield NARROW_RATIO if self.is_of_groups else NARROW
        if any(math.isnan(one.estimate) for one in self.cells):
            yield DIVIDED_BY_NOTHING
        yield ""
        yield f"{self.said} {100 * self.level:g} % intervals ({self.method})."
        if any(one.design_effect is not None for one in self.cells):
            yield EFFECTIVE
        yield from ways_said({1: n}, self.sample)
        if test is not None:
            yield (
                f"Independent? χ² = {number(test.statistic, 2)} on {test.degrees_of_freedom} df, "
                f"p {p_said(test.p_value)}."
            )


def cell_table(names: tuple[str, str], cells: Sequence[Cell], level: float, n: int) -> Table:
    """Make the table of pairs of answers of n people, a section for each answer to the first."""
    weighed = any(one.design_effect is not None for one in cells)
    more = EFFECTIVE_COLUMNS if weighed else ()
    columns = (Column("Share"), Column(interval_heading(level)), error(), *more)
    sections = (
        Section(first.text, tuple(_row(one, n if weighed else None) for one in some))
        for first, some in groupby(cells, key=lambda one: one.first)
    )
    return Table(names, columns, tuple(sections))


def _row(cell: Cell, n: int | None) -> TableRow:
    more = effective_cells(n, cell.design_effect)
    values = (cell.estimate, cell.interval, cell.standard_error, *more)
    return TableRow(cell.second.text, values, outside=cell.outside, narrow=cell.narrow)


def _share(cell: Cell) -> Share:
    return Share(
        cell.second,
        estimate=None if math.isnan(cell.estimate) else cell.estimate,
        standard_error=None if math.isnan(cell.standard_error) else cell.standard_error,
        interval=Interval.known(*cell.interval),
        method=cell.method,
        outside=cell.outside,
    )
