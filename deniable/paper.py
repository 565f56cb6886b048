"""A survey on paper: which of its questions a sheet can ask, and what a sheet's answers may be.

A sheet holds final answers only: people randomise by hand, see `deniable.coins`, or tick what they
would also tell a direct question. What no hand can randomise is left out of the sheet, and in the
report that a sheet becomes it was not asked.
"""

from __future__ import annotations

from enum import Enum, auto

from deniable import coins
from deniable.channel import ROW_SUM
from deniable.report import NOT_ASKED, ValueMistake, check_answers
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Protection, Question


class Asking(Enum):
    """How a sheet asks a question, or why it does not."""

    AS_IT_IS = auto()
    """Directly: what is ticked is the truth."""
    BY_HAND = auto()
    """After chance was made by hand, anew for each of its items; or by a disc on the sheet."""
    NOT_MAKEABLE = auto()
    """Left out: no coin, die or card comes up with its probabilities."""
    DRAWN = auto()
    """Left out: chance decides who is asked, and whoever answered all would reveal too much."""

    @property
    def on_sheet(self) -> bool:
        """Whether a sheet asks it."""
        return self in (Asking.AS_IT_IS, Asking.BY_HAND)


def asking(survey: Survey, question: Question) -> Asking:
    """Return how a sheet asks a question of a survey."""
    if question.protection is Protection.DIRECT:
        return Asking.AS_IT_IS
    if not survey.drawn_places.isdisjoint(survey.places[question.id]):
        return Asking.DRAWN
    if question.statements:
        return Asking.BY_HAND
    makeable = all(
        item.group is None
        and coins.can_be_forced(item)
        and coins.procedure_for(item.channel) is not None
        for item in survey.items_of(question)
    )
    return Asking.BY_HAND if makeable else Asking.NOT_MAKEABLE


def rare_by_hand(survey: Survey) -> tuple[str, ...]:
    """Say what chance hardly ever decides, where people make it themselves; see `coins.RARE`."""
    questions = [
        question.id
        for question in survey.questions
        if asking(survey, question) is Asking.BY_HAND
        and any(_is_rare(item) for item in survey.items_of(question))
    ]
    if not questions:
        return ()
    told = (
        f"By hand, an answer is forced less than once in {coins.RARE.denominator} times: "
        f"{', '.join(questions)}. What people write down is nearly always the truth."
    )
    return (told,)


def left_to_chance(survey: Survey) -> tuple[str, ...]:
    """Say which questions no sheet asks because chance draws them.

    Units share an ε, which no coin or die makes to the digit. Of a question with an `ask` of its
    own, a sheet would have to keep what was drawn, where others could see it.
    """
    ids = [one.id for one in survey.questions if asking(survey, one) is Asking.DRAWN]
    if not ids:
        return ()
    told = (
        f"No sheet asks {', '.join(ids)}: each person is asked only some of these, drawn by chance."
    )
    return (told,)


def places_on_sheet(survey: Survey) -> frozenset[int]:
    """Return where in a report the items stand that a sheet asks."""
    return frozenset(
        place
        for question in survey.questions
        if asking(survey, question).on_sheet
        for place in survey.places[question.id]
    )


def check_sheet(answers: bytes, survey: Survey) -> None:
    """Check the answers of a sheet, one byte an item.

    Reports from browsers may leave out what chance can have left out, and nothing else
    (`deniable.report.Report.check`). Those of sheets leave out what no hand can randomise; what was
    left out is the same on all sheets, so that it says nothing about anybody.
    """
    asked = places_on_sheet(survey)
    check_answers(answers, survey.report_counts, frozenset(range(len(survey.items))) - asked)
    for place, answer in enumerate(answers):
        if place not in asked and answer != NOT_ASKED:
            raise ValueMistake(f"item {place + 1}: expected no answer, a sheet does not ask it")


def _is_rare(item: Item) -> bool:
    if item.has_spinner:
        return min(item.channel.weights[0]) < coins.RARE * ROW_SUM
    procedure = coins.procedure_for(item.channel)
    return procedure is not None and procedure.rare
