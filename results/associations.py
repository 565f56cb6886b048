"""The result of how two items go together: their correlation, or ratios of groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from deniable.analysis.findings import Interval
from deniable.analysis.joint.correlations import Correlation
from deniable.analysis.joint.ratios import Ratio
from deniable.analysis.results import number_or_none
from deniable.results import files
from deniable.results.item import WEIGHED, Sample
from deniable.results.result import Result
from deniable.results.rows import effective_row
from deniable.results.shares import (
    DIVIDED_BY_NOTHING,
    EFFECTIVE,
    EFFECTIVE_COLUMNS,
    effective_cells,
)
from deniable.results.source import Source
from deniable.results.table import Column, Row, Section, Table, decimals, error, interval_heading
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
    low, high = map(float, found.interval(level))
    row: files.Row = {
        "first_question": first,
        "second_question": second,
        "estimate": found.correlation,
        "standard_error": found.standard_error,
        "low": low,
        "high": high,
        "outside": found.outside,
        "level": level,
    }
    columns = (Column("Estimate", decimals(3)), error(decimals(3)), _interval(level))
    values = (found.correlation, found.standard_error, Interval(low, high))
    notes = ["Correlation: of the truths. The noise of the reports is taken off."]
    if found.outside:
        notes.append("It is outside -1 to 1, or a variance is below 0: chance, or too few people.")
    if math.isnan(low):
        notes.append(f"No interval: {found.reason or 'no correlation agrees with the reports'}.")
    table = Table(("Statistic",), columns, (Section("", (Row("Correlation", values),)),))
    head = f"{first} and {second}; {source.name}: {counted(found.n, 'respondent')}"
    document = {"data": source.name, "n": found.n, "level": level}
    name, label = " × ".join(item.text for item in items), f"correlation, {interval_heading(level)}"
    drawn = ([(name, found.correlation, Interval(low, high), False)], label)
    export = files.Export(tuple(row), [row], document)
    return Result([head, "", table, "", *notes], export, partial(_draw, *drawn))


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
    rows: list[files.Row] = []
    sections, marks = [], []
    for first, second, ratio in found:
        ends = ratio.interval(level, method, comparisons=len(found))
        narrow = ratio.narrow(level, method, comparisons=len(found))
        shown, pair, effects = [], f"{first.text} / {second.text}", ratio.design_effect
        for place, answer in enumerate(item.truths):
            interval = Interval(*map(float, ends[place]))
            estimate = float(ratio.theta[place])
            # An interval from 0 to infinity rules out nothing, so it cannot look too certain.
            looks = bool(narrow[place]) and interval != (0, math.inf)
            n = None if effects is None else ratio.n
            told = n, None if effects is None else number_or_none(effects[place])
            rows.append(
                {
                    "group_question": groups.id,
                    "first": first.code,
                    "second": second.code,
                    "answer": answer.code,
                    "ratio_of": what,
                    "estimate": estimate,
                    "log_standard_error": float(ratio.log_standard_error[place]),
                    **interval._asdict(),
                    "outside": bool(ratio.outside[place]) and not math.isnan(estimate),
                    "narrow": looks,
                    "level": level,
                    **effective_row(*told),
                }
            )
            values = (estimate, interval, *effective_cells(*told))
            shown.append(Row(answer.text, values, outside=bool(rows[-1]["outside"]), narrow=looks))
            marks.append((f"{answer.text}: {pair}", estimate, interval, looks))
        sections.append(Section(pair, tuple(shown)))
    weighed = any(ratio.design_effect is not None for *_, ratio in found)
    columns = (Column("Ratio", decimals(2)), _interval(level), *EFFECTIVE_COLUMNS * weighed)
    table = Table((groups.id, item.id), columns, tuple(sections))
    of_each = [each for a, b, two in found for each in ((a, two.first), (b, two.second))]
    by_group = {group.code: of.n for group, of in of_each}
    total = sum(by_group.values())
    head = f"{item.id} by {groups.id}; {source.name}: {counted(total, 'response')}"
    said = f"Ratio: of {what}, the first group's over the second's. The intervals hold together."
    document = {"data": source.name, "question": item.id, "n": total, "n_by_group": by_group}
    document |= {"level": level, "method": method}
    notes = [said, *_marked(rows)]
    if sample is not None:
        document["sample"] = sample.document
        head, notes = f"{head}\n{sample.words}", [*notes, *[EFFECTIVE] * weighed, WEIGHED]
    drawn = (marks, f"ratio of {what}, {interval_heading(level)}")
    export = files.Export(tuple(rows[0]), rows, document)
    return Result([head, "", table, "", *notes], export, partial(_draw, *drawn, of_ratios=True))


def _marked(rows: Sequence[files.Row]) -> Iterator[str]:
    """Explain the marks of ratios, and why a ratio has no estimate."""
    if any(row["outside"] for row in rows):
        yield _OUTSIDE
    if any(row["narrow"] for row in rows):
        yield _NARROW
    if any(row["estimate"] != row["estimate"] for row in rows):
        yield DIVIDED_BY_NOTHING


def _draw(
    marks: Sequence[tuple[str, float, Interval, bool]],
    label: str,
    form: str,
    *,
    narrow: bool = False,
    of_ratios: bool = False,
) -> bytes:
    from deniable.results.figures.forest import Mark, forest_figure  # noqa: PLC0415  matplotlib is slow

    drawn = [Mark(*mark) for mark in marks]
    return forest_figure(drawn, label, form, narrow=narrow, of_ratios=of_ratios)


def _interval(level: float) -> Column:
    return Column(interval_heading(level), decimals(3))
