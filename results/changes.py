"""The results of waves: the tables of each wave, and of the changes from one to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from deniable.analysis.control import told
from deniable.analysis.findings import Change
from deniable.analysis.results import QuestionResults
from deniable.analysis.waves import Waves
from deniable.results.compared import lead_of, tries_said
from deniable.results.estimate import EFFECTIVE, NARROW, estimate_columns, has_design_effect, row_of
from deniable.results.files import Export
from deniable.results.headlines import Move, headlines
from deniable.results.item import WEIGHED, Sample, overview_parts, with_sample
from deniable.results.result import Draw, Result
from deniable.results.rows import lay_out
from deniable.results.shares import asked, notes, said_to_apply, share_table
from deniable.results.table import SPAN, Column, P, Section, Table
from deniable.survey.items import Item
from deniable.survey.questions import Question
from deniable.text.brief import beside_epsilon
from deniable.text.safety import counted
from deniable.text.wording import brief_loss

_CHANGE: Final = (
    "Change: the later estimate minus the earlier one; for shares, in percentage points."
)
_INDEPENDENT: Final = "SE: that of two independent samples."
_SAME: Final = (
    " If the same people answer and their answers mostly stay the same, the true SE is smaller, "
    "because their devices keep part of the noise. If they take turns, so that those who said yes "
    "before say no later, it is greater, and the interval too short."
)


def change_table(
    found: Sequence[Change], level: float, name: Callable[[Item], str] = lambda item: item.id
) -> Table:
    """Make the table of changes, a section for each item and pair of waves."""
    sections = []
    of_change = estimate_columns("Change", level, found, Column("p", P, of="p_value"))
    columns = (Column("Waves", SPAN, of="waves"), *of_change)
    for key, group in groupby(found, key=lambda one: (one.since, one.item.id, one.if_applies)):
        some = [*group]
        rows = tuple(row_of(one, columns) for one in some)
        title = "  if it applies" if some[0].if_applies else name(some[0].item)
        sections.append(Section(title, rows, follows=key[-1]))
    return Table(("Item", "Answer"), columns, tuple(sections))


def changes_in_words(waves: Waves) -> Table:
    """Make the table of the changes with the texts of the items."""
    return change_table(
        waves.changes, waves.level, lambda item: f"{item.text}{_of_all(waves, item)}"
    )


def _of_all(waves: Waves, item: Item) -> str:
    question = waves.survey.question(item.question)
    shares = "shares " if question.is_number else ""
    return f", {shares}of all people" if question.ask_if else ""


def moves(waves: Waves) -> dict[str, list[Move]]:
    """Return the changes of each question's headlines, by its id and from wave to wave."""
    told = {
        (wave, line.item.id, line.answer and line.answer.code, line.if_applies): line
        for wave, results in zip(waves.waves, waves.results, strict=True)
        for question in results.questions
        for line in headlines(question, both=False)
        if line.told.estimate is not None
    }
    found = dict[str, list[Move]]()
    for change in waves.changes:
        key = change.item.id, change.answer and change.answer.code, change.if_applies
        before, after = told.get((change.since, *key)), told.get((change.wave, *key))
        # The greatest share of a row may be another answer's now: it has no line.
        if before and after and change.estimate is not None:
            names = f"Wave {change.since}", f"Wave {change.wave}"
            of = _of_all(waves, change.item)
            if of and (change.if_applies or change.answer is None):
                of = ", among those to whom it applies"
            move = Move(before, after, change, names, of)
            found.setdefault(change.item.question, []).append(move)
    return found


def change_notes(waves: Waves) -> Iterator[str]:
    """Say what a change is, how surely it is known, and how many hold together."""
    yield _CHANGE
    yield f"{_INDEPENDENT}{waves.survey.if_kept(_SAME)}"
    if waves.fixed:
        ids = ", ".join(item.id for item in waves.fixed)
        yield f"{ids}: no change, because the weights set these shares in each wave."
    first, rest = waves.comparisons
    if first > 1:
        none = "nothing changed, {} surveys show that anything did"
        yield tries_said(first, waves.level, "in all questions and waves", none)
    if rest:
        yield f"Shares of numbers, and of follow-ups among all people: {rest} tries, counted apart."


def _notes(waves: Waves) -> Iterator[str]:
    yield from change_notes(waves)
    yield from (f"{id}: {said}" for id, some in moves(waves).items() if (said := lead_of(some)))
    if has_design_effect(waves.changes):
        yield EFFECTIVE
    if any(one.narrow for one in waves.changes):
        yield NARROW


def tables(waves: Waves, others: Sequence[str] = ()) -> list[Table | str]:
    """Make the tables of all waves and of the changes, with their notes."""
    survey = waves.survey
    if not survey.is_repeated:
        (only,) = waves.results
        heading = (
            f"{survey.title} ({survey.slug}): {counted(only.n, 'respondent')}, "
            f"ε {brief_loss(survey.epsilon)}{beside_epsilon(survey)}"
        )
        return [*overview_parts(only, heading), *others]
    count = f"{counted(waves.n, 'report')} of {counted(len(waves.waves), 'wave')}"
    parts: list[Table | str] = [
        f"{survey.title} ({survey.slug}): {count}, ε {brief_loss(survey.epsilon)}"
    ]
    items, controls, asked_of_waves = [], list[str](), list[str]()
    for wave, results in zip(waves.waves, waves.results, strict=True):
        found = [item for question in results.questions for item in question.items]
        items += found
        asked_of_waves += [f"Wave {wave}: {sentence}" for sentence in asked(found)]
        controls += [f"Wave {wave}: {told(one, waves.level)}" for one in results.followed]
        controls += [f"Wave {wave}: {sentence}" for _, sentence in said_to_apply(results)]
        parts += [
            "",
            f"Wave {wave} of {survey.waves}: {counted(results.n, 'respondent')}",
            "",
            share_table("Item", found, waves.level),
        ]
    if waves.changes:
        parts += [
            "",
            "Change from wave to wave",
            "",
            change_table(waves.changes, waves.level),
        ]
    said = [*notes(items, waves.level, of_groups=True)]
    said += asked_of_waves
    said += _notes(waves) if waves.changes else ()
    said += (sentence for one in waves.results for sentence in one.said_of_weights)
    return [*parts, "", *dict.fromkeys(said), *controls, *others]


def all_waves(
    waves: Waves, source: str, question: Question | None, sample: Sample | None = None
) -> Result:
    """Make the result of the estimates of each wave, and of the changes."""
    export, last = with_sample(lay_out(waves), sample), [f"Reports: {source}."]
    if sample is not None:
        last = [WEIGHED, sample.words, *last]
    if question is None:
        return Result([*tables(waves), *last], export)
    rows = [row for row in export.rows if row["question"] == question.id]
    return Result(
        [*tables(_only_question(waves, question)), *last],
        Export(export.columns, rows, export.document),
        _trend(waves, question),
    )


def only_changes(
    waves: Waves, source: str, question: Question | None, sample: Sample | None = None
) -> Result:
    """Make the result of the changes from each wave to the next."""
    shown = waves if question is None else _only_question(waves, question)
    export = with_sample(lay_out(shown), sample)
    rows = [row for row in export.rows if row["since"] is not None]
    heading = f"{waves.survey.title}; {source}: change from wave to wave"
    return Result(
        [
            *([heading] if sample is None else [heading, sample.words]),
            "",
            change_table(shown.changes, waves.level),
            "",
            *_notes(shown),
            *([] if sample is None else [WEIGHED]),
            *dict.fromkeys(said for one in waves.results for said in one.said_of_weights),
        ],
        Export(export.columns, rows, export.document),
        None if question is None else _trend(waves, question),
    )


def _only_question(waves: Waves, question: Question) -> Waves:
    return replace(
        waves,
        results=tuple(
            replace(
                one,
                questions=tuple(each for each in one.questions if each.question.id == question.id),
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
        from deniable.results.figures.trend import trend_figure  # noqa: PLC0415  loads slowly

        return trend_figure(tuple(found), waves.level, form, narrow=narrow)

    return draw
