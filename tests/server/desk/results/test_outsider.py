"""A small cell is looked for in small surveys, in every way that the desk can be asked.

20 to 120 people answer, some alone with a direct answer. An outsider reads the tally, estimates,
files, comparisons and cross tables of one snapshot, of each wave, and looks for all tables that
would look the same, by integer programming (`tests.kit.attacker`). Seeds are fixed and nothing is
left to chance: there is no false alarm.
"""

import csv
import io
import itertools
import os
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

import numpy as np
import numpy.typing as npt
import pytest

from deniable.analysis.privacy import columns
from deniable.report import Report
from deniable.server.desk.auth.api_tokens import make_token
from deniable.server.store import Store
from deniable.server.store.accounts import NOBODY, Scope
from deniable.survey import Survey
from deniable.survey.grouped import (
    direct_items,
    each_answer,
    group_name,
    known_columns,
)
from deniable.survey_file import read
from tests.kit import Answer, Browser, Caller, first_of, url_for
from tests.kit.attacker import Attacker

pytestmark = pytest.mark.promise("few", "rows")

SURVEY = """\
version: 1
survey: small
title: Few people
epsilon: 4
batch: 1
{key}questions:
  - {{id: doped, text: Doped, type: single, answers: [d0, d1]}}
  - {{id: unit, text: Unit, type: single, answers: [u0, u1, u2, u3], protection: direct}}
  - {{id: sex, text: Sex, type: single, answers: [s0, s1], protection: direct}}
  - {{id: {third}}}
"""
KEYS = ("", "waves: {count: 2, redraw: 1/8}\n")
THIRD = (
    "years, text: Years, type: number, min: 0, max: 9, protection: direct",
    "shift, text: Shift, type: single, answers: [w0, w1], protection: direct, ask_if: {unit: u0}",
)


@dataclass
class Outsider:
    """What somebody knows who reads everything, of each wave."""

    survey: Survey
    waves: Sequence[Attacker]
    groups: dict[str, dict[str, tuple[int, ...]]] = field(init=False)

    def __post_init__(self) -> None:
        """Know each answer by its code; groups are added."""
        self.groups = {
            item.id: {group_name(item, one): one for one in each_answer(item)}
            for item in direct_items(self.survey)
        }

    def know(self, text: str) -> None:
        """Take in by which names a file has groups."""
        items = {item.id: item for item in direct_items(self.survey)}
        for name, groups in known_columns(self.survey, text).items():
            self.groups[name] |= {group_name(items[name], one): one for one in groups}

    def learn(self, wave: int, told: float, **answers: str) -> None:
        """Take in how many people of a wave gave some answers, or answers of some groups."""
        attacker = self.waves[wave - 1]
        of = {name: self.groups[name][answer] for name, answer in answers.items()}
        attacker.learn(attacker.gave(**of), told)

    def learn_file(self, rows: Iterable[Mapping[str, str]]) -> None:
        """Take in how many rows there are of each combination; of those that lack, that none is."""
        told = [*rows]
        names = [name for name in self.groups if told and name in told[0]]
        found = Counter((row.get("wave", "wave_1"), *(row[name] for name in names)) for row in told)
        written = [{row[name] for row in told} for name in names]
        for place, cell in itertools.product(range(len(self.waves)), itertools.product(*written)):
            people = found[f"wave_{place + 1}", *cell]
            self.learn(place + 1, people, **dict(zip(names, cell, strict=True)))

    def learn_estimates(self, rows: Iterable[Mapping[str, str]]) -> None:
        """Take in shares of direct answers, and means with their errors."""
        for row in rows:
            if row["item"] not in self.groups or not row["estimate"] or row.get("since"):
                continue
            wave, n, estimate = int(row.get("wave") or 1), float(row["n"]), float(row["estimate"])
            if row["statistic"] == "share":
                self.learn(wave, estimate * n, **{row["item"]: row["answer"]})
            elif row["statistic"] == "mean":
                one = self.waves[wave - 1]
                values = one.kinds[:, one.places[row["item"]]].astype(np.float64)
                error = float(row["standard_error"])
                one.learn(values, estimate * n)
                one.learn(values**2, n * (n - 1) * error**2 + n * estimate**2)


def collected(store: Store, seed: int) -> Outsider:
    """Store what a few people answered; about half of the surveys have two waves."""
    random = np.random.default_rng([30, seed])
    third = THIRD[seed % 2]
    text = SURVEY.format(key=KEYS[seed // 2 % 2], third=third)
    survey = store.register(read(text).survey, text)
    sizes = (4, 2, 10 if seed % 2 == 0 else 3)
    attackers = []
    for wave in range(1, survey.waves + 1):
        if wave > 1:
            store.begin_wave(survey.slug, wave)
        rates = np.multiply.outer(
            random.dirichlet(np.full(4, 0.7)),
            np.multiply.outer(random.dirichlet([2, 2]), random.dirichlet(np.full(sizes[2], 2))),
        )
        people = random.multinomial(random.integers(20, 121), rates.ravel() / rates.sum())
        cells = np.repeat(np.argwhere(np.ones(sizes, dtype=bool)), people, axis=0)
        if seed % 2:
            cells[:, 2] = np.where(cells[:, 0] == 0, cells[:, 2] % 2, 2)
        answers = np.column_stack([np.arange(len(cells)) % 2, cells]).astype(np.uint8)
        send(store, survey, wave, answers)
        attackers.append(Attacker.of(survey, answers))
    return Outsider(survey, attackers)


def send(store: Store, survey: Survey, wave: int, answers: npt.NDArray[np.uint8]) -> None:
    number = survey.on_wire(wave)
    store.insert_reports(
        [
            Report(survey.slug, survey.revision, os.urandom(16), bytes(row), number)
            for row in answers.tolist()
        ]
    )


def read_everything(
    outsider: Outsider, store: Store, researcher: Browser, api: Callable[[str], Answer]
) -> None:
    """Read all that the desk shows, then files in groups of one's own, and all of it again."""
    survey, page = outsider.survey, url_for("results.page", slug="small")
    direct = [item.id for item in direct_items(survey)]
    for choice in ("", "sex,unit:u0+[u1 u2 u3]", "years:0-4+5-9", "shift:w0+w1"):
        zipped = researcher(f"{page}/paper.zip?direct={quote(choice)}")
        outsider.know(choice)
        text = api("/reports.csv")
        outsider.know(store.left("small")[0])
        outsider.learn_file(csv.DictReader(io.StringIO(text.text)))
        if zipped.status == 200:
            with zipfile.ZipFile(io.BytesIO(zipped.body)) as archive:
                names = {name.partition("/")[2]: name for name in archive.namelist()}
                texts = [archive.read(names[f"{of}.csv"]) for of in ("reports", "estimates")]
            rows, estimates = (csv.DictReader(io.StringIO(one.decode())) for one in texts)
            outsider.learn_file(rows)
            outsider.learn_estimates(estimates)
        for wave in range(1, survey.waves + 1):
            query = f"?wave={wave}" if survey.is_repeated else "?"
            for item in api(f"/tally{query}").json["items"]:
                for code, count in item["counts"].items():
                    if item["item"] in direct and count is not None:
                        outsider.learn(wave, count, **{item["item"]: code})
            for one, other in itertools.permutations(["doped", *direct], 2):
                compared = researcher(f"{page}/compare.json{query}&item={one}&by={other}")
                for row in compared.json["estimates"] if compared.status == 200 else ():
                    if other in direct and row["statistic"] in ("share", "mean") and row.get("n"):
                        outsider.learn(wave, row["n"], **{other: row["group"]})
                crossed = researcher(f"{page}/cross.json{query}&first={one}&second={other}")
                if crossed.status == 200 and {one, other} <= {*direct}:
                    learn_pairs(outsider, wave, (one, other), crossed)
    outsider.learn_estimates(researcher.see("results.estimates", slug="small", form="csv").rows)


def learn_pairs(outsider: Outsider, wave: int, pair: tuple[str, str], crossed: Answer) -> None:
    """Learn how many people gave each pair of direct answers."""
    rows = crossed.json["estimates"]
    codes = [
        dict.fromkeys(row[side] for row in rows if row.get(side))
        for side in ("first_answer", "second_answer")
    ]
    for first, counts in zip(codes[0], crossed.json["counts"], strict=True):
        for second, count in zip(codes[1], counts, strict=True):
            outsider.learn(wave, count, **{pair[0]: first, pair[1]: second})


def campaign(store: Store, researcher: Browser, desk: Caller, seed: int) -> list[object]:
    """Return the small cells of each wave that follow."""
    headers = {"Authorization": f"Bearer {make_token(store, NOBODY, 'me', Scope.READ)}"}
    outsider = collected(store, seed)

    def api(path: str) -> Answer:
        return desk(f"/api/v1/surveys/small{path}", headers=headers)

    read_everything(outsider, store, researcher, api)
    assert sum(len(one.equations) for one in outsider.waves) > 10
    return [found for one in outsider.waves for found in one.found()]


@pytest.mark.parametrize("seed", first_of(range(12)))
def test_nothing_of_few_people_follows_at_one_look(
    store: Store, researcher: Browser, desk: Caller, seed: int
) -> None:
    assert campaign(store, researcher, desk, seed) == []


@pytest.mark.slow
def test_a_file_with_rare_combinations_is_found_out(
    store: Store, researcher: Browser, desk: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "few", lambda *_: 0)
    assert campaign(store, researcher, desk, 0)
