"""The result of two items together: a table of their pairs of answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from deniable.analysis.findings import Cell
from deniable.analysis.joint.association import ChiSquareTest
from deniable.analysis.results import ItemResults
from deniable.results.estimate import (
    DIVIDED_BY_NOTHING,
    EFFECTIVE,
    EFFECTIVE_CELLS,
    ESTIMATE_CELLS,
    NARROW,
    NARROW_RATIO,
    OUTSIDE,
    cells,
    cells_of_test,
    estimate_columns,
    has_design_effect,
    row_of,
)
from deniable.results.figures.groups import as_question
from deniable.results.files import Export, Row
from deniable.results.item import Sample, names_of, ways_said
from deniable.results.numbers import number, p_said
from deniable.results.result import Result
from deniable.results.table import Section, Table
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
        rows: list[Row] = [{**self._names(one), **cells(one, self.level)} for one in self.cells]
        columns = [*self._names(self.cells[0]), *ESTIMATE_CELLS]
        columns += ("outside", "narrow", "level", "method")
        columns += EFFECTIVE_CELLS if self.sample is not None else ()
        tested = self.independence
        if tested is not None:
            columns.append("p_value")
            rows.append(self._row_of_test(tested))
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
        export = Export.of(columns, rows, document)
        return Result([*self._parts()], export, self.draw, self.lead)

    @property
    def lead(self) -> str:
        """Whether the two answers go together more than chance explains; empty if not tested."""
        test = self.independence
        if test is None or math.isnan(test.p_value):
            return ""
        p = f"p {p_said(test.p_value)}"
        if test.p_value < 1 - self.level:
            return f"The answers to both questions go together, which is more than chance ({p})."
        return f"No connection between the two questions can be seen: chance may explain all ({p})."

    def draw(self, form: str, *, narrow: bool = False) -> bytes:
        """Draw the shares, with the answers to the first item as groups."""
        from deniable.results.figures.question import question_figure  # noqa: PLC0415  matplotlib is slow

        n, truths = int(self.counts.sum()), self.first.truths
        groups = [
            ItemResults(self.second, n, tuple(one for one in self.cells if one.first is truth))
            for truth in truths
        ]
        drawn = as_question((self.second, self.first), truths, groups, n)
        return question_figure(drawn, self.level, form, narrow=narrow, by=self.first)

    def _names(self, cell: Cell) -> Row:
        if self.is_of_groups:
            of = names_of(self.second.id, self.first.id, cell.first)
            return {**of, "answer": cell.answer.code, "statistic": "share"}
        return {
            "first_question": self.first.id,
            "first_answer": cell.first.code,
            "second_question": self.second.id,
            "second_answer": cell.answer.code,
            "statistic": "share",
        }

    def _row_of_test(self, test: ChiSquareTest) -> Row:
        if self.is_of_groups:
            names: Row = {"item": self.second.id, "group_question": self.first.id}
        else:
            names = {"first_question": self.first.id, "second_question": self.second.id}
        return {**names, **cells_of_test("test_of_independence", test.statistic, test.p_value)}

    def _parts(self) -> Iterator[Table | str]:
        n, test = int(self.counts.sum()), self.independence
        yield f"{self.first.id} × {self.second.id}; {self.source}: {counted(n, 'respondent')}"
        if self.sample is not None:
            yield self.sample.words
        yield ""
        yield cell_table((self.first.id, self.second.id), self.cells, self.level)
        if any(one.outside for one in self.cells):
            yield ""
            yield OUTSIDE
        if any(one.narrow for one in self.cells):
            yield NARROW_RATIO if self.is_of_groups else NARROW
        if any(one.estimate is None for one in self.cells):
            yield DIVIDED_BY_NOTHING
        yield ""
        if self.lead:
            yield self.lead
        yield f"{self.said} {100 * self.level:g} % intervals ({self.method})."
        if has_design_effect(self.cells):
            yield EFFECTIVE
        yield from ways_said({1: n}, self.sample)
        if test is not None:
            yield (
                f"Independent? χ² = {number(test.statistic, 2)} on {test.degrees_of_freedom} df, "
                f"p {p_said(test.p_value)}."
            )


def cell_table(names: tuple[str, str], found: Sequence[Cell], level: float) -> Table:
    """Make the table of pairs of answers, a section for each answer to the first."""
    columns = estimate_columns("Share", level, found)
    sections = (
        Section(first.text, tuple(row_of(one, columns) for one in some))
        for first, some in groupby(found, key=lambda one: one.first)
    )
    return Table(names, columns, tuple(sections))
