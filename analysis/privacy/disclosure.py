"""Which direct answers are published: the one decision for every table, page and file.

A direct answer is sent unchanged, so a cell of two people reveals something about both. It is
suppressed (*primary suppression*). As the number of reports is known, a single suppressed cell
would follow from all the others, so at least one more is suppressed (*secondary suppression*;
Hundepool et al. 2012, "Statistical Disclosure Control", chapter 4). The order of the answers
decides which one, not their sizes: if the smallest were suppressed, an adversary who knows the rule
would learn that all others are larger (Wong et al. 2007, "Minimality attack in privacy preserving
data publishing").

The empty cells of a report reveal as much about a person as a direct answer: who answered before a
correction, and who had already answered a part. So the key of everything that crosses questions is
the direct answers *and* the pattern of questions not asked (`Rows`), in each wave.

An adversary sees all outputs of one snapshot together. So no group that one output counts, less a
subgroup that another output counts (the *complement*), may have few people:

- The table of one question counts everybody who was asked it (`hidden_cells`).
- A question in the groups of a direct question: the same rule, if all these people were asked it.
  If not, an answer that few people of some pattern gave is suppressed.
- Two direct questions, crossed: all cells, or none.
- A direct follow-up: the number of people to whom it applies counts certain earlier answers. It is
  suppressed if that number reveals a small cell there or a small group; otherwise these people are
  a table of their own.
- A file of reports: no cell of direct answers and pattern is small; and of each group in the tables
  above no one is missing, or at least as many as a published cell needs, or everybody. A file with
  some direct columns has no cell that the file with all of them lacks: the randomised columns join
  two files.

A report with a unique gap, or the only report to its revision, would suppress whole tables for the
sake of one person. So the direct answers of a few people who share a gap are in no output
(`few_alike`).

Inference from more than two tables together is not bounded, nor from one table at two times.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.rows import (
    Everybody,
    Rows,
    alike,
    in_bytes,
    is_whole,
    join_rows,
    people_of,
    repeated,
    without,
)
from deniable.analysis.counts.tally import count_answers
from deniable.analysis.numerics.arrays import BoolArray, IndexArray, IntArray
from deniable.report import NOT_ASKED
from deniable.survey import Survey
from deniable.survey.questions import Protection

LEAST: Final = 5
"""Least number of people in a published cell of direct answers."""

_BYTES: Final = 256
CROSSED: Final = 2

_EQUATIONS: Final = 3
"""Number of equations for the cells behind a number of people, a mean and a standard error."""


class TooFewError(ValueError):
    """Output refused because it would reveal the answers of a few people."""


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
    for cell in np.flatnonzero(people >= least):
        hidden[cell], others = True, others + 1
        if people[hidden].sum() > np.count_nonzero(small) + others * least:
            return hidden
    return np.ones(people.shape, dtype=bool)


@dataclass
class Shown:
    """The published answers of an item, given the tables of the other items.

    `counts`, shape (reports,): people. `told`: groups of answers, as masks, whose numbers of people
    are published; first the people to whom the item does not apply. `untold`: whether the whole
    item is suppressed, even its mean.
    """

    counts: IntArray
    least: int
    is_number: bool
    told: list[BoolArray]
    untold: bool = False

    @property
    def hidden(self) -> BoolArray:
        """Whether every table suppresses each answer, shape (reports,)."""
        return self._hidden(self.counts) | self.untold

    def _hidden(self, counts: IntArray) -> BoolArray:
        hidden = np.zeros(len(counts), dtype=bool)
        hidden[~self.told[0]] = hidden_cells(counts[~self.told[0]], self.least)
        return hidden | (self.is_number and hidden.any())

    def keeps(self, group: BoolArray) -> bool:
        """Return whether no small cell follows if the people of these answers are counted.

        Each small cell could have one person more or less, and all outputs would look the same.
        """
        hidden, one = self.hidden, np.eye(len(group), dtype=np.int64)
        alike = np.all([np.equal.outer(each, each) for each in (*self.told, group)], axis=0)
        small = np.flatnonzero((self.counts > 0) & (self.counts < self.least))
        tables = (
            [table for step in steps for table in (self.counts + step, self.counts - step)]
            for cell in small
            for steps in [one[cell] - one[alike[cell] & hidden & (one[cell] == 0)]]
        )
        return not self.untold and all(
            any((each >= 0).all() and (self._hidden(each) == hidden).all() for each in those)
            for those in tables
        )


def shown_answers(survey: Survey, counts: Sequence[IntArray], least: int = LEAST) -> list[Shown]:
    """Return the published answers of each item, given how many people gave each answer."""
    found: list[Shown] = []
    for place, (item, people) in enumerate(zip(survey.items, counts, strict=True)):
        question, is_direct = survey.question(item.question), item.protection is Protection.DIRECT
        conditions = _conditions(survey, place) if is_direct else []
        skipped = np.zeros(len(people), dtype=bool)
        if conditions:
            skipped[question.skipped] = True
        own = Shown(people, least if is_direct else 1, question.is_number, [skipped])
        applies, skips = people[~skipped].sum(), people[skipped].sum()
        fitting = [counts[parent][fits].sum() for parent, fits in conditions]
        groups = [applies, skips, *(those - applies for those in fitting)]
        if len(conditions) == 1:  # some people were asked only the earlier question
            groups.append(counts[conditions[0][0]].sum() - people.sum() - groups[-1])
        elif len(conditions) == CROSSED:
            groups.append(skips + 2 * applies - sum(fitting))
        own.untold = bool(conditions) and (
            any(0 < group < least for group in groups)
            or not all(found[parent].keeps(fits) for parent, fits in conditions)
        )
        for parent, fits in conditions if not own.untold else ():
            found[parent].told.append(fits)
        found.append(own)
    return found


def _conditions(survey: Survey, place: int) -> list[tuple[int, BoolArray]]:
    """Return the positions of the items that decide if one applies, and the fitting answers."""
    places = {item.id: at for at, item in enumerate(survey.items)}
    return [
        (at, np.array([truth.code in one.answers for truth in survey.items[at].truths]))
        for one in survey.question(survey.items[place].question).ask_if
        for at in [places[one.item]]
    ]


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
        margins, before = [*self._margins(least)], ~hidden
        while (hidden != before).any():
            before = hidden.copy()
            for counted, groups in margins:
                _complete(hidden, self.counts, counted, groups, least)
            for question in range(self.values.shape[1]):
                self._mix(hidden, question, least)
        return hidden

    def _mix(self, hidden: BoolArray, question: int, least: int) -> None:
        """Suppress another answer if all suppressed people gave one."""
        answers = self.values[:, question]
        asked = answers != NOT_ASKED
        those = hidden & asked
        _, place = np.unique(self.patterns, return_inverse=True)
        missing = np.bincount(place, self.counts * those)
        few = (missing > 0) & (missing < least)
        given = np.unique(answers[those])
        others = np.flatnonzero(asked & ~np.isin(answers, given))
        if len(given) == 1 and few.any() and len(others):
            hidden[others[0]] = True

    @cached_property
    def asked(self) -> BoolArray:
        """Whether the people of each cell were asked all these questions, shape (cells,)."""
        return np.asarray((self.values != NOT_ASKED).all(axis=1))

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
        pairs, place = np.unique(
            self.patterns[asked] * _BYTES + answers[asked], return_inverse=True
        )
        small = pairs[np.bincount(place, self.counts[asked], len(pairs)) < least] % _BYTES
        chosen = {*answers[self.hidden_in_table(question, least)].tolist(), *small.tolist()}
        if chosen:
            others = np.setdiff1d(answers[asked], [*chosen])
            chosen.update(others[: max(fewest - len(chosen), 0)].tolist())
        return np.asarray(asked & np.isin(answers, [*chosen]))

    def hidden_in_table(self, question: int, least: int) -> BoolArray:
        """Return which cells are suppressed in the table of this question alone."""
        answers = self.values[:, question]
        asked = answers != NOT_ASKED
        people = np.bincount(answers[asked], self.counts[asked], _BYTES).astype(np.int64)
        return np.asarray(asked & hidden_cells(people, least)[answers])

    def _margins(self, least: int) -> Iterator[tuple[BoolArray, IntArray]]:
        """Yield which cells another table counts, or suppresses, and each cell's group there."""
        for question, answers in enumerate(self.values.T):
            asked = answers != NOT_ASKED
            yield asked, answers.astype(np.int64)
            yield asked, self.patterns * _BYTES + answers
            yield self.hidden_in_table(question, least), np.zeros_like(self.patterns)
        for pair in combinations(range(self.values.shape[1]), CROSSED):
            cells, of_row = cells_of(self.values[:, pair], self.patterns, self.counts)
            if cells.are_whole(least):
                yield cells.asked[of_row], of_row


def _hidden_in_patterns(counts: IntArray, patterns: IntArray, least: int) -> BoolArray:
    """Suppress cells within each pattern, ascending: everybody knows how many people it has."""
    _, starts = np.unique(patterns, return_index=True)
    of_each = np.split(counts, starts[1:])
    return np.concatenate([hidden_cells(cells, least) for cells in of_each])


def _complete(
    hidden: BoolArray, counts: IntArray, counted: BoolArray, groups: IntArray, least: int
) -> None:
    """Hide more cells until each group hides no one or at least `least` people."""
    inside = np.flatnonzero(counted)
    _, group = np.unique(groups[inside], return_inverse=True)
    few = np.ones(len(inside), dtype=bool)
    while few.any():
        missing = np.bincount(group, counts[inside] * hidden[inside])
        few = ((missing > 0) & (missing < least))[group] & ~hidden[inside]
        # In the order of the answers: a choice by size would reveal sizes.
        _, first = np.unique(group[few], return_index=True)
        hidden[inside[np.flatnonzero(few)[first]]] = True


def cells_of(
    values: npt.NDArray[np.uint8], patterns: IntArray, counts: IntArray | None = None
) -> tuple[Cells, IndexArray]:
    """Group people, or cells of people, by their direct answers and their pattern."""
    first, of_row = alike(np.hstack([in_bytes(patterns), values]))
    return Cells(values[first], patterns[first], people_of(of_row, counts)), of_row


def few_alike(
    survey: Survey,
    answers: npt.NDArray[np.uint8],
    waves: IntArray,
    times: IntArray,
    least: int,
    *,
    is_alone: bool,
) -> BoolArray:
    """Return which reports have a pattern so rare that none of their direct answers is published.

    `answers`, shape (rows, items): the reports to one revision. `times`, shape (rows,): how many
    people sent each. `least`: people who must share a pattern in a wave; with 1 all answers are
    published. `is_alone`: whether no other revision has reports: then complete reports are never
    rare. The missing questions depend on no answer, so this suppression reveals no answer.
    """
    whole = is_whole(survey, answers)
    gaps = np.packbits((answers == NOT_ASKED) & ~whole[:, np.newaxis], axis=1)
    _, of = alike(np.column_stack([gaps, waves.astype(np.uint8)]))
    few: BoolArray = np.bincount(of, times)[of] < min(least, LEAST)
    return few & ~(whole & is_alone)


_LEFT_OUT: Final = WeakKeyDictionary[Everybody, dict[int, BoolArray]]()
"""What `_left_out_of_files` found, by `Rows.least`: every table of a snapshot asks it."""


def hidden_people(rows: Rows, direct: Collection[int]) -> BoolArray:
    """Return for which people these direct answers are not published together.

    `direct`: positions of the items. For one item, whole answers are suppressed. Two items are
    published for everybody who was asked both, if no cell is small. Otherwise, and for more items,
    they are published where a file with all direct answers publishes them. Result, shape (rows,).
    """
    if not direct:
        return np.zeros(len(rows.answers), dtype=bool)
    chosen, found = sorted(direct), _left_out_of_files(rows).copy()
    if len(chosen) > CROSSED:
        return found
    for wave in np.unique(rows.waves):
        of = np.flatnonzero(rows.waves == wave)
        cells, of_row = cells_of(rows.answers[of][:, chosen], rows.patterns[of], rows.times[of])
        in_tables = np.logical_or.reduce([_in_tables(rows, place, of) for place in chosen])
        if len(chosen) == 1:
            is_number = rows.survey.question(rows.survey.items[chosen[0]].question).is_number
            alone = cells.hidden_alone(0, rows.least, is_number=is_number)
            found[of] = alone[of_row] | in_tables
        elif cells.are_whole(rows.least) and not in_tables[cells.asked[of_row]].any():
            found[of[cells.asked[of_row]]] = False
    return found


def _in_tables(rows: Rows, place: int, of: IndexArray) -> BoolArray:
    """Return for which of some rows every table suppresses the answer to an item."""
    answers, times = rows.answers[of], rows.times[of]
    counts = count_answers([answers], rows.survey, [times]).counts
    shown = shown_answers(rows.survey, counts, rows.least)[place]
    found: BoolArray = np.isin(answers[:, place], np.flatnonzero(shown.hidden))
    asked: BoolArray = answers[:, place] != NOT_ASKED
    before = [place, *(at for at, _ in _conditions(rows.survey, place))]
    if len(before) > 1 and len(np.unique(rows.patterns[of][asked])) > 1:
        # Each pattern shows how many people gave which earlier answers.
        cells, _ = cells_of(answers[:, before], rows.patterns[of], times)
        found |= asked & (not cells.are_whole(rows.least))
    return found


def _left_out_of_files(rows: Rows) -> BoolArray:
    """Return for which rows a file publishes no direct answer; shape (rows,)."""
    people, least = rows.everybody, rows.least
    known = _LEFT_OUT.setdefault(people, {})
    if least not in known:
        found = np.zeros(len(people.values), dtype=bool)
        for wave in np.unique(people.waves):
            of = np.flatnonzero(people.waves == wave)
            cells, of_row = cells_of(people.values[of], people.patterns[of], people.times[of])
            found[of] = cells.hidden(least)[of_row]
        known[least] = found[people.rows]
    return known[least]


def published_answers(rows: Rows, direct: Collection[int]) -> npt.NDArray[np.uint8]:
    """Return the reports without these direct answers where files suppress them.

    `NOT_ASKED` replaces them. The randomised answers remain, and link the rows of two files to one
    person: so every file suppresses the same people, whichever columns it has.
    """
    return without(rows.answers, hidden_people(rows, rows.direct), direct)


def published_reports(rows: Rows) -> Iterator[bytes]:
    """Yield the reports as a file publishes them: without the suppressed direct answers."""
    sent = join_rows(published_answers(rows, rows.direct), rows.waves, rows.survey)
    for chunk in repeated(sent, rows.times):
        yield chunk.tobytes()


def unique_rows(rows: Rows, direct: Collection[int]) -> IndexArray:
    """Return the rows whose direct answers and pattern nobody else in the wave shares."""
    if not direct or not len(rows.answers):
        return np.empty(0, dtype=np.intp)
    told = np.column_stack([rows.answers[:, sorted(direct)], rows.waves]).astype(np.uint8)
    cells, of_row = cells_of(told, rows.patterns, rows.times)
    return np.flatnonzero(cells.counts[of_row] == 1)


def people_together(
    rows: Rows, places: Collection[int], *, told: bool = False
) -> tuple[BoolArray, int]:
    """Return the people who are counted where some items are crossed.

    `places`: positions of the items, direct and randomised. `told`: whether the numbers of people
    with each combination of direct answers are published. Result: which rows count, shape (rows,),
    and how many people were asked all of these items.

    The margins of two questions are published wherever they are large enough. A single suppressed
    cell would follow from its row, and a suppressed row from the other question. So for two
    questions either all cells are published, or none.
    """
    asked = (rows.answers[:, sorted(places)] != NOT_ASKED).all(axis=1)
    n_asked = int(rows.times[asked].sum())
    direct = [place for place in rows.direct if place in places]
    told_apart = (rows.answers[:, direct] != NOT_ASKED).any(axis=1) & ~asked
    if len(direct) == 1 and not told_apart.any():
        # Everybody who was asked it was asked the others too: no pattern shows.
        left_out = hidden_people(replace(rows, patterns=np.zeros_like(rows.patterns)), direct)
    else:
        left_out = hidden_people(rows, direct)
    if told and len(direct) == CROSSED and (left_out & asked).any():
        raise TooFewError(
            "too few people to show: some of these direct answers were given together by fewer "
            f"than {rows.least} people who were asked the same questions, or would follow for "
            "so few from other tables, so none of them are shown together"
        )
    shown = asked & ~left_out
    if direct and shown.any():
        # Chance may have drawn the other items for only a few people of a group.
        no_pattern = np.zeros(shown.sum(), np.int64)
        cells, of_row = cells_of(rows.answers[shown][:, direct], no_pattern, rows.times[shown])
        shown[shown] = ~hidden_cells(cells.counts, rows.least)[of_row]
    if asked.any() and not shown.any():
        raise TooFewError(
            f"too few people to show: the direct answers of all {n_asked:,} people are "
            f"hidden, because some of them were given by fewer than {rows.least} people who "
            "were asked the same questions"
        )
    return shown, n_asked
