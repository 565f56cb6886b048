"""Pictures of a page, and tables of their numbers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import FloatArray

Mark: TypeAlias = Literal["line", "dots", "rings", "bars", "steps", "upright"]


@dataclass(frozen=True)
class Series:
    """A series of a picture."""

    name: str  # in the legend; empty if it is not in the legend
    # `line`; `dots`; `rings`, hollow dots; `bars`, one for each category of `x`; `steps`, a
    # histogram; `upright`, a line from bottom to top at each `x`.
    mark: Mark
    x: tuple[float | str, ...]  # numbers, or the names of categories
    y: tuple[float, ...]
    # Its colour, which also decides how a line is dashed: 1 is chance, 4 what is set, and 0, 2 and
    # 3 anything else.
    tone: int


@dataclass(frozen=True)
class Table:
    """A table of texts, such as the numbers of a picture."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Columns:
    """Columns of numbers over one axis, for a picture and its table."""

    x: Sequence[float] | Sequence[str] | FloatArray
    columns: Mapping[str, Sequence[float] | FloatArray]  # by their names in the legend
    tones: tuple[int, ...] = (0, 3, 2, 1)
    mark: Mark = "line"

    @property
    def series(self) -> tuple[Series, ...]:
        """The columns as the series of a picture."""
        x = tuple(np.asarray(self.x).tolist())
        return tuple(
            Series(name, self.mark, x, tuple(float(each) for each in column), tone)
            for (name, column), tone in zip(self.columns.items(), self.tones, strict=False)
        )

    def table(
        self,
        head: str,  # of the first column; the others have their names in the legend
        write: Callable[..., str],
        *digits: int,  # for `write`, if it takes any
        at: Iterable[int] | None = None,  # the places whose numbers are shown: all by default
        x: Callable[[Any], str] = str,
    ) -> Table:
        """Return the columns as a table."""
        return Table(
            (head, *self.columns),
            tuple(
                (x(self.x[at]), *(write(each[at], *digits) for each in self.columns.values()))
                for at in (range(len(self.x)) if at is None else at)
            ),
        )


@dataclass(frozen=True)
class Picture:
    """A picture, and its numbers."""

    id: str
    caption: str  # what is drawn
    x: str  # the labels of the axes; empty if it has none
    y: str
    series: tuple[Series, ...]
    table: Table
    # The ends of the axes; by default those of the numbers.
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    x_shares: bool = False  # whether the axis across is one of shares, written in percent
    logarithmic: bool = False  # whether each step along an axis multiplies
    finding: str = ""  # what can be seen, after the caption: it may answer the page's guess


@dataclass(frozen=True)
class Records:
    """A table of its own, without a picture, such as one of made-up people."""

    id: str
    caption: str
    table: Table
    marked: tuple[int, ...] = ()  # highlighted rows, from 0; their texts must say the same


def here(x: float, *ys: float) -> Series:
    """Return dots at what is set, as a series of a picture; the first one answers its guess."""
    return Series("what is set", "dots", (x,) * len(ys), tuple(map(float, ys)), 4)


def steps(name: str, edges: FloatArray, counts: npt.ArrayLike, tone: int) -> Series:
    """Return a histogram of the counts between edges, as a series of a picture."""
    middles = (edges[:-1] + edges[1:]) / 2
    x = (edges[0], *middles, edges[-1])
    y = (0, *np.asarray(counts), 0)
    return Series(name, "steps", tuple(map(float, x)), tuple(map(float, y)), tone)


def table_rows(
    edges: FloatArray, *counts: npt.ArrayLike, write: Callable[[float], str]
) -> tuple[tuple[str, ...], ...]:
    """Return the rows of a table: from, to, and the counts of each histogram."""
    return tuple(
        (write(low), write(high), *(f"{count:,}" for count in here))
        for low, high, *here in zip(edges[:-1], edges[1:], *map(np.asarray, counts), strict=True)
    )
