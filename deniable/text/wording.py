"""Numbers, protection and channels as pages and the command line say them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from statistics import NormalDist
from typing import Final

from deniable import exact, paper
from deniable.survey import Survey
from deniable.survey.draws import dearest
from deniable.survey.items import Item
from deniable.survey.questions import Condition, Protection, Question
from deniable.text.languages import Say, in_english

LIMIT: Final = 10.0
"""Above this ε of all reports of a person together a browser asks nothing, until they raise it."""

_UNKNOWN: Final = "–"


EVEN: Final = Fraction(1, 2)
"""What somebody thinks who thinks both equally likely."""


class Tier(Enum):
    """How far an answer can be told, as pages say it; the respondent's device says it as well."""

    UNSURE = "unsure"
    """Nobody can be sure: up to 75 in 100, a ratio of 3, which is that of two coins."""
    HINT = "hint"
    """Up to 90 in 100, a ratio of 9."""
    OFTEN = "often"
    """Someone can often tell, and pages say it in amber: up to 95 in 100, a ratio of 19."""
    ALWAYS = "always"
    """Someone can nearly always tell, in red."""


_UP_TO: Final = {75: Tier.UNSURE, 90: Tier.HINT, 95: Tier.OFTEN, 100: Tier.ALWAYS}

_LARGE: Final = 100_000

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


@dataclass(frozen=True)
class Sureness:
    """How sure somebody can get who thought it 50 in 100 likely, in 100.

    All that is said of a risk follows from here: pages, packets, labels, sheets and commands ask
    `sentences`. The respondent's device says the same from its own numbers
    (`client/browser/page/sureness.js`).

    `one`: of the answer to one question, the dearest. `all`: of the answers that one person gives,
    together; of all waves, while they stay the same. `answers`: how many randomised questions one
    person answers. `changing`: the same of all waves, whatever changes between them, even to
    somebody who has the device. None without waves. `unlimited`: whether nothing bounds what a
    change reveals.
    """

    one: int
    all: int
    answers: int
    changing: int | None = None
    unlimited: bool = False

    @property
    def tier(self) -> Tier:
        """That of everything together, whatever changes."""
        return tier_of(self.most)

    @property
    def most(self) -> int:
        """Of everything together, whatever changes."""
        return self.all if self.changing is None else self.changing

    def sentences(self, say: Say = in_english) -> tuple[str, ...]:
        """Say how far the answers can be told, then in which numbers, and what these mean.

        The first follows the tier of all answers together, whatever changes. The numbers stand in
        one place, on one scale.
        """
        meaning = say("This is how sure someone can be that something is true of you.")
        verdict = _verdict(self.tier, say, alone=tier_of(self.one) is self.tier)
        if self.unlimited:
            verdict = say("If an answer of yours changes between waves, someone can see that.")
        return verdict, self._scale(say), meaning

    def _scale(self, say: Say) -> str:
        one, all_ = (at_most(number, say) for number in (self.one, self.all))
        if self.all > self.one:
            numbers = [
                say("Before: 50 in 100. After one protected answer: {most}.", most=one),
                say("After all {count}: {most}.", count=self.answers, most=all_),
            ]
        else:
            numbers = [say("Before: 50 in 100. After your report: {most}.", most=one)]
        if self.changing is not None:
            changing = say("no limit") if self.unlimited else at_most(self.changing, say)
            numbers.append(say("If they change between waves: {most}.", most=changing))
        return " ".join(numbers)


def _verdict(tier: Tier, say: Say, *, alone: bool) -> str:
    """Say it of protected answers, of all of them together unless one `alone` is as telling."""
    verdict = {
        Tier.UNSURE: say("Protected answers are no proof."),
        Tier.HINT: say("Protected answers give a hint of the truth."),
        Tier.OFTEN: say("Protected answers often show the truth."),
        Tier.ALWAYS: say("Protected answers nearly always show the truth."),
    }[tier]
    together = say("Taken together:")
    return verdict if alone else f"{together} {verdict}"


def at_most(number: int, say: Say = in_english) -> str:
    """Say how far somebody can get."""
    if number == 100:
        return say("more than 99 in 100")
    return say("{count} in 100 at most", count=number)


def sureness(survey: Survey) -> Sureness | None:
    """Return how sure somebody can get of what is sent; None if nothing is randomised.

    From the integers of the channels, exactly. If chance draws what is asked, it is of the dearest
    that it can draw, see `Survey.spent_millionths`.
    """
    if not survey.randomised:
        return None
    one, all_ = (
        in_hundred(ratio) for ratio in _ratios(survey, lambda item: item.longitudinal.ratio)
    )
    answers = _protected_answers(survey)
    if survey.waves is None:
        return Sureness(one, all_, answers)
    _, changing = _ratios(survey, lambda item: _over_waves(item, survey.waves or 1))
    most = max(all_, in_hundred(changing))
    return Sureness(one, all_, answers, most, unlimited=changing is None)


def _protected_answers(survey: Survey, among: Collection[str] | None = None) -> int:
    """Count the most randomised questions that one person answers, of which units are parts.

    `among`: the ids of the items that are asked at all; None for all.
    """

    def questions(places: Iterable[int]) -> int:
        asked = (survey.items[place] for place in places)
        return len(
            {
                one.question
                for one in asked
                if one.protection is Protection.RANDOMISED and (among is None or one.id in among)
            }
        )

    draw = survey.units
    if draw is None:
        return questions(range(len(survey.items)))
    most = sorted(map(questions, draw.places), reverse=True)[: draw.count]
    return questions({*range(len(survey.items))} - draw.all_places) + sum(most)


def implication(survey: Survey, say: Say = in_english) -> tuple[str, ...]:
    """Say what anybody could learn of the answers: first of one, then of all together."""
    found = sureness(survey)
    if found is None:
        return (
            say(
                "Every answer in this survey is sent as you give it. Anyone who sees what is "
                "stored can read your answers."
            ),
        )
    said = found.sentences(say)
    if all(one.protection is Protection.RANDOMISED for one in survey.questions):
        return said
    direct = say(
        "Anyone who sees what is stored can read your answers to questions marked “{mark}”.",
        mark=say("Sent as you give it"),
    )
    return (*said, direct)


def sureness_of(survey: Survey, question: Question, prior: Fraction = EVEN) -> int | None:
    """Return how sure somebody can get of one question, in 100; None if it is sent as given."""
    if question.protection is Protection.DIRECT:
        return None
    items = survey.items_of(question)
    return in_hundred(
        _dearest((item.longitudinal.ratio for item in items), survey.most_asked(question)), prior
    )


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
    one, all_ = _ratios(survey, lambda item: _on_sheet(item) if item.id in by_hand else Fraction(1))
    return Sureness(in_hundred(one), in_hundred(all_), _protected_answers(survey, by_hand))


def _ratios(survey: Survey, law: Callable[[Item], _Ratio]) -> tuple[_Ratio, _Ratio]:
    """Return the ratio of the dearest question, and of the dearest that one person is asked."""
    apart = [one for one in survey.questions if not survey.is_drawn_with_another(one.id)]
    ratios = (
        _dearest(map(law, survey.items_of(question)), survey.most_asked(question))
        for question in apart
        if question.protection is Protection.RANDOMISED
    )
    return _dearest(ratios, 1), dearest(apart, survey.items, survey.units, law, _dearest)


def _on_sheet(item: Item) -> _Ratio:
    return (item.channel if item.group is None else item.group.channel).ratio


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


def times(ratio: Fraction) -> str:
    """Write a ratio to one decimal, or as a power of 10 if it is large, rounded up.

    A millionth above is not rounded up: weights are integers, so a ratio of 2 can be 2.000000002.

    >>> times(Fraction(3)), times(Fraction(2) + Fraction(1, 2**30)), times(Fraction(301, 100))
    ('3', '2', '3.1')
    """
    if ratio > _LARGE:
        power = math.log10(ratio.numerator) - math.log10(ratio.denominator)
        return f"10^{math.ceil(10 * power) / 10:.1f}"
    tenths = math.ceil(10 * ratio * _BUT_A_MILLIONTH)
    return f"{tenths / 10:,.1f}".removesuffix(".0")


def loss(epsilon: float) -> str:
    """Write an ε as a survey file would: to four decimals, rounded up.

    The parts of an ε are whole millionths, and can lack some: three options share ε = 1 as
    0.999999.

    >>> loss(0.999999), loss(2.9), loss(1.098613)
    ('1', '2.9', '1.0987')
    """
    return f"{math.ceil(round(epsilon * 1_000_000) / 100) / 10_000:g}"


def percent(share: float | None) -> str:
    """Write a share in percent, with one decimal; a dash if it is not known."""
    return _UNKNOWN if share is None else f"{_number(100 * share)} %"


def percentage_points(share: float | None) -> str:
    """Write a difference of shares, such as a standard error, in percentage points."""
    return _UNKNOWN if share is None else f"{_number(100 * share)} points"


def quantity(value: float | None, span: float) -> str:
    """Write a number in the units of its question, to about a thousandth of what answers span."""
    return _UNKNOWN if value is None else _number(value, decimals(span))


def decimals(span: float) -> int:
    """Return how many decimals tell a thousandth of what answers span."""
    return max(0, 3 - math.floor(math.log10(span)))


def seen_by_researchers(batch: int, say: Say = in_english) -> str:
    """Say whether the desk tells when a report came."""
    if batch == 1:
        return say(
            "The results page shows what you send as soon as it arrives. So the researchers can "
            "learn when you sent it."
        )
    return say(
        "The results page shows new reports later, in groups of {batch} or more. So it tells "
        "nobody when your report arrived. The people who run the server could find out.",
        batch=float(batch),
    )


def noise(item: Item) -> str:
    """Say how an item's reports are drawn."""
    if item.protection is Protection.DIRECT:
        return "Asked directly: sent as it is given."
    if item.flips is None:
        return (
            f"One of {len(item.reports)} codes is sent, drawn by chance. How often each is drawn "
            "depends on the answer."
        )
    if min(item.flips) == max(item.flips):
        return (
            f"A report differs from the true answer with probability {percent(item.flips[0])} "
            "(the flip probability)."
        )
    chances = ", ".join(
        f"{percent(flip)} for “{answer.text}”"
        for flip, answer in zip(item.flips, item.truths, strict=True)
    )
    return f"A report differs from the true answer with probability {chances}."


def shares_words(survey: Survey, quote: str = "", number: Callable[[float], str] = str) -> str:
    """Say what chance draws of a survey, and what share of people is asked it if they differ."""
    draw = survey.units
    if draw is None:
        return ""
    named = [quote + " + ".join(_names(survey, places)) + quote for places in draw.places]
    if not draw.chances:
        return ", ".join(named)
    shares = [float(draw.share(places)) for places in draw.places]
    said = (f"{number(round(100 * one, 1))} %" for one in shares)
    return ", ".join(f"{name} {share}" for name, share in zip(named, said, strict=True))


def _names(survey: Survey, places: Sequence[int]) -> list[str]:
    """Name a unit: the questions that it is asked as a whole, or the item that it is."""
    whole = [one.id for one in survey.questions if {*survey.places[one.id]} <= {*places}]
    return whole or [survey.items[place].id for place in places]


def needs(survey: Survey, question: Question) -> tuple[str, ...]:
    """Return the earlier answers that a question needs, each after what was asked."""
    lines = []
    for condition in question.ask_if:
        item, needed = _needed(survey, condition)
        part = "" if item.text == needed.text else f" – {item.text}"
        texts = [truth.text for truth in item.truths if truth.code in condition.answers]
        lines.append(f"“{needed.text}{part}”: {_span(texts, needed, '–') or ' / '.join(texts)}")
    return tuple(lines)


def time_tells(survey: Survey, say: Say = in_english) -> str:
    """Say what the time tells that somebody takes.

    The figure assumes reading times of one median for every question, with a standard deviation of
    their logarithm of .45 from question to question and of .35 from person to person.
    """
    asked = len(survey.questions)
    least = asked - len(survey.follow_ups)
    if not survey.hides_branch or least == asked:
        return say(
            "How long an answer takes is not hidden from somebody who sees when the page opens and "
            "when the report leaves."
        )
    spread = sum(math.hypot(0.35, math.sqrt(math.expm1(0.45**2) / n)) for n in (least, asked))
    right = NormalDist().cdf(math.log(asked / least) / spread)
    return say(
        "Time can tell whether questions were left out. Somebody who sees when the page opens and "
        "when the report leaves guesses it right up to {count} times in 100, by usual reading "
        "times.",
        count=math.ceil(100 * right),
    )


def asked_if_codes(survey: Survey, question: Question) -> str:
    """Say to whom a question applies, in the codes of the survey file: ``if doped is yes``."""
    words = (
        f"{one.item} is "
        + (_span(one.answers, _needed(survey, one)[1], " to ") or _any_of(one.answers))
        for one in question.ask_if
    )
    return f"if {' and '.join(words)}"


def _needed(survey: Survey, condition: Condition) -> tuple[Item, Question]:
    (item,) = (item for item in survey.items if item.id == condition.item)
    return item, survey.question(item.question)


def _span(answers: Sequence[str], needed: Question, between: str) -> str:
    """Say from where to where numbers go, if they are more than two in a row."""
    values = [answer.text for answer in needed.answers]
    if not needed.is_number or len(answers) < 3 or answers[0] not in values:
        return ""
    start = values.index(answers[0])
    whole = list(answers) == values[start : start + len(answers)]
    return f"{answers[0]}{between}{answers[-1]}" if whole else ""


def _any_of(answers: Sequence[str]) -> str:
    *some, last = answers
    return f"{', '.join(some)} or {last}" if some else last


def _number(value: float, decimals: int = 1) -> str:
    written = f"{value:.{decimals}f}"
    if float(written) == 0:  # not "-0.0"
        written = written.removeprefix("-")
    return written.replace("-", "\N{MINUS SIGN}")
