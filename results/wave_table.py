"""What is found over waves: the tables of each, and of the changes from one to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from rich.console import RenderableType
from rich.table import Table

from deniable.analysis.control import told
from deniable.analysis.results import QuestionResults
from deniable.analysis.waves import Change, Waves
from deniable.questions import Question
from deniable.results import share_table
from deniable.results.change_words import change_words
from deniable.results.files import Export
from deniable.results.numbers import interval_heading
from deniable.results.result import Draw, Result
from deniable.results.rows import lay_out
from deniable.results.text import table
from deniable.text.safety import counted

NOTES: Final = (
    "Change: the later estimate minus the earlier one; for shares, in percentage points.",
    "SE: that of two independent samples. If the same people answer and their answers mostly",
    "stay the same, the true SE is smaller, because their devices keep part of the noise.",
)


def changes(found: Sequence[Change], level: float) -> Table:
    """Make the table of changes, a section for each item and pair of waves."""
    columns = ("Waves", "Change", interval_heading(level), "SE")
    rows = table("Item", "Answer", *columns, numbers=columns[1:])
    for _, group in groupby(found, key=lambda change: (change.since, change.item.id)):
        for place, change in enumerate(group):
            rows.add_row(
                "" if place else change.item.id,
                "Mean" if change.answer is None else change.answer.text,
                f"{change.since} to {change.wave}",
                *change_words(change),
            )
        rows.add_section()
    return rows


def tables(waves: Waves, others: Sequence[str] = ()) -> list[RenderableType]:
    """Make the tables of all waves, and of the changes.

    Parameters
    ----------
    waves : Waves
    others : sequence of str
        What is said below of other reports.
    """
    survey = waves.survey
    count = f"{waves.n:,} reports of {len(waves.waves)} waves"
    parts: list[RenderableType] = [
        f"{survey.title} ({survey.slug}): {count}, ε {survey.epsilon:.6f}"
    ]
    items, controls = [], list[str]()
    for wave, results in zip(waves.waves, waves.results, strict=True):
        rows = share_table.make("Item", waves.level)
        # The last question is which wave it is.
        found = [item for question in results.questions[:-1] for item in question.items]
        for item in found:
            share_table.add(rows, item)
        items += found
        controls += [f"Wave {wave}: {told(one, waves.level)}" for one in results.followed]
        parts += [
            "",
            f"Wave {wave} of {survey.waves}: {counted(results.n, 'respondent')}",
            "",
            rows,
        ]
    if waves.changes:
        parts += [
            "",
            "Change from wave to wave",
            "",
            changes(waves.changes, waves.level),
        ]
    notes = [*dict.fromkeys(share_table.notes(items, waves.level))]
    if waves.changes:
        notes += NOTES
    notes += controls
    notes += others
    return [*parts, "", *notes]


def all_waves(waves: Waves, source: str, question: Question | None) -> Result:
    """Show the estimates of each wave, and the changes.

    Parameters
    ----------
    waves : Waves
    source : str
        Where the reports come from.
    question : Question or None
        The only one that is shown; then its trend is drawn.
    """
    export = lay_out(waves)
    if question is None:
        return Result([*tables(waves), f"Reports: {source}."], export)
    rows = [row for row in export.rows if row["question"] == question.id]
    return Result(
        [*tables(_only(waves, question)), f"Reports: {source}."],
        Export(export.columns, rows, export.document),
        _trend(waves, question),
    )


def only_changes(waves: Waves, source: str, question: Question | None) -> Result:
    """Show the changes from each wave to the next.

    Parameters
    ----------
    waves, source, question
        See `all_waves`.
    """
    shown = waves if question is None else _only(waves, question)
    export = lay_out(shown)
    rows = [row for row in export.rows if row["since"] is not None]
    heading = f"{waves.survey.title}; {source}: change from wave to wave"
    return Result(
        [heading, "", changes(shown.changes, waves.level), "", *NOTES],
        Export(export.columns, rows, export.document),
        None if question is None else _trend(waves, question),
    )


def _only(waves: Waves, question: Question) -> Waves:
    """Leave out the other questions, but for the one that says which wave it is."""
    last = waves.survey.questions[-1].id
    return replace(
        waves,
        results=tuple(
            replace(
                one,
                questions=tuple(
                    each for each in one.questions if each.question.id in {question.id, last}
                ),
            )
            for one in waves.results
        ),
        changes=tuple(one for one in waves.changes if one.item.question == question.id),
    )


def _trend(waves: Waves, question: Question) -> Draw:
    found: list[tuple[int, QuestionResults]] = [
        (wave, each)
        for wave, one in zip(waves.waves, waves.results, strict=True)
        for each in one.questions
        if each.question.id == question.id
    ]

    def draw(form: str, *, narrow: bool = False) -> bytes:
        from deniable.results.trend_figure import trend_figure  # noqa: PLC0415  loads slowly

        return trend_figure(tuple(found), waves.level, form, narrow=narrow)

    return draw
