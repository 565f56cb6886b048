"""Which direct answers are shown: the one place that decides, for every table, page and file.

A direct answer is sent as it is given, so a cell of two people says something of these two. It is
hidden (*primary suppression*). As the number of reports is known, a single hidden cell would follow
from all the others: so at least one more is hidden (*secondary suppression*; Hundepool et al. 2012,
"Statistical Disclosure Control", chapter 4). Which one is told by the order of the answers, and not
by their sizes: whoever knows the rule would learn from the smallest being hidden that all others
are larger (Wong et al. 2007, "Minimality attack in privacy preserving data publishing").

Which cells of a report are empty tells as much of a person as a direct answer: who answered before
a correction, and who had answered some of it already. So the key of whatever sets questions against
each other is the direct answers *and* the pattern of what was not asked (`Rows`), in each wave.

All outputs of one snapshot are seen together. So each is made that no group that one of them
counts, less a group inside it that another counts, is one of few people (the *complement*):

- The table of one question counts everybody who was asked it (`hidden_cells`).
- Another question in its groups: the same, if it was asked of all these people. If not, no answer
  is shown that few people of some pattern gave.
- Two direct questions against each other: all cells, or none.
- A file of reports: no cell of direct answers and pattern is small; and of each group in the tables
  above nobody is missing, or at least so many as a cell needs, or everybody.

What follows from more than two tables together is not bounded, nor what follows from the same one
at two times.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import BoolArray, IndexArray, IntArray
from deniable.questions import Protection
from deniable.report import NOT_ASKED
from deniable.survey import Survey

LEAST: Final = 5
"""People that a cell of direct answers must have to be shown."""

EVERYBODY: Final = 2**63 - 1
"""More people than any cell has: every direct answer is hidden."""

_CODES: Final = 256
"""How many bytes there are."""

_CROSSED: Final = 2

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

    `values`: what each answer counts for, nan for one that is not a number.

    Examples
    --------
    >>> mean_tells_cells([0, 1, 2, float("nan")]), mean_tells_cells([0, 1, 2, 3])
    (True, False)
    """
    return int(np.count_nonzero(~np.isnan(np.asarray(values, dtype=np.float64)))) <= _EQUATIONS


class TooFewError(ValueError):
    """Something is not shown because it would tell what a few people answered."""


def direct_places(survey: Survey) -> tuple[int, ...]:
    """Return where the items stand that people answer directly; which wave it is is no answer."""
    asked = {question.id for question in survey.asked_questions}
    return tuple(
        place
        for place, item in enumerate(survey.items)
        if item.protection is Protection.DIRECT and item.question in asked
    )


def hide_rare(
    answers: npt.NDArray[np.uint8], survey: Survey, least: int = LEAST
) -> npt.NDArray[np.uint8]:
    """Take the direct answers out of those reports in which they are rare.

    Parameters
    ----------
    answers : ndarray of uint8, shape (reports, items)
    least : int
        As in `hidden_cells`, of the people of a wave who gave the same direct answers and were
        asked the same questions.

    Returns
    -------
    ndarray of uint8, shape (reports, items)
        `NOT_ASKED` stands in place of these direct answers. What was randomised stays, and so does
        the number of the wave.
    """
    return Rows.of(survey, answers, least).emptied(direct_places(survey))


def patterns_of(
    survey: Survey, answers: npt.NDArray[np.uint8], *, one_revision: bool = False
) -> npt.NDArray[np.uint8]:
    """Say of each report which questions were asked in it, as far as others can know that.

    `survey`: the very revision that was answered, if it is known. `answers`, shape (reports,
    items). `one_revision`: whether all reports there are are known to be to this revision. Then, in
    a survey without waves, each person sent one report. What the device drew for it
    (`Survey.draws`) depends on nothing else, and nobody but its owner has seen it: all whole
    reports are one pattern. Result, shape (reports, bytes): equal rows for equal patterns.
    """
    packed = np.packbits(answers == NOT_ASKED, axis=1)
    if one_revision and survey.waves is None and survey.draws:
        packed[_is_whole(survey, answers)] = 0
    return packed


def _is_whole(survey: Survey, answers: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Return which reports answer all that chance drew, and whatever it does not decide about."""
    drawn_from = () if survey.ask is None else survey.ask.questions
    whole = np.ones(len(answers), dtype=bool)
    drawn = np.zeros(len(answers), dtype=np.int64)
    for question in survey.questions:
        places = survey.places[question.id]
        asked = (answers[:, places] != NOT_ASKED).sum(axis=1)
        is_whole = asked == (question.ask or len(places))
        if question.id in drawn_from:
            drawn += asked > 0
            is_whole |= asked == 0
        whole &= is_whole
    return whole if survey.ask is None else whole & (drawn == survey.ask.count)


@dataclass(frozen=True, eq=False)
class Rows:
    """People's reports, and what tells people apart besides: the key of all that is hidden.

    Parameters
    ----------
    answers : ndarray of uint8, shape (people, items)
        All that there are of a snapshot, 255 for "not asked": what is hidden in one table depends
        on what the others show.
    patterns : ndarray of int64, shape (people,)
        Equal numbers for people who were asked the same, as far as others can know that. See
        `patterns_of`.
    everybody : Everybody
        Whom a file of reports is made of. They are among them.
    least : int
        As in `hidden_cells`; with 1 nothing is hidden.
    """

    survey: Survey
    answers: npt.NDArray[np.uint8]
    patterns: IntArray
    everybody: Everybody
    least: int = LEAST

    @classmethod
    def of(cls, survey: Survey, answers: npt.NDArray[np.uint8], least: int = LEAST) -> Rows:
        """Take reports of which nothing else is known, such as those of a CSV."""
        patterns = numbered(patterns_of(survey, answers))
        everybody = Everybody(
            answers[:, direct_places(survey)],
            patterns,
            waves_of(survey, answers),
            np.arange(len(answers)),
        )
        return cls(survey, answers, patterns, everybody, least)

    def wave(self, wave: int) -> Rows:
        """Return the reports of one wave, from 1."""
        inside = self.answers[:, -1] == wave - 1
        return replace(
            self,
            answers=self.answers[inside],
            patterns=self.patterns[inside],
            everybody=replace(self.everybody, rows=self.everybody.rows[inside]),
        )

    @cached_property
    def direct(self) -> tuple[int, ...]:
        """Where the items stand that were asked directly; which wave it is is no answer."""
        return direct_places(self.survey)

    def hidden(self, direct: Collection[int]) -> BoolArray:
        """Return of which people these direct answers are not shown together.

        `direct`: where the items stand. Of one alone, whole answers are hidden. Two are shown of
        everybody who was asked both, if no cell of them is small. Otherwise, several are shown
        where a file of all direct answers shows them. Result, shape (people,).
        """
        hidden = np.zeros(len(self.answers), dtype=bool)
        if not direct or self.least <= 1:
            return hidden
        chosen = sorted(direct)
        if len(chosen) > 1:
            hidden = self._left_out_of_files.copy()
        if len(chosen) > _CROSSED:
            return hidden
        waves = waves_of(self.survey, self.answers)
        for wave in np.unique(waves):
            rows = np.flatnonzero(waves == wave)
            those = cells_of(self.answers[rows][:, chosen], self.patterns[rows])
            if len(chosen) == 1:
                hidden[rows] = those.cells.hidden_alone(0, self.least)[those.of_row]
            elif those.cells.are_whole(self.least):
                hidden[rows[those.cells.asked[those.of_row]]] = False
        return hidden

    @cached_property
    def _left_out_of_files(self) -> BoolArray:
        return self.everybody.hidden(self.least)

    def emptied(self, direct: Collection[int]) -> npt.NDArray[np.uint8]:
        """Return the reports, without these direct answers of the people of whom they are hidden.

        `NOT_ASKED` stands in place of them. What was randomised stays, and so does the number of
        the wave.
        """
        rare = np.flatnonzero(self.hidden(direct))
        shown = self.answers.copy()
        shown[rare[:, np.newaxis], sorted(direct)] = NOT_ASKED
        return shown

    def unique(self, direct: Collection[int]) -> npt.NDArray[np.intp]:
        """Return the rows that nobody else of the wave shares these answers and the pattern of."""
        if not direct or not len(self.answers):
            return np.empty(0, dtype=np.intp)
        places = sorted(direct) + ([-1] if self.survey.waves is not None else [])
        found = cells_of(self.answers[:, places], self.patterns)
        return np.flatnonzero(found.cells.counts[found.of_row] == 1)

    def together(self, places: Collection[int], *, told: bool = False) -> Together:
        """Return the people who are seen where some items are set against each other.

        `places`: where the items stand, direct and randomised. `told`: whether it is told how many
        people gave which direct answers together.

        Notes
        -----
        Everybody knows how many people gave each of two answers by itself, wherever these are
        enough. A single hidden cell would follow from its row, and a hidden row from the other
        question. So of two questions either all cells are shown, or none is.
        """
        asked = (self.answers[:, sorted(places)] != NOT_ASKED).all(axis=1)
        direct = [place for place in self.direct if place in places]
        told_apart = (self.answers[:, direct] != NOT_ASKED).any(axis=1) & ~asked
        if len(direct) == 1 and not told_apart.any():
            # Whoever was asked it was asked the others as well: no pattern shows.
            rows = replace(self, patterns=np.zeros_like(self.patterns))
            hidden = rows.hidden(direct)
        else:
            hidden = self.hidden(direct)
        if told and len(direct) == _CROSSED and (hidden & asked).any():
            raise TooFewError(
                "too few people to show: some of these direct answers were given together by fewer "
                f"than {self.least} people who were asked the same questions, or would follow for "
                "so few from other tables, so none of them are shown together"
            )
        shown = asked & ~hidden
        if direct and self.least > 1 and shown.any():
            # Chance may have drawn the other items for few people of a group.
            found = cells_of(self.answers[shown][:, direct], np.zeros(shown.sum(), np.int64))
            shown[shown] = ~hidden_cells(found.cells.counts, self.least)[found.of_row]
        if asked.any() and not shown.any():
            raise TooFewError(
                f"too few people to show: the direct answers of all {asked.sum():,} people are "
                f"hidden, because some of them were given by fewer than {self.least} people who "
                "were asked the same questions"
            )
        return Together(shown, int(asked.sum()))


@dataclass(frozen=True, eq=False)
class Everybody:
    """All people of a snapshot, whichever revision they answered: a file of reports is made of all.

    Parameters
    ----------
    values : ndarray of uint8, shape (people, questions)
        What they answered directly to all questions of all revisions, 255 for "not asked".
    patterns : ndarray of int64, shape (people,)
    waves : ndarray of uint8, shape (people,)
    rows : ndarray of int, shape (some of the people,)
        Whom of them `Rows` is about.
    """

    values: npt.NDArray[np.uint8]
    patterns: IntArray
    waves: npt.NDArray[np.uint8]
    rows: IndexArray

    def hidden(self, least: int) -> BoolArray:
        """Return of whom of `rows` a file tells no direct answer."""
        hidden = np.zeros(len(self.values), dtype=bool)
        for wave in np.unique(self.waves):
            rows = np.flatnonzero(self.waves == wave)
            found = cells_of(self.values[rows], self.patterns[rows])
            hidden[rows] = found.cells.hidden(least)[found.of_row]
        return hidden[self.rows]


def waves_of(survey: Survey, answers: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return the wave of each report, as the last byte has it: every table is of one."""
    return answers[:, -1] if survey.waves is not None else np.zeros(len(answers), dtype=np.uint8)


@dataclass(frozen=True, eq=False)
class Together:
    """The people who are seen where some items are set against each other.

    Parameters
    ----------
    of : ndarray of bool, shape (people,)
        Whether each is one of them.
    asked : int
        How many people were asked all of these items.
    """

    of: BoolArray
    asked: int


@dataclass(frozen=True, eq=False)
class Cells:
    """How many people of a wave gave the same direct answers and were asked the same.

    Parameters
    ----------
    values : ndarray of uint8, shape (cells, questions)
        The direct answers, 255 for "not asked".
    patterns : ndarray of int64, shape (cells,)
        Equal numbers for people who were asked the same.
    counts : ndarray of int64, shape (cells,)
        People, at least one. Cells are in the order of their patterns, then of their values.
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

    def hidden_alone(self, question: int, least: int) -> BoolArray:
        """Return which cells are not shown in the groups of one question, where patterns show.

        An answer is hidden in all patterns if it is in one, and never alone: how many people gave
        it is in the table of the question, and how many are missing in a pattern can be seen.
        """
        answers = self.values[:, question].astype(np.int64)
        asked = answers != NOT_ASKED
        pairs, place = np.unique(
            self.patterns[asked] * _CODES + answers[asked], return_inverse=True
        )
        small = pairs[np.bincount(place, self.counts[asked], len(pairs)) < least] % _CODES
        chosen = {*answers[self.hidden_in_table(question, least)].tolist(), *small.tolist()}
        if len(chosen) == 1:
            chosen.update(np.setdiff1d(answers[asked], [*chosen])[:1].tolist())
        hidden: BoolArray = asked & np.isin(answers, [*chosen])
        return hidden

    def hidden_in_table(self, question: int, least: int) -> BoolArray:
        """Return the same of the table of this question and nothing else."""
        answers = self.values[:, question]
        asked = answers != NOT_ASKED
        people = np.bincount(answers[asked], self.counts[asked], _CODES).astype(np.int64)
        hidden: BoolArray = asked & hidden_cells(people, least)[answers]
        return hidden

    def _margins(self, least: int) -> Iterator[IntArray]:
        """Yield the groups that other tables count: a number for each cell, -1 outside of all.

        What a table hides is a group as well: everybody knows how many people are missing there.
        """
        for question, answers in enumerate(self.values.T):
            asked = answers != NOT_ASKED
            yield np.where(asked, answers.astype(np.int64), -1)
            yield np.where(asked, self.patterns * _CODES + answers, -1)
            yield np.where(self.hidden_in_table(question, least), 0, -1)
        for pair in combinations(range(self.values.shape[1]), 2):
            those = cells_of(self.values[:, pair], self.patterns, self.counts)
            if those.cells.are_whole(least):
                yield np.where(those.cells.asked[those.of_row], those.of_row, -1)


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


@dataclass(frozen=True, eq=False)
class Sorted:
    """People sorted into cells.

    Parameters
    ----------
    of_row : ndarray of int, shape (people,)
        In which cell each is.
    """

    cells: Cells
    of_row: IndexArray


def cells_of(
    values: npt.NDArray[np.uint8], patterns: IntArray, counts: IntArray | None = None
) -> Sorted:
    """Sort people, or cells of them, by their direct answers and their pattern.

    `values`, shape (rows, questions). `patterns`, shape (rows,). `counts`, shape (rows,): how many
    people each row is; by default one.
    """
    # Big-endian, so that bytes are sorted as the numbers are.
    keys = np.hstack([patterns.astype(">i8")[:, np.newaxis].view(np.uint8), values])
    _, first, of_row = np.unique(
        np.ascontiguousarray(keys).view(np.dtype((np.void, keys.shape[1]))).reshape(-1),
        return_index=True,
        return_inverse=True,
    )
    of_row = of_row.reshape(-1)
    people = np.bincount(of_row, counts, len(first)).astype(np.int64)
    return Sorted(Cells(values[first], patterns[first], people), of_row)


def numbered(patterns: npt.NDArray[np.uint8]) -> IntArray:
    """Return a number for each row, the same for equal rows."""
    return cells_of(patterns, np.zeros(len(patterns), dtype=np.int64)).of_row.astype(np.int64)
