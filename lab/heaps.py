"""Histograms: the number of values in each column."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import FloatArray
from deniable.lab.pictures import Series


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
