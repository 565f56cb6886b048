"""Pairs of people that may differ in nothing but what is true.

Both get the same words, and such words that both send the same report. By the same spinner two
truths never send the same report: there each of the two has a word of their own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from deniable.channel import ROW_SUM
from deniable.client.audit.tape import Tape, words_for_orders
from deniable.client.branching import skip
from deniable.report import ID_BYTES
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Protection, Question

_TRIES: Final = 100_000


@dataclass(frozen=True)
class Pair:
    """Two people with the same words, but for those of spinners."""

    one: Tape
    other: Tape
    alike: bool  # whether both send the same report
    is_timed: bool  # whether they are the same two as in all such pairs, but for their words


def pairs(survey: Survey, count: int, rng: np.random.Generator, wave: int = 0) -> Iterator[Pair]:
    """Draw pairs: three in five are of the same two people, the others of two new ones."""
    two = _two(survey, rng)
    for turn in range(count):
        is_timed = turn % 5 > 1
        one, other = two if is_timed else _two(survey, rng)
        # Where reports are alike, an answer that stands for another one would not show.
        alike = turn % 5 != 1
        words, others = _words(survey, one, other if alike else one, rng)
        yield Pair(Tape(one, words, wave), Tape(other, others, wave), alike, is_timed)


def _two(survey: Survey, rng: np.random.Generator) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Draw what is true of two people; what is sent as it is given must be the same of both."""
    one, other = [0] * len(survey.items), [0] * len(survey.items)
    for question in survey.questions:
        for place, (own, another) in zip(
            survey.places[question.id], _answers(question, survey, rng), strict=True
        ):
            is_direct = survey.items[place].protection is Protection.DIRECT
            one[place], other[place] = own, own if is_direct else another
    # What applies to them follows from the rest.
    skipped = skip(survey, np.array([one, other], dtype=np.uint8))
    return tuple(map(int, skipped[0])), tuple(map(int, skipped[1]))


def _answers(
    question: Question, survey: Survey, rng: np.random.Generator
) -> Iterator[tuple[int, int]]:
    """Draw two answers to each item of a question, of which the first may decline."""
    offered = len(question.offered)
    count = 2 if question.offers_yes_no else offered - question.prefer_not_to_say
    declines = question.prefer_not_to_say and rng.integers(offered) == 0
    for _ in survey.places[question.id]:
        own = int(rng.integers(count))
        another = (own + 1 + int(rng.integers(count - 1))) % count
        yield (offered - 1 if declines else own), another


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
    # Distinct, or the page draws all again.
    places = rng.choice(ROW_SUM, size=count, replace=False).tolist() if count else []
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
