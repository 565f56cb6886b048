"""Which items a respondent is asked, where the survey leaves that to chance.

Of the words that are drawn for its choices, a draw takes the choices of the smallest. Distinct
words are equally likely in every order, so that every set of choices is exactly as likely as any
other; where two words are alike, all are drawn again. Nothing is divided and nothing is rounded.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.client.randomness import WordSource
from deniable.survey import Draw, Survey

Mask: TypeAlias = npt.NDArray[np.bool_]


def choose(draw: Draw, words: npt.NDArray[np.uint32]) -> tuple[Mask, Mask]:
    """Draw choices for several respondents."""
    ascending = np.sort(words, axis=1)
    chosen = words <= ascending[:, draw.count - 1 : draw.count]
    return chosen, (ascending[:, 1:] != ascending[:, :-1]).all(axis=1)


def asked_by(survey: Survey, words: npt.NDArray[np.uint32]) -> Mask | None:
    """Say which items one respondent is asked."""
    asked = np.ones(len(survey.items), dtype=np.bool_)
    start = 0
    for draw in survey.draws:
        end = start + len(draw.choices)
        chosen, valid = choose(draw, words[np.newaxis, start:end])
        if not valid.all():
            return None
        _leave_out(draw, chosen, asked[np.newaxis])
        start = end
    return asked


def draw_asked(survey: Survey, n: int, words: WordSource) -> Mask:
    """Draw which items each of many respondents is asked."""
    asked = np.ones((n, len(survey.items)), dtype=np.bool_)
    for draw in survey.draws:
        waiting = np.arange(n)
        while waiting.size:
            drawn = words(waiting.size * len(draw.choices)).reshape(waiting.size, -1)
            chosen, valid = choose(draw, drawn)
            done = asked[waiting[valid]]
            _leave_out(draw, chosen[valid], done)
            asked[waiting[valid]] = done
            waiting = waiting[~valid]
    return asked


def _leave_out(draw: Draw, chosen: Mask, asked: Mask) -> None:
    """Take the items of all choices that were not drawn out of those that are asked."""
    for places, drawn in zip(draw.places, chosen.T, strict=True):
        asked[:, places] &= drawn[:, np.newaxis]
