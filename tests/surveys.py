"""Surveys built by hand, for tests that need one and no survey file."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from deniable import Channel, Survey, designs
from deniable.survey.items import Item, compile_items
from deniable.survey.questions import Answer, Protection, Question, QuestionType

EXAMPLES: Final = Path(__file__).parents[1] / "examples"

YES_NO = (Answer("no", "No"), Answer("yes", "Yes"))

CLUB = """\
version: 1
survey: club
title: A club
questions:
  - {id: doped, text: Doped, type: single, answers: [No, Yes], flip: 1/4}
  - {id: role, text: Role, type: single, answers: [Player, Coach, Doctor], protection: direct}
"""


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
    batch: int = 1,
) -> Survey:
    """Build a survey of compiled questions; of one yes-or-no question if none is given.

    The desk shows each report as it comes unless told otherwise: most tests are of something else.
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
