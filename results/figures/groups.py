"""The results of groups, as those of a question: each answer with a row for every group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from deniable.analysis.results import ItemResults, QuestionResults
from deniable.survey.items import Item
from deniable.survey.questions import Answer, Question, QuestionType

_SHORT: Final = 60
"""Most characters of a question in front of each of its answers in a figure, if these are many."""

_FEW: Final = 4
"""Answers that may each have a long question in front."""


def as_question(
    items: tuple[Item, Item],
    names: Sequence[Answer],
    groups: Sequence[ItemResults],
    n: int,
    yes: int | None = None,
) -> QuestionResults:
    """Arrange the results of groups as a question with a row for every group below each answer.

    `items`: the one that is asked, and the one of the groups. `names`: of the groups. `n`: people
    in all groups. `yes`: the place of the only answer that is shown. A number has the answers of
    each group together.
    """
    asked, by = items
    text = f"{asked.text} In the groups of “{by.text}”"
    if groups[0].mean is not None:
        parts = tuple(
            replace(one, item=replace(one.item, text=name.text))
            for one, name in zip(groups, names, strict=True)
        )
        return QuestionResults(as_rows(asked, text, names), parts)
    places = range(len(asked.truths)) if yes is None else (yes,)
    # There is room for the words of the question if they are few, or stand there a few times.
    of = f"{asked.text} " if len(places) <= _FEW or len(asked.text) <= _SHORT else ""
    parts = tuple(
        replace(
            groups[0],
            item=replace(asked, text=of + asked.in_full(asked.truths[place]), statements=()),
            n=n,
            shares=tuple(
                replace(each.shares[place], answer=name)
                for each, name in zip(groups, names, strict=True)
            ),
            applicable=(),
        )
        for place in places
    )
    return QuestionResults(as_rows(asked, text, names), parts)


def as_rows(asked: Item, text: str, rows: Sequence[Answer]) -> Question:
    """Return a question about an item, with a row for every group."""
    kind = QuestionType.GRID if rows else QuestionType.SINGLE
    return Question(id=asked.id, text=text, type=kind, answers=asked.truths, rows=tuple(rows))
