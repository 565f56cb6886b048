"""A survey as a prompt and a notebook show it: on a screen, however long it is."""

from __future__ import annotations

import html
from collections.abc import Iterator
from textwrap import shorten
from typing import TYPE_CHECKING, Final

from deniable.questions import NO_NUMBERS
from deniable.text.safety import printable

if TYPE_CHECKING:
    from deniable.questions import Question
    from deniable.survey import Survey

_LINES: Final = 20
"""Questions of a survey that are shown."""

_TEXT: Final = 44
"""Characters of a text that are shown."""


def beside_epsilon(survey: Survey) -> str:
    """Say how many questions are asked directly, which no ε bounds: ``; 1 asked directly``."""
    direct = len(survey.asked_directly)
    return f"; {direct} asked directly" if direct else ""


def survey_in_lines(survey: Survey) -> str:
    """Say what a survey asks and promises, a line a question."""
    lines = [f"  {' '.join(row)}".rstrip() for row in _aligned([*_questions(survey)])]
    return "\n".join([f"Survey {_heading(survey)}", *lines, *_left_out(survey)])


def survey_in_html(survey: Survey) -> str:
    """Return the same as a table."""
    rows = "".join(
        f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>"
        for row in _questions(survey)
    )
    names = ("Question", "Type", "ε", "Answers", "Text")
    head = "".join(f"<th>{name}</th>" for name in names)
    rest = "".join(f"<p>{html.escape(line.strip())}</p>" for line in _left_out(survey))
    return (
        f"<table><caption>{html.escape(_heading(survey))}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{rest}"
    )


def _heading(survey: Survey) -> str:
    cost = f"ε {survey.epsilon:g}{beside_epsilon(survey)}"
    parts = [f"{survey.slug}: {_short(survey.title)}", cost]
    if survey.ask is not None:
        parts.append(f"asks {survey.ask.count} of {len(survey.ask.questions)}")
    if survey.waves is not None:
        parts.append(f"{survey.waves} waves")
    if len(survey.languages) > 1:
        parts.append(" ".join(survey.languages))
    return "; ".join([*parts, f"fingerprint {survey.fingerprint}"])


def _questions(survey: Survey) -> Iterator[tuple[str, ...]]:
    for question in survey.asked_questions[:_LINES]:
        epsilon = survey.epsilon_of(question)
        cost = "direct" if epsilon is None else f"ε {epsilon:g}"
        yield (
            question.id,
            question.type.value,
            cost,
            _answers(question),
            f"“{_short(question.text)}”",
        )


def _left_out(survey: Survey) -> list[str]:
    more = len(survey.asked_questions) - _LINES
    return [f"  … and {more} more questions"] if more > 0 else []


def _answers(question: Question) -> str:
    codes = [answer.code for answer in question.offered if answer.code not in NO_NUMBERS]
    declining = "" if len(codes) == len(question.offered) else " or none"
    items = f"{len(question.parts)} × " if question.has_several_items else ""
    if question.is_number:
        return f"{codes[0]} to {codes[-1]}{declining}"
    listed = ", ".join(codes)
    return items + (listed if len(listed) <= _TEXT // 2 else f"{len(codes)} answers") + declining


def _short(text: str) -> str:
    return shorten(printable(text, lines=False), _TEXT, placeholder="…")


def _aligned(rows: list[tuple[str, ...]]) -> Iterator[list[str]]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield [f"{cell:<{width + 1}}" for cell, width in zip(row, widths, strict=True)]
