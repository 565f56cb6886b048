"""How all protected answers of a survey are sent, in words.

The respondent's device derives the same sentences from its own numbers, and shows below each
question the sentence of that question (`client/browser/page/randomisation.js`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from deniable.channel import ROW_SUM
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.text.languages import Say, in_english

_FEW: Final = range(3, 11)
"""The n for which a chance is written as 1 in n; all others are written in 100."""


def randomisation(survey: Survey, answers: int, say: Say = in_english) -> str:
    """Say how chance decides on all protected answers: in one sentence if it does so alike.

    `answers`: the most protected answers that one person gives.
    """
    said = {_item_sentence(survey, item, answers, say) for item in survey.randomised}
    one = next(iter(said)) if len(said) == 1 else _each_in_its_way(survey, say)
    return f"{_draw_sentence(survey, say)} {one}".lstrip()


def _each_in_its_way(survey: Survey, say: Say) -> str:
    return say(
        "Below each question you read how chance may change {answers}.",
        answers=_each_of(survey, say),
    )


def _draw_sentence(survey: Survey, say: Say) -> str:
    ask = survey.ask
    if ask is None:
        return ""
    counts = {"count": ask.count, "all": len(ask.units)}
    if all(unit in survey.places for unit in ask.units):
        return say("Chance picks {count} of {all} questions for you.", **counts)
    return say("Chance picks {count} of {all} parts of the questions for you.", **counts)


def _item_sentence(survey: Survey, item: Item, answers: int, say: Say) -> str:
    weights = item.channel.weights
    if item.group is not None:
        return say(
            "Your device mixes your protected answers as one, and replaces them {times}.",
            times=_times_in_100(_changed_in_100(item.group.channel.weights[0][0]), say),
        )
    if item.has_spinner:
        return say(
            "Chance shows you one of two statements, the first {times}. Only your reply to it is "
            "sent.",
            times=_times_in_100(_changed_in_100(weights[1][1]), say),
        )
    if survey.question(item.question).is_number:
        return say(
            "Chance decides which number your device sends. Your real one only makes some more "
            "likely."
        )
    if not item.reports_name_truths:
        return _each_in_its_way(survey, say)
    return _named_sentence(survey, item, say, is_alone=answers == 1 and len(survey.items) == 1)


def _named_sentence(survey: Survey, item: Item, say: Say, *, is_alone: bool) -> str:
    weights = item.channel.weights
    count, *others = _changes(weights)
    if others and len(weights) > 2:
        return _each_in_its_way(survey, say)
    if others:
        return say(
            "“{first}” is reversed {times}, “{second}” {others}.",
            first=item.truths[0].text,
            times=_times_in_100(count, say),
            second=item.truths[1].text,
            others=_times_in_100(others[0], say),
        )
    if len(weights) > 2:
        return say(
            "Your device replaces {answers} {times} with another one.",
            answers=_each_of(survey, say),
            times=_times_in_100(count, say),
        )
    all_ = _one_in(weights[0][1])
    if is_alone and all_:
        return say(
            "Your device sends your real answer {kept} times in {all}, and the other one 1 time in "
            "{all}. Nobody can see which.",
            kept=all_ - 1,
            all=all_,
        )
    return say(
        "Your device reverses {answers} {times}.",
        answers=_each_of(survey, say),
        times=_times_in_100(count, say),
    )


def _each_of(survey: Survey, say: Say) -> str:
    return say("each protected answer") if survey.asked_directly else say("each answer")


def _times_in_100(count: int, say: Say) -> str:
    if count == 0:
        return say("less than 1 time in 100")
    return say("1 time in 100") if count == 1 else say("{count} times in 100", count=count)


def _changed_in_100(kept: int) -> int:
    # In 100 people of a truth, how many send another report; halves are rounded up.
    return (200 * (ROW_SUM - kept) + ROW_SUM) // (2 * ROW_SUM)


def _changes(weights: Sequence[Sequence[int]]) -> list[int]:
    """Return how many in 100 people of each truth send another report; a single one if alike."""
    found = [_changed_in_100(row[truth]) for truth, row in enumerate(weights)]
    return found[:1] if len({*found}) == 1 else found


def _one_in(weight: int) -> int | None:
    """Return n for a chance of 1 in n, with n in `_FEW`; None for other chances."""
    all_ = (2 * ROW_SUM + weight) // (2 * weight)
    return all_ if all_ in _FEW and abs(weight * all_ - ROW_SUM) <= all_ else None
