"""How the respondents of a study were drawn: weights, strata, clusters, margins."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import IntArray
from deniable.analysis.sampling.calibration import Margin, check_parts
from deniable.analysis.sampling.design import SamplingDesign, sampling_design
from deniable.text.safety import AS_UTF8

Margins: TypeAlias = Mapping[str, Mapping[str, float]]
"""Of each question, the people of the population, or the part of it, with each answer."""

TOGETHER: Final = ":"
"""Between the questions, and the answers, of a margin of several: ``region:sex``, ``north:f``."""

_MOST_PEOPLE: Final = 10**12

HEADER: Final = ["question", "answer", "people"]
"""Of a CSV of margins."""


@dataclass(frozen=True, kw_only=True)
class Weighing:
    """How respondents are weighed, by the names of columns; see `Reports.weights`."""

    weights: str | None = None
    strata: str | None = None
    clusters: str | None = None
    margins: Margins | None = None
    trim: float | None = None

    @property
    def columns(self) -> list[str]:
        """The columns that are needed, of margins as well."""
        named = [self.weights, self.strata, self.clusters, *self.of_margins]
        return list(dict.fromkeys(name for name in named if name is not None))

    @property
    def of_margins(self) -> list[str]:
        """The columns that margins are of."""
        return [name for of in self.margins or {} for name in of.split(TOGETHER)]

    @property
    def said(self) -> dict[str, str]:
        """The columns and limits that make the weights, by role."""
        named = {"weights": self.weights, "strata": self.strata, "clusters": self.clusters}
        named["margins"] = " and ".join(self.margins) if self.margins else None
        named["trim"] = None if self.trim is None else f"{self.trim:g}"
        return {what: name for what, name in named.items() if name is not None}

    def design(
        self,
        cells: Mapping[str, Sequence[str]],
        inside: npt.NDArray[np.bool_],
        times: IntArray | None = None,
    ) -> SamplingDesign:
        """Make the sampling design of some of the respondents, of whom these are the columns.

        `times`, shape (rows,): how many respondents each row is; by default one.
        """
        rows = np.flatnonzero(inside).tolist()
        each = None if times is None else times[inside]
        of = {name: [column[row] for row in rows] for name, column in cells.items()}
        strata, clusters = (
            None if name is None else np.array(of[name]) for name in (self.strata, self.clusters)
        )
        margins = [
            Margin.of(
                name,
                [*map(TOGETHER.join, zip(*(of[one] for one in name.split(TOGETHER)), strict=True))],
                people,
                each,
            )
            for name, people in (self.margins or {}).items()
        ]
        return sampling_design(
            np.ones(len(rows))
            if self.weights is None
            else _numbers(self.weights, of[self.weights], rows),
            strata=strata,
            clusters=clusters,
            margins=margins,
            trim=self.trim,
            times=each,
        )


def read_margins(path: str | Path) -> Margins:
    """Read margins from a CSV with the columns question, answer and people.

    Raises
    ------
    ValueError
        If something is wrong with it; the message names the line.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as mistake:
        line = 1 + mistake.object.count(b"\n", 0, mistake.start)
        raise ValueError(f"{path}, line {line}: expected a CSV in UTF-8: {AS_UTF8}") from None
    return margins_in(text, path)


def margins_in(text: str, path: str | Path) -> Margins:
    """Read margins from the text of such a CSV; `path`: what it is called."""
    found: dict[str, dict[str, float]] = {}
    lines = csv.reader(io.StringIO(text, newline=""))
    try:
        header = [cell.strip() for cell in next(lines, [])]
        if header != HEADER:
            raise ValueError(
                f"{path}: expected the columns {', '.join(HEADER)}, found {', '.join(header)}"
            )
        for cells in lines:
            where = f"{path}, line {lines.line_num}"
            if not any(cells):
                continue
            if len(cells) != len(HEADER):
                raise ValueError(f"{where}: expected {len(HEADER)} cells, found {len(cells)}")
            question, answer, people = (cell.strip() for cell in cells)
            of = found.setdefault(question, {})
            if answer in of:
                raise ValueError(f"{where}: expected {answer!r} of {question!r} once")
            of[answer] = _number(people)
            if not 0 < of[answer] <= _MOST_PEOPLE:
                raise ValueError(
                    f"{where}: expected people above 0, and at most {_MOST_PEOPLE:,}, found "
                    f"{people!r}"
                )
    except csv.Error as mistake:
        raise ValueError(f"{path}, line {lines.line_num}: {mistake}") from None
    if not found:
        raise ValueError(f"{path}: expected a margin at least, found none")
    for name, parts in found.items():
        check_parts(f"{path}: margin {name!r}", parts.values())
    return found


def _numbers(name: str, cells: Sequence[str], rows: Sequence[int]) -> npt.NDArray[np.float64]:
    """Read a column of weights, which are above 0."""
    found = np.array([*map(_number, cells)])
    bad = np.flatnonzero(~(np.isfinite(found) & (found > 0)))
    if len(bad):
        raise ValueError(
            f"column {name!r}: expected a weight above 0 for each respondent, found "
            f"{cells[bad[0]]!r} for respondent {rows[bad[0]] + 1:,}"
            + (
                ": a weight of 0 says that somebody stands for nobody, so leave the row out"
                if not found[bad[0]]
                else ""
            )
        )
    return found


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan
