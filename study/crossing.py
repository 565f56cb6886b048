"""Joint tables of two items: how many people gave each pair of answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rich.console import RenderableType

from deniable.analysis.formats import Export, Row
from deniable.analysis.joint import (
    Conditional,
    Crosstab,
    crosstab,
    independence,
    joint_counts,
)
from deniable.analysis.joint.tables import MAX_TAIL_CELLS
from deniable.items import Item
from deniable.study.analysed import Analysed, Source
from deniable.study.printed import interval_heading, number, p_said
from deniable.study.tables import table
from deniable.wording import percent


@dataclass(frozen=True, eq=False)
class Pair:
    """Two items, and how often each pair of their reports came.

    Parameters
    ----------
    first, second : Item
    counts : ndarray of int64, shape (reports of the first, reports of the second)
    """

    first: Item
    second: Item
    counts: npt.NDArray[np.int64]


def pair(first: Item, second: Item, answers: npt.NDArray[np.uint8], *places: int) -> Pair:
    """Count the pairs of reports of the people who were asked both items.

    Raises
    ------
    ValueError
        If nobody was.
    """
    channels = [first.channel, second.channel]
    counts = joint_counts(answers, channels, places)
    if not counts.any():
        raise ValueError(f"expected people who were asked {first.id!r} and {second.id!r}, found 0")
    return Pair(first, second, counts)


def cross(source: Source, asked: Pair, level: float) -> Analysed:
    """Estimate the share of each pair of answers, and test whether the items are independent.

    Parameters
    ----------
    source : Source
    asked : Pair
    level : float
        Of each interval, between 0 and 1.

    Returns
    -------
    Analysed
    """
    found = crosstab(asked.counts, [asked.first.channel, asked.second.channel])
    return _analysed(
        source, asked, found, found, level, "Share: of all people who were asked both."
    )


def within(source: Source, asked: Pair, level: float) -> Analysed:
    """Estimate the second item's shares among the people of each truth of the first.

    Parameters
    ----------
    source, asked, level
        As for `cross`.

    Returns
    -------
    Analysed
    """
    whole = crosstab(asked.counts, [asked.first.channel, asked.second.channel])
    groups = "; ".join(
        f"{truth.text} {percent(float(share))}"
        for truth, share in zip(asked.first.truths, whole.margin(0).theta, strict=True)
    )
    said = (
        f"Share: among the people with that answer to {asked.first.id}. It was randomised too, so "
        f"the groups are estimated as well: {groups}."
    )
    return _analysed(source, asked, whole, whole.conditional(0), level, said)


def _analysed(
    source: Source,
    asked: Pair,
    whole: Crosstab,
    shown: Crosstab | Conditional,
    level: float,
    said: str,
) -> Analysed:
    method = "tail" if whole.theta.size <= MAX_TAIL_CELLS else "wald"
    rows = list(_rows(asked, shown, level, method))
    return Analysed(
        table=[
            f"{asked.first.id} × {asked.second.id}; {source.name}: {whole.n:,} respondents",
            "",
            *_as_table(rows, asked, level),
            "",
            f"{said} {100 * level:g} % intervals ({method}).",
            _test(asked),
        ],
        export=Export(
            tuple(rows[0]),
            rows,
            {
                "data": source.name,
                "first": asked.first.id,
                "second": asked.second.id,
                "n": whole.n,
                "level": level,
                "method": method,
                "counts": asked.counts.tolist(),
            },
        ),
    )


def _rows(asked: Pair, shown: Crosstab | Conditional, level: float, method: str) -> Iterator[Row]:
    ends = shown.interval(level, method)
    for i, one in enumerate(asked.first.truths):
        for j, other in enumerate(asked.second.truths):
            low, high = ends[i, j]
            yield {
                asked.first.id: one.code,
                asked.second.id: other.code,
                "estimate": float(shown.theta[i, j]),
                "standard_error": float(shown.standard_error[i, j]),
                "low": float(low),
                "high": float(high),
                "outside": bool(shown.outside[i, j]),
                "level": level,
                "method": method,
            }


def _as_table(rows: list[Row], asked: Pair, level: float) -> Iterator[RenderableType]:
    numbers = ("Share", interval_heading(level), "SE")
    printed = table(asked.first.id, asked.second.id, *numbers, numbers=numbers)
    for place, row in enumerate(rows):
        first, second = divmod(place, len(asked.second.truths))
        value = {name: cell for name, cell in row.items() if isinstance(cell, float)}
        if first and not second:
            printed.add_section()
        printed.add_row(
            "" if second else asked.first.truths[first].text,
            asked.second.truths[second].text,
            percent(value["estimate"]) + (" *" if row["outside"] else ""),
            f"{percent(value['low']).removesuffix(' %')} to {percent(value['high'])}",
            percent(value["standard_error"]),
        )
    yield printed
    if any(row["outside"] for row in rows):
        yield ""
        yield (
            "* below 0 or above 100 %. Chance can cause this. It is not cut off, because that "
            "would bias it."
        )


def _test(asked: Pair) -> str:
    test = independence(asked.counts, [asked.first.channel, asked.second.channel])
    return (
        f"Independent? χ² = {number(test.statistic, 2)} on {test.degrees_of_freedom} df, "
        f"p {p_said(test.p_value)}."
    )
