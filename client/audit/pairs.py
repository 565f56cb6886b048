"""Pairs of people that differ in nothing but their truths.

Both get the same words, chosen so that both send the same report. With the same spinner, two truths
never send the same report: there each of the two people gets their own word.
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
    """Two people with the same words, except for spinners."""

    one: Tape
    other: Tape
    alike: bool  # whether both send the same report
    is_timed: bool  # whether they have the same truths as all other timed pairs


def pairs(survey: Survey, count: int, rng: np.random.Generator, wave: int = 0) -> Iterator[Pair]:
    """Draw pairs: three in five are of the same two people, the others of two new ones."""
    two = _two(survey, rng)
    for turn in range(count):
        is_timed = turn % 5 > 1
        one, other = two if is_timed else _two(survey, rng)
        # Some pairs may send different reports, or a page that swaps answers would not show.
        alike = turn % 5 != 1
        words, others = _words(survey, one, other if alike else one, rng)
        yield Pair(Tape(one, words, wave), Tape(other, others, wave), alike, is_timed)


def _two(survey: Survey, rng: np.random.Generator) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Draw the truths of two people; both have the same answers to direct questions."""
    one, other = [0] * len(survey.items), [0] * len(survey.items)
    for question in survey.questions:
        for place, (own, another) in zip(
            survey.places[question.id], _answers(question, survey, rng), strict=True
        ):
            is_direct = survey.items[place].protection is Protection.DIRECT
            one[place], other[place] = own, own if is_direct else another
    # Follow-ups that do not apply get the truth "does not apply".
    skipped = skip(survey, np.array([one, other], dtype=np.uint8))
    return tuple(map(int, skipped[0])), tuple(map(int, skipped[1]))


def _answers(
    question: Question, survey: Survey, rng: np.random.Generator
) -> Iterator[tuple[int, int]]:
    """Draw two different answers to each item of a question; the first may decline."""
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
    """Draw each person's words; with them, each item's report is the same for both truths."""
    own, others, kept = [], [], []
    for place, item in enumerate(survey.items):
        truth, alternative = _truth(survey, place, one), _truth(survey, place, other)
        for _ in range(_TRIES):
            (word,) = _random_words(rng, 1)
            (another,) = _random_words(rng, 1) if item.has_spinner else (word,)
            remembered = _random_words(rng, item.kept_words)
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
    # Distinct, because the page draws equal words again.
    places = rng.choice(ROW_SUM, size=count, replace=False).tolist() if count else []
    id = _random_words(rng, ID_BYTES // 4)
    return (*id, *own, *kept, *places), (*id, *others, *kept, *places)


def _truth(survey: Survey, place: int, truths: Sequence[int]) -> int:
    """Return the truth of an item, or the cell of its group if it is randomised together."""
    for group, places in zip(survey.groups, survey.places_together, strict=True):
        if place in places:
            return group.cell([truths[one] for one in places])
    return truths[place]


def _byte(item: Item, truth: int, word: int, kept: Sequence[int]) -> int:
    if item.group is not None and item.question != item.group.questions[0]:
        return 0  # its word is not used
    noisy = () if item.memory is None else item.memory.draw(kept)
    return (item.group or item).sample(truth, word, noisy)


def _random_words(rng: np.random.Generator, count: int) -> list[int]:
    return [int(word) for word in rng.integers(ROW_SUM, size=count)]
