"""Draws of questions by chance: the units that can be drawn, and the probability of each set.

A unit is asked whole or not at all: an option of a `many`, a row of a `grid`, or a question with
all randomised questions that need its answer or are randomised with it as one answer. The
probability of a set of units is proportional to the product of their chances, small whole numbers:
integer arithmetic, the same as in the browser (`client/browser/core/asking.js`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, combinations
from typing import Final, TypeVar

from deniable.channel import ROW_SUM
from deniable.survey.items import Item
from deniable.survey.questions import Ask, Protection, Question

T = TypeVar("T")

MAX_SETS: Final = 255
"""The most sets of units for which chances may differ: with more, all sets are equally likely."""

MAX_CHANCE: Final = 99


@dataclass(frozen=True)
class Draw:
    """A draw of `count` choices that a respondent is asked.

    `choices`: ids of units, or of the items of one question. `places`: for each choice, the places
    of its items in a report. `chances`: of each choice, 1 to `MAX_CHANCE`; empty if all sets are
    equally likely.
    """

    count: int
    choices: tuple[str, ...]
    places: tuple[tuple[int, ...], ...]
    chances: tuple[int, ...] = ()

    @property
    def words(self) -> int:
        """How many random words the draw takes."""
        return 1 if self.chances else len(self.choices)

    @cached_property
    def all_places(self) -> frozenset[int]:
        """The places in a report of all its items."""
        return frozenset().union(*self.places)

    @cached_property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        """The sets of choices that can be drawn, as indices into `choices`."""
        return tuple(combinations(range(len(self.choices)), self.count))

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The first word after those of each set, if there are chances."""
        return self.ends_of(self.sets)

    def ends_of(self, sets: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        """Return the first word after those of each of some sets, if one of these sets is drawn."""
        sums = [*accumulate(math.prod(self.chances[one] for one in some) for some in sets)]
        return tuple(-(-ROW_SUM * each // sums[-1]) for each in sums)

    def share(self, places: Collection[int]) -> Fraction:
        """Return the probability that the draw asks all of its items among these places."""
        wanted = {at for at, own in enumerate(self.places) if not {*own}.isdisjoint(places)}
        if not self.chances:
            rest = self.count - len(wanted)
            ways = math.comb(len(self.choices) - len(wanted), rest) if rest >= 0 else 0
            return Fraction(ways, math.comb(len(self.choices), self.count))
        starts = (0, *self.ends)
        words = (
            end - start
            for some, start, end in zip(self.sets, starts, self.ends, strict=False)
            if wanted.issubset(some)
        )
        return Fraction(sum(words), ROW_SUM)


def draws_of(
    ask: Ask | None, questions: Sequence[Question], items: Sequence[Item]
) -> tuple[Draw, ...]:
    """Return the draws of a survey: first of units, then of items within questions."""

    def places(questions: Collection[str]) -> tuple[int, ...]:
        return tuple(at for at, item in enumerate(items) if item.question in questions)

    groups = [one.group.questions for one in items if one.group is not None]

    def unit(id: str) -> tuple[int, ...]:
        if any(question.id == id for question in questions):
            return places(linked(questions, id, groups))
        return tuple(at for at, item in enumerate(items) if item.id == id)

    draws = []
    if ask is not None:
        draws.append(Draw(ask.count, ask.units, tuple(map(unit, ask.units)), ask.chances))
    for question in questions:
        if question.ask is not None:
            own = places({question.id})
            names = tuple(items[place].id for place in own)
            draws.append(Draw(question.ask, names, tuple((place,) for place in own)))
    return tuple(draws)


def can_draw(draws: Sequence[Draw], drawn: Sequence[bool]) -> bool:
    """Return whether the draws can yield exactly these items.

    `drawn`: for each item, whether it was drawn.
    """
    asked = [True] * len(drawn)
    for draw in draws:
        if not any(asked[place] for place in draw.all_places):
            continue  # the draw of a question that was not drawn
        chosen = [any(drawn[place] for place in places) for places in draw.places]
        if sum(chosen) != draw.count:
            return False
        for places, is_chosen in zip(draw.places, chosen, strict=True):
            for place in places:
                asked[place] &= is_chosen
    return asked == [*drawn]


def most_asked(ask: Ask | None, question: Question, items: Sequence[Item]) -> int:
    """Return the most items of a question that one respondent is asked."""
    if question.ask is not None:
        return question.ask
    if ask is None or question.id in ask.units:
        return len(items)
    units = sum(item.id in ask.units for item in items)
    return len(items) - units + min(units, ask.count)


def dearest(
    questions: Sequence[Question],
    items: Sequence[Item],
    units: Draw | None,
    cost: Callable[[Item], T],
    join: Callable[[Iterable[T], int | None], T],
) -> T:
    """Return the cost of the dearest items that one respondent can be asked together.

    `join`: combines the given number of the largest costs; all of them for None.
    """

    def whole(places: Collection[int]) -> T:
        own = (
            ([items[at] for at in sorted(places) if items[at].question == one.id], one.ask)
            for one in questions
            if one.protection is Protection.RANDOMISED
        )
        return join([join(map(cost, those), count) for those, count in own], None)

    if units is None:
        return whole(range(len(items)))
    always = whole({*range(len(items))}.difference(*units.places))
    return join([always, join(map(whole, units.places), units.count)], None)


def add(millionths: Iterable[int | None], count: int | None) -> int | None:
    """Add up the `count` largest costs, a `join` of `dearest`; None if one of them is unbounded."""
    found = [*millionths]
    bounded = [one for one in found if one is not None]
    return None if len(bounded) < len(found) else sum(sorted(bounded, reverse=True)[:count])


def add_losses(losses: Iterable[float], count: int | None) -> float:
    """Add up the `count` largest, as `add`."""
    return sum(sorted(losses, reverse=True)[:count])


def check_chances(chances: Sequence[int], count: int, choices: int) -> None:
    """Reject invalid chances, and chances that never draw some set."""
    if not chances:
        return
    if len(chances) != choices or not all(
        type(one) is int and 1 <= one <= MAX_CHANCE for one in chances
    ):
        raise ValueError(f"expected a chance of 1 to {MAX_CHANCE} for each of {choices} units")
    if math.comb(choices, count) > MAX_SETS:
        raise ValueError(
            f"expected at most {MAX_SETS} sets of units with chances of their own, found "
            f"{math.comb(choices, count):,} ways to ask {count} of {choices}"
        )
    ends = Draw(count, ("",) * choices, ((),) * choices, tuple(chances)).ends
    if any(end == start for start, end in zip((0, *ends), ends, strict=False)):
        raise ValueError("expected chances that differ less: some units are never drawn together")


def linked(
    questions: Sequence[Question], id: str, groups: Iterable[Collection[str]]
) -> tuple[str, ...]:
    """Return a randomised question with all questions that are drawn with it.

    These need its answer, or give an answer that it needs, or are in its group, also through other
    questions. `groups`: ids of questions that are randomised as one answer.
    """
    randomised = [one for one in questions if one.protection is Protection.RANDOMISED]
    owner = {item: one.id for one in randomised for item, _ in one.parts}
    links = [
        {one.id, *(owner[each.item] for each in one.ask_if if each.item in owner)}
        for one in randomised
    ]
    links += map(set, groups)
    found = {id}
    while more := [link for link in links if link & found and not link <= found]:
        found = found.union(*more)
    return tuple(one.id for one in questions if one.id in found)


def unit_ids(
    questions: Sequence[Question],
    drawn: Collection[str],
    groups: Sequence[Collection[str]],
    whole: Collection[str] = (),
) -> Iterator[str]:
    """Yield the ids of the units of the drawn questions.

    `groups`: as in `linked`. `whole`: ids of the `many` and `grid` questions whose options or rows
    are asked together.
    """
    for question in questions:
        if question.id not in drawn:
            continue
        together = linked(questions, question.id, groups)
        if len(together) > 1 or question.ask is not None or question.id in whole:
            if together[0] == question.id:
                yield question.id
        else:
            yield from (id for id, _ in question.parts)
