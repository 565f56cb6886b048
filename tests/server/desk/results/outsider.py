"""Small surveys in which somebody is alone with their answers, and who looks for them."""

import itertools
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, milp

from deniable.analysis.counts.rows import direct_places
from deniable.analysis.privacy.disclosure import LEAST
from deniable.report import NOT_ASKED, Report
from deniable.server.store import Store
from deniable.survey import Survey
from deniable.survey_file import read

SURVEY = """\
version: 1
survey: small
title: Few people
epsilon: 4
batch: 1
{key}questions:
  - {{id: doped, text: Doped, type: single, answers: [d0, d1]}}
  - {{id: knew, text: Knew, type: single, answers: [k0, k1]}}
  - {{id: unit, text: Unit, type: single, answers: [u0, u1, u2, u3], protection: direct}}
  - {{id: sex, text: Sex, type: single, answers: [s0, s1], protection: direct}}
  - {{id: shift, text: Shift, type: single, answers: [w0, w1], protection: direct,
     ask_if: {{unit: {fits}}}}}
  - {{id: late, text: Late, type: single, answers: [l0, l1], protection: direct,
     ask_if: {{shift: w1}}}}
"""
KEYS = ("waves: {count: 2, redraw: 1/8}\n", "ask: 1\n", "together: [doped, knew]\n")
MORE = "  - {id: more, text: More, type: single, answers: [m0, m1], protection: direct}\n"
DIRECT = ("unit", "sex", "shift", "late", "more")
DRAWN = [(0, NOT_ASKED), (1, NOT_ASKED), (NOT_ASKED, 0), (NOT_ASKED, 1)]
FITS = [["u0", "u1"], ["u1"], ["u1", "u3"], ["u0", "u2", "u3"]]

Counts = npt.NDArray[np.int64]


@dataclass
class Outsider:
    """What is known of how many people of each kind there are; the last column is their wave.

    `shown`: the same kinds without the direct answers of those whose gap few share. The second half
    of the kinds is of those who come between two looks: nine whom the outsider plays, `own`, and a
    tenth. `look`: the first or the second.
    """

    survey: Survey
    kinds: Counts
    people: Counts
    own: Counts
    look: int = 0
    equations: list[Counts] = field(default_factory=list)
    shown: Counts = field(init=False)

    def __post_init__(self) -> None:
        """Take in how many people share each gap, and hide what few who share one said."""
        self.shown = self.kinds.copy()
        if self.gaps_are_known:
            gaps = np.column_stack([self.kinds[:, :-1] == NOT_ASKED, self.kinds[:, -1]])
            self.equations += [(gaps == gap).all(axis=1).astype(int) for gap in {*map(tuple, gaps)}]
            # What chance left out of a whole report is no gap.
            whole = (gaps[:, :2].sum(axis=1) == bool(self.survey.draws)) & ~gaps[:, 2:6].any(axis=1)
            gaps[whole, :2] = 0
            for gap in np.unique(gaps, axis=0):
                share = (gaps == gap).all(axis=1)
                if share @ self.people < LEAST:
                    self.shown[np.ix_(share, direct_places(self.survey))] = NOT_ASKED

    @property
    def gaps_are_known(self) -> bool:
        """Whether there are two revisions."""
        return any(item.id == "more" for item in self.survey.items)

    @property
    def direct(self) -> tuple[str, ...]:
        """The ids of the direct items."""
        return tuple(name for name in DIRECT if name != "more" or self.gaps_are_known)

    @property
    def is_late(self) -> npt.NDArray[np.bool_]:
        """Which kinds are of those who come between two looks."""
        return np.repeat([False, True], len(self.kinds) // 2)

    def gave(self, wave: int, *answers: tuple[str, str], kinds: Counts | None = None) -> Counts:
        """Return which kinds gave all of some answers in a wave, "" for "not asked"."""
        ids = [item.id for item in self.survey.items]
        kinds = self.shown if kinds is None else kinds
        found = (kinds[:, -1] == wave) & (self.is_late <= self.look)
        for name, code in answers:
            codes = [one.code for one in self.survey.items[ids.index(name)].reports]
            answer = codes.index(code) if code else NOT_ASKED
            found &= kinds[:, ids.index(name)] == answer
        group: Counts = found.astype(np.int64)
        return group

    def learn(self, told: float, wave: int, *answers: tuple[str, str]) -> None:
        """Take in how many people the desk says that a group has."""
        group = self.gave(wave, *answers)
        assert abs(group @ self.people - told) < 1e-6, answers
        self.equations.append(group)

    def finds(self, group: Counts) -> bool:
        """Return whether the group has as many people in all data sets that look the same."""
        known = np.unique(self.equations, axis=0)
        same = LinearConstraint(known, known @ self.people, known @ self.people)
        whole, sizes = np.ones(len(self.people), np.int64), Bounds(self.own, np.inf)
        for sign in (1, -1):
            found = milp(sign * group, constraints=same, integrality=whole, bounds=sizes)
            if found.fun is None or abs(sign * found.fun - group @ self.people) > 0.5:
                return False
        return True


def all_kinds(
    survey: Survey, fits: list[str], more: Sequence[tuple[int, ...]] = ((),)
) -> Iterator[tuple[int, ...]]:
    """Yield what somebody may have answered, `more` what they did besides; last the wave."""
    for wave in range(survey.waves):
        for noisy in DRAWN if survey.draws else itertools.product(range(2), repeat=2):
            for unit, sex, shift, late in itertools.product(range(4), range(2), range(3), range(3)):
                if (shift < 2) == (f"u{unit}" in fits) and (late < 2) == (shift == 1):
                    yield from ((*noisy, unit, sex, shift, late, *one, wave) for one in more)


def collected(store: Store, seed: int, *, number: bool = False) -> tuple[Outsider, Counts]:
    """Store what a few people answered, one alone with theirs; return as well ten still to come.

    `number`: the unit is a number from 0 to 3, of which the desk tells the mean as well.
    """
    random = np.random.default_rng([30, seed])
    fits = FITS[random.integers(len(FITS))]
    text = SURVEY.format(key=KEYS[seed % len(KEYS)], fits=fits)
    if number:
        text = text.replace("single, answers: [u0, u1, u2, u3]", "number, min: 0, max: 3")
        text = re.sub(r"'u(\d)'", r'"\1"', text)
    survey = store.register(read(text).survey, text)
    kinds = np.array([*all_kinds(survey, fits)])
    alone = kinds[:, 2] == random.integers(4)
    chances = random.dirichlet(np.full(len(kinds), 0.3)) * ~alone
    places = random.choice(len(kinds), random.integers(9, 60), p=chances / chances.sum())
    places = np.append(places, random.choice(np.flatnonzero(alone)))
    come(store, survey, kinds[places])
    last = np.flatnonzero(kinds[:, -1] == kinds[-1, -1])
    late = random.choice(last, 10, p=chances[last] / chances[last].sum())
    first, ten, own = (np.bincount(one, minlength=len(kinds)) for one in (places, late, late[1:]))
    everybody = np.append(first, ten)
    known = np.append(first * 0, own)
    return Outsider(survey, np.vstack([kinds, kinds]), everybody, known), kinds[late]


def collected_with_gaps(store: Store, seed: int) -> tuple[Outsider, Counts]:
    """Store reports to two revisions: whole ones, what is new alone, and gaps of one's own."""
    random = np.random.default_rng([31, seed])
    fits = FITS[random.integers(len(FITS))]
    text = SURVEY.format(key=["", *KEYS][seed % 4], fits=fits)
    before = text.replace("count: 2", "count: 3")  # waves are counted together one by one
    first, survey = read(before).survey, read(text + MORE).survey
    assert first.items == survey.items[:-1]
    whole = [*all_kinds(survey, fits, [(0,), (1,)])]
    # Those of the first revision, of people who had answered it, and of spoilers.
    left_out = [[6], [], [0, 1, 2, 3, 4, 5], [0], [2], [1, 3], [3, 4, 5]]
    chosen = np.array(whole)[random.choice(len(whole), 40)]
    sizes: list[int] = [*map(int, random.integers([12, 8, 2], [25, 16, 8])), 1, 3, 2, 6]
    rates = random.dirichlet(np.full(len(chosen), 0.3))
    rows = []
    for gap, size in zip(left_out, sizes, strict=True):
        own: Counts = chosen[random.choice(np.arange(len(chosen)), size, p=rates)]
        own[:, gap] = NOT_ASKED
        rows.append(own)
    sent = ((first, rows[0][:, [*range(6), 7]]), (survey, np.vstack(rows[1:])))
    for one, file in ((first, before), (survey, text + MORE)):
        store.register(one, file)
    for wave, (one, those) in itertools.product(range(survey.waves), sent):
        come(store, one, those[those[:, -1] == wave])
    possible = []
    for gap in left_out:
        kinds = np.array(whole)
        kinds[:, gap] = NOT_ASKED
        possible.append(kinds)
    kinds = np.unique(np.vstack(possible), axis=0)
    _, place = np.unique(np.vstack([kinds, *rows]), axis=0, return_inverse=True)
    people = np.bincount(place.reshape(-1)[len(kinds) :], minlength=len(kinds))
    nobody = np.zeros_like(people)
    twice = np.vstack([kinds, kinds])
    return Outsider(survey, twice, np.append(people, nobody), np.append(nobody, nobody)), kinds[:1]


def come(store: Store, survey: Survey, rows: Counts) -> None:
    """Store reports, wave by wave."""
    for wave in np.unique(rows[:, -1]).tolist():
        if wave and store.wave(survey.slug) == wave:
            store.begin_wave(survey.slug, wave + 1)
        number = survey.on_wire(wave + 1)
        store.insert_reports(
            [
                Report(survey.slug, survey.revision, os.urandom(16), bytes(row), number)
                for row in rows[rows[:, -1] == wave, :-1].tolist()
            ]
        )
