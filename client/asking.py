"""Draw the items that a respondent is asked, where the survey leaves that to chance.

Each choice of a draw gets a random word, and the choices with the smallest words are drawn.
Distinct words are equally likely in every order, so every set of choices is exactly as likely as
any other; if two words are equal, all are drawn again. Where choices have chances of their own, one
word draws a whole set.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.client.randomness import WordSource
from deniable.survey import Draw, Survey

Mask: TypeAlias = npt.NDArray[np.bool_]


def choose(draw: Draw, words: npt.NDArray[np.uint32]) -> tuple[Mask, Mask]:
    """Return which choices each respondent's random words select, and whose words are distinct.

    The others have to draw again. With chances all are valid.
    """
    if draw.chances:
        sets = np.zeros((len(draw.sets), len(draw.choices)), dtype=np.bool_)
        for row, some in zip(sets, draw.sets, strict=True):
            row[[*some]] = True
        which = np.searchsorted(np.array(draw.ends, dtype=np.uint64), words[:, 0], side="right")
        return sets[which], np.ones(len(words), dtype=np.bool_)
    ascending = np.sort(words, axis=1)
    chosen = words <= ascending[:, draw.count - 1 : draw.count]
    return chosen, (ascending[:, 1:] != ascending[:, :-1]).all(axis=1)


def choose_again(draw: Draw, words: Sequence[int], before: Sequence[str]) -> list[str]:
    """Return the choices that the device drew before, and draw only the missing ones."""
    kept = [choice for choice in before if choice in draw.choices][: draw.count]
    if not draw.chances:
        rest = sorted(set(draw.choices) - {*kept}, key=lambda one: words[draw.choices.index(one)])
        return [*kept, *rest][: draw.count]
    held = {draw.choices.index(choice) for choice in kept}
    sets = [some for some in draw.sets if held.issubset(some)]
    drawn = next(s for s, end in zip(sets, draw.ends_of(sets), strict=True) if words[0] < end)
    return [*kept, *(draw.choices[place] for place in drawn if place not in held)]


def asked_by(
    survey: Survey, words: npt.NDArray[np.uint32], drawn: list[str] | None = None
) -> Mask | None:
    """Return which items one respondent is asked; None if two words are equal."""
    asked = np.ones(len(survey.items), dtype=np.bool_)
    start = 0
    found: list[str] = []
    for draw in survey.draws:
        own = words[start : start + draw.words]
        if len({*own.tolist()}) < len(own):
            return None
        chosen = choose_again(draw, own.tolist(), drawn or [])
        found += chosen
        _leave_out(draw, np.array([[one in chosen for one in draw.choices]]), asked[np.newaxis])
        start += draw.words
    if drawn is not None:
        drawn[:] = [*found, *(one for one in drawn if one not in found)]
    return asked


def draw_asked(survey: Survey, n: int, words: WordSource) -> Mask:
    """Draw which items each of n respondents is asked; shape (n, items)."""
    asked = np.ones((n, len(survey.items)), dtype=np.bool_)
    for draw in survey.draws:
        waiting = np.arange(n)
        while waiting.size:
            drawn = words(waiting.size * draw.words).reshape(waiting.size, -1)
            chosen, valid = choose(draw, drawn)
            done = asked[waiting[valid]]
            _leave_out(draw, chosen[valid], done)
            asked[waiting[valid]] = done
            waiting = waiting[~valid]
    return asked


def _leave_out(draw: Draw, chosen: Mask, asked: Mask) -> None:
    for places, drawn in zip(draw.places, chosen.T, strict=True):
        asked[:, places] &= drawn[:, np.newaxis]
