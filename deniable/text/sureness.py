"""How sure an observer could get of a respondent's true answer, in numbers and in words.

From one answer by itself, and if all answers point to the same thing, both for an observer who
thought it 50:50. Pages, packets, letters, labels, sheets and commands all use this module.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from fractions import Fraction
from typing import Final

import numpy as np

from deniable import exact, paper
from deniable.channel import ROW_SUM, Channel
from deniable.survey import Survey
from deniable.survey.draws import add_losses
from deniable.survey.items import Item
from deniable.survey.questions import Protection, Question
from deniable.text.languages import Say, in_english
from deniable.text.randomisation import randomisation

EVEN: Final = Fraction(1, 2)
"""The prior of an observer who thinks both equally likely."""


class Colour(StrEnum):
    """The colour in which a page shows a bound."""

    CALM = "calm"
    AMBER = "amber"
    RED = "red"


class Tier(Enum):
    """How much one answer by itself reveals, in the words of every page and command."""

    HINT = "hint"
    """Up to 75 in 100, a ratio of 3, the ratio of two coins."""
    STRONG_HINT = "strong hint"
    """Up to 90 in 100, a ratio of 9."""
    CLOSE_TO_PROOF = "close to proof"

    @property
    def colour(self) -> Colour:
        """The colour in which a page shows the tier."""
        return _COLOURS[self]


_COLOURS: Final = dict(zip(Tier, Colour, strict=True))

_UP_TO: Final = {75: Tier.HINT, 90: Tier.STRONG_HINT, 100: Tier.CLOSE_TO_PROOF}

STAY: Final = (
    "If an answer could cost somebody their job or freedom, stay with a hint: 75 in 100 at most "
    "from one answer. From all answers together, people read more than 95 as a warning."
)
"""The advice to who chooses a tier."""

CALM: Final = 95
"""The greatest certainty from all answers together, in 100, that is shown in calm colour."""


@dataclass(frozen=True)
class Told:
    """A bound in words; `of`: the number of `Sureness` that it says."""

    text: str
    colour: Colour
    of: str = "one"


_BUT_A_MILLIONTH: Final = 1 - Fraction(1, exact.MILLION)

# None is unbounded, as in `Channel.ratio`.
_Ratio = Fraction | None


def in_hundred(ratio: Fraction | None, prior: Fraction = EVEN) -> int:
    """Return the greatest certainty, in 100, after a report, for a prior of 50 in 100 or another.

    With a prior of 1/2 and a report that is r times as likely from one truth as from the other, the
    posterior is r in r + 1. It is rounded up, except for a millionth of r: weights are integers, so
    that the 4 of a flip of 1/5 is 4.000000004.

    `ratio`: the largest ratio between the chances of a report; None if unbounded. `prior`: the
    observer's probability before the report, between 0 and 1. Result: at least 100 times the prior;
    100 means more than 99.
    """
    if ratio is None:
        return 100
    for_it = ratio * _BUT_A_MILLIONTH * prior
    return math.ceil(100 * for_it / (for_it + 1 - prior))


def tier_of(number: int) -> Tier:
    """Return the tier of a certainty in 100."""
    return next(tier for most, tier in _UP_TO.items() if number <= most)


def colour_of_all(number: int, above: Colour = Colour.AMBER) -> Colour:
    """Return the colour of a certainty, in 100, from all answers together."""
    return above if number > CALM else Colour.CALM


@dataclass(frozen=True)
class Sureness:
    """How sure an observer who thought it 50:50 can get, in 100.

    All statements about risk follow from it: pages, packets, letters, sheets and commands. The
    respondent's device derives the same from its own numbers (`client/browser/page/sureness.js`).

    `one`: from one answer by itself, the dearest. `all`: if all protected answers of one respondent
    point to the same thing; in waves while they stay the same. `answers`: the number of these
    answers. `guess`: how often the best guess from one answer is right, on average. `fact`: from
    the `times` answers that ask about one fact with fresh chance; None where none do. `changed`,
    `changing`: `one` and `all` from the reports of all waves, whatever changes between them, even
    for an observer who has the device; None unless the same people answer several waves.
    `unlimited`: whether nothing bounds what a change reveals. `forgot`, `forgot_all`: `one` and
    `all` from the reports of all waves if the browser forgets what it keeps.
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
    forgot: int = 0
    forgot_all: int = 0

    @property
    def tier(self) -> Tier:
        """The tier of one answer by itself."""
        return tier_of(self.one)

    @property
    def colour(self) -> Colour:
        """The gravest colour of all lines."""
        found = {line.colour for line in self.lines()}
        return next(one for one in reversed(Colour) if one in found)

    def lines(self, say: Say = in_english, randomised: str = "") -> tuple[Told, ...]:
        """Say each bound, the bound for one answer first, after the sentence `randomised`."""
        first = Told(f"{randomised} {self._of_one(say)}".lstrip(), self.tier.colour)
        is_more = self.all > self.one and self.times < self.answers
        every = (Told(self._of_all(say), colour_of_all(self.all), "all"),) if is_more else ()
        return (first, *every, *self._of_one_fact(say), *self._if_they_change(say))

    def average(self, say: Say = in_english) -> str:
        """Say how often the best guess from one answer is right."""
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
        # Answers about one fact always point to the same thing: above `CALM` red, not amber.
        if self.fact is not None:
            text = say(
                "{count} answers are about the same fact: together they could make someone {sure}.",
                count=self.times,
                sure=up_to(self.fact, say),
            )
            yield Told(text, colour_of_all(self.fact, Colour.RED), "fact")

    def _if_they_change(self, say: Say) -> Iterator[Told]:
        """Say what later waves reveal. A changed answer is drawn with fresh chance: red if much."""
        if self.changed is None or self.changing is None:
            return
        same = say("While your answers stay the same, later waves tell no more.")
        if self.unlimited:
            shows = say("If you change your answer next time, someone can see that.")
            yield Told(f"{same} {shows}", Colour.RED, "changed")
        else:
            changes = say(
                "If one changes, its reports together could make someone {sure}.",
                sure=up_to(self.changed, say),
            )
            yield Told(f"{same} {changes}", colour_of_all(self.changed, Colour.RED), "changed")
        if self.changing > self.changed:
            every = say(
                "If all your answers of all waves point to the same thing, together they could "
                "make someone {sure}.",
                sure=up_to(self.changing, say),
            )
            yield Told(every, colour_of_all(self.changing), "changing")
        yield Told(self._if_forgotten(say), colour_of_all(self.forgot_all), "forgot_all")

    def _if_forgotten(self, say: Say) -> str:
        sure = up_to(self.forgot, say)
        if self.forgot_all == self.forgot:
            return say(
                "If your browser forgets between waves, someone can be {sure}.",
                sure=sure,
            )
        return say(
            "If your browser forgets between waves, someone can be {sure} from one answer, {all} "
            "from all.",
            sure=sure,
            all=percent_alone(self.forgot_all, say),
        )


def at_most(number: int, say: Say = in_english) -> str:
    """Return a certainty, in 100, as a bound: ``75% sure at most``; 100 is more than 99."""
    if number == 100:
        return say("more than 99\N{NO-BREAK SPACE}% sure")
    return say("{count}\N{NO-BREAK SPACE}% sure at most", count=number)


def up_to(number: int, say: Say = in_english) -> str:
    """Say a certainty, in 100, from several answers: ``up to 75% sure``."""
    if number == 100:
        return say("more than 99\N{NO-BREAK SPACE}% sure")
    return say("up to {count}\N{NO-BREAK SPACE}% sure", count=number)


def percent_alone(number: int, say: Say = in_english) -> str:
    """Say a certainty, in 100, after what it is of: ``75%``."""
    if number == 100:
        return say("more than 99\N{NO-BREAK SPACE}%")
    return say("{count}\N{NO-BREAK SPACE}%", count=number)


def hundredths(number: int) -> str:
    """Write a certainty, in 100, in a table that says what it is: ``75``, ``over 99``."""
    return "over 99" if number == 100 else str(number)


def sureness(survey: Survey) -> Sureness | None:
    """Return how sure an observer of the reports can get; None if nothing is randomised.

    Exactly, from the integers of the channels. If chance draws the questions, it is for the dearest
    draw, see `Survey.spent_millionths`.
    """
    if not survey.randomised:
        return None
    one, all_ = map(in_hundred, _ratios(survey, lambda item: item.longitudinal.ratio))
    guess = _guess(item.longitudinal for item in survey.randomised)
    fact, times = _of_one_fact(survey, lambda item: item.longitudinal.ratio)
    found = Sureness(one, all_, _protected_answers(survey), guess, fact, times)
    if not survey.keeps_noise:
        return found
    changed, changing = _ratios(survey, lambda item: _over_waves(item, survey.waves))
    return replace(
        found,
        changed=max(one, in_hundred(changed)),
        changing=max(all_, in_hundred(changing)),
        unlimited=changing is None,
        forgot=max(one, _by_loss(max(item.forgotten(survey.waves) for item in survey.randomised))),
        forgot_all=max(all_, _by_loss(loss_if_forgotten(survey))),
    )


def loss_if_forgotten(survey: Survey) -> float:
    """Return ε of the reports of all waves if browsers forget, while the answers stay the same."""
    return survey.dearest(lambda item: item.forgotten(survey.waves), add_losses)


def _by_loss(epsilon: float) -> int:
    """Return the greatest certainty by an ε, but for a millionth, as `in_hundred` by a ratio."""
    return math.ceil(100 / (1 + math.exp(1 / exact.MILLION - epsilon)))


def _of_one_fact(
    survey: Survey, ratio: Callable[[Item], _Ratio], among: Collection[str] | None = None
) -> tuple[int | None, int]:
    """Return how sure an observer can get of a fact asked again, and how often; None, 0 if not."""

    def times(item: Item) -> int:
        if not (among is None or item.id in among):
            return 0
        own = (item.question,) if item.group is None else item.group.questions
        return len({*own} & {*survey.same_fact})

    count = survey.dearest(times, _most)
    one, all_ = _ratios(survey, lambda item: ratio(item) if times(item) else Fraction(1))
    fact = in_hundred(all_)
    return (fact, count) if count > 1 and fact > in_hundred(one) else (None, 0)


def _protected_answers(survey: Survey, among: Collection[str] | None = None) -> int:
    """Return the most protected answers that one respondent gives, to these items if not None."""

    def answers(item: Item) -> int:
        if item.protection is Protection.DIRECT or not (among is None or item.id in among):
            return 0
        return 1 if item.group is None else len(item.group.questions)

    return survey.dearest(answers, _most)


def _most(counts: Iterable[int], count: int | None = None) -> int:
    return sum(sorted(counts, reverse=True)[:count])


def _guess(channels: Iterable[Channel]) -> int:
    """Return how often in 100 the best guess of the truth from one report is right."""
    # For two equally likely truths it is (1 + their total variation) / 2; this is for the pair that
    # is easiest to tell apart, rounded up except for a millionth.
    gap = 0
    for channel in channels:
        rows = np.array(channel.weights, np.int64)
        gap = max(gap, *(int(np.abs(rows - row).sum(axis=1).max()) for row in rows))
    return math.ceil(100 * _BUT_A_MILLIONTH * (Fraction(gap, 2 * ROW_SUM) + 1) / 2)


def told(survey: Survey, say: Say = in_english) -> tuple[Told, ...]:
    """Say how protected answers are sent, and how sure an observer can get; empty without any."""
    found = sureness(survey)
    return () if found is None else found.lines(say, randomisation(survey, found.answers, say))


def implication(survey: Survey, say: Say = in_english) -> tuple[str, ...]:
    """Say what an observer could learn from one answer, from all, and from the direct ones."""
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
    direct = say("Unprotected answers are sent as you give them, and may help someone guess.")
    return (*said, direct)


def sureness_of(survey: Survey, question: Question, prior: Fraction = EVEN) -> int | None:
    """Return how sure an observer can get from one answer to a question; None if it is direct."""
    if question.protection is Protection.DIRECT:
        return None
    items = survey.items_of(question)
    return in_hundred(_dearest((item.longitudinal.ratio for item in items), 1), prior)


def sureness_of_all(survey: Survey, prior: Fraction = EVEN) -> int | None:
    """Return how sure an observer can get from all answers; None if nothing is randomised."""
    if not survey.randomised:
        return None
    _, together = _ratios(survey, lambda item: item.longitudinal.ratio)
    return in_hundred(together, prior)


def sureness_on_sheet(survey: Survey) -> Sureness | None:
    """Return how sure an observer can get from one sheet of paper; None without chance by hand.

    A sheet's chance is made once and not remembered, also in waves.
    """
    asked = paper.places_on_sheet(survey)
    by_hand = {
        item.id
        for place, item in enumerate(survey.items)
        if place in asked and item.protection is Protection.RANDOMISED
    }
    if not by_hand:
        return None

    def by_hand_ratio(item: Item) -> _Ratio:
        return _on_sheet(item).ratio if item.id in by_hand else Fraction(1)

    one, all_ = _ratios(survey, by_hand_ratio)
    guess = _guess(_on_sheet(item) for item in survey.items if item.id in by_hand)
    answers = _protected_answers(survey, by_hand)
    fact, times = _of_one_fact(survey, by_hand_ratio, by_hand)
    return Sureness(in_hundred(one), in_hundred(all_), answers, guess, fact, times)


def _ratios(survey: Survey, ratio: Callable[[Item], _Ratio]) -> tuple[_Ratio, _Ratio]:
    # The ratio of the dearest answer, and of the dearest answers together of one respondent.
    return _dearest(map(ratio, survey.randomised), 1), survey.dearest(ratio, _dearest)


def _on_sheet(item: Item) -> Channel:
    return item.channel if item.group is None else item.group.channel


def _dearest(ratios: Iterable[_Ratio], count: int | None = None) -> _Ratio:
    """Multiply the `count` largest ratios: the items are randomised independently."""
    found = list(ratios)
    if None in found:
        return None
    bounded = (ratio for ratio in found if ratio is not None)
    return math.prod(sorted(bounded, reverse=True)[:count], start=Fraction(1))


def _over_waves(item: Item, waves: int) -> _Ratio:
    ratio = None if item.memory is None else item.memory.instantaneous.ratio
    return None if ratio is None else ratio**waves


def factor(survey: Survey) -> Fraction:
    """Return e^ε of all answers of one respondent, from the integers of the channels.

    No reports are more than this many times as likely from one set of answers as from another.
    """
    _, together = _ratios(survey, lambda item: item.longitudinal.ratio)
    if together is None:
        raise ValueError("expected items with a bounded epsilon, found infinity")
    return together
