"""Cells of direct answers, and which of them few people gave."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import BoolArray, IndexArray, IntArray
from deniable.report import NOT_ASKED

LEAST: Final = 5
"""People that a cell of direct answers must have to be shown."""

CODES: Final = 256
"""How many bytes there are."""

CROSSED: Final = 2

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


@dataclass(frozen=True, eq=False)
class Cells:
    """How many people of a wave gave the same direct answers and were asked the same.

    `values`, shape (cells, questions): the direct answers, 255 for "not asked". `patterns`, shape
    (cells,): equal numbers for people who were asked the same. `counts`, shape (cells,): people, at
    least one. Cells are in the order of their patterns, then of their values.
    """

    values: npt.NDArray[np.uint8]
    patterns: IntArray
    counts: IntArray

    def hidden(self, least: int) -> BoolArray:
        """Return which cells are not shown in a file that tells all these answers.

        Of each group of people that another table may count, nobody is hidden, or enough people
        are, or everybody. Where few are hidden of a pattern, all that are hidden together gave
        several answers to each question: otherwise its table would tell theirs.
        """
        answered = (self.values != NOT_ASKED).any(axis=1)
        hidden = np.zeros(len(self.counts), dtype=bool)
        hidden[answered] = _hidden_in_patterns(
            self.counts[answered], self.patterns[answered], least
        )
        margins = [*self._margins(least)]
        while (answered & ~hidden).any():
            changed = [_complete(hidden, self.counts, margin, least) for margin in margins]
            changed += [
                self._mix(hidden, question, least) for question in range(self.values.shape[1])
            ]
            if not any(changed):
                break
        return hidden

    def _mix(self, hidden: BoolArray, question: int, least: int) -> bool:
        """Hide one more answer where all that are hidden gave the same; say if it was done."""
        answers = self.values[:, question]
        those = hidden & (answers != NOT_ASKED)
        others = ~hidden & (answers != NOT_ASKED)
        if not those.any() or (answers[those] != answers[those][0]).any():
            return False
        _, place = np.unique(self.patterns, return_inverse=True)
        missing = np.bincount(place, self.counts * those)
        others &= answers != answers[those][0]
        if not ((missing > 0) & (missing < least)).any() or not others.any():
            return False
        hidden[np.flatnonzero(others)[0]] = True
        return True

    @cached_property
    def asked(self) -> BoolArray:
        """Which cells are of people who were asked all these questions."""
        asked: BoolArray = (self.values != NOT_ASKED).all(axis=1)
        return asked

    def are_whole(self, least: int) -> bool:
        """Return whether the questions are shown against each other: if so, of everybody."""
        return not (self.counts[self.asked] < least).any() and not any(
            self.hidden_alone(question, least)[self.asked].any()
            for question in range(self.values.shape[1])
        )

    def hidden_alone(self, question: int, least: int, *, is_number: bool = False) -> BoolArray:
        """Return which cells are not shown in the groups of one question, where patterns show.

        An answer is hidden in all patterns if it is in one, and never alone: how many people gave
        it is in the table of the question, and how many are missing in a pattern can be seen. Of a
        number more are hidden than follow from how many are missing, its mean and its error.
        """
        fewest = _EQUATIONS + 1 if is_number else 2
        answers = self.values[:, question].astype(np.int64)
        asked = answers != NOT_ASKED
        pairs, place = np.unique(self.patterns[asked] * CODES + answers[asked], return_inverse=True)
        small = pairs[np.bincount(place, self.counts[asked], len(pairs)) < least] % CODES
        chosen = {*answers[self.hidden_in_table(question, least)].tolist(), *small.tolist()}
        if chosen:
            others = np.setdiff1d(answers[asked], [*chosen])
            chosen.update(others[: max(fewest - len(chosen), 0)].tolist())
        hidden: BoolArray = asked & np.isin(answers, [*chosen])
        return hidden

    def hidden_in_table(self, question: int, least: int) -> BoolArray:
        """Return the same of the table of this question and nothing else."""
        answers = self.values[:, question]
        asked = answers != NOT_ASKED
        people = np.bincount(answers[asked], self.counts[asked], CODES).astype(np.int64)
        hidden: BoolArray = asked & hidden_cells(people, least)[answers]
        return hidden

    def _margins(self, least: int) -> Iterator[IntArray]:
        """Yield the groups that other tables count: a number for each cell, -1 outside of all.

        What a table hides is a group as well: everybody knows how many people are missing there.
        """
        for question, answers in enumerate(self.values.T):
            asked = answers != NOT_ASKED
            yield np.where(asked, answers.astype(np.int64), -1)
            yield np.where(asked, self.patterns * CODES + answers, -1)
            yield np.where(self.hidden_in_table(question, least), 0, -1)
        for pair in combinations(range(self.values.shape[1]), 2):
            cells, of_row = cells_of(self.values[:, pair], self.patterns, self.counts)
            if cells.are_whole(least):
                yield np.where(cells.asked[of_row], of_row, -1)


def _hidden_in_patterns(counts: IntArray, patterns: IntArray, least: int) -> BoolArray:
    """Hide cells in each pattern by itself, as everybody knows how many people it has.

    The patterns are ascending.
    """
    hidden: BoolArray = counts < least
    starts = np.flatnonzero(np.diff(patterns, prepend=-1))
    for start, end in pairwise([*starts.tolist(), len(patterns)]):
        if hidden[start:end].any() and not hidden[start:end].all():
            hidden[start:end] = hidden_cells(counts[start:end], least)
    return hidden


def _complete(hidden: BoolArray, counts: IntArray, groups: IntArray, least: int) -> bool:
    """Hide more cells until of each group nobody is hidden, or enough are; say if any was."""
    inside = np.flatnonzero(groups >= 0)
    _, group = np.unique(groups[inside], return_inverse=True)
    found = False
    while True:
        missing = np.bincount(group, counts[inside] * hidden[inside])
        few = ((missing > 0) & (missing < least))[group] & ~hidden[inside]
        if not few.any():
            return found
        # By the order of the answers, whatever their sizes.
        _, first = np.unique(group[few], return_index=True)
        hidden[inside[np.flatnonzero(few)[first]]] = found = True


def cells_of(
    values: npt.NDArray[np.uint8], patterns: IntArray, counts: IntArray | None = None
) -> tuple[Cells, IndexArray]:
    """Sort people, or cells of them, by their direct answers and their pattern."""
    # Big-endian, so that bytes are sorted as the numbers are.
    keys = np.hstack([patterns.astype(">i8")[:, np.newaxis].view(np.uint8), values])
    _, first, of_row = np.unique(
        np.ascontiguousarray(keys).view(np.dtype((np.void, keys.shape[1]))).reshape(-1),
        return_index=True,
        return_inverse=True,
    )
    of_row = of_row.reshape(-1)
    people = np.bincount(of_row, counts, len(first)).astype(np.int64)
    return Cells(values[first], patterns[first], people), of_row


def numbered(patterns: npt.NDArray[np.uint8]) -> IntArray:
    """Return a number for each row, the same for equal rows."""
    _, of_row = cells_of(patterns, np.zeros(len(patterns), dtype=np.int64))
    return of_row.astype(np.int64)
