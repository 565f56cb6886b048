"""Simulated people: the share that has each true answer.

Rates are written ``QUESTION.ANSWER=RATE`` with the codes of the survey: ``doped.yes=20%`` for a
single choice or a number, ``substances.epo=10%`` for the share that ticks an option of a question
with many, ``trainers.head.knew=30%`` for a row of a grid. Items are independent of one another,
except that a question has no other truth where it does not apply (see `branching`): rates are
among the people to whom the question applies.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from itertools import accumulate
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable import exact
from deniable.channel import ROW_SUM
from deniable.client.randomness import WordSource
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import PREFER_NOT_TO_SAY, Question

_SHOWN: Final = 8
"""Names that an error lists at most."""


class RateMistake(ValueError):
    """An invalid rate; the message says what was found and what was expected."""


@dataclass(frozen=True)
class Population:
    """The share of people that has each truth, for each item of a survey."""

    survey: Survey
    # For each item, in order, the share of each of its truths among those to whom its question
    # applies; they sum to 1.
    shares: tuple[tuple[Fraction, ...], ...]

    def draw(self, n: int, words: WordSource) -> npt.NDArray[np.uint8]:
        """Draw n people from an infinite population with these shares; shape (n, items)."""
        truths = np.empty((n, len(self.shares)), dtype=np.uint8)
        for column, shares in zip(truths.T, self.shares, strict=True):
            thresholds = np.array(
                [round(total * ROW_SUM) for total in accumulate(shares)], dtype=np.uint64
            )
            column[:] = np.searchsorted(thresholds, words(n), side="right")
        return truths


def read_population(survey: Survey, rates: Iterable[str] = ()) -> Population:
    """Read rates such as ``doped.yes=20%``; other answers share the rest, and nobody declines."""
    places = _places(survey)
    given: dict[tuple[int, int], Fraction] = {}
    for rate in rates:
        name, equals, written = (part.strip() for part in rate.partition("="))
        if not equals:
            raise RateMistake(
                f"expected QUESTION.ANSWER=RATE, such as doped.yes=20%, found {rate!r}"
            )
        if name not in places:
            raise RateMistake(_unknown(survey, name, list(places)))
        if places[name] in given:
            raise RateMistake(f"{name}: expected one rate for each answer, found a second one")
        try:
            given[places[name]] = exact.percent(written, "a rate in percent")
        except ValueError as mistake:
            raise RateMistake(f"{name}: {mistake}") from None
    shares = (
        _complete(item, [given.get((place, truth), rest) for truth, rest in _rest(survey, item)])
        for place, item in enumerate(survey.items)
    )
    return Population(survey, tuple(shares))


def _places(survey: Survey) -> dict[str, tuple[int, int]]:
    """Map each name to its item and truth; an option's name alone means that it is ticked."""
    places: dict[str, tuple[int, int]] = {}
    for place, item in enumerate(survey.items):
        codes = [answer.code for answer in survey.question(item.question).offered]
        if survey.question(item.question).offers_yes_no:
            places[item.id] = (place, codes.index("yes"))
        for truth, code in enumerate(codes):
            places[f"{item.id}.{code}"] = (place, truth)
    return places


def _rest(survey: Survey, item: Item) -> list[tuple[int, Fraction | None]]:
    """Return the default rate of each truth: None to share the rest, 0 for what is no answer."""
    offered = survey.question(item.question).offered
    return [
        (truth, None if one in offered and one.code != PREFER_NOT_TO_SAY else Fraction())
        for truth, one in enumerate(item.truths)
    ]


def _complete(item: Item, given: Sequence[Fraction | None]) -> tuple[Fraction, ...]:
    """Share what the given rates leave evenly among the other answers."""
    left = 1 - sum((rate for rate in given if rate is not None), Fraction())
    unnamed = Counter(given)[None]
    if left < 0:
        raise RateMistake(
            f"{item.id}: expected rates that add up to at most 100%, found {_percent(1 - left)}"
        )
    if left and not unnamed:
        raise RateMistake(
            f"{item.id}: expected the rates of all its answers to add up to 100%, "
            f"found {_percent(1 - left)}"
        )
    return tuple(left / unnamed if rate is None else rate for rate in given)


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.6g}%"


def _unknown(survey: Survey, name: str, names: Sequence[str]) -> str:
    """Return an error that names the unknown part of a name, and the closest match."""
    id, _, rest = name.partition(".")
    asked = {question.id: question for question in survey.questions}
    if id not in asked:
        near = get_close_matches(id, asked, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {_first_names(asked)}"
        return f"{name}: the survey has no question {id!r}; {hint}"
    own = _names_of(asked[id], names)
    if not rest:
        return f"{name}: question {id!r} needs an answer after it; there are {_first_names(own)}"
    answers = [known.removeprefix(f"{id}.") for known in own]
    near = get_close_matches(rest.lower(), answers, n=1, cutoff=0.5)
    hint = f"did you mean {id}.{near[0]}?" if near else f"there are {_first_names(own)}"
    return f"{name}: question {id!r} has no answer {rest!r}; {hint}"


def _names_of(question: Question, names: Sequence[str]) -> list[str]:
    own = [name for name in names if name.startswith(f"{question.id}.")]
    if question.offers_yes_no:
        # "substances.epo" means the same as "substances.epo.yes", and is what people write.
        options = {id for id, _ in question.parts}
        return [name for name in own if name in options]
    return own


def _first_names(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:_SHOWN]) + (", …" if len(listed) > _SHOWN else "")
