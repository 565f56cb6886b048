"""A study that is hard to tell is told alike by desk, API, command, Python, files and figures.

Three direct questions, two waves of other people, weights, a follow-up, an answer that skips, a
number, few people in some groups and an estimate below 0. Each number is compared digit for digit:
to all digits where a door gives all, and as the page writes it.
"""

import csv
import io
import re
import zipfile
from html import unescape

import numpy as np
import pytest
from click.testing import CliRunner

import deniable
from deniable.cli.main import commands
from deniable.server.store import Store
from deniable.survey import Survey
from deniable.survey_file import read
from tests.kit import Browser, of_wave

NASTY = """\
version: 1
survey: nasty
title: Hard to tell
epsilon: 5
batch: 1
waves: {count: 2, people: others}
questions:
  - {id: took, text: Took, type: single, answers: [No, Yes], prefer_not_to_say: true}
  - {id: what, text: What, type: single, answers: [Pills, Weed, Else], ask_if: {took: yes}}
  - {id: often, text: Often, type: number, min: 0, max: 4}
  - {id: never, text: Never, type: single, answers: [No, Yes], flip: 2/5}
  - {id: sex, text: Sex, type: single, answers: [f, m, x], protection: direct}
  - {id: ward, text: Ward, type: single, answers: [a, b, c, d], protection: direct}
  - {id: age, text: Age, type: number, min: 18, max: 80, protection: direct}
plan: {margins: {sex: {f: 60, m: 34, x: 6}}}
"""
PEOPLE = 150

Key = tuple[str, ...]
NUMBERS = ("estimate", "standard_error", "low", "high", "n")


def rows_of(wave: int) -> list[bytes]:
    random = np.random.default_rng(wave)
    columns = [random.integers(0, most, PEOPLE) for most in (3, 4, 5)]
    never = (np.arange(PEOPLE) < 40).astype(int)  # 27 % say Yes, and 40 % of nobody would
    sex = np.repeat([0, 1, 2], [80, 60, 10])
    ward = random.choice(4, PEOPLE, p=[0.6, 0.3, 0.08, 0.02])
    each = [*columns, never, random.permutation(sex), ward, random.integers(0, 63, PEOPLE)]
    return [bytes(row) for row in np.stack(each, axis=1).tolist()]


@pytest.fixture
def nasty(store: Store) -> Survey:
    survey = store.register(read(NASTY).survey, NASTY)
    for wave in (1, 2):
        if wave == 2:
            store.begin_wave("nasty", wave)
        store.insert_reports([of_wave(survey, wave, answers=row) for row in rows_of(wave)])
    return survey


def told(rows: list[dict[str, str]]) -> dict[Key, dict[str, float | None]]:
    """Return the numbers of rows of estimates, by what they are of."""
    names = ("wave", "since", "item", "statistic", "answer")
    return {
        tuple(row.get(name, "") for name in names): {
            name: float(row[name]) if row.get(name) else None for name in NUMBERS
        }
        for row in rows
    }


def by_command(store: Store, *options: str) -> dict[Key, dict[str, float | None]]:
    words = ["estimate", "nasty", "--store", store.name, "--format", "csv", *options]
    found = CliRunner().invoke(commands, words)
    assert found.exit_code == 0, found.output
    return told([*csv.DictReader(io.StringIO(found.stdout))])


def alike(
    one: dict[Key, dict[str, float | None]], other: dict[Key, dict[str, float | None]], door: str
) -> None:
    """Compare what both tell, which is all of the second."""
    assert other.keys() <= one.keys(), door
    for key, numbers in other.items():
        for name, number in numbers.items():
            is_same = one[key][name] == (number and pytest.approx(number, rel=1e-12, abs=1e-12))
            assert is_same, (door, key, name)


def test_every_door_tells_the_same_numbers(
    researcher: Browser, store: Store, nasty: Survey
) -> None:
    desk = told(researcher.see("results.estimates", slug="nasty", form="csv").rows)
    assert sum(one["estimate"] is not None for one in desk.values()) > 60
    low = desk["1", "", "never", "share", "yes"]
    assert low["estimate"] is not None
    assert low["estimate"] < 0
    # The command sees the same store; so does Python, which hides nothing.
    alike(by_command(store), desk, "command")
    alike(desk, by_command(store), "command")
    study = deniable.open("nasty", f"sqlite:///{store.name}")
    python = told(
        [
            {name: str(cell) for name, cell in row.items() if cell is not None}
            for row in study.waves().export.rows
        ]
    )
    noisy = {key: numbers for key, numbers in desk.items() if key[2] not in ("ward", "age", "sex")}
    alike(python, noisy, "Python")
    # The zip has the same with the columns that leave, weighted and unweighted.
    download = researcher.see("export.download", slug="nasty", direct="sex")
    with zipfile.ZipFile(io.BytesIO(download.body)) as archive:
        there = {
            name.partition("/")[2]: archive.read(name).decode("utf-8", "replace")
            for name in archive.namelist()
        }
    weighted = told([*csv.DictReader(io.StringIO(there["weighted.csv"]))])
    alike(desk, weighted, "weighted.csv")
    assert {key for key in desk if key[2] not in ("ward", "age")} <= weighted.keys()
    plain = told([*csv.DictReader(io.StringIO(there["estimates.csv"]))])
    alike(by_command(store, "--unweighted"), plain, "estimates.csv")
    # What is read is rounded; the number is in the card of its question, and in the figure's text.
    for wave in ("1", "2"):
        page = unescape(researcher.see("results.page", slug="nasty", wave=wave).text)
        for item, answer in (("took", "yes"), ("never", "yes")):
            found = desk[wave, "", item, "share", answer]
            said = [written(found[name]) for name in ("estimate", "low", "high")]
            texts = [re.sub(r"<[^>]+>|\s+", " ", one) for one in page.split('<span class="label">')]
            assert any(all(number in one for number in said) for one in texts), said
        assert f"n = {PEOPLE}." in there[f"figures/wave-{wave}-took.txt"]


def written(share: float | None) -> str:
    assert share is not None
    return f"{100 * share:.1f} %".replace("-", "−")


def test_every_door_regresses_alike(researcher: Browser, store: Store, nasty: Survey) -> None:
    """On everybody: numbers as numbers, and a direct question of few by no term of its own."""
    formula = "took ~ age + sex"
    page = {"slug": "nasty", "kind": "regress", "form": "csv", "formula": formula, "wave": 1}
    desk = researcher.see("analyses.file", **page).rows
    study = deniable.open("nasty", f"sqlite:///{store.name}").wave(1)
    found = study.regress(formula).export.rows
    names = ("coefficient", "standard_error", "low", "high")
    assert len(desk) == len(found) > 3
    for one, other in zip(desk, found, strict=True):
        assert [float(one[name]) for name in names] == pytest.approx(
            [other[name] for name in names], rel=1e-9
        )
    refused = researcher.see("analyses.file", **{**page, "formula": "took ~ age + ward"})
    assert refused.status == 422
    assert "fewer than 5 people" in refused.text
