"""A survey in a prompt or a notebook: short enough for a screen, however long it is."""

from __future__ import annotations

import html
from collections.abc import Iterator
from textwrap import shorten
from typing import TYPE_CHECKING, Final

from deniable.survey.questions import NO_NUMBERS, Question
from deniable.text.safety import counted, printable

if TYPE_CHECKING:
    from deniable.survey import Survey

_LINES: Final = 20
"""The most questions that are shown."""

_TEXT: Final = 44
"""The most characters of a text that are shown."""


def in_lines(survey: Survey) -> str:
    """Return a survey as text, with one line for each question."""
    rows = [*_rows(survey)]
    widths = [max(map(len, column)) + 2 for column in zip(*rows, strict=True)]
    lines = [f"  {''.join(map(str.ljust, row, widths))}".rstrip() for row in rows]
    return "\n".join([f"Survey {_heading(survey)}", *lines, *_left_out(survey)])


def in_html(survey: Survey) -> str:
    """Return a survey as an HTML table, with the same questions as `in_lines`."""
    rows = "".join(
        f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>"
        for row in _rows(survey)
    )
    names = ("Question", "Type", "ε", "Answers", "Text")
    head = "".join(f"<th>{name}</th>" for name in names)
    rest = "".join(f"<p>{html.escape(line.strip())}</p>" for line in _left_out(survey))
    return (
        f"<table><caption>{html.escape(_heading(survey))}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{rest}"
    )


def beside_epsilon(survey: Survey) -> str:
    """Return the number of direct questions, which no ε bounds: ``; 1 asked directly``."""
    direct = len(survey.asked_directly)
    return f"; {direct} asked directly" if direct else ""


def short(text: str) -> str:
    """Return the beginning of a text, on one line."""
    return shorten(printable(text, lines=False), _TEXT, placeholder="…")


def _heading(survey: Survey) -> str:
    parts = [
        f"{survey.slug}: {short(survey.title)}",
        f"ε {survey.epsilon:g}{beside_epsilon(survey)}",
        f"asks {survey.ask.count} of {len(survey.ask.units)}" if survey.ask else "",
        survey.in_waves(f"{survey.waves} waves"),
        " ".join(survey.languages) if len(survey.languages) > 1 else "",
        f"check number {survey.shown_number}",
    ]
    return "; ".join(filter(None, parts))


def _rows(survey: Survey) -> Iterator[tuple[str, ...]]:
    for question in survey.questions[:_LINES]:
        epsilon = survey.epsilon_of(question)
        cost = "direct" if epsilon is None else f"ε {epsilon:g}"
        text = f"“{short(question.text)}”"
        yield question.id, question.type.value, cost, _answers(question), text


def _left_out(survey: Survey) -> list[str]:
    more = len(survey.questions) - _LINES
    return [f"  … and {counted(more, 'more question')}"] if more > 0 else []


def _answers(question: Question) -> str:
    codes = [answer.code for answer in question.offered if answer.code not in NO_NUMBERS]
    declining = "" if len(codes) == len(question.offered) else " or none"
    items = f"{len(question.parts)} × " if question.has_several_items else ""
    if question.is_number:
        return f"{codes[0]} to {codes[-1]}{declining}"
    listed = ", ".join(codes)
    return items + (listed if len(listed) <= _TEXT // 2 else f"{len(codes)} answers") + declining
