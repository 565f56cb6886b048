"""Everything that the desk shows of a snapshot is put together, and few people are looked for.

The attacker knows the number of reports, every share, mean and standard error, each group's n and
each row, and takes the counts of all combinations of answers for whole unknown numbers. They may
find a group of fewer than five people by no equation and by no bound.
"""

import itertools
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from deniable.analysis.counts.pooling import rows_of_reports
from deniable.analysis.counts.rows import Rows
from deniable.analysis.privacy.disclosure import hidden_cells, hidden_people
from deniable.report import NOT_ASKED
from deniable.server.store import Store
from deniable.survey import Survey
from deniable.survey_file import read
from tests.kit import Browser, report, url_for

pytestmark = pytest.mark.promise("few")

Mask = npt.NDArray[np.bool_]
Reports = npt.NDArray[np.uint8]

SURVEY = """\
version: 1
survey: {slug}
title: A club
batch: 1
questions:
  - {{id: doped, text: Doped, type: single, answers: [No, Yes], flip: 1/4}}
  - {{id: role, text: Role, type: single, answers: [x, y, z], protection: direct}}
  - {{id: years, text: Years, type: number, min: 0, max: 3, protection: direct}}
  - {{id: {last}, text: A {last}, type: single, answers: [p, q], protection: direct}}
"""
FOLLOW_UPS = """\
  - {id: shift, text: Shift, type: single, answers: [p, q], protection: direct, ask_if: {role: y}}
  - {id: late, text: Late, type: single, answers: [p, q], protection: direct,
     ask_if: {shift: q, years: ["0", "1"]}}
"""
CODES = {
    "doped": ("no", "yes"),
    "role": ("x", "y", "z"),
    "years": ("0", "1", "2", "3"),
    "sex": ("p", "q"),
    "team": ("p", "q"),
    "shift": ("p", "q", "does_not_apply"),
    "late": ("p", "q", "does_not_apply"),
}
NAMES = ("revision", *CODES)
NOBODY = -1
OF_GROUPS = {"share", "share_if_applies", "mean"}
"""What rows of a comparison tell of a group; the others are of two groups, or of all."""


@dataclass
class Attack:
    """What is known of how many people are of each kind: all that was answered, in one revision."""

    kinds: npt.NDArray[np.int64]
    people: npt.NDArray[np.int64]
    rows: list[npt.NDArray[np.float64]] = field(default_factory=list)

    def of(self, name: str) -> npt.NDArray[np.int64]:
        column: npt.NDArray[np.int64] = self.kinds[:, NAMES.index(name)]
        return column

    def answered(self, name: str, code: str) -> Mask:
        given: Mask = self.of(name) == (CODES[name].index(code) if code else NOBODY)
        return given

    def learn(self, those: npt.NDArray[Any], told: float | None = None) -> bool:
        """Add an equation, unless the desk tells another number than of all these people."""
        is_so = told is None or bool(abs(those @ self.people - told) < 1e-6)
        if is_so:
            self.rows.append(those.astype(np.float64))
        return is_so

    def finds(self, group: Mask) -> bool:
        """Return whether no other table with the same equations has more or fewer in a group."""
        known = np.array(self.rows)
        same = LinearConstraint(known, known @ self.people - 1e-6, known @ self.people + 1e-6)
        for sign in (1, -1):
            found = milp(
                sign * group.astype(np.float64),
                constraints=same,
                integrality=np.ones(len(group), dtype=np.int64),
                bounds=Bounds(0, np.inf),
                options={"time_limit": 5},
            )
            if found.fun is None or abs(sign * found.fun - group @ self.people) > 0.5:
                return False
        return True


def is_possible(role: int, years: int, shift: int, late: int) -> bool:
    """Return whether the follow-ups are asked of whom they apply to, and of nobody else."""
    return (shift < 2) == (role == 1) and (late < 2) == (shift == 1 and years < 2)


def collected(store: Store, seed: int, *, follow_ups: bool = False) -> tuple[Attack, list[str]]:
    """Store reports of some people, perhaps to two revisions, and return what everybody knows."""
    random = np.random.default_rng(seed)
    files = [SURVEY.format(slug=f"club-{seed}", last=last) for last in ("sex", "team")]
    if follow_ups:
        files = [text + FOLLOW_UPS for text in files]
    asked = [read(text).survey for text in files[: 1 + (random.random() < 0.5)]]
    sizes = (2, 3, 4, 2, *((3, 3) if follow_ups else ()))
    possible = [
        cell
        for cell, answers in enumerate(itertools.product(*map(range, sizes[1:])))
        if not follow_ups or is_possible(answers[0], answers[1], *answers[3:])
    ]
    chances = random.dirichlet(np.full(len(possible), 0.35))
    kinds, people = [], []
    for revision, survey in enumerate(asked):
        store.register(survey)
        cells = random.choice(possible, random.integers(15, 100), p=chances)
        doped = random.integers(0, 2, len(cells))
        answers = np.column_stack([doped, *np.unravel_index(cells, sizes[1:])]).astype(np.uint8)
        store.insert_batch([report(survey, row.tobytes()) for row in answers])
        for doping, cell in itertools.product(range(2), possible):
            kind = (doping, *map(int, np.unravel_index(cell, sizes[1:])))
            last = (NOBODY, kind[3]) if revision else (kind[3], NOBODY)
            kinds.append((revision, *kind[:3], *last, *(kind[4:] or (NOBODY, NOBODY))))
            people.append(int((answers == kind).all(axis=1).sum()))
    attack = Attack(np.array(kinds), np.array(people))
    for revision in range(len(asked)):
        attack.learn(attack.of("revision") == revision)
        attack.learn((attack.of("revision") == revision) & attack.answered("doped", "yes"))
    return attack, [one.revision for one in asked]


def look_at_tables(attack: Attack, researcher: Browser, slug: str, revisions: list[str]) -> None:
    """Learn from the tables of each question, and from the rows, of all revisions and of each."""
    everybody = attack.of("revision") >= 0
    choices = [("", everybody)]
    if len(revisions) > 1:
        choices += [(f"?revision={r}", attack.of("revision") == i) for i, r in enumerate(revisions)]
    for query, inside in choices:
        estimates = url_for("results.estimates", slug=slug, form="csv")
        for row in researcher(estimates + query).rows:
            name, n = row["item"], float(row["n"])
            if name == "doped" or not row["estimate"]:
                continue
            if row["statistic"] == "share":
                those = inside & attack.answered(name, row["answer"])
                assert attack.learn(those, float(row["estimate"]) * n)
            elif row["statistic"] != "mean":  # among those to whom a follow-up applies
                applies = (attack.of(name) >= 0) & ~attack.answered(name, "does_not_apply")
                given = attack.answered(name, row["answer"]) - float(row["estimate"]) * applies
                assert attack.learn(inside * given, 0)
            else:
                number = np.where(inside, attack.of(name), 0)
                assert attack.learn(number, float(row["estimate"]) * n)
                attack.learn(number**2)
        rows = researcher(url_for("results.reports", slug=slug) + query).rows
        told = [tuple((name.removesuffix("_noisy"), row[name]) for name in row) for row in rows]
        for one in set(told):
            if any(code for name, code in one if name != "doped"):
                those = inside & np.all([attack.answered(*each) for each in one], axis=0)
                attack.learn(those, told.count(one))


def look_at_pairs(attack: Attack, researcher: Browser, slug: str) -> None:
    """Learn from one question in the groups of another, and from two against each other."""
    page = url_for("results.page", slug=slug)
    for asked, by in itertools.permutations(CODES, 2):
        both = (attack.of(asked) >= 0) & (attack.of(by) >= 0)
        found = researcher(f"{page}/compare.json?item={asked}&by={by}")
        if found.status == 200:
            rows = found.json["estimates"]
            of_groups = [row for row in rows if row["statistic"] in OF_GROUPS]
            groups = {row["group"]: row.get("n") for row in of_groups}
            for group, n in groups.items():
                those = both & attack.answered(by, group)
                if by != "doped" and not attack.learn(those, n):
                    continue
                if asked == "years" and by == "doped":
                    attack.learn(those * attack.of(asked))
                    attack.learn(those * attack.of(asked) ** 2)
                    continue
                for code in CODES[asked]:
                    attack.learn(those & attack.answered(asked, code))
        if researcher(f"{page}/cross.json?first={asked}&second={by}").status == 200:
            for code, other in itertools.product(CODES[asked], CODES[by]):
                attack.learn(both & attack.answered(asked, code) & attack.answered(by, other))


def small_groups(attack: Attack) -> dict[tuple[Any, ...], Mask]:
    """Return each group of one to four people by up to three of their direct answers."""
    found = {}
    direct = [name for name in NAMES if name != "doped"]
    for names in itertools.chain(*(itertools.combinations(direct, r) for r in (1, 2, 3))):
        columns = np.stack([attack.of(name) for name in names], axis=1)
        for values in {tuple(row) for row in columns.tolist()}:
            group = (columns == values).all(axis=1)
            if 0 < group @ attack.people < 5 and NOBODY not in values and names != ("revision",):
                found[names, values] = group
    return found


def shown(survey: Survey, answers: Reports) -> tuple[list[Mask], Mask]:
    """Return which answers the table of each direct question shows, and whose rows a file does."""
    rows = rows_of_reports(survey, [answers.tobytes()])
    return tables(rows), ~hidden_people(rows, rows.direct)


def tables(rows: Rows) -> list[Mask]:
    """Return which answers the table of each direct question shows."""
    of = [(rows.survey.items[place], rows.answers[:, place]) for place in rows.direct]
    return [
        ~hidden_cells(np.bincount(column[column != NOT_ASKED], minlength=len(item.truths)))
        for item, column in of
    ]


@pytest.mark.slow
def test_security_md_says_what_reports_of_ones_own_tell() -> None:
    """Nine between two looks, or four with the answers of somebody who is alone with theirs."""
    survey, random = read(SURVEY.format(slug="club", last="sex")).survey, np.random.default_rng(100)

    def draw(people: int, chances: npt.NDArray[np.float64]) -> Reports:
        cells = np.unravel_index(random.choice(24, people, p=chances), (3, 4, 2))
        return np.column_stack([random.integers(0, 2, people), *cells]).astype(np.uint8)

    answers, rows, alone, gaps = [], [], [], []
    for _ in range(300):
        chances = random.dirichlet(np.full(24, 0.35))
        before, own, tenth = (draw(people, chances) for people in (100, 9, 1))
        of_both = [shown(survey, those) for those in (before, np.vstack([before, own, tenth]))]
        told = [
            [table[given] for table, given in zip(one, tenth[0, 1:], strict=True)]
            for one, _ in of_both
        ]
        answers.append(np.all(told, axis=0).mean())
        alike = (before[:, 1:] == tenth[0, 1:]).all(axis=1)
        rows.append(of_both[0][1][alike].all() and of_both[1][1][-1])
        # Who came before the first look, with a gap that nobody else had; ten of one's own have it.
        first_look, ten = np.vstack([before, tenth]), np.vstack([own, own[:1]])
        first_look[-1, 0] = ten[:, 0] = NOT_ASKED
        looks = [rows_of_reports(survey, [first_look.tobytes()])]
        looks.append(rows_of_reports(survey, [np.vstack([first_look, ten]).tobytes()]))
        of_tables = [tables(one) for one in looks]
        assert (looks[0].answers[-1] == NOT_ASKED).all()
        both = zip(*of_tables, tenth[0, 1:], strict=True)
        gaps.append(np.mean([one[given] and other[given] for one, other, given in both]))
        _, first, count = np.unique(before[:, 1:], axis=0, return_index=True, return_counts=True)
        for place in first[count == 1]:
            copies = np.repeat(before[place][np.newaxis], 4, axis=0)
            alone.append(shown(survey, np.vstack([before, copies]))[1][place])
    said = (Path("docs") / "security.md").read_text(encoding="utf-8")
    found = re.search(
        r"in (\d+) of 100 cases, and its row in (\d+).*?theirs in (\d+)"
        r".*?the row in (\d+)",
        said,
        re.S,
    )
    assert found is not None
    assert [*map(int, found.groups())] == [
        round(100 * float(np.mean(one))) for one in (answers, rows, gaps, alone)
    ]


@pytest.mark.parametrize(
    ("seed", "follow_ups"),
    [
        (4, False),
        (9, True),
        *(
            pytest.param(seed, has, marks=pytest.mark.slow if seed < 9 else pytest.mark.campaign)
            for seed in (*range(5, 9), *range(20, 52))
            for has in (False, True)
        ),
    ],
)
def test_no_group_of_few_people_follows_from_all_that_is_shown(
    store: Store, researcher: Browser, seed: int, *, follow_ups: bool
) -> None:
    attack, revisions = collected(store, seed, follow_ups=follow_ups)
    look_at_tables(attack, researcher, f"club-{seed}", revisions)
    look_at_pairs(attack, researcher, f"club-{seed}")
    assert [key for key, group in small_groups(attack).items() if attack.finds(group)] == []
