"""Joint tables of two items: how many people gave each pair of answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from rich.console import RenderableType

from deniable.analysis.joint.association import independence
from deniable.analysis.joint.tables import (
    MAX_TAIL_CELLS,
    Conditional,
    Crosstab,
    crosstab,
    joint_counts,
)
from deniable.analysis.results import ItemResults, Share
from deniable.channel import identity
from deniable.items import Item
from deniable.questions import Answer, Protection
from deniable.results.files import Export, Row
from deniable.results.numbers import interval_heading, number, p_said
from deniable.results.result import Result
from deniable.results.text import table
from deniable.study.shares import as_question, names_of
from deniable.study.source import Source
from deniable.text.safety import counted
from deniable.text.wording import percent


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

    A direct answer that nobody of them gave is left out: there is nothing to estimate.

    Raises
    ------
    ValueError
        If nobody was, or all of them gave the same direct answer.
    """
    return pair_of(first, second, joint_counts(answers, [first.channel, second.channel], places))


def pair_of(first: Item, second: Item, counts: npt.NDArray[np.int64]) -> Pair:
    """Make the same of a table that is counted already, of the people who were asked both."""
    if not counts.any():
        raise ValueError(f"expected people who were asked {first.id!r} and {second.id!r}, found 0")
    (first, rows), (second, columns) = (
        _given(item, counts.sum(axis=1 - axis) > 0) for axis, item in enumerate((first, second))
    )
    return Pair(first, second, counts[np.ix_(rows, columns)])


def _given(item: Item, there: npt.NDArray[np.bool_]) -> tuple[Item, npt.NDArray[np.int64]]:
    """Return an item with the answers that people gave, if it is direct, and where these stand."""
    if item.protection is not Protection.DIRECT:
        return item, np.arange(len(item.reports))
    places = np.flatnonzero(there)
    if len(places) < 2:
        raise ValueError(
            f"expected people who gave different answers to {item.id!r}; all gave the same"
        )
    answers = tuple(item.truths[place] for place in places)
    return (
        replace(item, truths=answers, reports=answers, channel=identity(len(answers))),
        places,
    )


def cross(source: Source, asked: Pair, level: float) -> Result:
    """Estimate the share of each pair of answers, and test whether the items are independent.

    Parameters
    ----------
    source : Source
    asked : Pair
    level : float
        Of each interval, between 0 and 1.

    Returns
    -------
    Result
    """
    found = crosstab(asked.counts, [asked.first.channel, asked.second.channel])
    said = "Share: of all people who were asked both."
    return _analysed(source, asked, found, found, level, said)


def within(source: Source, asked: Pair, level: float) -> Result:
    """Estimate the second item's shares among the people of each truth of the first.

    Parameters
    ----------
    source, asked, level
        As for `cross`.

    Returns
    -------
    Result
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
) -> Result:
    method = "tail" if whole.theta.size <= MAX_TAIL_CELLS else "wald"
    lay_out = _pair_names if isinstance(shown, Crosstab) else _group_names
    rows = list(_rows(asked, shown, level, method, lay_out))
    return Result(
        table=[
            f"{asked.first.id} × {asked.second.id}; {source.name}: "
            + counted(whole.n, "respondent"),
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
                "first_question": asked.first.id,
                "second_question": asked.second.id,
                "n": whole.n,
                "level": level,
                "method": method,
                "counts": asked.counts.tolist(),
            },
        ),
        draw=lambda form, narrow=False: _figure(asked, rows, level, form, narrow=narrow),
    )


def _figure(asked: Pair, rows: list[Row], level: float, form: str, *, narrow: bool) -> bytes:
    from deniable.results.figures import question_figure  # noqa: PLC0415  matplotlib loads slowly

    shares = [_share(row, asked, place) for place, row in enumerate(rows)]
    length = len(asked.second.truths)
    groups = tuple(
        ItemResults(
            replace(asked.second, id=truth.code, text=truth.text),
            int(asked.counts.sum()),
            tuple(shares[place * length : (place + 1) * length]),
        )
        for place, truth in enumerate(asked.first.truths)
    )
    drawn = as_question(asked.second.id, asked.first.truths, groups)
    return question_figure(drawn, level, form, narrow=narrow)


def _share(row: Row, asked: Pair, place: int) -> Share:
    def known(name: str) -> float | None:
        value = row[name]
        return value if isinstance(value, float) and not math.isnan(value) else None

    return Share(
        asked.second.truths[place % len(asked.second.truths)],
        estimate=known("estimate"),
        standard_error=known("standard_error"),
        low=known("low"),
        high=known("high"),
        outside=bool(row["outside"]),
    )


def _rows(
    asked: Pair,
    shown: Crosstab | Conditional,
    level: float,
    method: str,
    names: Callable[[Pair, Answer, Answer], Row],
) -> Iterator[Row]:
    ends = shown.interval(level, method)
    for i, one in enumerate(asked.first.truths):
        for j, other in enumerate(asked.second.truths):
            low, high = ends[i, j]
            yield {
                **names(asked, one, other),
                "estimate": float(shown.theta[i, j]),
                "standard_error": float(shown.standard_error[i, j]),
                "low": float(low),
                "high": float(high),
                "outside": bool(shown.outside[i, j]),
                "level": level,
                "method": method,
            }


def _pair_names(asked: Pair, one: Answer, other: Answer) -> Row:
    return {
        "first_question": asked.first.id,
        "first_answer": one.code,
        "second_question": asked.second.id,
        "second_answer": other.code,
    }


def _group_names(asked: Pair, one: Answer, other: Answer) -> Row:
    of = names_of(asked.second.id, asked.first.id, one)
    return {**of, "answer": other.code, "statistic": "share"}


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
