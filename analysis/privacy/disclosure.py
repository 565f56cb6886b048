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

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.tally import Tally, count_answers, join_rows, split_rows
from deniable.analysis.numerics.arrays import BoolArray, IndexArray, IntArray
from deniable.analysis.privacy.cells import CROSSED, LEAST, cells_of, hidden_cells, numbered
from deniable.report import NOT_ASKED
from deniable.survey import Survey
from deniable.survey.draws import can_draw
from deniable.survey.questions import Protection

EVERYBODY: Final = 2**63 - 1
"""More people than any cell has: every direct answer is suppressed."""


_CHUNK: Final = 2**20
"""Bytes of reports per chunk."""


class TooFewError(ValueError):
    """Output refused because it would reveal the answers of a few people."""


def direct_places(survey: Survey) -> tuple[int, ...]:
    """Return the positions of the items that are asked directly."""
    return tuple(
        place for place, item in enumerate(survey.items) if item.protection is Protection.DIRECT
    )


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
        """Which answers every table suppresses; shape (reports,)."""
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
            [self.counts + sign * (one[cell] - one[other]) for sign in (1, -1) for other in others]
            for cell in small
            for others in [np.flatnonzero(alike[cell] & hidden & (one[cell] == 0))]
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
        skipped = np.arange(len(people)) == (question.skipped if conditions else -1)
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


def patterns_of(
    survey: Survey, answers: npt.NDArray[np.uint8], *, one_revision: bool = False
) -> npt.NDArray[np.uint8]:
    """Return which questions each report was asked, as far as other people can know that.

    `survey`: the revision that was answered, if known. `answers`, shape (reports, items).
    `one_revision`: whether all existing reports are known to be to this revision. Then, in a survey
    without waves, each person sent one report. The device's draw for it (`Survey.draws`) depends on
    nothing else, and only the device's owner has seen it: all complete reports are one pattern.
    Result, shape (reports, bytes): equal rows for equal patterns.
    """
    packed = np.packbits(answers == NOT_ASKED, axis=1)
    if one_revision and survey.draws and not survey.is_repeated:
        packed[_is_whole(survey, answers)] = 0
    return packed


def without(
    answers: npt.NDArray[np.uint8], people: BoolArray, places: Collection[int]
) -> npt.NDArray[np.uint8]:
    """Return reports in which `NOT_ASKED` replaces the answers of some people to some items."""
    found = answers.copy()
    found[np.flatnonzero(people)[:, np.newaxis], sorted(places)] = NOT_ASKED
    return found


def _is_whole(survey: Survey, answers: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Return which reports answer everything that chance drew, and everything it does not draw."""
    if not survey.draws:
        all_asked: BoolArray = (answers != NOT_ASKED).all(axis=1)
        return all_asked
    patterns, of_row = np.unique(answers != NOT_ASKED, axis=0, return_inverse=True)
    whole = np.array([can_draw(survey.draws, pattern.tolist()) for pattern in patterns], dtype=bool)
    return whole[of_row.reshape(-1)]


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
    whole = _is_whole(survey, answers)
    kinds = np.packbits(answers == NOT_ASKED, axis=1)
    kinds[whole] = 0
    of = numbered(np.column_stack([kinds, waves.astype(np.uint8)]))
    few: BoolArray = np.bincount(of, times)[of] < min(least, LEAST)
    return few & ~(whole & is_alone)


@dataclass(frozen=True, eq=False)
class Rows:
    """Reports and what distinguishes people besides: the keys of all suppression.

    People who sent equal reports are one row (`times`), as far as rows were merged. `answers`,
    shape (rows, items): all reports of a snapshot, 255 for "not asked": suppression in one table
    depends on the other tables. Direct answers of people with a rare pattern (`few_alike`) are 255
    too. `patterns`, shape (rows,): equal numbers for people who were asked the same questions, as
    far as other people can know that; see `patterns_of`. `everybody`: all people in a file of
    reports, including these. `least`: as in `hidden_cells`; with 1 nothing is suppressed.
    """

    survey: Survey
    answers: npt.NDArray[np.uint8]
    patterns: IntArray
    everybody: Everybody
    least: int = LEAST

    @classmethod
    def of(cls, survey: Survey, chunks: Iterable[bytes], least: int = LEAST) -> Rows:
        """Return rows of reports without context, such as those of a CSV; one row per report."""
        answers, waves = split_rows(b"".join(chunks), survey)
        times = np.ones(len(answers), dtype=np.int64)
        few = few_alike(survey, answers, waves, times, least, is_alone=True)
        answers = without(answers, few, direct_places(survey))
        patterns = numbered(patterns_of(survey, answers))
        everybody = Everybody(
            answers[:, direct_places(survey)],
            patterns,
            waves,
            np.arange(len(answers)),
            times,
        )
        return cls(survey, answers, patterns, everybody, least)

    def wave(self, wave: int) -> Rows:
        """Return the rows of one wave, from 1."""
        inside = self.waves == wave
        return replace(
            self,
            answers=self.answers[inside],
            patterns=self.patterns[inside],
            everybody=replace(self.everybody, rows=self.everybody.rows[inside]),
        )

    @cached_property
    def waves(self) -> IntArray:
        """The wave of each row; shape (rows,)."""
        return self.everybody.waves[self.everybody.rows]

    @cached_property
    def times(self) -> IntArray:
        """How many people sent each row; shape (rows,)."""
        return self.everybody.times[self.everybody.rows]

    @property
    def n(self) -> int:
        """Number of reports."""
        return int(self.times.sum())

    @cached_property
    def direct(self) -> tuple[int, ...]:
        """The positions of the items that are asked directly."""
        return direct_places(self.survey)

    def tallies(self) -> dict[int, Tally]:
        """Count the reports, as `deniable.analysis.counts.tally.count_waves` does."""
        of_waves = np.unique(self.waves).tolist() or [1]
        inside = {wave: self.waves == wave for wave in of_waves}
        return {
            wave: count_answers([self.answers[own]], self.survey, [self.times[own]])
            for wave, own in inside.items()
        }

    def chunks(self) -> Iterator[bytes]:
        """Yield the reports as a file publishes them: without the suppressed direct answers."""
        sent = join_rows(self.emptied(self.direct), self.waves, self.survey)
        length = self.survey.row_length
        most = max(1, _CHUNK // length)
        for start in range(0, len(self.times), most):
            rows = np.frombuffer(sent, dtype=np.uint8).reshape(-1, length)[start : start + most]
            left = self.times[start : start + most].copy()
            while left.any():
                # As many rows as fill a chunk, even if millions of people sent one row.
                now = np.minimum(left, np.maximum(most - (np.cumsum(left) - left), 0))
                left -= now
                yield np.repeat(rows, now, axis=0).tobytes()

    def to_bytes(self) -> bytes:
        """Return all `chunks` in one piece."""
        return b"".join(self.chunks())

    def hidden(self, direct: Collection[int]) -> BoolArray:
        """Return for which people these direct answers are not published together.

        `direct`: positions of the items. For one item, whole answers are suppressed. Two items are
        published for everybody who was asked both, if no cell is small. Otherwise, and for more
        items, they are published where a file with all direct answers publishes them. Result, shape
        (rows,).
        """
        hidden = np.zeros(len(self.answers), dtype=bool)
        if not direct or self.least <= 1:
            return hidden
        chosen = sorted(direct)
        if len(chosen) > 1:
            hidden = self._left_out_of_files.copy()
        if len(chosen) > CROSSED:
            return hidden
        for wave in np.unique(self.waves):
            rows = np.flatnonzero(self.waves == wave)
            cells, of_row = cells_of(
                self.answers[rows][:, chosen], self.patterns[rows], self.times[rows]
            )
            in_tables = np.logical_or.reduce([self._in_tables(place, rows) for place in chosen])
            if len(chosen) == 1:
                question = self.survey.items[chosen[0]].question
                is_number = self.survey.question(question).is_number
                alone = cells.hidden_alone(0, self.least, is_number=is_number)
                hidden[rows] = alone[of_row] | in_tables
            elif cells.are_whole(self.least) and not in_tables[cells.asked[of_row]].any():
                hidden[rows[cells.asked[of_row]]] = False
        return hidden

    def _in_tables(self, place: int, rows: IndexArray) -> BoolArray:
        """Return for which of some rows every table suppresses the answer to an item."""
        answers, times = self.answers[rows], self.times[rows]
        asks = answers.T != NOT_ASKED
        counts = [
            np.bincount(column[asked], times[asked], len(one.reports)).astype(np.int64)
            for column, asked, one in zip(answers.T, asks, self.survey.items, strict=True)
        ]
        shown = shown_answers(self.survey, counts, self.least)[place]
        hidden: BoolArray = np.isin(answers[:, place], np.flatnonzero(shown.hidden))
        asked: BoolArray = answers[:, place] != NOT_ASKED
        before = [place, *(at for at, _ in _conditions(self.survey, place))]
        if len(before) > 1 and len(np.unique(self.patterns[rows][asked])) > 1:
            # Each pattern shows how many people gave which earlier answers.
            cells, _ = cells_of(answers[:, before], self.patterns[rows], times)
            hidden |= asked & (not cells.are_whole(self.least))
        return hidden

    @cached_property
    def _left_out_of_files(self) -> BoolArray:
        return self.everybody.hidden(self.least)

    def emptied(self, direct: Collection[int]) -> npt.NDArray[np.uint8]:
        """Return the reports without these direct answers where files suppress them.

        `NOT_ASKED` replaces them. The randomised answers remain, and link the rows of two files to
        one person: so every file suppresses the same people, whichever columns it has.
        """
        rare = self.hidden(self.direct)
        return without(self.answers, rare, direct)

    def unique(self, direct: Collection[int]) -> npt.NDArray[np.intp]:
        """Return the rows whose direct answers and pattern nobody else in the wave shares."""
        if not direct or not len(self.answers):
            return np.empty(0, dtype=np.intp)
        told = np.column_stack([self.answers[:, sorted(direct)], self.waves]).astype(np.uint8)
        cells, of_row = cells_of(told, self.patterns, self.times)
        return np.flatnonzero(cells.counts[of_row] == 1)

    def together(self, places: Collection[int], *, told: bool = False) -> tuple[BoolArray, int]:
        """Return the people who are counted where some items are crossed.

        `places`: positions of the items, direct and randomised. `told`: whether the numbers of
        people with each combination of direct answers are published. Result: which rows count,
        shape (rows,), and how many people were asked all of these items.

        The margins of two questions are published wherever they are large enough. A single
        suppressed cell would follow from its row, and a suppressed row from the other question. So
        for two questions either all cells are published, or none.
        """
        asked = (self.answers[:, sorted(places)] != NOT_ASKED).all(axis=1)
        n_asked = int(self.times[asked].sum())
        direct = [place for place in self.direct if place in places]
        told_apart = (self.answers[:, direct] != NOT_ASKED).any(axis=1) & ~asked
        if len(direct) == 1 and not told_apart.any():
            # Everybody who was asked it was asked the others too: no pattern shows.
            rows = replace(self, patterns=np.zeros_like(self.patterns))
            hidden = rows.hidden(direct)
        else:
            hidden = self.hidden(direct)
        if told and len(direct) == CROSSED and (hidden & asked).any():
            raise TooFewError(
                "too few people to show: some of these direct answers were given together by fewer "
                f"than {self.least} people who were asked the same questions, or would follow for "
                "so few from other tables, so none of them are shown together"
            )
        shown = asked & ~hidden
        if direct and self.least > 1 and shown.any():
            # Chance may have drawn the other items for only a few people of a group.
            cells, of_row = cells_of(
                self.answers[shown][:, direct],
                np.zeros(shown.sum(), np.int64),
                self.times[shown],
            )
            shown[shown] = ~hidden_cells(cells.counts, self.least)[of_row]
        if asked.any() and not shown.any():
            raise TooFewError(
                f"too few people to show: the direct answers of all {n_asked:,} people are "
                f"hidden, because some of them were given by fewer than {self.least} people who "
                "were asked the same questions"
            )
        return shown, n_asked


@dataclass(frozen=True, eq=False)
class Everybody:
    """All people of a snapshot, over all revisions: the people in a file of reports.

    `values`, shape (rows, questions): the direct answers to all questions of all revisions, 255 for
    "not asked". `patterns`, shape (rows,). `waves`, shape (rows,). `rows`, shape (some of the
    rows,): the rows that are in `Rows`. `times`, shape (rows,): how many people each row stands
    for.
    """

    values: npt.NDArray[np.uint8]
    patterns: IntArray
    waves: IntArray
    rows: IndexArray
    times: IntArray

    def hidden(self, least: int) -> BoolArray:
        """Return for which of `rows` a file publishes no direct answer."""
        hidden = np.zeros(len(self.values), dtype=bool)
        for wave in np.unique(self.waves):
            rows = np.flatnonzero(self.waves == wave)
            cells, of_row = cells_of(self.values[rows], self.patterns[rows], self.times[rows])
            hidden[rows] = cells.hidden(least)[of_row]
        return hidden[self.rows]
