"""Pairs of visits that may differ in nothing but what is true.

Two people of whom different things are true are handed the same words, and such words that both
send the same report. Then whatever else they leave anywhere must be the same, to the byte: no
statistic is needed to see that a request, an entry in the storage or a clock tells them apart.

By the same spinner two truths never send the same report. There each of the two has a word of their
own, and where their spinners pointed must be left nowhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from deniable.channel import ROW_SUM
from deniable.client.audit.server import WORDS as HIDING
from deniable.client.audit.tapes import Tape, expected_body, words_for_orders
from deniable.client.audit.visit import Visit
from deniable.client.branching import skip
from deniable.report import ID_BYTES
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Protection

_TRIES: Final = 100_000


@dataclass(frozen=True)
class Pair:
    """Two visits with the same words, but for those of spinners."""

    one: Tape
    other: Tape
    alike: bool  # whether both send the same report
    telling: bool  # whether they differ in the two truths of each item that tell most apart


def pairs(
    survey: Survey,
    telling: Sequence[tuple[int, int] | None],
    count: int,
    rng: np.random.Generator,
    wave: int = 0,
) -> Iterator[Pair]:
    """Draw pairs: `count` of those that tell most, and three random ones for each ten of them."""
    for turn in range(count):
        yield _pair(survey, _telling(survey, telling, rng), rng, wave, alike=True, telling=True)
        # Where reports are alike, what was turned round would not show.
        if turn % 10 in (0, 1, 3):
            anything = (_anything(survey, rng), _anything(survey, rng))
            yield _pair(survey, anything, rng, wave, alike=turn % 10 == 0, telling=False)


def _pair(
    survey: Survey,
    wished: tuple[list[int], list[int]],
    rng: np.random.Generator,
    wave: int,
    *,
    alike: bool,
    telling: bool,
) -> Pair:
    if alike:
        # What is sent as it is given must be the same of both.
        for place, item in enumerate(survey.items):
            if item.protection is Protection.DIRECT:
                wished[1][place] = wished[0][place]
    one, other = (_truths(survey, truths) for truths in wished)
    words, others = _words(survey, one, other if alike else one, rng)
    return Pair(Tape(one, words, wave), Tape(other, others, wave), alike, telling)


def _telling(
    survey: Survey, telling: Sequence[tuple[int, int] | None], rng: np.random.Generator
) -> tuple[list[int], list[int]]:
    anything = _anything(survey, rng)
    first = [own if two is None else two[0] for two, own in zip(telling, anything, strict=True)]
    second = [own if two is None else two[1] for two, own in zip(telling, anything, strict=True)]
    return first, second


def _anything(survey: Survey, rng: np.random.Generator) -> list[int]:
    truths = [0] * len(survey.items)
    for question in survey.questions:
        places = survey.places[question.id]
        offered = len(question.offered)
        declining = question.prefer_not_to_say and rng.integers(offered) == 0
        for place in places:
            truth = int(rng.integers(2 if question.offers_yes_no else offered))
            truths[place] = offered - 1 if declining else truth
    return truths


def _truths(survey: Survey, wished: Sequence[int]) -> tuple[int, ...]:
    """Make what is wished for true of somebody who answers what applies to them."""
    truths = list(wished)
    for question in survey.questions:
        for place in survey.places[question.id]:
            if truths[place] >= len(question.offered):
                truths[place] = 0
    return tuple(int(one) for one in skip(survey, np.array([truths], dtype=np.uint8))[0])


def _words(
    survey: Survey, one: Sequence[int], other: Sequence[int], rng: np.random.Generator
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Draw words by which both truths of each item give the same report: those of either."""
    own, others, kept = [], [], []
    for place, item in enumerate(survey.items):
        truth, alternative = _truth(survey, place, one), _truth(survey, place, other)
        for _ in range(_TRIES):
            (word,) = _some(rng, 1)
            (another,) = _some(rng, 1) if item.has_spinner else (word,)
            remembered = _some(rng, item.kept_words)
            if _byte(item, truth, word, remembered) == _byte(
                item, alternative, another, remembered
            ):
                break
        else:
            raise ValueError(f"{item.id}: no word was found that two truths have in common")
        own.append(word)
        others.append(another)
        kept += remembered
    count = sum(draw.words for draw in survey.draws) + sum(words_for_orders(survey))
    chance: set[int] = set()
    while len(chance) < count:  # distinct, or the page draws all again
        chance.add(int(rng.integers(ROW_SUM)))
    places = list(chance)
    rng.shuffle(places)
    id = _some(rng, ID_BYTES // 4)
    return (*id, *own, *kept, *places), (*id, *others, *kept, *places)


def _truth(survey: Survey, place: int, truths: Sequence[int]) -> int:
    """Return what is true of an item; of what is randomised together, its cell."""
    for group, places in zip(survey.groups, survey.places_together, strict=True):
        if place in places:
            return group.cell([truths[one] for one in places])
    return truths[place]


def _byte(item: Item, truth: int, word: int, kept: Sequence[int]) -> int:
    if item.group is not None:
        if item.question != item.group.questions[0]:
            return 0  # its word is not looked at
        memory = item.group.memory
        return item.group.sample(truth, word, () if memory is None else memory.draw(kept))
    if item.memory is None:
        return item.sample(truth, word)
    return item.memory.instantaneous.sample(item.memory.draw(kept)[truth], word)


def _some(rng: np.random.Generator, count: int) -> list[int]:
    return [int(word) for word in rng.integers(ROW_SUM, size=count)]


def object_to(survey: Survey, tape: Tape, visit: Visit, rest: Sequence[str]) -> list[str]:
    """Say what is wrong with one visit."""
    problems = list(visit.problems)
    expected = expected_body(survey, tape)
    for sent in visit.reports:
        body = sent.body
        if len(body) != len(expected):
            problems.append(
                f"a message has {len(body)} bytes, expected {len(expected)} whatever is true"
            )
        elif body != expected:
            problems.append(f"a message is {body}, expected {expected}")
        if rest and [*rest] != [*sent.rest]:
            differing = ", ".join(one for one in sent.rest if one not in rest) or "the order"
            problems.append(f"a request differs in more than its message: {differing}")
    drawn = [len(tape.words), *([HIDING] if survey.is_by_invitation else [])]
    if visit.reports and visit.drawn != drawn:
        problems.append(
            f"it drew {_listed(visit.drawn)} words from crypto.getRandomValues, expected "
            f"{_listed(drawn)} once, when it opens"
        )
    return problems


def tells_what_was_sent(survey: Survey, visit: Visit, other: Visit) -> list[str]:
    """Say if two visits kept different things, where nothing that chance draws may be kept."""
    if survey.draws or survey.waves or visit.is_stuck or other.is_stuck:
        return []
    kept = [[one.kept.get(name) for name in ("local", "session", "name")] for one in (visit, other)]
    return ["what it keeps tells what it sent"] if kept[0] != kept[1] else []


def compare(one: Visit, other: Visit) -> list[str]:
    """Say in what two visits differ that had the same words and sent the same report."""
    differing = [_NAMES[name] for name in _NAMES if one.kept.get(name) != other.kept.get(name)]
    differing += [_SHOWN[name] for name in _SHOWN if one.shown.get(name) != other.shown.get(name)]
    connections, moments = (
        [[getattr(sent, name) for sent in visit.reports] for visit in (one, other)]
        for name in ("connection", "after")
    )
    if connections[0] != connections[1]:
        differing.append("by which connection it sends")
    if moments[0] != moments[1]:
        differing.append("how long it waits before it sends")
    problems = [f"{what} depends on what is true" for what in differing]
    if one.after != other.after:
        problems.append("the clocks that it sets when it sends depend on what is true")
    if not problems and one.reports != other.reports:
        problems.append("what is sent depends on more than the report")
    return problems


_SHOWN: Final = {
    "addresses": "where the page leads before it sends",
    "token": "how it asks for a token",
    "after": "what the page shows after its report",
}

_NAMES: Final = {
    "local": "what it keeps in localStorage",
    "session": "what it keeps in sessionStorage",
    "cookie": "what it keeps in cookies",
    "name": "the window's name",
    **dict.fromkeys(("history", "states"), "the browser's history"),
}


def _listed(counts: Sequence[int]) -> str:
    return " and ".join(map(str, counts)) or "no"
