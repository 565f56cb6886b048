"""Which questions apply to a respondent, and the truth of items that do not apply.

The truth of an item that does not apply is "does not apply", and it is randomised like every other
truth, so no report reveals it. A follow-up to a randomised answer is shown to everybody, and their
answer to it may contradict their earlier ones (`Survey.is_shown_to_all`).
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.survey import Survey
from deniable.survey.questions import DOES_NOT_APPLY, Protection, Question

Truths: TypeAlias = npt.NDArray[np.uint8]


def skip(survey: Survey, truths: Truths, slips: npt.NDArray[np.bool_] | None = None) -> Truths:
    """Set the truths of items that do not apply; a slip reverses whether a follow-up applies."""
    if not any(question.ask_if for question in survey.questions):
        return truths
    skipped = truths.copy()
    applies: dict[str, npt.NDArray[np.bool_]] = {}
    for number, question in enumerate(survey.questions):
        applies[question.id] = _applies(survey, question, skipped, applies)
        if slips is not None and survey.is_shown_to_all(question):
            applies[question.id] ^= slips[:, number]
        if question.ask_if:
            for place in survey.places[question.id]:
                skipped[~applies[question.id], place] = question.skipped
    return skipped


def complete(survey: Survey, truths: Sequence[int | None]) -> list[int]:
    """Fill in the truths of skipped questions; refuse answers that contradict earlier ones."""
    if len(truths) != len(survey.items):
        raise ValueError(f"expected truths of {len(survey.items)} items, found {len(truths)}")
    completed = np.zeros(len(truths), dtype=np.uint8)
    one = completed[np.newaxis]
    applies: dict[str, npt.NDArray[np.bool_]] = {}
    shown: dict[str, npt.NDArray[np.bool_]] = {}
    for question in survey.questions:
        applies[question.id] = _applies(survey, question, one, applies)
        shown[question.id] = _applies(
            survey, question, one, shown, whatever=not survey.hides_branch
        )
        asked, seen = (bool(of[question.id].all()) for of in (applies, shown))
        for place in survey.places[question.id]:
            given = truths[place]
            if given is None and seen and not asked:
                given = question.skipped
            completed[place] = _truth(survey, place, question, given, asked=seen)
    return [int(truth) for truth in completed]


def _applies(
    survey: Survey,
    question: Question,
    truths: Truths,
    applies: dict[str, npt.NDArray[np.bool_]],
    *,
    whatever: bool = False,
) -> npt.NDArray[np.bool_]:
    """Return to whom a question applies, given whom the earlier questions apply to."""
    found = np.ones(len(truths), dtype=np.bool_)
    places = {item.id: place for place, item in enumerate(survey.items)}
    for condition in question.ask_if:
        place = places[condition.item]
        item = survey.items[place]
        codes = [truth.code for truth in item.truths]
        needed = [codes.index(answer) for answer in condition.answers]
        found &= applies[item.question]
        if not whatever or item.protection is Protection.DIRECT:
            found &= np.isin(truths[:, place], needed)
    return found


def _truth(
    survey: Survey, place: int, question: Question, given: int | None, *, asked: bool
) -> int:
    """Return the truth of an item; refuse one that contradicts earlier answers."""
    item = survey.items[place]
    if given is not None and not 0 <= given < len(item.truths):
        raise ValueError(f"{item.id}: expected 0 to {len(item.truths) - 1}, found {given}")
    if not asked:
        if given not in (None, question.skipped):
            raise ValueError(
                f"{item.id}: expected no answer, it does not apply after the earlier ones; found "
                f"{item.truths[given].code!r}"
            )
        return question.skipped
    if given is None:
        raise ValueError(f"{item.id}: expected an answer, found none")
    if item.truths[given] not in question.offered and not survey.is_shown_to_all(question):
        raise ValueError(
            f"{item.id}: expected an answer, it applies after the earlier ones; found "
            f"{DOES_NOT_APPLY!r}"
        )
    return given
