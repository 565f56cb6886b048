"""A survey on paper: which of its questions a sheet can ask, and what a sheet's answers may be.

A sheet holds final answers only: people randomise by hand, see `deniable.coins`, or tick what they
would also tell a direct question. What no hand can randomise is left out of the sheet, and in the
report that a sheet becomes it was not asked. Where chance draws what a person is asked, the program
that prints the sheets draws it for each, as a device would.
"""

from __future__ import annotations

import random
import secrets
from bisect import bisect_right
from enum import Enum, auto
from typing import Final

from deniable import coins
from deniable.channel import ROW_SUM
from deniable.report import NOT_ASKED, NOT_DRAWN, ValueMistake, check_answers
from deniable.survey import Survey
from deniable.survey.draws import Draw, can_draw
from deniable.survey.items import Item
from deniable.survey.questions import Protection, Question

_CHANCE: Final = random.SystemRandom()

OTHERS: Final = "expected answers to all that one sheet asks, and to nothing else"


class Asking(Enum):
    """How a sheet asks a question, or why it does not."""

    AS_IT_IS = auto()
    """Directly: what is ticked is the truth."""
    BY_HAND = auto()
    """After chance was made by hand, anew for each of its items; or by a disc on the sheet."""
    NOT_MAKEABLE = auto()
    """Left out: no coin, die, card or disc comes up with its probabilities."""
    DRAWN = auto()
    """Left out: chance draws from what no hand can randomise, or anew in each wave."""

    @property
    def on_sheet(self) -> bool:
        """Whether a sheet asks it."""
        return self in (Asking.AS_IT_IS, Asking.BY_HAND)


def asking(survey: Survey, question: Question) -> Asking:
    """Return how a sheet asks a question of a survey."""
    if question.protection is Protection.DIRECT:
        return Asking.AS_IT_IS
    places = survey.places[question.id]
    if not survey.drawn_places.difference(places_drawn(survey)).isdisjoint(places):
        return Asking.DRAWN
    makeable = all(_can_be_made(survey.items[place]) for place in places)
    return Asking.BY_HAND if makeable else Asking.NOT_MAKEABLE


def draws_on_sheet(survey: Survey) -> tuple[Draw, ...]:
    """Return what chance draws for each sheet.

    Where a hand cannot randomise all that a draw chooses from, sheets leave all of it out: to leave
    out some would change how likely the others are. In waves a device keeps what was drawn, which a
    pile of sheets cannot.
    """
    if survey.waves is not None:
        return ()
    left_out = {
        place
        for draw in survey.draws
        if not all(_can_be_made(survey.items[place]) for own in draw.places for place in own)
        for own in draw.places
        for place in own
    }
    return tuple(one for one in survey.draws if left_out.isdisjoint(set().union(*one.places)))


def places_drawn(survey: Survey) -> frozenset[int]:
    """Return where in a report the items stand that only some sheets ask."""
    return frozenset(at for draw in draws_on_sheet(survey) for own in draw.places for at in own)


def places_of_all(survey: Survey) -> frozenset[int]:
    """Return where in a report the items stand that every sheet asks."""
    return places_on_sheet(survey) - places_drawn(survey)


def draw_sheet(survey: Survey) -> frozenset[int]:
    """Draw which items one more sheet asks, by their places in a report."""
    asked = places_on_sheet(survey)
    for draw in draws_on_sheet(survey):
        if draw.chances:
            chosen = draw.sets[bisect_right(draw.ends, secrets.randbits(32))]
        else:
            chosen = tuple(_CHANCE.sample(range(len(draw.choices)), draw.count))
        asked -= {
            place for at, places in enumerate(draw.places) if at not in chosen for place in places
        }
    return asked


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
    """Say which questions no sheet asks because chance draws them, and why it cannot here."""
    left = [one for one in survey.questions if asking(survey, one) is Asking.DRAWN]
    if not left:
        return ()
    by_machine = [one.id for one in left if not all(map(_can_be_made, survey.items_of(one)))]
    why = (
        "drawn by chance, and each wave's sheet would be drawn anew"
        if survey.waves is not None
        else f"drawn by chance, and no hand can randomise {', '.join(by_machine)}"
    )
    ids = ", ".join(one.id for one in left)
    return (f"No sheet asks {ids}: each person is asked only some of these, {why}.",)


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
    asked, draws, drawn = places_on_sheet(survey), draws_on_sheet(survey), places_drawn(survey)
    blank = {at for at, one in enumerate(answers) if one == NOT_DRAWN and at in drawn}
    told = bytes(NOT_ASKED if at in blank else one for at, one in enumerate(answers))
    check_answers(told, survey.report_counts, {*range(len(survey.items))} - asked | blank)
    for place, answer in enumerate(answers):
        if place not in asked and answer != NOT_ASKED:
            raise ValueMistake(f"item {place + 1}: expected no answer, a sheet does not ask it")
    if not can_draw(draws, [at not in blank for at in range(len(answers))]):
        raise ValueMistake(OTHERS)


def _is_rare(item: Item) -> bool:
    if item.has_spinner:
        return min(item.channel.weights[0]) < coins.RARE * ROW_SUM
    procedure = coins.procedure_for(item.channel) if coins.can_be_forced(item) else None
    return procedure.rare if procedure is not None else min(coins.disc_for(item)) < coins.RARE


def _can_be_made(item: Item) -> bool:
    """Whether a coin, a die, a card or a disc comes up with the probabilities of an item."""
    if item.has_spinner or coins.disc_for(item):
        return True
    return (
        item.group is None
        and coins.can_be_forced(item)
        and coins.procedure_for(item.channel) is not None
    )
