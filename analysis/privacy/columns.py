"""Which direct answers leave together, in a file or in a table of several direct questions.

Cells are not left blank: blanks are read as "not asked", and they follow from other tables. In
their place answers are put together, until every combination of them that occurs is given by as
many people as a published cell needs (*global recoding*; Hundepool et al. 2012, "Statistical
Disclosure Control", chapter 3). The empty cells of a report belong to the combination, as they
reveal as much (`Rows.patterns`), and so does the wave.

The randomised columns join two files row by row. So what leaves is one choice of a survey: all of
it together has no small cell, and each file or table holds some of it, or sums of it.

The table of a single question counts finer answers, and suppresses small ones. Groups beside it
show how many people gave some answers together, so they hold only if no suppressed cell follows
from both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable import exact
from deniable.analysis.counts.rows import Rows, alike, in_bytes, people_of
from deniable.analysis.counts.tally import count_answers
from deniable.analysis.numerics.arrays import IndexArray, IntArray
from deniable.analysis.privacy.disclosure import (
    EVERYBODY,
    TooFewError,
    hidden_in_groups,
    keeps_cells,
    shown_answers,
)
from deniable.analysis.privacy.same_mean import mean_tells_cells
from deniable.report import NOT_ASKED
from deniable.survey import Survey
from deniable.survey.grouped import (
    Columns,
    Grouped,
    Groups,
    absent_in,
    check_groups,
    each_answer,
    group_name,
    in_parts,
    read_columns,
    refined,
    with_columns,
    write_columns,
)
from deniable.survey.items import Item
from deniable.survey.questions import FIXED, NO_NUMBERS

_BYTES: Final = 256
_MOST_GROUPS: Final = 12
"""Groups of a proposal at most."""


def holding(rows: Rows, wanted: Columns) -> dict[str, Groups]:
    """Return the columns that can leave together: each in its turn, if the rule holds with it."""
    found: dict[str, Groups] = {}
    for name, groups in wanted.items():
        if holds(rows, {**found, name: groups}):
            found[name] = groups
    return found


def holds(rows: Rows, columns: Columns) -> bool:
    """Return whether no combination of the columns has few people, and no small cell follows."""
    if rows.least <= 1:
        return True
    at = {item.id: place for place, item in enumerate(rows.survey.items)}
    return not few(rows, columns, rows.least) and all(
        _keeps_cells(rows, at[name], groups) for name, groups in columns.items()
    )


def few(rows: Rows, columns: Columns, least: int) -> int:
    """Return how many people have answers that fewer than `least` people gave together."""
    at = {item.id: place for place, item in enumerate(rows.survey.items)}
    values = np.empty((len(rows.answers), len(columns)), dtype=np.uint8)
    for number, (name, groups) in enumerate(columns.items()):
        values[:, number] = _of_groups(groups)[rows.answers[:, at[name]]]
    answered = (values != NOT_ASKED).any(axis=1)
    key = np.hstack([values, rows.waves[:, np.newaxis].astype(np.uint8), in_bytes(rows.patterns)])
    _, of_row = alike(key[answered])
    people = people_of(of_row, rows.times[answered])
    return int(people[people < least].sum())


def _of_groups(groups: Groups) -> npt.NDArray[np.uint8]:
    """Return the group of each answer, shape (256,); 255 for "not asked"."""
    found = np.full(_BYTES, NOT_ASKED, dtype=np.uint8)
    for number, group in enumerate(groups):
        found[[*group]] = number
    return found


def _keeps_cells(rows: Rows, place: int, groups: Groups) -> bool:
    """Return whether no small cell of a table follows from the sizes of an item's groups."""
    item = rows.survey.items[place]
    question = rows.survey.question(item.question)
    if groups == each_answer(item) and not question.ask_if:
        return True  # no answer is rare, or the rule did not hold
    in_groups = hidden_in_groups(rows, place)
    for wave in np.unique(rows.waves).tolist():
        of = np.flatnonzero(rows.waves == wave)
        counts = count_answers([rows.answers[of]], rows.survey, [rows.times[of]]).counts
        shown = shown_answers(rows.survey, counts, rows.least)[place]
        if shown.untold:
            return False  # to how many people it applies counts answers before it
        masks = [np.isin(np.arange(len(item.truths)), group) for group in groups]
        told = [*shown.told, *masks]
        hidden = in_groups[wave - 1, : len(item.truths)]
        if not shown.keeps(*masks) or not all(
            keeps_cells(people, hidden, told, rows.least)
            for people in _in_patterns(rows, place, of, len(item.truths))
        ):
            return False
        if question.is_number and shown.hidden.any():
            values = [
                np.nan if truth.code in NO_NUMBERS else float(exact.fraction(truth.code))
                for truth in item.truths
            ]
            before = mean_tells_cells(values, shown.counts, rows.least, shown.told)
            if not before and mean_tells_cells(values, shown.counts, rows.least, told):
                return False
    return True


def _in_patterns(rows: Rows, place: int, of: IndexArray, answers: int) -> Iterator[IntArray]:
    """Yield how many people of each pattern gave each answer."""
    for pattern in np.unique(rows.patterns[of]):
        those = of[rows.patterns[of] == pattern]
        given = rows.answers[those, place]
        asked = given != NOT_ASKED
        yield np.bincount(given[asked], rows.times[those][asked], answers).astype(np.int64)


def proposed(rows: Rows, beside: Columns, item: Item) -> Groups | None:
    """Return the finest groups of an item, of a fixed ladder, that hold beside other columns.

    The ladder depends on no answer, so the groups tell only that finer ones do not hold: a number
    in equal parts; other answers one by one, with two or with the last ones together. None if none
    hold.
    """
    for groups in _ladder(rows, item):
        if holds(rows, {**beside, item.id: groups}):
            return groups
    return None


def _ladder(rows: Rows, item: Item) -> Iterator[Groups]:
    """Yield groups of an item, finer ones first."""
    yield each_answer(item)
    is_number = rows.survey.question(item.question).is_number
    answers = in_parts(item, len(item.truths))
    offered = [one for one in answers if item.truths[one[0]].code not in FIXED]
    alone = answers[len(offered) :]
    steps: list[Groups] = []
    if not is_number and 2 < len(offered) <= _MOST_GROUPS:
        for two in [*combinations(offered, 2)][::-1]:
            others = [one for one in offered if one not in two]
            steps.append(tuple(sorted([*others, (*two[0], *two[1]), *alone])))
    for n in range(min(_MOST_GROUPS, len(offered) - 1), 1, -1):
        last = tuple(place for one in offered[n - 1 :] for place in one)
        steps.append(in_parts(item, n) if is_number else (*offered[: n - 1], last, *alone))
    for groups in steps:
        try:
            check_groups(rows.survey, item, groups)
        except ValueError:
            continue  # a follow-up tells them apart, or a question has several items
        yield groups


def grouped(rows: Rows, columns: Columns, least: int = 1) -> Rows:
    """Return the rows with these direct columns alone, in their groups: what a file holds.

    Every combination in it is given by many people, so nothing in it is suppressed, unless it is
    crossed with more (`least`).
    """
    survey = with_columns(rows.survey, columns)
    at = {item.id: place for place, item in enumerate(rows.survey.items)}
    answers = rows.answers[:, [at[item.id] for item in survey.items]]
    for place, item in enumerate(survey.items):
        if item.id in columns:
            answers[:, place] = _of_groups(columns[item.id])[answers[:, place]]
        elif item.id in absent_in(survey):
            answers[:, place] = NOT_ASKED
    return replace(rows, survey=survey, answers=answers, least=least, wanted=_apart(columns))


def _apart(columns: Columns) -> dict[str, Groups]:
    """Return the columns of grouped rows, in which each group is an answer."""
    return {name: tuple((n,) for n in range(len(of))) for name, of in columns.items()}


def chosen(rows: Rows, text: str | None, left: Columns) -> dict[str, Groups]:
    """Return the columns of a file: those that are asked for, or all that can leave together.

    `text`: as `deniable.survey.grouped.write_columns` writes them. `left`: those that left already;
    with these the noisy answers join the file.

    Raises
    ------
    ValueError
        If they cannot leave; the message says which groups can.
    """
    if text is None:
        return holding(rows, rows.wanted)
    asked = read_columns(text, rows.survey)
    before = holding(rows, left)
    if not holds(rows, refined(before, asked)):
        kept: dict[str, Groups] = {}
        for name, groups in asked.items():
            if holds(rows, refined(before, {**kept, name: groups})):
                kept[name] = groups
        missing = [name for name in asked if name not in kept]
        raise TooFewError(too_few(rows, {**before, **kept}, missing, before))
    return asked


def together(rows: Rows, columns: Columns, names: Collection[str]) -> Columns:
    """Return the groups in which several direct items are shown together.

    `columns`: those that leave together, as `holding` finds them.

    Raises
    ------
    TooFewError
        If they are not all among the survey's columns; the message says what to do.
    """
    if missing := sorted({*names} - {*columns}):
        raise TooFewError(too_few(rows, columns, missing))
    return {name: columns[name] for name in columns if name in names}


def too_few(
    rows: Rows, columns: Columns, missing: Sequence[str], left: Columns | None = None
) -> str:
    """Say why direct items do not leave together, and which groups of them would.

    `columns`: those that can. `left`: those that left already, of which only coarser groups can.
    """
    if rows.least == EVERYBODY:
        return "direct answers are shown for all revisions together, not for one"
    fixed, beside, changed = left or {}, dict(columns), list[str]()
    for name in missing:
        found = {**beside, name: fixed[name]} if name in fixed else None
        for other, groups in _coarser(rows, beside, fixed) if found is None else ():
            with_other = {**beside, other: groups} if other else beside
            own = proposed(rows, with_other, _item(rows, name))
            if own is not None:
                found = {**with_other, name: own}
                changed += [other] if other else []
                break
        if found is not None:
            beside = found
            changed.append(name)
    others = [name for name in columns if name not in missing]
    with_them = f" with {', '.join(others)}" if others else ""
    holding_ones = write_columns({name: beside[name] for name in changed}, rows.survey)
    way = f"; in groups they can: {holding_ones}" if changed else ""
    return (
        f"too few people to show {' and '.join(missing)}{with_them}: some of these answers were "
        f"given together by fewer than {rows.least} people{way}"
    )


def _coarser(rows: Rows, columns: Columns, fixed: Columns) -> Iterator[tuple[str, Groups]]:
    """Yield an item of the columns with coarser groups; first none, as an empty name."""
    yield "", ()
    for name in columns:
        for groups in _ladder(rows, _item(rows, name)) if name not in fixed else ():
            if groups != columns[name] and refined({name: groups}, columns)[name] == columns[name]:
                yield name, groups


def _item(rows: Rows, name: str) -> Item:
    return next(item for item in rows.survey.items if item.id == name)


def margins_for(
    margins: Mapping[str, Mapping[str, float]], survey: Survey
) -> tuple[Mapping[str, Mapping[str, float]], str]:
    """Return margins as the answers to a survey are put together, or none, and why."""
    if not isinstance(survey, Grouped) or survey.whole is None:
        return margins, ""
    if lacking := [name for name in margins if name not in survey.columns]:
        return {}, f"the reports have no column {' and none of '.join(lacking)}"
    return margins_together(margins, survey.whole, survey.columns), ""


def margins_together(
    margins: Mapping[str, Mapping[str, float]], survey: Survey, columns: Columns
) -> Mapping[str, Mapping[str, float]]:
    """Return margins of the groups of direct columns, each the sum of its answers' parts."""
    items = {item.id: item for item in survey.items}
    found: dict[str, dict[str, float]] = {}
    for name, parts in margins.items():
        of = found.setdefault(name, {})
        item = items[name]
        for group in columns[name]:
            inside = [item.truths[place].code for place in group]
            if any(code in parts for code in inside):
                of[group_name(item, group)] = sum(parts.get(code, 0) for code in inside)
    return found
