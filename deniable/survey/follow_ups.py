"""Direct follow-ups to direct answers: the answers that a device sends to them.

All of them are sent as they were given, so a single report shows whether a device can have made it.
A randomised follow-up shows nothing of the kind: noise can make each of its reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deniable.survey.items import Item
from deniable.survey.questions import DOES_NOT_APPLY, Condition, Protection, Question


@dataclass(frozen=True)
class FollowUp:
    """A direct question that needs answers to others, which then are direct, too.

    `places`: of its items in a report. `conditions`: for each condition the question that it needs,
    the place of its item in a report, and the answers that fit. `skipped`: the answer of all its
    items if it does not apply. `offers_skipped`: whether it offers the same answer to choose.
    """

    question: str
    places: tuple[int, ...]
    conditions: tuple[tuple[str, int, bytes], ...]
    skipped: int
    offers_skipped: bool

    def fits(self, applies: bool | None, answers: Sequence[int]) -> bool:
        """Return whether these answers to its items can be given; None: it may apply or not."""
        all_skipped = all(answer == self.skipped for answer in answers)
        if applies is False or (applies is None and all_skipped):
            return all_skipped
        return self.offers_skipped or self.skipped not in answers


def direct_follow_ups(questions: Sequence[Question], items: Sequence[Item]) -> tuple[FollowUp, ...]:
    """Return the direct follow-ups of a survey, in the order in which they are asked."""
    at = {item.id: (item.question, place) for place, item in enumerate(items)}

    def condition(one: Condition) -> tuple[str, int, bytes]:
        question, place = at[one.item]
        codes = [truth.code for truth in items[place].truths]
        return question, place, bytes(map(codes.index, one.answers))

    return tuple(
        FollowUp(
            question.id,
            tuple(place for owner, place in at.values() if owner == question.id),
            tuple(map(condition, question.ask_if)),
            question.skipped,
            any(answer.code == DOES_NOT_APPLY for answer in question.offered),
        )
        for question in questions
        if question.ask_if and question.protection is Protection.DIRECT
    )
