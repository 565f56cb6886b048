"""Randomising by hand: which channels a person can make by coins or a die, and how.

A yes-or-no answer needs no computer to be randomised. Every channel of two answers reports a forced
answer now and then and the truth otherwise: yes with probability ``P(yes | no)`` and no with
``P(no | yes)``, whatever is true. So a coin or a die with outcomes of these two probabilities is
enough. Warner's spinner, truth or random and forced response are all made in this way; it never
asks a respondent to lie.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Final, TypeAlias

from deniable.channel import ROW_SUM, Channel
from deniable.survey.items import Item
from deniable.survey.questions import Protection
from deniable.text.languages import Say, in_english

Outcome: TypeAlias = "tuple[str | int, ...]"
"""The throws in order: ``("heads", "tails")`` or ``(3, 6)``."""

_SIDES: Final = ("heads", "tails")
_PIPS: Final = (1, 2, 3, 4, 5, 6)
RARE: Final = Fraction(1, 20)
"""The least chance of a forced answer that is not called rare: below it, nearly every answer that
people write down is the truth, and they notice."""


class Tool(StrEnum):
    """A coin or a die; the value is its name in English."""

    COIN = "a coin"
    DIE = "a die"

    def said(self, say: Say) -> str:
        """Name the tool."""
        return say("a coin") if self is Tool.COIN else say("a die")


Phrase: TypeAlias = Callable[[Say], str]
"""A phrase that is not yet in a language."""


@dataclass(frozen=True)
class Rule:
    """The outcomes that force an answer, and their description."""

    said: Phrase = field(compare=False)
    outcomes: frozenset[Outcome]


@dataclass(frozen=True)
class Procedure:
    """Instructions by which a person randomises a yes-or-no answer.

    `throws`: how often the coin or die is thrown. All throws are always made: their number must not
    tell an observer what came up. `outcomes`: the number of outcomes, all equally likely. `no`,
    `yes`: the outcomes that force the first answer, and the second; all others ask for the truth.
    """

    tool: Tool
    throws: int
    outcomes: int
    no: Rule
    yes: Rule

    @property
    def rare(self) -> bool:
        """Whether an answer is forced less often than `RARE`."""
        return min(self.chances) < RARE

    @property
    def chances(self) -> tuple[Fraction, Fraction]:
        """P(yes | no) and P(no | yes), exactly: the chances that yes, and that no, is forced."""
        return (
            Fraction(len(self.yes.outcomes), self.outcomes),
            Fraction(len(self.no.outcomes), self.outcomes),
        )

    @cached_property
    def channel(self) -> Channel:
        """The channel of this procedure, rounded like all channels."""
        yes, no = self.chances
        return Channel.from_probabilities([[1 - yes, yes], [no, 1 - no]])

    def action(self, say: Say = in_english) -> str:
        """Say how to throw the coin or die."""
        match self.tool, self.throws:
            case Tool.COIN, 1:
                return say("Toss a coin")
            case Tool.COIN, 2:
                return say("Toss a coin twice")
            case Tool.COIN, _:
                return say("Toss a coin three times")
            case Tool.DIE, 1:
                return say("Roll a die")
            case _:
                return say("Roll a die twice and read the two results as a number from 11 to 66")

    def cases(
        self, answers: tuple[str, str] = ("No", "Yes"), say: Say = in_english
    ) -> tuple[tuple[str, str], ...]:
        """Return the outcomes that force an answer, in words, each with that answer."""
        forced = ((self.no, answers[0]), (self.yes, answers[1]))
        return tuple((rule.said(say), answer) for rule, answer in forced if rule.outcomes)

    def setting(self, yes_at: int = 1) -> str:
        """Return the line of a survey file that asks for this channel.

        `yes_at`: the place of the answer that is the yes of the design.
        """
        yes, no = self.chances if yes_at else self.chances[::-1]
        if yes == no:
            return f"flip: {yes}"
        truth, share = 1 - yes - no, yes / (yes + no)
        return f"design: {{forced_response: {{truth: {truth}, yes: {share}}}}}"

    def line(self, answers: tuple[str, str] = ("No", "Yes")) -> str:
        """Say the whole procedure in one line."""
        cases = "".join(f"; {words}: {answer}" for words, answer in self.cases(answers))
        action = self.action()
        return f"{action[0].lower()}{action[1:]}{cases}; otherwise the truth"


def can_be_forced(item: Item) -> bool:
    """Return whether a coin or a die could force an item's answers: two, randomised by themselves.

    Its reports must be named after its answers, because a person writes down an answer. An item
    with a spinner needs no coin, and a group of questions has a disc.
    """
    return (
        item.protection is Protection.RANDOMISED
        and item.channel.truths == item.channel.reports == 2
        and item.reports_name_truths
        and not item.has_spinner
        and item.group is None
    )


def procedure_for(channel: Channel) -> Procedure | None:
    """Return the simplest procedure that makes a channel by hand; None if no coin or die can.

    `channel`: of two truths and two reports, each report likelier if it is the truth. Result: it
    makes exactly this channel, except for the rounding of its weights to multiples of 2^-32. It
    forces every answer that the channel forces, however rarely; where that is too rare for coins
    and dice, there is no procedure.
    """
    forced = _forced(channel)
    made = (_fitting(scheme, forced) for scheme in _SCHEMES)
    return next((procedure for procedure in made if procedure is not None), None)


def procedure_of(item: Item) -> Procedure | None:
    """Return the simplest procedure for an item; None if it `can_be_forced` by none."""
    return procedure_for(item.channel) if can_be_forced(item) else None


def nearest_procedure(channel: Channel) -> Procedure:
    """Return the procedure whose channel is nearest to this one.

    `channel`: as in `procedure_for`. Result: of least distance between the forced answers'
    probabilities; among equals the one of least ε, then the simplest. It forces both answers now
    and then, so that its ε is finite, and equally often if the channel does.
    """
    yes, no = _forced(channel)
    candidates = [one for scheme in _SCHEMES for one in _around(scheme, yes, no)]
    if yes == no:
        candidates = [one for one in candidates if one.chances[0] == one.chances[1]]

    def distance(procedure: Procedure) -> tuple[Fraction, float]:
        made_yes, made_no = procedure.chances
        return abs(made_yes - yes) + abs(made_no - no), procedure.channel.epsilon

    return min(candidates, key=distance)


@dataclass(frozen=True)
class _Scheme:
    """A number of throws of a coin or a die, some of whose outcomes force an answer.

    With a die, no takes outcomes from the beginning and yes from the end. With a coin both take
    them from the end, so that two coins work as in the textbook: heads, tell the truth; tails, let
    the second coin answer, heads for yes and tails for no.
    """

    tool: Tool
    throws: int
    words: Callable[[list[Outcome]], Phrase]

    @cached_property
    def every(self) -> list[Outcome]:
        """All outcomes, each as likely as any other."""
        return list(product(_SIDES if self.tool is Tool.COIN else _PIPS, repeat=self.throws))

    def holds(self, no: int, yes: int) -> bool:
        """Return whether so many outcomes can force an answer, with some left for the truth."""
        return min(no, yes) >= 0 and 1 <= no + yes < len(self.every)

    def take(self, no: int, yes: int) -> Procedure:
        """Return the procedure that forces no on so many outcomes, and yes on so many others."""
        count = len(self.every)
        if self.tool is Tool.COIN:
            of_no, of_yes = self.every[count - no :], self.every[count - no - yes : count - no]
        else:
            of_no, of_yes = self.every[:no], self.every[count - yes :]
        return Procedure(
            self.tool,
            self.throws,
            count,
            Rule(self.words(of_no), frozenset(of_no)),
            Rule(self.words(of_yes), frozenset(of_yes)),
        )


def _forced(channel: Channel) -> tuple[Fraction, Fraction]:
    """Return P(yes | no) and P(no | yes)."""
    if channel.truths != 2 or channel.reports != 2:
        raise ValueError(
            "expected a channel of two answers, found "
            f"{channel.truths} truths and {channel.reports} reports"
        )
    yes, no = Fraction(channel.weights[0][1], ROW_SUM), Fraction(channel.weights[1][0], ROW_SUM)
    if yes + no >= 1:
        raise ValueError(
            "expected each answer to be likelier if it is the truth, found "
            f"P(yes | no) = {float(yes):g} and P(no | yes) = {float(no):g}"
        )
    return yes, no


def _fitting(scheme: _Scheme, forced: tuple[Fraction, Fraction]) -> Procedure | None:
    """Return the procedure by which a scheme makes these probabilities; None if it cannot."""
    count = len(scheme.every)
    yes, no = (round(chance * count) for chance in forced)
    made = (Fraction(yes, count), Fraction(no, count))
    exact = all(
        # Rounding a positive chance to 0 would make ε infinite.
        abs(one - other) * ROW_SUM <= 1 and bool(one) == bool(other)
        for one, other in zip(made, forced, strict=True)
    )
    return scheme.take(no, yes) if exact and scheme.holds(no, yes) else None


def _around(scheme: _Scheme, yes: Fraction, no: Fraction) -> Iterator[Procedure]:
    """Yield a scheme's procedures near these probabilities that force both answers."""
    below = [max(1, math.floor(chance * len(scheme.every))) for chance in (yes, no)]
    for more_yes, more_no in product((-1, 0, 1), repeat=2):
        units = below[1] + more_no, below[0] + more_yes
        if min(units) >= 1 and scheme.holds(*units):
            yield scheme.take(*units)


def _coin_words(taken: list[Outcome]) -> Phrase:
    """Name outcomes of a coin one by one."""

    def phrase(say: Say) -> str:
        sides = {"heads": say("heads"), "tails": say("tails")}
        thrown = [[sides[str(side)] for side in outcome] for outcome in taken]
        if len(thrown) == 1 and len(thrown[0]) == 3 and len({*thrown[0]}) == 1:
            return say("{side} three times", side=thrown[0][0])
        if thrown and len(thrown[0]) == 2:
            names = [say("{first} then {second}", first=one, second=two) for one, two in thrown]
        else:
            names = ["–".join(outcome) for outcome in thrown]
        return either(names, say)

    return phrase


def _die_words(taken: list[Outcome]) -> Phrase:
    """Name outcomes of a die by the numbers that their digits make: 36 for 3 and 6."""
    names = ["".join(map(str, outcome)) for outcome in taken]
    if len(names) > 2:  # a run
        return lambda say: say("{first} to {last}", first=names[0], last=names[-1])
    return lambda say: either(names, say)


def either(names: list[str], say: Say) -> str:
    """Join names by commas and "or"."""
    if len(names) < 2:
        return "".join(names)
    return say("{some} or {other}", some=", ".join(names[:-1]), other=names[-1])


# The simplest first, by the number of throws; a coin before a die.
_SCHEMES: Final = (
    _Scheme(Tool.COIN, 1, _coin_words),
    _Scheme(Tool.COIN, 2, _coin_words),
    _Scheme(Tool.DIE, 1, _die_words),
    _Scheme(Tool.COIN, 3, _coin_words),
    _Scheme(Tool.DIE, 2, _die_words),
)
