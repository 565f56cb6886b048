"""A simulated population that answers a survey: its truths, and the reports of its devices."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.channel import ROW_SUM
from deniable.client.asking import draw_asked
from deniable.client.branching import skip
from deniable.client.population import Population
from deniable.client.randomiser import randomise
from deniable.client.randomness import WordSource, os_words
from deniable.report import ID_BYTES, NOT_ASKED, NOT_DRAWN, Report
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.together import Group

CHUNK: Final = 2**16
"""Respondents that are drawn at once, so that memory does not grow with their number."""

_WORDS: Final = ID_BYTES // 4
"""Words of 32 bits in an id."""

Bytes: TypeAlias = npt.NDArray[np.uint8]

ALL_IDS: Final = range(2**32)
"""All values of an id's first 32 bits."""


@dataclass(frozen=True, eq=False)
class Responses:
    """Some respondents' truths, and the reports drawn from them; arrays of shape (n, items)."""

    # Only a simulation has both: a real person's truths are in their own browser alone. Every item
    # has a truth; the answer to an item that was not drawn is 254.
    truths: npt.NDArray[np.uint8]
    answers: npt.NDArray[np.uint8]
    wave: int = 1


def simulate(
    population: Population,
    n: int,
    words: WordSource = os_words,
    chunk: int = CHUNK,
    slips: Fraction = Fraction(),
) -> Iterator[Responses]:
    """Let n people of a population answer its survey, in chunks."""
    survey = population.survey
    for start in range(0, n, chunk):
        size = min(chunk, n - start)
        drawn = population.draw(size, words)
        truths, said = true_and_said(survey, drawn, words, slips)

        def sent(_: int, drawn: Item | Group, own: Bytes) -> Bytes:
            return randomise(drawn.channel, own, words(len(own)))

        answers = answers_of(survey, truths, said, sent)
        answers[~draw_asked(survey, size, words)] = NOT_DRAWN
        yield Responses(truths, answers)


def answers_of(
    survey: Survey, truths: Bytes, said: Bytes, sent: Callable[[int, Item | Group, Bytes], Bytes]
) -> Bytes:
    """Return the answers of people who say this, item by item, and then group by group.

    `sent`: draws the reports of an item, or of a group by the place of its first item.
    """
    answers = np.empty_like(truths)
    for place, item in enumerate(survey.items):
        answers[:, place] = sent(place, item, np.ascontiguousarray(said[:, place]))
    for group, places in zip(survey.groups, survey.places_together, strict=True):
        own = cells_said(group, said[:, places], truths[:, places])
        answers[:, places] = _cells_in(group)[sent(places[0], group, own)]
    return answers


def true_and_said(
    survey: Survey, drawn: npt.NDArray[np.uint8], words: WordSource, slips: Fraction
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Return people's truths, and what they say if they slip at follow-ups with this chance."""
    truths = skip(survey, drawn)
    if not slips:
        return truths, truths
    slipped = words(len(drawn) * len(survey.questions)) < round(slips * ROW_SUM)
    return truths, skip(survey, drawn, slipped.reshape(len(drawn), -1))


def _cells_in(group: Group) -> Bytes:
    return np.array(group.cells, dtype=np.uint8)


def cells_said(
    group: Group, said: npt.NDArray[np.uint8], truths: npt.NDArray[np.uint8]
) -> npt.NDArray[np.uint8]:
    """Return each person's cell: of what they say, or of their truths if that is impossible."""
    cells = _cells_in(group)
    numbers = np.full(cells.max(axis=0) + 1, NOT_ASKED, dtype=np.uint8)
    numbers[tuple(cells.T)] = np.arange(len(cells))
    own: npt.NDArray[np.uint8] = numbers[tuple(said.T)]
    np.copyto(own, numbers[tuple(truths.T)], where=own == NOT_ASKED)
    return own


def draw_ids(n: int, words: WordSource = os_words, within: range = ALL_IDS) -> list[bytes]:
    """Draw the ids of n reports; their first 32 bits lie in `within`."""
    drawn = words(n * _WORDS).reshape(n, _WORDS)
    if within != ALL_IDS:
        drawn = drawn.copy()  # what the system drew cannot be written to
        first = drawn[:, 0].astype(np.uint64) * np.uint64(len(within)) >> np.uint64(32)
        drawn[:, 0] = (first + np.uint64(within.start)).astype(">u4").view("<u4")
    joined = drawn.tobytes()
    return [joined[start : start + ID_BYTES] for start in range(0, len(joined), ID_BYTES)]


def make_reports(
    survey: Survey, ids: list[bytes], answers: npt.NDArray[np.uint8], wave: int = 1
) -> list[Report]:
    """Make the reports that devices would send."""
    slug, revision, joined, length = survey.slug, survey.revision, answers.tobytes(), len(answers.T)
    starts, sent = range(0, len(joined), length), survey.on_wire(wave)
    return [
        Report(slug, revision, id, joined[start : start + length], sent)
        for id, start in zip(ids, starts, strict=True)
    ]
