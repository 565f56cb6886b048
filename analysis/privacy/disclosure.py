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
- A question in the groups of one direct question: the same rule, if all these people were asked it.
  If not, an answer that few people of some pattern gave is suppressed.
- Several direct questions, in a table or a file: only in groups of which no combination has few
  people, see `deniable.analysis.privacy.columns`. So all of these are sums of one table without
  small cells.
- A direct follow-up: the number of people to whom it applies counts certain earlier answers. It is
  suppressed if that number reveals a small cell there or a small group; otherwise these people are
  a table of their own.

A report with a unique gap, or the only report to its revision, would suppress whole tables for the
sake of one person. So the direct answers of a few people who share a gap are in no output
(`few_alike`).

Outputs at two times can be subtracted: that is not bounded.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.rows import (
    Rows,
    alike,
    in_bytes,
    is_whole,
    people_of,
)
from deniable.analysis.counts.tally import count_answers
from deniable.analysis.numerics.arrays import BoolArray, IndexArray, IntArray
from deniable.report import NOT_ASKED
from deniable.survey import Survey
from deniable.survey.questions import Protection

LEAST: Final = 5
"""Least number of people in a published cell of direct answers."""

EVERYBODY: Final = 2**63 - 1
"""More people than any cell has: every direct answer is suppressed."""

CROSSED: Final = 2

_BYTES: Final = 256

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

    def keeps(self, *groups: BoolArray) -> bool:
        """Return whether no small cell follows if the people of these answers are counted.

        Each small cell could also have one person more or less, and the rule would suppress the
        same: so it does not follow for an adversary who tries the rule on all tables.
        """
        told, hidden, one = [*self.told, *groups], self.hidden, np.eye(len(self.counts), dtype=int)
        if self.untold or not keeps_cells(self.counts, hidden, told, self.least):
            return False
        alike = np.all([np.equal.outer(each, each) for each in told], axis=0)
        small = np.flatnonzero((self.counts > 0) & (self.counts < self.least))
        tables = (
            [table for step in steps for table in (self.counts + step, self.counts - step)]
            for cell in small
            for steps in [one[cell] - one[alike[cell] & hidden & (one[cell] == 0)]]
        )
        return all(
            any((each >= 0).all() and (self._hidden(each) == hidden).all() for each in those)
            for those in tables
        )


def keeps_cells(
    people: IntArray, hidden: BoolArray, told: Sequence[BoolArray], least: int = LEAST
) -> bool:
    """Return whether no small cell of a table follows from the numbers of people in groups of it.

    `people`, `hidden`, shape (cells,); `told`: masks of groups, first of the answers that do not
    count. Of the suppressed cells that the same groups count, an adversary knows the total, and
    that none is empty, unless all of the table are suppressed. Each of them could still be as large
    as a published cell.
    """
    groups = np.array(told)
    can_be_empty = hidden[~groups[0]].all()
    _, of_cell = np.unique(groups, axis=1, return_inverse=True)
    for of in np.unique(of_cell.reshape(-1)[hidden]):
        inside = people[hidden & (of_cell.reshape(-1) == of)]
        fewest = least + (0 if can_be_empty else len(inside))
        is_small = (inside > 0) & (inside < least)
        if is_small.any() and (len(inside) < 2 or inside.sum() < fewest):
            return False
    return True


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


def hidden_in_groups(rows: Rows, place: int) -> BoolArray:
    """Return which answers to a direct item are suppressed where people are grouped by it.

    An answer that is suppressed in one pattern of one wave is suppressed in all of the wave, and
    never alone: the question's table shows how many people gave it, and each pattern shows how many
    people are missing. For a number, more answers are suppressed than the number of missing people,
    the mean and its error could determine. Result, shape (waves, 256): a row for each wave.
    """
    question = rows.survey.question(rows.survey.items[place].question)
    fewest = _EQUATIONS + 1 if question.is_number else 2
    found = np.zeros((rows.survey.waves, _BYTES), dtype=bool)
    for wave in np.unique(rows.waves).tolist():
        of = np.flatnonzero(rows.waves == wave)
        answers = rows.answers[of, place].astype(np.int64)
        asked = answers != NOT_ASKED
        pairs, numbered = np.unique(
            rows.patterns[of][asked] * _BYTES + answers[asked], return_inverse=True
        )
        people = np.bincount(numbered, rows.times[of][asked], len(pairs))
        everybody = np.bincount(answers[asked], rows.times[of][asked], _BYTES).astype(np.int64)
        hidden = _in_tables(rows, place, of)
        hidden |= hidden_cells(everybody, rows.least)
        hidden[pairs[people < rows.least] % _BYTES] = True
        given = np.flatnonzero(everybody)
        if hidden[given].any():
            others = given[~hidden[given]]
            hidden[others[: max(fewest - np.count_nonzero(hidden[given]), 0)]] = True
        found[wave - 1] = hidden
    return found


def _in_tables(rows: Rows, place: int, of: IndexArray) -> BoolArray:
    """Return which answers of some rows every table suppresses, shape (256,)."""
    answers, times = rows.answers[of], rows.times[of]
    counts = count_answers([answers], rows.survey, [times]).counts
    shown = shown_answers(rows.survey, counts, rows.least)[place]
    found = np.zeros(_BYTES, dtype=bool)
    found[: len(shown.hidden)] = shown.hidden
    asked: BoolArray = answers[:, place] != NOT_ASKED
    before = [place, *(at for at, _ in _conditions(rows.survey, place))]
    if len(before) > 1 and len(np.unique(rows.patterns[of][asked])) > 1:
        # Each pattern shows how many people gave which earlier answers.
        whole = (answers[:, before] != NOT_ASKED).all(axis=1)
        key = np.hstack([in_bytes(rows.patterns[of][whole]), answers[whole][:, before]])
        _, numbered = alike(key)
        found[:NOT_ASKED] |= bool((people_of(numbered, times[whole]) < rows.least).any())
    return found


def people_together(rows: Rows, places: Collection[int]) -> tuple[BoolArray, int]:
    """Return the people who are counted where an item is crossed with others.

    `places`: positions of the items; several direct ones as `columns.together` leaves them. Result:
    which rows count, shape (rows,), and how many people were asked all of these items.

    Raises
    ------
    TooFewError
        If nobody is left.
    """
    asked = (rows.answers[:, sorted(places)] != NOT_ASKED).all(axis=1)
    n_asked = int(rows.times[asked].sum())
    direct = [place for place in rows.direct if place in places]
    shown = asked.copy()
    if len(direct) == 1:
        told_apart = (rows.answers[:, direct] != NOT_ASKED).any(axis=1) & ~asked
        # Where everybody who was asked it was asked the others too, no pattern shows.
        seen = rows if told_apart.any() else replace(rows, patterns=np.zeros_like(rows.patterns))
        hidden = hidden_in_groups(seen, direct[0])
        shown &= ~hidden[rows.waves - 1, rows.answers[:, direct[0]]]
    if direct and shown.any():
        # Chance may have drawn the other items for only a few people of a group.
        told = np.column_stack([rows.answers[shown][:, direct], rows.waves[shown]])
        first, of_row = alike(told.astype(np.uint8))
        people, waves = people_of(of_row, rows.times[shown]), rows.waves[shown][first]
        few = np.zeros(len(people), dtype=bool)
        for wave in np.unique(waves):
            few[waves == wave] = hidden_cells(people[waves == wave], rows.least)
        shown[shown] = ~few[of_row]
    if asked.any() and not shown.any():
        raise TooFewError(
            f"too few people to show: the direct answers of all {n_asked:,} people are "
            f"hidden, because some of them were given by fewer than {rows.least} people who "
            "were asked the same questions"
        )
    return shown, n_asked
