"""Numbers, protection and channels as pages and the command line say them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Final

from deniable import paper
from deniable.items import Item
from deniable.languages import Say, in_english
from deniable.questions import Condition, Protection, Question
from deniable.survey import Survey

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

# The ratio that nothing bounds: None, as in `Channel.ratio`.
_Ratio = Fraction | None


def in_hundred(ratio: Fraction | None, prior: Fraction = EVEN) -> int:
    """Return what 50 in 100, or what somebody else thought, can become, rounded up.

    Somebody thought 50 in 100 likely what a report is now r times as likely to come from. Then it
    is likely to r in r + 1. Rounded up, a number never says less than is true, and the bounds of
    the tiers are exact.

    Parameters
    ----------
    ratio : Fraction or None
        The largest ratio between the chances of what is sent; None if it is not bounded.
    prior : Fraction
        How likely it was thought to be, between 0 and 1.

    Returns
    -------
    int
        From what was thought to 100, which says that 99 is not the end.

    Examples
    --------
    >>> in_hundred(Fraction(3)), in_hundred(Fraction(301, 100)), in_hundred(Fraction(149))
    (75, 76, 100)
    >>> in_hundred(Fraction(3), prior=Fraction(1, 10))
    25
    """
    if ratio is None:
        return 100
    return math.ceil(100 * ratio * prior / (ratio * prior + 1 - prior))


def tier_of(number: int) -> Tier:
    """Return the tier of so many in 100."""
    return next(tier for most, tier in _UP_TO.items() if number <= most)


@dataclass(frozen=True)
class Sureness:
    """How sure somebody can get who thought it 50 in 100 likely, in 100.

    Parameters
    ----------
    one : int
        Of the answer to one question, the dearest.
    all : int
        Of the answers that one person gives, together; of all waves, while they stay the same.
    changing : int or None
        The same of all waves, whatever changes between them, even to somebody who has the device.
        None without waves.
    unlimited : bool
        Whether nothing bounds what a change reveals.
    """

    one: int
    all: int
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
        """Say it: of one question first, and then of all, if that is more."""
        if self.changing is not None:
            return self._of_waves(say)
        of_one = {
            Tier.UNSURE: say("Nobody can be sure of your true answer to a question."),
            Tier.HINT: say("Someone can get a hint of your true answer to a question."),
            Tier.OFTEN: say("Someone can often tell your true answer to a question."),
            Tier.ALWAYS: say("Someone can nearly always tell your true answer to a question."),
        }
        said = (of_one[tier_of(self.one)], from_even(self.one, say))
        return said if self.all == self.one else (*said, self._of_all(say))

    def _of_all(self, say: Say) -> str:
        most = at_most(self.all, say)
        of_all = {
            Tier.UNSURE: say(
                "Even with all your answers together, nobody can be sure: {most}.", most=most
            ),
            Tier.HINT: say("All your answers together give a hint: {most}.", most=most),
            Tier.OFTEN: say(
                "Whoever puts all your answers together can often tell: {most}.", most=most
            ),
            Tier.ALWAYS: say(
                "Whoever puts all your answers together can nearly always tell: {most}.", most=most
            ),
        }
        return of_all[tier_of(self.all)]

    def _of_waves(self, say: Say) -> tuple[str, ...]:
        same = say(
            "If your answers stay the same in all waves, someone who thought one of them 50 in 100 "
            "likely can get to {most}.",
            most=at_most(self.one, say),
        )
        together = say(
            "Whoever puts all your unchanged answers together can get to {most}.",
            most=at_most(self.all, say),
        )
        most = at_most(self.most, say)
        change = {
            Tier.UNSURE: say("If they change, nobody can be sure either: {most}.", most=most),
            Tier.HINT: say("If they change, someone can get a hint: {most}.", most=most),
            Tier.OFTEN: say("If they change, someone can often tell: {most}.", most=most),
            Tier.ALWAYS: say("If they change, someone can nearly always tell: {most}.", most=most),
        }[self.tier]
        if self.unlimited:
            change = say("If they change, there is no limit: someone can see that they did.")
        return (same, *([together] if self.all > self.one else []), change)


def at_most(number: int, say: Say = in_english) -> str:
    """Say how far somebody can get."""
    if number == 100:
        return say("more than 99 in 100")
    return say("{count} in 100 at most", count=number)


def from_even(number: int, say: Say = in_english) -> str:
    """Say how far somebody can get from 50 in 100."""
    return say(
        "Someone who thought it 50 in 100 likely can get to {most}.", most=at_most(number, say)
    )


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
    if survey.waves is None:
        return Sureness(one, all_)
    _, changing = _ratios(survey, lambda item: _over_waves(item, survey.waves or 1))
    return Sureness(one, all_, max(all_, in_hundred(changing)), unlimited=changing is None)


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
    if all(one.protection is Protection.RANDOMISED for one in survey.asked_questions):
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
    return in_hundred(_dearest((item.longitudinal.ratio for item in items), question.ask), prior)


def sureness_of_all(survey: Survey, prior: Fraction = EVEN) -> int | None:
    """Return how sure somebody can get of all of them together; None if nothing is randomised."""
    if not survey.randomised:
        return None
    _, together = _ratios(survey, lambda item: item.longitudinal.ratio)
    return in_hundred(together, prior)


def sureness_on_sheet(survey: Survey) -> Sureness | None:
    """Return how sure somebody can get of one sheet of paper, whose chance nobody remembers."""
    by_hand = [
        _dearest(item.channel.ratio for item in survey.items_of(question))
        for question in survey.questions
        if paper.asking(survey, question) is paper.Asking.BY_HAND
    ]
    if not by_hand:
        return None
    return Sureness(in_hundred(_dearest(by_hand, 1)), in_hundred(_dearest(by_hand)))


def _ratios(survey: Survey, law: Callable[[Item], _Ratio]) -> tuple[_Ratio, _Ratio]:
    """Return the ratio of the dearest question, and of the dearest that one person is asked."""
    ratios = {
        question.id: _dearest(map(law, survey.items_of(question)), question.ask)
        for question in survey.questions
        if question.protection is Protection.RANDOMISED
    }
    drawn = () if survey.ask is None else survey.ask.questions
    always = (ratio for id, ratio in ratios.items() if id not in drawn)
    chosen = _dearest(
        (ratios[id] for id in drawn), None if survey.ask is None else survey.ask.count
    )
    return _dearest(ratios.values(), 1), _dearest([*always, chosen])


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


def percent(share: float | None) -> str:
    """Write a share in percent, with one decimal; a dash if it is not known."""
    return _UNKNOWN if share is None else f"{_number(100 * share)} %"


def percentage_points(share: float | None) -> str:
    """Write a difference of shares, such as a standard error, in percentage points."""
    return _UNKNOWN if share is None else f"{_number(100 * share)} points"


def quantity(value: float | None, span: float) -> str:
    """Write a number in the units of its question, to about a thousandth of what answers span.

    Parameters
    ----------
    value : float or None
        A dash if it is not known.
    span : float
        Above 0: a mean of ages has one decimal, one of hours a day two, one of incomes none.

    Returns
    -------
    str
    """
    if value is None:
        return _UNKNOWN
    return _number(value, max(0, 3 - math.floor(math.log10(span))))


def seen_by_researchers(
    batch: int, say: Say = in_english, number: Callable[[float], str] = "{:,}".format
) -> str:
    """Say whether the desk tells when a report came, with a number as the language writes it."""
    if batch == 1:
        return say(
            "The results page shows what you send as soon as it arrives. So the researchers can "
            "learn when you sent it."
        )
    return say(
        "The results page shows new reports later, in groups of {batch} or more. So it tells "
        "nobody when your report arrived. The people who run the server could find out.",
        batch=number(batch),
    )


def noise(item: Item) -> str:
    """Say how an item's reports are drawn.

    Parameters
    ----------
    item : Item

    Returns
    -------
    str
        One sentence, computed from the channel's weights alone.
    """
    if item.protection is Protection.DIRECT:
        return "Asked directly: sent as it is given."
    if item.flips is None:
        return "Reports are codes of the design, not answers."
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


def needs(survey: Survey, question: Question) -> tuple[str, ...]:
    """Return the earlier answers that a question needs, each after what was asked.

    Parameters
    ----------
    survey : Survey
        In the language in which they are to be read.
    question : Question

    Returns
    -------
    tuple of str
        Such as ``“Doped?”: Yes / Unsure``; empty if it applies to everybody.
    """
    lines = []
    for condition in question.ask_if:
        item, needed = _needed(survey, condition)
        part = "" if item.text == needed.text else f" – {item.text}"
        texts = [truth.text for truth in item.truths if truth.code in condition.answers]
        lines.append(f"“{needed.text}{part}”: {_span(texts, needed, '–') or ' / '.join(texts)}")
    return tuple(lines)


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
