"""Shares, means and comparisons of groups, of the responses to one question."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
from rich.console import RenderableType

from deniable.analysis.collusion import poisoning
from deniable.analysis.data_file import MISSING, ReportColumn, code_reports, read_columns
from deniable.analysis.estimation import estimate
from deniable.analysis.export import verdict_document
from deniable.analysis.formats import Export, Row, Value
from deniable.analysis.joint.association import ChiSquareTest, homogeneity
from deniable.analysis.joint.groups import Pairwise, pairwise
from deniable.analysis.planning.efficiency import design_effect
from deniable.analysis.results import (
    ItemResults,
    Mean,
    QuestionResults,
    Share,
    item_results,
    verdict,
)
from deniable.channel import Channel
from deniable.items import Item, name_reports
from deniable.questions import Answer, Protection, Question, QuestionType
from deniable.study import share_table
from deniable.study.analysed import Analysed, DataFile, Source
from deniable.study.printed import interval_heading, number, p_said, p_value
from deniable.study.tables import table

Mask: TypeAlias = npt.NDArray[np.bool_]

EVERYBODY: Final = Answer("", "")
"""The group of all, where groups are not compared."""

_MOST_GROUPS: Final = 40
"""More are a sign that the column is no grouping but a measurement."""


@dataclass(frozen=True, eq=False)
class _Findings:
    """Everything that was estimated from the responses to a question.

    Parameters
    ----------
    groups : tuple of ItemResults
        One a group, or a single one.
    names : tuple of Answer
        The groups' codes and texts.
    counts : tuple of ndarray of int, shapes (reports,)
        Of the groups.
    """

    source: Source
    column: str
    missing: int
    by: str | None
    level: float
    method: str
    groups: tuple[ItemResults, ...]
    names: tuple[Answer, ...]
    counts: tuple[npt.NDArray[np.int64], ...]

    @property
    def n(self) -> int:
        """Number of responses that were used."""
        return sum(group.n for group in self.groups)

    @cached_property
    def compared(self) -> tuple[Pairwise, ChiSquareTest | None] | None:
        """The differences of the groups, if there are groups and the shares can be told.

        Beside them stands the test of all groups together, unless there is a single difference:
        then it would be another test of the same, with another p.
        """
        if len(self.groups) < 2 or not self.source.channel.identifiable:
            return None
        channel = self.source.channel
        single = len(self.groups) == 2 and channel.truths == 2
        return pairwise(self.counts, channel), None if single else homogeneity(self.counts, channel)


def analyse(  # noqa: PLR0913  each is an option of the command
    file: DataFile,
    column: str,
    codes: Sequence[str] | None,
    *,
    by: str | None,
    values: Sequence[float] | None,
    population: int | None,
    level: float,
    method: str,
) -> Analysed:
    """Estimate the shares of a column's truths, or the mean of their values.

    Parameters
    ----------
    file : DataFile
    column : str
        Of the responses.
    codes : sequence of str or None
        What the column's cells are called, see `deniable.analysis.data_file.code_reports`.
    by : str or None
        A column of groups to estimate in and to compare.
    values : sequence of float or None
        What each truth counts for, if a mean is wanted.
    population : int or None
        Size of the population.
    level : float
    method : str
        Of the shares' intervals.

    Returns
    -------
    Analysed

    Raises
    ------
    ValueError
        If the file or the column is not as expected, or neither shares nor mean are identifiable.
    """
    channel = file.channel
    columns = read_columns(io.StringIO(file.text, newline=""), [column, *([by] if by else [])])
    try:
        reports = code_reports(columns[column], channel.reports, codes)
    except ValueError as mistake:
        raise ValueError(f"column {column!r}: {mistake}") from None
    if not reports.answered.any():
        raise ValueError(f"column {column!r}: expected responses, found none")
    groups = dict(_groups(columns[by], reports)) if by else {EVERYBODY: reports.answered}
    return compare(
        file,
        _item(column, channel, reports.codes),
        {name: reports.counts(rows) for name, rows in groups.items()},
        by=by,
        values=values,
        population=population,
        level=level,
        method=method,
        missing=reports.missing,
    )


def compare(  # noqa: PLR0913  each says something else of the responses
    source: Source,
    item: Item,
    counts: Mapping[Answer, npt.NDArray[np.int64]],
    *,
    by: str | None,
    values: Sequence[float] | None,
    level: float,
    method: str,
    population: int | None = None,
    missing: int = 0,
) -> Analysed:
    """Estimate an item in groups of people, and compare the groups.

    Parameters
    ----------
    source : Source
    item : Item
    counts : mapping of Answer to ndarray of int, shape (reports,)
        How often each report came, by the group; `EVERYBODY`, if groups are not compared.
    by : str or None
        What the groups differ in; None for a single one.
    values : sequence of float or None
        What each truth counts for, if a mean is wanted.
    level : float
        Of the intervals.
    method : str
        Of the shares' intervals.
    population : int, optional
        Size of the population.
    missing : int
        How many people gave no response.

    Returns
    -------
    Analysed

    Raises
    ------
    ValueError
        If neither shares nor mean are identifiable.
    """
    if values is None and not item.channel.identifiable:
        estimate(next(iter(counts.values())), item.channel)  # which says why there is none
    found = _Findings(
        source=source,
        column=item.id,
        missing=missing,
        by=by,
        level=level,
        method=method,
        groups=tuple(
            item_results(
                item if by is None else replace(item, id=group.text, text=group.text),
                each,
                level,
                method,
                values=values,
                population=population,
            )
            for group, each in counts.items()
        ),
        names=tuple(counts),
        counts=tuple(counts.values()),
    )
    rows = list(_rows(found))
    return Analysed(
        table=list(_as_table(found)),
        export=Export(tuple(rows[0]), rows, _document(found)),
        draw=lambda form, narrow=False: _figure(found, form, narrow=narrow),
    )


def _groups(cells: Sequence[str], reports: ReportColumn) -> Iterator[tuple[Answer, Mask]]:
    """Yield each group that has responses, in order, and which rows are its."""
    labels = np.array(cells)
    names = {str(name) for name in labels[reports.answered] if str(name).lower() not in MISSING}
    if not 2 <= len(names) <= _MOST_GROUPS:
        raise ValueError(f"expected 2 to {_MOST_GROUPS} groups, found {len(names)}")
    for name in sorted(names, key=_in_order):
        yield Answer(name, name), labels == name


def _in_order(name: str) -> tuple[float, str]:
    """Sort numbers by size, and before words."""
    try:
        return float(name), name
    except ValueError:
        return math.inf, name


def _item(column: str, channel: Channel, codes: tuple[str, ...]) -> Item:
    """Describe the column as an item of a survey, so that it is shown as one."""
    if channel.truths == 2:
        names: Sequence[str] = ("no", "yes")
    elif channel.truths == channel.reports:
        names = codes
    else:
        names = [f"truth {truth}" for truth in range(channel.truths)]
    truths = tuple(Answer(name, name) for name in names)
    return Item(
        id=column,
        question=column,
        text=column,
        truths=truths,
        reports=name_reports(truths, channel),
        channel=channel,
        protection=Protection.RANDOMISED,
    )


def as_question(
    id: str, groups: Sequence[Answer], results: tuple[ItemResults, ...]
) -> QuestionResults:
    """Describe what was found in groups as the results of a question, with a row for each group.

    Parameters
    ----------
    id : str
    groups : sequence of Answer
        None if there is a single one.
    results : tuple of ItemResults
    """
    question = Question(
        id=id,
        text=id,
        type=QuestionType.GRID if groups else QuestionType.SINGLE,
        answers=results[0].item.truths,
        rows=tuple(groups),
    )
    return QuestionResults(question, results)


def _figure(found: _Findings, form: str, *, narrow: bool) -> bytes:
    from deniable.analysis.figures import question_figure  # noqa: PLC0415  matplotlib loads slowly

    drawn = as_question(found.column, found.names if found.by else (), found.groups)
    return question_figure(drawn, found.level, form, narrow=narrow)


def _rows(found: _Findings) -> Iterator[Row]:
    """Lay everything out in rows of the same columns."""
    for name, group in zip(found.names, found.groups, strict=True):
        of = names_of(found.column, found.by, name)
        if group.mean is not None:
            yield {**of, "answer": None, "statistic": "mean", **_row(found, group, group.mean)}
        for share in group.shares if group.tells_shares else ():
            answer = share.answer.code
            yield {**of, "answer": answer, "statistic": "share", **_row(found, group, share)}


def names_of(item: str, by: str | None, group: Answer) -> Row:
    """Name the item and the group of a row.

    What a user called something is a cell and never a column, so a question may be called as a
    column is.
    """
    of: dict[str, Value] = {"item": item}
    return of if by is None else {**of, "group_question": by, "group": group.code}


def _row(found: _Findings, group: ItemResults, each: Share | Mean) -> Row:
    return {
        "estimate": each.estimate,
        "standard_error": each.standard_error,
        "low": each.low,
        "high": each.high,
        "level": found.level,
        "method": each.method,
        "maximum_likelihood": each.maximum_likelihood,
        "outside": each.outside,
        "observed": each.observed if isinstance(each, Share) else None,
        "n": group.n,
        "epsilon": found.source.channel.epsilon,
    }


def _as_table(found: _Findings) -> Iterator[RenderableType]:
    first = found.by or "Column"
    printed = share_table.make(first, found.level)
    for group in found.groups:
        share_table.add(printed, group)
    missing = f", {found.missing:,} missing" if found.missing else ""
    yield f"{found.column}; {found.source.name}: {found.n:,} responses{missing}"
    yield found.source.law
    yield ""
    yield printed
    yield ""
    yield from share_table.notes(found.groups, found.level)
    if not found.by:
        yield from _worth(found)
    if found.compared is not None:
        yield ""
        yield from _comparison(found, *found.compared)


def _worth(found: _Findings) -> Iterator[str]:
    """Say how many direct answers would have told as much, and what a hundredth who lie can do."""
    channel = found.source.channel
    if channel.truths != 2 or not channel.identifiable:
        return
    yes = found.groups[0].shares[1].maximum_likelihood
    if yes is None or not 0 < yes < 1:
        return
    effect = float(design_effect(channel, [1 - yes, yes])[1])
    yield (
        f"Design effect {effect:.2f}: these {found.n:,} responses tell as much as "
        f"{found.n / effect:,.0f} direct answers would, if those were honest."
    )
    low, high = estimate(found.counts[0], channel).interval(0.95)[1]
    one_percent = math.ceil(found.n / 100)
    yield poisoning(channel, found.n).sentence(one_percent, (high - low) / 2, truth=1)


def _comparison(
    found: _Findings, pairs: Pairwise, test: ChiSquareTest | None
) -> Iterator[RenderableType]:
    """Show the differences of the groups, and whether there are any."""
    truths = found.groups[0].item.truths
    of = range(1, 2) if len(truths) == 2 else range(len(truths))
    numbers = ("Difference", interval_heading(found.level), "SE", "p")
    printed = table("Groups", "Answer", *numbers, numbers=numbers)
    ends = pairs.interval(found.level, found.method)
    p_values = pairs.p_value(found.method)
    for place, (i, j) in enumerate(pairs.pairs):
        for truth in of:
            low, high = ends[place, truth]
            printed.add_row(
                f"{found.names[i].text} − {found.names[j].text}" if truth == of[0] else "",
                truths[truth].text,
                _points(pairs.difference[place, truth]),
                f"{_points(low)} to {_points(high)}",
                _points(pairs.standard_error[place, truth]),
                p_value(float(p_values[place, truth])),
            )
    yield printed
    yield ""
    yield (
        "Difference: in percentage points"
        + ("; its intervals hold together, and so do the p (Bonferroni)." if test else ".")
    )
    if test is not None:
        yield (
            f"All groups alike? χ² = {number(test.statistic, 2)} on {test.degrees_of_freedom} df, "
            f"p {p_said(test.p_value)}."
        )


def _points(difference: float) -> str:
    return number(100 * difference, 1)


def _document(found: _Findings) -> dict[str, Any]:
    document: dict[str, Any] = {
        "data": found.source.name,
        "item": found.column,
        "group_question": found.by,
        "design": found.source.design,
        "epsilon": found.source.channel.epsilon,
        "channel": found.source.channel.probabilities.tolist(),
        "n": found.n,
        "missing": found.missing,
        "level": found.level,
        "method": found.method,
        "design_followed": verdict_document(verdict(found.groups)),
    }
    if found.compared is not None:
        pairs, test = found.compared
        ends = pairs.interval(found.level, found.method)
        p_values = pairs.p_value(found.method)
        document["differences"] = [
            {
                "first": found.names[i].code,
                "second": found.names[j].code,
                "answer": truth.code,
                "difference": float(pairs.difference[place, index]),
                "standard_error": float(pairs.standard_error[place, index]),
                "low": float(ends[place, index, 0]),
                "high": float(ends[place, index, 1]),
                "p_value": float(p_values[place, index]),
            }
            for place, (i, j) in enumerate(pairs.pairs)
            for index, truth in enumerate(found.groups[0].item.truths)
        ]
        document["homogeneity"] = test and {
            "statistic": test.statistic,
            "degrees_of_freedom": test.degrees_of_freedom,
            "p_value": test.p_value,
        }
    return document
