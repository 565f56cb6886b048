"""Many numbers as a heap: how many of them lie in each column."""

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import FloatArray
from deniable.lab.pictures import Series
from deniable.lab.said import number


def steps(name: str, edges: FloatArray, counts: npt.ArrayLike, tone: int) -> Series:
    """Return a heap to draw, of the counts between edges."""
    middles = (edges[:-1] + edges[1:]) / 2
    x = (edges[0], *middles, edges[-1])
    y = (0, *np.asarray(counts), 0)
    return Series(name, "steps", tuple(map(float, x)), tuple(map(float, y)), tone)


def table_rows(
    ends: tuple[float, float], *counts: tuple[int, ...], digits: int = 1
) -> tuple[tuple[str, ...], ...]:
    """Return the rows of a table: from, to, and the counts of each heap."""
    edges = np.linspace(*ends, 11)
    return tuple(
        (number(low, digits), number(high, digits), *(f"{count:,}" for count in here))
        for low, high, *here in zip(edges[:-1], edges[1:], *counts, strict=True)
    )


def stacked(
    numbers: npt.ArrayLike, low: float, width: float
) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Return where a dot of each number stands, on those before it in a column of this width.

    A column holds its right end and not its left one.

    >>> stacked([1, 2, 0.5, 1.5], 0, 1)
    ((0.5, 1.5, 0.5, 1.5), (1, 1, 2, 2))
    """
    columns = np.ceil((np.asarray(numbers, dtype=np.float64) - low) / width).tolist()
    heights = tuple(columns[: place + 1].count(one) for place, one in enumerate(columns))
    return tuple(low + (one - 0.5) * width for one in columns), heights
