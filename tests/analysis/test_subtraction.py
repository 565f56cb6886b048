"""No two outputs of one snapshot, the one less the other, tell what a few people answered.

Somebody who sees all outputs counts groups of people in them: all who gave a direct answer, or
several, or those of them who were asked something else as well. One group less another one inside
it is a third. If that is of one to four people, and known by a direct answer, something of them is
told: their noisy reports as well, where both outputs have these. So each small survey here is
looked at in every output, and each pair of groups is tried.

Nothing here knows by which rule anything is hidden. The groups are read off what is shown.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, TypeAlias
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pytest

from deniable.analysis.counts.pooling import match, pool_rows
from deniable.analysis.counts.rows import Rows, split_rows
from deniable.analysis.numerics.arrays import BoolArray
from deniable.analysis.privacy.disclosure import (
    LEAST,
    Cells,
    TooFewError,
    hidden_cells,
    people_together,
    published_answers,
)
from deniable.report import NOT_ASKED
from deniable.survey import Survey, questions, revisions
from tests.kit import surveys

pytestmark = pytest.mark.promise("rows")

SEED = 24

Said: TypeAlias = frozenset[tuple[object, int]]
"""By which direct answers a group is known: items by what is read of them, each with an answer."""


@dataclass(frozen=True)
class Group:
    """People whom somebody counts."""

    said: Said
    people: npt.NDArray[np.bool_]


def _of_each(chunks: Iterable[bytes], survey: Survey) -> tuple[Any, ...]:
    """Leave the rows of people who sent the same in their places."""
    answers, waves = split_rows(b"".join(chunks), survey)
    return answers, waves, np.ones(len(answers), dtype=np.int64)


@dataclass(frozen=True)
class Snapshot:
    """The revisions of a survey, the newest last, and what people sent to each.

    The rows of a revision are in the order of its people, and so are those of all of them pooled.
    """

    revisions: tuple[Survey, ...]
    answers: tuple[npt.NDArray[np.uint8], ...]

    @cached_property
    def rows(self) -> tuple[Rows, ...]:
        received = [
            (one, [those.tobytes()])
            for one, those in zip(self.revisions, self.answers, strict=True)
        ]
        with patch("deniable.analysis.counts.pooling.split_counted", _of_each):
            return tuple(pool_rows(survey, received) for survey in self.revisions)

    def written(self, place: int, answers: npt.NDArray[np.uint8]) -> Written:
        """Return what is shown of the rows of a revision."""
        survey, start, people = self.revisions[place], 0, [np.empty(0, dtype=np.intp)]
        for one, those in zip(self.revisions, self.answers, strict=True):
            if match(survey, one).is_pooled:
                people.append(np.arange(start, start + len(those)))
            start += len(those)
        return Written(survey, answers, np.concatenate(people), self.n)

    @property
    def n(self) -> int:
        return sum(map(len, self.answers))


@cache
def question(id: str, version: int, answers: int, *, direct: bool) -> object:
    named = [questions.Answer(code, f"{code}{version}") for code in "abc"[:answers]]
    return surveys.single(id, named, direct=direct)


@cache
def revision(parts: tuple[tuple[str, int, int, bool], ...]) -> Survey:
    return surveys.survey(*(question(id, v, k, direct=d) for id, v, k, d in parts))  # type: ignore[arg-type]


def drawn(random: np.random.Generator) -> Snapshot:
    """Draw a small survey, corrected up to twice; some people have answered it before."""
    parts = [
        (f"d{place}", 0, int(random.integers(2, 4)), True) for place in range(random.integers(1, 4))
    ]
    parts += [(f"r{place}", 0, 2, False) for place in range(random.integers(1, 3))]
    asked: list[Survey] = []
    answers: list[npt.NDArray[np.uint8]] = []
    rates = random.dirichlet([0.6, 0.6, 0.6], 6)
    for version in range(random.integers(1, 4)):
        if version:
            at = int(random.integers(len(parts)))
            if random.random() < 0.3 and len(parts) > 2:
                del parts[at]
            else:
                parts[at] = (parts[at][0], version, *parts[at][2:])
        survey = revision(tuple(parts))
        n = int(random.integers(1, 45))
        those = np.empty((n, len(parts)), dtype=np.uint8)
        for place, (_, _, count, _) in enumerate(parts):
            rate = rates[place][:count] + 1e-9
            those[:, place] = random.choice(count, n, p=rate / rate.sum())
        if version and random.random() < 0.5:
            # Some have answered the revision before, and send what is new.
            same = [p is not None for p in match(survey, asked[-1]).places]
            again = np.flatnonzero(random.random(n) < random.random())
            if not all(same):
                those[np.ix_(again, np.flatnonzero(same))] = NOT_ASKED
        asked.append(survey)
        answers.append(those)
    return Snapshot(tuple(asked), tuple(answers))


@dataclass(frozen=True)
class Written:
    """What is shown of reports: cells that are hidden are empty."""

    survey: Survey
    answers: npt.NDArray[np.uint8]
    people: npt.NDArray[np.intp]
    n: int

    def split(self, places: Iterable[int]) -> Iterator[Group]:
        """Yield the people who gave each combination of answers to all of some items."""
        named = [marks(self.survey)[place] for place in places]
        chosen = self.answers[:, list(places)]
        told = (chosen != NOT_ASKED).all(axis=1)
        for combination in np.unique(chosen[told], axis=0):
            said = frozenset(zip(named, combination.tolist(), strict=True))
            yield self.group(said, (chosen == combination).all(axis=1))

    def group(self, said: Said, of: npt.NDArray[np.bool_]) -> Group:
        people = np.zeros(self.n, dtype=bool)
        people[self.people[of]] = True
        return Group(said, people)

    def only(self, rows: npt.NDArray[np.bool_]) -> Written:
        return replace(self, answers=self.answers[rows], people=self.people[rows])


@cache
def marks(survey: Survey) -> tuple[object, ...]:
    return revisions.marks(survey)


def subsets(places: Iterable[int]) -> Iterator[tuple[int, ...]]:
    those = list(places)
    return itertools.chain.from_iterable(
        itertools.combinations(those, size) for size in range(1, len(those) + 1)
    )


def table(snapshot: Snapshot) -> Iterator[Group]:
    """Yield the groups of the tally and of the page of results: each direct answer by itself."""
    rows = snapshot.rows[-1]
    seen = snapshot.written(-1, rows.answers)
    for place in rows.direct:
        column = rows.answers[:, place]
        counts = np.bincount(column[column != NOT_ASKED], minlength=NOT_ASKED + 1)
        hidden = hidden_cells(counts)[column] & (column != NOT_ASKED)
        yield from seen.only(~hidden).split([place])
        if (~hidden & (column != NOT_ASKED)).any():
            # One of the others, whichever.
            mark = marks(rows.survey)[place]
            for answer in np.unique(column[hidden]).tolist():
                yield seen.group(frozenset({(mark, answer)}), hidden)


def files(snapshot: Snapshot) -> Iterator[Group]:
    """Yield the groups of each file of rows: with all direct columns, and with some of them."""
    rows = snapshot.rows[-1]
    randomised = [place for place in range(len(rows.survey.items)) if place not in rows.direct]
    for chosen in subsets(rows.direct):
        written = snapshot.written(-1, published_answers(rows, chosen))
        _, empty = np.unique(
            written.answers[:, randomised] == NOT_ASKED, axis=0, return_inverse=True
        )
        for places in subsets(chosen):
            yield from written.split(places)
            for pattern in range(1 + empty.max(initial=0)):
                yield from written.only(empty.reshape(-1) == pattern).split(places)


def analyses(snapshot: Snapshot) -> Iterator[Group]:
    """Yield the groups of each analysis of several questions, as each revision asks them."""
    for place, rows in enumerate(snapshot.rows):
        seen = snapshot.written(place, rows.answers)
        for size in (2, 3):
            for places in itertools.combinations(range(len(rows.survey.items)), size):
                direct = [one for one in places if one in rows.direct]
                if not direct:
                    continue
                with suppress(TooFewError):
                    shown, _ = people_together(rows, places, told=len(direct) == size)
                    for those in subsets(direct):
                        yield from seen.only(shown).split(those)


def told(snapshot: Snapshot) -> list[tuple[Group, Group]]:
    """Return the pairs of groups whose difference is a few people; the second can be nobody."""
    found: dict[bytes, set[Said]] = defaultdict(set)
    for group in itertools.chain(table(snapshot), files(snapshot), analyses(snapshot)):
        found[np.packbits(group.people).tobytes()].add(group.said)
    groups = np.array([np.frombuffer(one, dtype=np.uint8) for one in found])
    if not found:
        return []
    groups = np.unpackbits(groups, axis=1, count=snapshot.n).astype(np.float32)
    sizes = groups.sum(axis=1)
    few = sizes[:, np.newaxis] - sizes
    inside = (groups @ groups.T == sizes) & (few > 0) & (few < LEAST)
    said = [*found.values()]
    nobody = np.zeros(snapshot.n, dtype=bool)
    return [
        *(
            (Group(one, groups[place] > 0), Group(one, nobody))
            for place in np.flatnonzero((sizes > 0) & (sizes < LEAST))
            for one in said[place]
        ),
        *(
            (Group(one, groups[place] > 0), Group(other, groups[within] > 0))
            for place, within in zip(*np.nonzero(inside), strict=True)
            for one, other in itertools.product(said[place], said[within])
            if one <= other
        ),
    ]


def alike(snapshot: Snapshot) -> list[tuple[int, ...]]:
    """Return the columns of files whose missing cells follow from the tables, of few of a pattern.

    Everybody knows how many people gave each answer, and how many of them a file shows. Where all
    that are missing gave the same one, that is known of each row whose cell was left out.
    """
    rows = snapshot.rows[-1]
    randomised = [place for place in range(len(rows.survey.items)) if place not in rows.direct]
    found = []
    for chosen in subsets(rows.direct):
        written = published_answers(rows, chosen)
        for place in chosen:
            missing = (rows.answers[:, place] != NOT_ASKED) & (written[:, place] == NOT_ASKED)
            if len(np.unique(rows.answers[missing, place])) != 1:
                continue
            known = np.bincount(rows.answers[rows.answers[:, place] != NOT_ASKED, place])
            if hidden_cells(known).any() or np.count_nonzero(known) == 1:
                continue  # its table does not tell it, or whatever was shown
            _, sizes = np.unique(
                written[missing][:, randomised] == NOT_ASKED, axis=0, return_counts=True
            )
            if (sizes < LEAST).any():
                found.append((*chosen, place))
    return found


def joined(snapshot: Snapshot) -> bool:
    """Return whether few people share what all files together tell of somebody.

    Each row is taken to be known again in another file, by what was randomised in it.
    """
    rows = snapshot.rows[-1]
    known = np.full_like(rows.answers, NOT_ASKED)
    for chosen in map(list, subsets(rows.direct)):
        known[:, chosen] = np.minimum(known[:, chosen], published_answers(rows, chosen)[:, chosen])
    for one, pattern in zip(known, rows.patterns, strict=True):
        alike = ((rows.answers == one) | (one == NOT_ASKED)).all(axis=1)
        if (one != NOT_ASKED).any() and (alike & (rows.patterns == pattern)).sum() < LEAST:
            return True
    return False


def campaign(count: int, seed: int) -> Iterator[bool]:
    """Yield of each of so many surveys whether something is told."""
    random = np.random.default_rng(seed)
    for one in (drawn(random) for _ in range(count)):
        yield bool(told(one) or alike(one) or joined(one))


def three_of(found: Iterator[bool]) -> bool:
    return len([*itertools.islice(filter(None, found), 3)]) == 3


@pytest.mark.parametrize(
    "count",
    [pytest.param(75, marks=pytest.mark.slow), pytest.param(10_000, marks=pytest.mark.campaign)],
)
def test_nothing_of_few_people_follows_from_two_outputs(count: int) -> None:
    assert not any(campaign(count, SEED))


def test_an_incomplete_key_is_found_out() -> None:
    """Then a file tells who of few people answered before a correction."""
    random = np.random.default_rng(SEED)

    def blind(one: Snapshot) -> Snapshot:
        found = []
        for rows in one.rows:
            everybody = replace(rows.everybody, patterns=rows.everybody.patterns * 0)
            found.append(replace(rows, patterns=rows.patterns * 0, everybody=everybody))
        vars(one)["rows"] = tuple(found)
        return one

    assert three_of(bool(told(blind(drawn(random)))) for _ in range(40))


def test_a_complement_that_nobody_checks_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then all who gave an answer, less those who were asked another question too, are few."""

    def in_table(cells: Cells, question: int, least: int, **_: bool) -> BoolArray:
        return cells.hidden_in_table(question, least)

    monkeypatch.setattr(Cells, "hidden_alone", in_table)
    assert three_of(campaign(40, SEED))
