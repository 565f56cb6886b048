"""How sure somebody could get of what is true of a person, in numbers and in words.

From one answer by itself, and if all answers point to the same thing; both of somebody who thought
it 50:50. Pages, packets, letters, labels, sheets and commands all ask here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from fractions import Fraction
from itertools import combinations
from typing import Final, TypeVar

from deniable import exact, paper
from deniable.channel import ROW_SUM, Channel
from deniable.survey import Survey
from deniable.survey.draws import dearest
from deniable.survey.items import Item
from deniable.survey.questions import Protection, Question
from deniable.text.languages import Say, in_english
from deniable.text.laws import how_they_are_mixed

T = TypeVar("T")

EVEN: Final = Fraction(1, 2)
"""What somebody thinks who thinks both equally likely."""


class Colour(StrEnum):
    """In which colour a bound is told."""

    CALM = "calm"
    AMBER = "amber"
    RED = "red"


class Tier(Enum):
    """How far one answer by itself can be told, as every page and command names it."""

    HINT = "hint"
    """Up to 75 in 100, a ratio of 3, which is that of two coins."""
    STRONG_HINT = "strong hint"
    """Up to 90 in 100, a ratio of 9."""
    CLOSE_TO_PROOF = "close to proof"

    @property
    def colour(self) -> Colour:
        """The colour in which it is told."""
        return _COLOURS[self]


_COLOURS: Final = {
    Tier.HINT: Colour.CALM,
    Tier.STRONG_HINT: Colour.AMBER,
    Tier.CLOSE_TO_PROOF: Colour.RED,
}

_UP_TO: Final = {75: Tier.HINT, 90: Tier.STRONG_HINT, 100: Tier.CLOSE_TO_PROOF}

CALM: Final = 95
"""Up to here it is calm how sure somebody can get of what many answers point to together."""


def named(tier: Tier) -> str:
    """Name a tier within a sentence: ``a hint``."""
    return tier.value if tier is Tier.CLOSE_TO_PROOF else f"a {tier.value}"


@dataclass(frozen=True)
class Told:
    """A bound in words."""

    text: str
    colour: Colour


_BUT_A_MILLIONTH: Final = 1 - Fraction(1, exact.MILLION)

# The ratio that nothing bounds: None, as in `Channel.ratio`.
_Ratio = Fraction | None


def in_hundred(ratio: Fraction | None, prior: Fraction = EVEN) -> int:
    """Return what 50 in 100, or what somebody else thought, can become, rounded up.

    Somebody thought 50 in 100 likely what a report is now r times as likely to come from. Then it
    is likely to r in r + 1. It is rounded up, but for a millionth of r: weights are integers, so
    that the 4 of a flip of 1/5 is 4.000000004.

    `ratio`: the largest ratio between the chances of what is sent; None if it is not bounded.
    `prior`: how likely it was thought to be, between 0 and 1. Result: from what was thought to 100,
    which says that 99 is not the end.
    """
    if ratio is None:
        return 100
    for_it = ratio * _BUT_A_MILLIONTH * prior
    return math.ceil(100 * for_it / (for_it + 1 - prior))


def tier_of(number: int) -> Tier:
    """Return the tier of so many in 100."""
    return next(tier for most, tier in _UP_TO.items() if number <= most)


def colour_of_all(number: int, above: Colour = Colour.AMBER) -> Colour:
    """Return the colour of what all answers can show together."""
    return above if number > CALM else Colour.CALM


@dataclass(frozen=True)
class Sureness:
    """How sure somebody can get who thought it 50:50, in 100.

    All that is said of a risk follows from here: pages, packets, letters, sheets and commands. The
    respondent's device says the same from its own numbers (`client/browser/page/sureness.js`).

    `one`: from one answer by itself, the dearest. `all`: if all protected answers that one person
    gives point to the same thing; in waves while they stay the same. `answers`: how many these are.
    `guess`: how often the best guess from one answer is right, on average. `fact`: from the `times`
    answers that ask about one fact with fresh chance; None where none do. `changed`, `changing`:
    the first two of the reports of all waves, whatever changes between them, even to somebody who
    has the device; None without waves. `unlimited`: whether nothing bounds what a change reveals.
    """

    one: int
    all: int
    answers: int
    guess: int
    fact: int | None = None
    times: int = 0
    changed: int | None = None
    changing: int | None = None
    unlimited: bool = False

    @property
    def tier(self) -> Tier:
        """That of one answer by itself."""
        return tier_of(self.one)

    @property
    def most(self) -> int:
        """Of everything together, whatever changes."""
        return self.all if self.changing is None else self.changing

    @property
    def colour(self) -> Colour:
        """The gravest of all that is told."""
        found = {line.colour for line in self.lines()}
        return next(one for one in reversed(Colour) if one in found)

    def lines(self, say: Say = in_english, law: str = "") -> tuple[Told, ...]:
        """Say each bound, that of one answer first, behind how the answers are sent."""
        first = Told(f"{law} {self._of_one(say)}".lstrip(), self.tier.colour)
        is_more = self.all > self.one and self.times < self.answers
        every = (Told(self._of_all(say), colour_of_all(self.all)),) if is_more else ()
        return (first, *every, *self._of_one_fact(say), *self._if_they_change(say))

    def average(self, say: Say = in_english) -> str:
        """Say how often a guess is right."""
        return say(
            "On average, the best guess from one answer is right {count} times in 100 at most.",
            count=self.guess,
        )

    def _of_one(self, say: Say) -> str:
        most = at_most(self.one, say)
        tier = {
            Tier.HINT: say("a hint, not proof"),
            Tier.STRONG_HINT: say("a strong hint, not proof"),
            Tier.CLOSE_TO_PROOF: say("close to proof"),
        }[self.tier]
        if self.answers > 1:
            return say(
                "From one answer by itself, someone who thought it was 50:50 can be {most}: "
                "{tier}.",
                most=most,
                tier=tier,
            )
        return say("Someone who thought it was 50:50 can be {most}: {tier}.", most=most, tier=tier)

    def _of_all(self, say: Say) -> str:
        sure = up_to(self.all, say)
        if self.answers == 2:
            return say(
                "If both answers point to the same thing, together they could make someone {sure}.",
                sure=sure,
            )
        return say(
            "If all {count} answers point to the same thing, together they could make someone "
            "{sure}.",
            count=self.answers,
            sure=sure,
        )

    def _of_one_fact(self, say: Say) -> Iterator[Told]:
        """Say what answers tell that ask one fact again, with fresh chance: a warning is red."""
        if self.fact is not None:
            text = say(
                "{count} answers are about the same fact: together they could make someone {sure}.",
                count=self.times,
                sure=up_to(self.fact, say),
            )
            yield Told(text, colour_of_all(self.fact, Colour.RED))

    def _if_they_change(self, say: Say) -> Iterator[Told]:
        """Say what later waves tell. A change is asked with fresh chance: a warning is red."""
        if self.changed is None or self.changing is None:
            return
        same = say("While your answers stay the same, later waves tell no more.")
        if self.unlimited:
            shows = say("If an answer of yours changes between waves, someone can see that.")
            yield Told(f"{same} {shows}", Colour.RED)
            return
        changes = say(
            "If one changes, its reports together could make someone {sure}.",
            sure=up_to(self.changed, say),
        )
        yield Told(f"{same} {changes}", colour_of_all(self.changed, Colour.RED))
        if self.changing > self.changed:
            every = say(
                "If all your answers of all waves point to the same thing, together they could "
                "make someone {sure}.",
                sure=up_to(self.changing, say),
            )
            yield Told(every, colour_of_all(self.changing))


def at_most(number: int, say: Say = in_english) -> str:
    """Say how far somebody can get."""
    if number == 100:
        return say("more than 99\N{NO-BREAK SPACE}% sure")
    return say("{count}\N{NO-BREAK SPACE}% sure at most", count=number)


def up_to(number: int, say: Say = in_english) -> str:
    """Say how far all of it together could bring somebody."""
    if number == 100:
        return say("more than 99\N{NO-BREAK SPACE}% sure")
    return say("up to {count}\N{NO-BREAK SPACE}% sure", count=number)


def sureness(survey: Survey) -> Sureness | None:
    """Return how sure somebody can get of what is sent; None if nothing is randomised.

    From the integers of the channels, exactly. If chance draws what is asked, it is of the dearest
    that it can draw, see `Survey.spent_millionths`.
    """
    if not survey.randomised:
        return None
    one, all_ = map(in_hundred, _ratios(survey, lambda item: item.longitudinal.ratio))
    guess = _guess(item.longitudinal for item in survey.randomised)
    fact, times = _of_one_fact(survey, lambda item: item.longitudinal.ratio)
    found = Sureness(one, all_, _protected_answers(survey), guess, fact, times)
    if survey.waves is None:
        return found
    changed, changing = _ratios(survey, lambda item: _over_waves(item, survey.waves or 1))
    return replace(
        found,
        changed=max(one, in_hundred(changed)),
        changing=max(all_, in_hundred(changing)),
        unlimited=changing is None,
    )


def _of_one_fact(
    survey: Survey, law: Callable[[Item], _Ratio], among: Collection[str] | None = None
) -> tuple[int | None, int]:
    """Return how sure somebody can get of a fact that is asked again, and how often one person is.

    None and 0 where no fact is, or none with fresh chance. `among`: see `_protected_answers`.
    """

    def times(item: Item) -> int:
        if not (among is None or item.id in among):
            return 0
        own = (item.question,) if item.group is None else item.group.questions
        return len({*own} & {*survey.same_fact})

    count = _of_dearest(survey, times, _most)
    one, all_ = _ratios(survey, lambda item: law(item) if times(item) else Fraction(1))
    fact = in_hundred(all_)
    return (fact, count) if count > 1 and fact > in_hundred(one) else (None, 0)


def _protected_answers(survey: Survey, among: Collection[str] | None = None) -> int:
    """Count the most protected answers that one person gives.

    `among`: the ids of the items that are asked at all; None for all.
    """

    def answers(item: Item) -> int:
        if item.protection is Protection.DIRECT or not (among is None or item.id in among):
            return 0
        return 1 if item.group is None else len(item.group.questions)

    return _of_dearest(survey, answers, _most)


def _of_dearest(
    survey: Survey, cost: Callable[[Item], T], join: Callable[[Iterable[T], int | None], T]
) -> T:
    """Return what the dearest that one person is asked costs; of a group its first item does."""
    apart = [one for one in survey.questions if not survey.is_drawn_with_another(one.id)]
    return dearest(apart, survey.items, survey.units, cost, join)


def _most(counts: Iterable[int], count: int | None = None) -> int:
    """Add up the largest."""
    return sum(sorted(counts, reverse=True)[:count])


def _guess(channels: Iterable[Channel]) -> int:
    """Return how often the best guess is right, of 100 times, at which truth made a report.

    Of two truths that were equally likely: half of 1 and their total variation. Of the two that
    are told apart best; rounded up, but for a millionth.
    """
    gap = max(
        sum(abs(a - b) for a, b in zip(one, other, strict=True))
        for channel in channels
        for one, other in combinations(channel.weights, 2)
    )
    return math.ceil(100 * _BUT_A_MILLIONTH * (Fraction(gap, 2 * ROW_SUM) + 1) / 2)


def told(survey: Survey, say: Say = in_english) -> tuple[Told, ...]:
    """Say how the protected answers are sent, and how sure somebody can get; empty if none are."""
    found = sureness(survey)
    return () if found is None else found.lines(say, how_they_are_mixed(survey, found.answers, say))


def implication(survey: Survey, say: Say = in_english) -> tuple[str, ...]:
    """Say what anybody could learn: from one answer, from all, and beside the direct ones."""
    said = tuple(line.text for line in told(survey, say))
    if not said:
        return (
            say(
                "Every answer in this survey is sent as you give it. Anyone who sees what is "
                "stored can read your answers."
            ),
        )
    if all(one.protection is Protection.RANDOMISED for one in survey.questions):
        return said
    direct = say("Your other answers are sent as you give them, and may help someone guess.")
    return (*said, direct)


def sureness_of(survey: Survey, question: Question, prior: Fraction = EVEN) -> int | None:
    """Return how sure somebody can get from one answer to a question; None if it is direct."""
    if question.protection is Protection.DIRECT:
        return None
    items = survey.items_of(question)
    return in_hundred(_dearest((item.longitudinal.ratio for item in items), 1), prior)


def sureness_of_all(survey: Survey, prior: Fraction = EVEN) -> int | None:
    """Return how sure somebody can get of all of them together; None if nothing is randomised."""
    if not survey.randomised:
        return None
    _, together = _ratios(survey, lambda item: item.longitudinal.ratio)
    return in_hundred(together, prior)


def sureness_on_sheet(survey: Survey) -> Sureness | None:
    """Return how sure somebody can get of one sheet of paper, whose chance nobody remembers."""
    asked = paper.places_on_sheet(survey)
    by_hand = {
        item.id
        for place, item in enumerate(survey.items)
        if place in asked and item.protection is Protection.RANDOMISED
    }
    if not by_hand:
        return None

    def by_hand_law(item: Item) -> _Ratio:
        return _on_sheet(item).ratio if item.id in by_hand else Fraction(1)

    one, all_ = _ratios(survey, by_hand_law)
    guess = _guess(_on_sheet(item) for item in survey.items if item.id in by_hand)
    answers = _protected_answers(survey, by_hand)
    fact, times = _of_one_fact(survey, by_hand_law, by_hand)
    return Sureness(in_hundred(one), in_hundred(all_), answers, guess, fact, times)


def _ratios(survey: Survey, law: Callable[[Item], _Ratio]) -> tuple[_Ratio, _Ratio]:
    """Return the ratio of the dearest answer, and of the dearest that one person gives."""
    return _dearest(map(law, survey.randomised), 1), _of_dearest(survey, law, _dearest)


def _on_sheet(item: Item) -> Channel:
    return item.channel if item.group is None else item.group.channel


def _dearest(ratios: Iterable[_Ratio], count: int | None = None) -> _Ratio:
    """Multiply the largest of the ratios: the chance of each is drawn apart from the others."""
    found = list(ratios)
    if None in found:
        return None
    bounded = (ratio for ratio in found if ratio is not None)
    return math.prod(sorted(bounded, reverse=True)[:count], start=Fraction(1))


def _over_waves(item: Item, waves: int) -> _Ratio:
    ratio = None if item.memory is None else item.memory.instantaneous.ratio
    return None if ratio is None else ratio**waves


def factor(survey: Survey) -> Fraction:
    """Return e^ε of all that one person answers, from the integers of the channels.

    It says how many times as likely these answers make some reports as other answers do.
    """
    _, together = _ratios(survey, lambda item: item.longitudinal.ratio)
    if together is None:
        raise ValueError("expected items with a bounded epsilon, found infinity")
    return together
