"""The result of how two items go together: their correlation, or ratios of groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, groupby
from typing import Final

import numpy as np

from deniable.analysis.findings import Association, GroupRatio, findings_of
from deniable.analysis.joint.correlations import Correlation
from deniable.analysis.joint.ratios import Ratio
from deniable.results import files
from deniable.results.compared import lead_of_others
from deniable.results.estimate import (
    DIVIDED_BY_NOTHING,
    EFFECTIVE,
    EFFECTIVE_CELLS,
    EFFECTIVE_COLUMNS,
    ESTIMATE_CELLS,
    cells,
    named_row,
)
from deniable.results.item import WEIGHED, Sample
from deniable.results.result import Result, forest
from deniable.results.source import Source
from deniable.results.table import (
    Column,
    Section,
    Table,
    decimals,
    interval_column,
    interval_heading,
    standard_error_column,
)
from deniable.survey.items import Item
from deniable.survey.questions import Answer
from deniable.text.safety import counted

_NARROW: Final = (
    "† less than a third of a group's own interval is possible. This one looks more certain than "
    "it is."
)

_OUTSIDE: Final = (
    "* a group's share is below 0 or above 100 %. Chance can cause this. It is not cut off, "
    "because that would bias it."
)


def correlation_result(
    source: Source, items: tuple[Item, Item], found: Correlation, level: float
) -> Result:
    """Make the result of the correlation of two items."""
    first, second = (item.id for item in items)
    (one,) = findings_of(
        [Association],
        found.theta,
        found.standard_error,
        found.interval(level),
        least=-1,
        outside=found.outside,
    )
    columns = (
        Column("Estimate", decimals(3), of="estimate"),
        standard_error_column(decimals(3)),
        interval_column(level, decimals(3)),
    )
    notes = ["Correlation: of the true answers, with the noise taken out."]
    if one.outside:
        notes.append("It is outside -1 to 1, or a variance is below 0: chance, or too few people.")
    if one.interval is None:
        notes.append(f"No interval: {found.reason or 'no correlation agrees with the reports'}.")
    row = named_row("Correlation", one, columns, outside=False)
    table = Table(("Statistic",), columns, (Section("", (row,)),))
    head = f"{first} and {second}; {source.name}: {counted(found.n, 'respondent')}"
    document = {"data": source.name, "n": found.n, "level": level}
    names: files.Row = {"first_question": first, "second_question": second}
    name = " × ".join(item.text for item in items)
    label = f"correlation, {interval_heading(level)}, n = {found.n:,}"
    columns_of_file = (*names, *ESTIMATE_CELLS, "outside", "level")
    export = files.Export.of(columns_of_file, [{**names, **cells(one, level)}], document)
    lead = lead_of_others((one,), 0.0)
    return Result([head, "", table, "", *notes], export, forest(((name, one),), label), lead)


def ratios_result(
    source: Source,
    items: tuple[Item, Item],
    found: Sequence[tuple[Answer, Answer, Ratio]],
    level: float,
    method: str,
    sample: Sample | None = None,
) -> Result:
    """Make the result of the ratios of every two groups, one for each answer."""
    item, groups = items
    what = "odds" if found[0][2].of_odds else "shares"
    told = [*chain(*(_pair_ratios(one, item.truths, level, method, len(found)) for one in found))]
    is_weighed = told[0].n is not None
    columns = (
        Column("Ratio", decimals(2), of="estimate"),
        interval_column(level, decimals(3)),
        *EFFECTIVE_COLUMNS * is_weighed,
    )
    rows: list[files.Row] = [
        {
            "group_question": groups.id,
            "first": one.first.code,
            "second": one.second.code,
            "answer": one.answer.code,
            "ratio_of": what,
            **cells(one, level),
            "log_standard_error": one.standard_error,
        }
        for one in told
    ]
    sections = (
        Section(pair, tuple(named_row(one.answer.text, one, columns) for one in some))
        for pair, some in groupby(told, key=lambda one: one.groups)
    )
    table = Table((groups.id, item.id), columns, tuple(sections))
    of_each = [each for a, b, two in found for each in ((a, two.first), (b, two.second))]
    by_group = {group.code: of.n for group, of in of_each}
    total = sum(by_group.values())
    head = f"{item.id} by {groups.id}; {source.name}: {counted(total, 'response')}"
    document = {"data": source.name, "question": item.id, "n": total, "n_by_group": by_group}
    document |= {"level": level, "method": method}
    notes = [_ratio_said(what, level, pairs=len(found)), *_ratio_notes(told)]
    if sample is not None:
        document["sample"] = sample.document
        head, notes = f"{head}\n{sample.words}", [*notes, *[EFFECTIVE] * is_weighed, WEIGHED]
    label = f"ratio of {what}, {interval_heading(level)}"
    columns_of_file = [
        *("group_question", "first", "second", "answer", "ratio_of"),
        *("estimate", "log_standard_error", "low", "high", "outside", "narrow", "level"),
        *EFFECTIVE_CELLS * is_weighed,
    ]
    export = files.Export.of(columns_of_file, rows, document)
    marks = [(f"{one.answer.text}: {one.groups}", one) for one in told]
    draw = forest(marks, label, of_ratios=True)
    # With two answers, the yes tells it.
    of_yes = told[source.yes_at :: 2] if len(item.truths) == 2 else told
    lead = lead_of_others(of_yes, 1.0, "odds" if what == "odds" else "share")
    return Result([head, "", table, "", *notes], export, draw, lead)


def _ratio_said(what: str, level: float, pairs: int) -> str:
    said = f"Ratio: of {what}, the first group's over the second's."
    if pairs == 1:
        return said
    hold = f"hold together in {100 * level:g} of 100 surveys."
    return f"{said} Each interval is wider (Bonferroni), so that those of an answer {hold}"


def _pair_ratios(
    found: tuple[Answer, Answer, Ratio],
    answers: Sequence[Answer],
    level: float,
    method: str,
    comparisons: int,
) -> tuple[GroupRatio, ...]:
    first, second, ratio = found
    ends = ratio.interval(level, method, comparisons=comparisons)
    narrow = ratio.narrow(level, method, comparisons=comparisons)
    return findings_of(
        [partial(GroupRatio, first=first, second=second, answer=answer) for answer in answers],
        ratio.theta,
        ratio.log_standard_error,
        ends,
        outside=ratio.outside & ~np.isnan(ratio.theta),
        # An interval from 0 to infinity rules out nothing, so it cannot look too certain.
        narrow=narrow & ~(ends == (0, math.inf)).all(axis=1),
        n=None if ratio.design_effect is None else ratio.n,
        design_effect=ratio.design_effect,
    )


def _ratio_notes(found: Sequence[GroupRatio]) -> Iterator[str]:
    """Explain the marks of ratios, and why a ratio has no estimate."""
    if any(one.outside for one in found):
        yield _OUTSIDE
    if any(one.narrow for one in found):
        yield _NARROW
    if any(one.estimate is None for one in found):
        yield DIVIDED_BY_NOTHING
