"""A survey on paper: which of its questions a sheet can ask, and what its ticks stand for.

A sheet holds final answers only: people randomise by hand, see `deniable.coins`, or answer a direct
question. A sheet leaves out the questions that no hand can randomise; its report says that they
were not asked. Where chance draws the questions, the program that prints the sheets draws them for
each sheet, as a device would.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from enum import Enum, auto
from typing import Final

from deniable import coins, disc
from deniable.channel import ROW_SUM
from deniable.survey import Survey
from deniable.survey.draws import Draw
from deniable.survey.items import Item
from deniable.survey.questions import Protection, Question

_CHANCE: Final = random.SystemRandom()


class Asking(Enum):
    """How a sheet asks a question, or why it does not."""

    AS_IT_IS = auto()
    """Directly: the tick is the truth."""
    BY_HAND = auto()
    """By coin, die or disc, thrown or spun anew for each of its items."""
    NOT_MAKEABLE = auto()
    """Left out: no coin, die or disc has its probabilities."""
    DRAWN = auto()
    """Left out: its draw includes items that no hand can randomise, or the survey has waves."""

    @property
    def on_sheet(self) -> bool:
        """Whether a sheet asks the question: directly, or by a coin, a die or a disc."""
        return self in (Asking.AS_IT_IS, Asking.BY_HAND)


def asking(survey: Survey, question: Question) -> Asking:
    """Return how a sheet asks a question of a survey."""
    if question.protection is Protection.DIRECT:
        return Asking.AS_IT_IS
    places = survey.places[question.id]
    if not survey.drawn_places.difference(places_drawn(survey)).isdisjoint(places):
        return Asking.DRAWN
    makeable = all(can_be_made(survey, place) for place in places)
    return Asking.BY_HAND if makeable else Asking.NOT_MAKEABLE


def draws_on_sheet(survey: Survey) -> tuple[Draw, ...]:
    """Return the draws that are made anew for each sheet.

    A draw is left out whole if a hand cannot randomise one of its items: leaving out some would
    change the chances of the others. In waves a device keeps its draw, and a pile of sheets cannot.
    """
    if survey.keeps_noise:
        return ()
    by_machine = frozenset().union(
        *(
            one.all_places
            for one in survey.draws
            if not all(can_be_made(survey, place) for place in one.all_places)
        )
    )
    return tuple(one for one in survey.draws if by_machine.isdisjoint(one.all_places))


def places_drawn(survey: Survey) -> frozenset[int]:
    """Return the places in a report of the items that only some sheets ask."""
    return frozenset().union(*(draw.all_places for draw in draws_on_sheet(survey)))


def places_of_all(survey: Survey) -> frozenset[int]:
    """Return the places in a report of the items that every sheet asks."""
    return places_on_sheet(survey) - places_drawn(survey)


def draw_sheets(survey: Survey, count: int) -> Iterator[frozenset[int]]:
    """Draw the items of each of `count` sheets, as places in a report."""
    all_asked, draws = places_on_sheet(survey), draws_on_sheet(survey)
    for _ in range(count):
        asked = all_asked
        for draw in draws:
            if draw.chances:
                chosen = draw.sets[bisect_right(draw.ends, _CHANCE.getrandbits(32))]
            else:
                chosen = tuple(_CHANCE.sample(range(len(draw.choices)), draw.count))
            asked -= draw.all_places.difference(*(draw.places[one] for one in chosen))
        yield asked


def rare_by_hand(survey: Survey) -> tuple[str, ...]:
    """Warn of questions whose answers a hand forces less often than `coins.RARE`."""
    questions = [
        question.id
        for question in survey.questions
        if asking(survey, question) is Asking.BY_HAND
        and any(is_rare(item) for item in survey.items_of(question))
    ]
    if not questions:
        return ()
    told = (
        f"By hand, an answer is forced less than once in {coins.RARE.denominator} times: "
        f"{', '.join(questions)}. What people write down is nearly always the truth."
    )
    return (told,)


def left_off_sheets(survey: Survey) -> tuple[str, ...]:
    """Return a sentence on the questions whose draw no sheet can make, so that none asks them."""
    left = [one for one in survey.questions if asking(survey, one) is Asking.DRAWN]
    if not left:
        return ()
    by_machine = [
        one.id
        for one in left
        if not all(can_be_made(survey, place) for place in survey.places[one.id])
    ]
    anew = survey.if_kept("each wave's sheet would be drawn anew")
    why = f"drawn by chance, and {anew or 'no hand can randomise ' + ', '.join(by_machine)}"
    ids = ", ".join(one.id for one in left)
    return (f"No sheet asks {ids}: each person is asked only some of these, {why}.",)


def places_on_sheet(survey: Survey) -> frozenset[int]:
    """Return the places in a report of the items that a sheet can ask."""
    return frozenset(
        place
        for question in survey.questions
        if asking(survey, question).on_sheet
        for place in survey.places[question.id]
    )


def printed(survey: Survey, item: Item) -> dict[str, int]:
    """Map each text that sheets print beside a box to the place of its report.

    Texts are in all languages of the survey file. A text of two different reports is left out.
    """
    texts = [(one.text, at) for at, one in enumerate(item.reports)]
    texts += [(text, at) for at, text in enumerate(disc.ticks(item))]
    for translation in survey.translations:
        answers = translation.questions[item.question].answers
        texts += [
            (answers[one.code], at) for at, one in enumerate(item.reports) if one.code in answers
        ]
    found = Counter(text for text, _ in {*texts})
    return {text: at for text, at in texts if found[text] == 1}


def is_rare(item: Item) -> bool:
    """Return whether a hand forces one of an item's answers less often than `coins.RARE`."""
    if item.has_spinner:
        return min(item.channel.weights[0]) < coins.RARE * ROW_SUM
    procedure = coins.procedure_of(item)
    if procedure is not None:
        return procedure.rare
    parts = disc.disc_for(item)
    return min(parts[:2] if disc.has_steps(item) else parts) < coins.RARE


def can_be_made(survey: Survey, place: int) -> bool:
    """Return whether a coin, a die or a disc can make the probabilities of an item."""
    item = survey.items[place]
    if item.group is not None:
        # One tick answers the whole group, so it cannot depend on a question outside the group.
        own = item.group.questions
        needed = {each.item for id in own for each in survey.question(id).ask_if}
        return needed.issubset(own) and bool(disc.disc_for(item))
    if item.has_spinner or disc.disc_for(item):
        return True
    return coins.procedure_of(item) is not None
