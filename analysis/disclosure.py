"""Direct answers that few people gave, and what is left out so that nobody reads them off.

A direct answer is sent as it is given, so a cell of two people says something of these two. It is
hidden (*primary suppression*). As the number of reports is known, a single hidden cell would follow
from all the others: so at least one more is hidden (*secondary suppression*; Hundepool et al. 2012,
"Statistical Disclosure Control", chapter 4). Which one is told by the order of the answers, and not
by their sizes: whoever knows the rule would learn from the smallest being hidden that all others
are larger (Wong et al. 2007, "Minimality attack in privacy preserving data publishing").

This holds for one question by itself, and for the combinations of all direct answers in a file of
reports. It does not bound what follows from several of these tables together, or from the same
table at two times. There is one exception: two direct questions are set against each other only if
no cell is small (`refuse_rare`), as everybody knows the table of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.questions import Protection
from deniable.report import NOT_ASKED
from deniable.survey import Survey

LEAST: Final = 5
"""People that a cell of direct answers must have to be shown."""

_EQUATIONS: Final = 3
"""That a number of people, a mean and a standard error are, for the cells behind them."""


def hidden_cells(counts: npt.ArrayLike, least: int = LEAST) -> npt.NDArray[np.bool_]:
    """Return which cells of a table of one dimension are hidden.

    Parameters
    ----------
    counts : array_like of int, shape (cells,)
        People in each cell. Their sum is known to everybody.
    least : int
        People that a cell must have; with 1 nothing is hidden.

    Returns
    -------
    ndarray of bool, shape (cells,)
        An empty cell is hidden only where all are: what nobody said is nobody's secret, unless it
        helps to work out what a few people said.

    Notes
    -----
    Everybody knows how many people the hidden cells have together, that a small one has at least
    one, and that each of the others has at least `least`. Nothing follows from that as long as they
    have more than this. No cell follows for those who know the rule as well: a test goes through
    all tables of some size.

    Examples
    --------
    >>> hidden_cells([40, 30, 3, 0]).tolist(), hidden_cells([5, 30, 1, 0]).tolist()
    ([True, False, True, False], [True, True, True, False])
    >>> hidden_cells([4, 0]).tolist(), hidden_cells([7, 0]).tolist()
    ([True, True], [False, False])
    """
    people = np.asarray(counts)
    small: npt.NDArray[np.bool_] = (people > 0) & (people < least)
    if not small.any():
        return small
    hidden, others = small.copy(), 0
    for cell in np.flatnonzero(people >= max(least, 1)):
        hidden[cell], others = True, others + 1
        if people[hidden].sum() > np.count_nonzero(small) + others * least:
            return hidden
    return np.ones(people.shape, dtype=bool)


def mean_tells_cells(values: npt.ArrayLike) -> bool:
    """Return whether the mean of a direct number tells how many people gave each answer.

    The number of people, their mean and its standard error are three equations. Up to three numbers
    follow from them. With more there are in general several tables of the same mean and error; in a
    small group there can be one alone, so this is no bound on what the numbers tell there.

    Parameters
    ----------
    values : array_like of float
        What each answer counts for, nan for one that is not a number.

    Examples
    --------
    >>> mean_tells_cells([0, 1, 2, float("nan")]), mean_tells_cells([0, 1, 2, 3])
    (True, False)
    """
    return int(np.count_nonzero(~np.isnan(np.asarray(values, dtype=np.float64)))) <= _EQUATIONS


def hide_rare(
    answers: npt.NDArray[np.uint8], survey: Survey, least: int = LEAST
) -> npt.NDArray[np.uint8]:
    """Take the direct answers out of those reports whose combination of them is rare.

    Parameters
    ----------
    answers : ndarray of uint8, shape (reports, items)
    survey : Survey
    least : int
        As in `hidden_cells`, of the combinations of each wave.

    Returns
    -------
    ndarray of uint8, shape (reports, items)
        `NOT_ASKED` stands in place of these direct answers. What was randomised stays, and so does
        the number of the wave.
    """
    asked = {question.id for question in survey.asked_questions}
    direct = [
        place
        for place, item in enumerate(survey.items)
        if item.protection is Protection.DIRECT and item.question in asked
    ]
    if not direct or least <= 1 or not len(answers):
        return answers
    shown = answers.copy()
    waves = answers[:, -1] if survey.waves is not None else np.zeros(len(answers), np.uint8)
    for wave in np.unique(waves):
        rows = np.flatnonzero(waves == wave)
        rare = rows[_rare(answers[rows][:, direct], least)]
        shown[rare[:, np.newaxis], direct] = NOT_ASKED
    return shown


class TooFewError(ValueError):
    """Something is not shown because it would tell what a few people answered."""


def without_rare(
    answers: npt.NDArray[np.uint8],
    direct: Sequence[int],
    *,
    least: int = LEAST,
) -> npt.NDArray[np.uint8]:
    """Leave out the people whose combination of some direct answers is rare.

    What was randomised of them is left out as well: a group of few people has no estimate.

    Parameters
    ----------
    answers : ndarray of uint8, shape (people, items)
        Of people who were asked all that is looked at.
    direct : sequence of int
        Where the direct items stand that make the groups.
    least : int
        As in `hidden_cells`, of the combinations.

    Returns
    -------
    ndarray of uint8, shape (fewer people, items)

    Raises
    ------
    TooFewError
        If nobody is left.
    """
    if not direct or not len(answers):
        return answers
    shown = answers[~_rare(answers[:, direct], least)]
    if not len(shown):
        raise TooFewError(
            f"the direct answers of all {len(answers):,} people are hidden, because some of them "
            f"were given by fewer than {least} people"
        )
    return shown


def refuse_rare(
    answers: npt.NDArray[np.uint8], direct: Sequence[int], *, least: int = LEAST
) -> None:
    """Refuse to set direct answers against each other if fewer people gave some together.

    Parameters
    ----------
    answers, direct, least
        As for `without_rare`.

    Raises
    ------
    TooFewError
        If there is a combination of them that somebody gave, and fewer people than `least`.

    Notes
    -----
    Everybody knows how many people gave each of the answers by itself, wherever these are enough.
    A single hidden cell would follow from its row, and a hidden row from the other question. So
    either all cells are shown, or none is.
    """
    if not len(answers):
        return
    _, counts = np.unique(answers[:, direct], axis=0, return_counts=True)
    if (counts < least).any():
        raise TooFewError(
            f"some of these direct answers were given together by fewer than {least} people, so "
            "none of them are shown together"
        )


def _rare(combinations: npt.NDArray[np.uint8], least: int) -> npt.NDArray[np.bool_]:
    """Return of which rows the combination is hidden."""
    _, places, counts = np.unique(combinations, axis=0, return_inverse=True, return_counts=True)
    hidden: npt.NDArray[np.bool_] = hidden_cells(counts, least)[places.reshape(-1)]
    return hidden
