"""Cells of direct answers, and which of them are small."""

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
"""Least number of people in a published cell of direct answers."""

CODES: Final = 256
"""Number of byte values."""

CROSSED: Final = 2

_EQUATIONS: Final = 3
"""Number of equations for the cells behind a number of people, a mean and a standard error."""


def hidden_cells(counts: npt.ArrayLike, least: int = LEAST) -> npt.NDArray[np.bool_]:
    """Return which cells of a one-dimensional table are suppressed.

    Parameters
    ----------
    counts : array_like of int, shape (cells,)
        People in each cell. Everybody knows the sum.
    least : int
        Least number of people in a published cell; with 1 nothing is suppressed.

    Returns
    -------
    ndarray of bool, shape (cells,)
        An empty cell is suppressed only if all cells are: an answer that nobody gave is no secret,
        unless it helps to work out the answers of a few people.

    Notes
    -----
    An adversary knows the total of the suppressed cells, that a small cell has at least one person,
    and that each other suppressed cell has at least `least`. No cell follows as long as the total
    exceeds the sum of these minima. Nor does any cell follow for an adversary who knows the rule: a
    test tries all tables up to some size.

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
    """The numbers of people of a wave with equal direct answers and an equal pattern.

    `values`, shape (cells, questions): the direct answers, 255 for "not asked". `patterns`, shape
    (cells,): equal numbers for people who were asked the same questions. `counts`, shape (cells,):
    people, at least one. Cells are sorted by pattern, then by values.
    """

    values: npt.NDArray[np.uint8]
    patterns: IntArray
    counts: IntArray

    def hidden(self, least: int) -> BoolArray:
        """Return which cells are suppressed in a file with all these answers.

        Of each group that another table may count, the file suppresses no one, at least `least`
        people, or everybody. Where it suppresses few people of a pattern, all suppressed people
        together gave several answers to each question: otherwise the question's table would reveal
        their answer.
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
        """Suppress another answer if all suppressed people gave one; return whether it was done."""
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
        """Which cells are of people who were asked all these questions; shape (cells,)."""
        asked: BoolArray = (self.values != NOT_ASKED).all(axis=1)
        return asked

    def are_whole(self, least: int) -> bool:
        """Return whether the crosstab of the questions is published, then with all people."""
        return not (self.counts[self.asked] < least).any() and not any(
            self.hidden_alone(question, least)[self.asked].any()
            for question in range(self.values.shape[1])
        )

    def hidden_alone(self, question: int, least: int, *, is_number: bool = False) -> BoolArray:
        """Return which cells are suppressed in the groups of one question, where patterns show.

        An answer that is suppressed in one pattern is suppressed in all, and never alone: the
        question's table shows how many people gave it, and each pattern shows how many people are
        missing. For a number, more answers are suppressed than the number of missing people, the
        mean and its error could determine.
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
        """Return which cells are suppressed in the table of this question alone."""
        answers = self.values[:, question]
        asked = answers != NOT_ASKED
        people = np.bincount(answers[asked], self.counts[asked], CODES).astype(np.int64)
        hidden: BoolArray = asked & hidden_cells(people, least)[answers]
        return hidden

    def _margins(self, least: int) -> Iterator[IntArray]:
        """Yield the groups that other tables count: a number for each cell, -1 outside all groups.

        The suppressed cells of a table are a group too: everybody knows how many people are
        missing.
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
    """Suppress cells within each pattern, as everybody knows how many people it has.

    `patterns` are ascending.
    """
    hidden: BoolArray = counts < least
    starts = np.flatnonzero(np.diff(patterns, prepend=-1))
    for start, end in pairwise([*starts.tolist(), len(patterns)]):
        if hidden[start:end].any() and not hidden[start:end].all():
            hidden[start:end] = hidden_cells(counts[start:end], least)
    return hidden


def _complete(hidden: BoolArray, counts: IntArray, groups: IntArray, least: int) -> bool:
    """Hide more cells until each group hides no one or at least `least` people; return if any."""
    inside = np.flatnonzero(groups >= 0)
    _, group = np.unique(groups[inside], return_inverse=True)
    found = False
    while True:
        missing = np.bincount(group, counts[inside] * hidden[inside])
        few = ((missing > 0) & (missing < least))[group] & ~hidden[inside]
        if not few.any():
            return found
        # In the order of the answers: a choice by size would reveal sizes.
        _, first = np.unique(group[few], return_index=True)
        hidden[inside[np.flatnonzero(few)[first]]] = found = True


def cells_of(
    values: npt.NDArray[np.uint8], patterns: IntArray, counts: IntArray | None = None
) -> tuple[Cells, IndexArray]:
    """Group people, or cells of people, by their direct answers and their pattern."""
    # Big-endian, so that the bytes sort as the numbers do.
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
    """Return a number for each row; equal rows have equal numbers."""
    _, of_row = cells_of(patterns, np.zeros(len(patterns), dtype=np.int64))
    return of_row.astype(np.int64)
