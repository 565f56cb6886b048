"""Surveys: built by hand, in waves, and with questions that are randomised as one answer."""

import os
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from deniable import Channel, Report, Survey, designs
from deniable.survey.checks import BATCH
from deniable.survey.items import Item, compile_items
from deniable.survey.questions import Answer, Protection, Question, QuestionType
from deniable.survey_file import read

EXAMPLES: Final = Path(__file__).parents[2] / "examples"

YES_NO = (Answer("no", "No"), Answer("yes", "Yes"))

CLUB = """\
version: 1
survey: club
title: A club
questions:
  - {id: doped, text: Doped, type: single, answers: [No, Yes], flip: 1/4}
  - {id: role, text: Role, type: single, answers: [Player, Coach, Doctor], protection: direct}
"""


def file_of(*questions: str, head: str = "", slug: str = "s") -> str:
    """Write a survey file whose questions begin on line 5, or later by the lines of the head."""
    lines = ["version: 1", f"survey: {slug}", "title: T", *filter(None, [head]), "questions:"]
    return "\n".join([*lines, *(f"  - {{{question}}}" for question in questions)])


def yes_or_no(*ends: str) -> list[str]:
    """Write yes-or-no questions for such a file: `q0`, `q1`, each with what it says besides."""
    asked = "id: q{}, text: T, type: single, answers: [No, Yes]{}"
    return [asked.format(number, end) for number, end in enumerate(ends)]


def single(
    id: str = "doped",
    answers: Sequence[Answer] = YES_NO,
    channel: Channel | None = None,
    *,
    direct: bool = False,
) -> tuple[Question, tuple[Item, ...]]:
    """Build a `single` question and its item; k-ary noise of ε = 1 unless told otherwise."""
    question = Question(
        id=id,
        text=f"What about {id}?",
        type=QuestionType.SINGLE,
        answers=tuple(answers),
        protection=Protection.DIRECT if direct else Protection.RANDOMISED,
    )
    return question, compile_items(question, [channel or designs.k_ary(len(answers), 1)])


def many(id: str, options: Sequence[str]) -> tuple[Question, tuple[Item, ...]]:
    """Build a `many` question and its items, with two-coin noise."""
    question = Question(
        id=id,
        text=f"Which of {id}?",
        type=QuestionType.MANY,
        answers=tuple(Answer(option.lower(), option) for option in options),
    )
    return question, compile_items(question, [designs.truth_or_random()] * len(options))


def survey(
    *compiled: tuple[Question, tuple[Item, ...]],
    slug: str = "doping",
    title: str = "Doping",
    batch: int = BATCH,
) -> Survey:
    """Build a survey of compiled questions; of one yes-or-no question if none is given.

    The desk shows its reports in batches, as those of a survey file that names no other.
    """
    parts = compiled or (single(),)
    items = tuple(item for _, items in parts for item in items)
    return Survey(
        slug=slug,
        title=title,
        introduction="",
        epsilon_millionths=sum(item.epsilon_millionths for item in items),
        questions=tuple(question for question, _ in parts),
        items=items,
        batch=batch,
    )


AT_ONCE: Final = pytest.mark.parametrize("survey", [survey(batch=1)], ids=["at once"])
"""For a test of exact counts: the desk shows each report of the fixture `survey` as it comes."""


def wide(items: int, *, slug: str = "wide") -> Survey:
    """Build a survey of so many items, each of two answers."""
    return survey(*(single(f"q{number}") for number in range(items)), slug=slug)


def everybody_answers_all() -> str:
    """Return the example `journeys` as if everybody were asked all: two rows, and two decline."""
    text = (EXAMPLES / "journeys.yaml").read_text(encoding="utf-8")
    text = re.sub(r"    family: two_point.*", "    prefer_not_to_say: true", text)
    for old, new in (
        ("epsilon: 1.098612", "epsilon: 2.9"),
        ("ask: 1", "split: equal"),
        ("ar: نعم }\n", "ar: نعم }\n    prefer_not_to_say: true\n"),
        ("      night:", "      day: { en: During the day, de: Am Tag, ar: نهارًا }\n      night:"),
    ):
        assert old in text
        text = text.replace(old, new, 1)
    return text


PANEL_TEXT = """\
version: 1
survey: panel
title: A panel
epsilon: 3
waves: {count: 3, redraw: 1/10}
batch: 1
questions:
  - {id: doped, text: Doped, type: single, answers: [No, Yes]}
  - {id: sleep, text: Slept, type: single, answers: [Badly, So so, Well]}
  - {id: hours, text: Hours, type: number, min: 0, max: 4}
  - {id: age, text: Age, type: single, answers: [Young, Old], protection: direct}
"""


@cache
def panel(redraw: str = "1/10") -> Survey:
    """Read a survey of four questions and three waves."""
    return read(PANEL_TEXT.replace("1/10", redraw)).survey


def others() -> Survey:
    """Read a survey of three waves, each of other people."""
    return read(PANEL_TEXT.replace("redraw: 1/10", "people: others")).survey


def of_wave(
    survey: Survey, wave: int, id: bytes | None = None, answers: bytes = bytes(4)
) -> Report:
    """Write a report of a wave of such a survey."""
    id = id or os.urandom(16)
    return Report(survey.slug, survey.revision, id, answers, wave)


TOGETHER = """\
version: 1
survey: pair
title: Two as one
epsilon: 3
together: [knew, doped]
questions:
  - {id: doped, text: Doped, type: single, answers: ["No", "Yes"], prefer_not_to_say: true}
  - {id: slept, text: Slept badly, type: single, answers: ["No", "Yes"]}
  - {id: knew, text: The coach knew, type: single, answers: ["No", "Yes"], ask_if: {doped: yes}}
"""
"""Of a follow-up, which has no cells for what cannot be."""

IN_WAVES = TOGETHER.replace("epsilon: 3\n", "epsilon: 3\nwaves: {count: 3, redraw: 1/8}\n")
"""The same, asked three times."""

DRAWN = TOGETHER.replace("epsilon: 3\n", "epsilon: 1.098612\nask: 1\n")
"""The same, of which each respondent is asked the two as one or the other question."""


def together(*sizes: int, epsilon: object = 2) -> str:
    """Write a survey of questions of so many answers each, randomised as one."""
    ids = [f"q{place}" for place in range(len(sizes))]
    questions = (
        f"id: {id}, text: About {id}, type: single, answers: {[*map(str, range(size))]}"
        for id, size in zip(ids, sizes, strict=True)
    )
    head = f"epsilon: {epsilon}\ntogether: [{', '.join(ids)}]"
    return file_of(*questions, head=head, slug="group")
