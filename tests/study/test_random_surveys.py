"""Random surveys: every estimate against matrices that are made here from the file's own numbers.

No design, estimator or table of the project is used: only the rows of its results.
"""

import csv
import io
import math
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

import deniable
from deniable.cli.main import commands
from deniable.results.result import Result
from deniable.server.desk.app import create_desk_app
from deniable.server.desk.auth.api_tokens import make_token
from deniable.server.store import open_store
from deniable.server.store.accounts import NOBODY, Scope
from deniable.server.store.schedule import State
from deniable.study import Study
from deniable.survey_file import read
from tests.kit import RESPONDENTS, first_of, report

N = 240
near = partial(pytest.approx, abs=1e-6)


@dataclass(frozen=True)
class Asked:
    """An item, and the chance of each report (columns) given each truth (rows)."""

    id: str
    law: np.ndarray


def k_ary(k: int, epsilon: float) -> np.ndarray:
    """Return the law of k-ary randomised response; of ε without end, that of a direct question."""
    other = math.exp(-epsilon) / (1 + (k - 1) * math.exp(-epsilon))
    return np.full((k, k), other) + np.eye(k) * (1 - k * other)


def random_survey(random: np.random.Generator) -> tuple[str, list[Asked]]:
    """Write a survey of several kinds of questions, with what its items are."""
    questions, items = [], list[Asked]()
    for place in range(int(random.integers(3, 6))):
        id, k = f"q{place}", int(random.integers(2, 5))
        answers = {f"a{code}": f"Answer {code}" for code in range(k)}
        question: dict[str, object] = {"id": id, "text": id, "type": "single", "answers": answers}
        epsilon = float(random.choice([1, 2, 3]))
        kind = random.choice(["flip", "single", "many"]) if place else "direct"
        if kind == "direct":
            question["protection"], law = "direct", k_ary(k, math.inf)
        elif kind == "flip":
            question |= {"answers": ["No", "Yes"], "flip": "1/5"}
            law = k_ary(2, math.log(4))
        else:
            skips = bool(random.integers(2))
            question |= {"epsilon": epsilon, "prefer_not_to_say": skips}
            if kind == "many":
                question["type"] = "many"
                # Each of its options has an equal part of ε, in whole millionths.
                part = k_ary(2 + skips, math.floor(1e6 * epsilon / k) / 1e6)
                items += [Asked(f"{id}.{code}", part) for code in answers]
                questions.append(question)
                continue
            follows = place > 1 and bool(random.integers(2))
            if follows:
                question["ask_if"] = {"q0": "a0"}
            law = k_ary(k + skips + follows, epsilon)
        questions.append(question)
        items.append(Asked(id, law))
    survey: dict[str, object] = {
        "version": 1,
        "survey": "random",
        "title": "R",
        "questions": questions,
    }
    waves = int(random.integers(1, 4))
    if waves > 1:
        survey["waves"] = {"count": waves, "people": "others"}
    return yaml.safe_dump(survey), items


def opened(seed: int) -> tuple[Study, list[Asked], np.ndarray, np.ndarray]:
    """Return a random study with its items, reports and their waves."""
    random = np.random.default_rng(seed)
    text, items = random_survey(random)
    survey = read(text).survey
    assert [one.id for one in survey.items] == [one.id for one in items]
    sent = [random.choice(len(one.law), N, p=random.dirichlet([3] * len(one.law))) for one in items]
    # By tens, as the desk shows those of each wave.
    wave = np.repeat(np.sort(random.integers(0, survey.waves, N // 10)), 10)
    columns = [*sent, *([wave] if survey.waves > 1 else [])]
    return deniable.open(survey, np.array(columns, np.uint8).T), items, np.array(sent), wave


def unmixed(one: Asked, sent: np.ndarray) -> np.ndarray:
    """Return the shares of the truths of those who sent these reports."""
    return np.linalg.solve(one.law.T, np.bincount(sent, minlength=len(one.law)) / len(sent))


def told(found: Result, statistic: str, **only: object) -> np.ndarray:
    """Return the estimates of a statistic, in the order of the rows."""
    rows: Sequence[Mapping[str, object]] = found.export.rows
    chosen = [row for row in rows if row["statistic"] == statistic]
    chosen = [row for row in chosen if all(row[key] == value for key, value in only.items())]
    return np.array([row["estimate"] for row in chosen], dtype=float)


@pytest.mark.parametrize("seed", first_of(range(2, 62), 1, pytest.mark.campaign))
def test_a_random_survey_is_told_as_its_matrices_say(seed: int) -> None:
    study, items, sent, wave = opened(seed)
    waves = np.unique(wave)
    for one, reports in zip(items, sent, strict=True):
        of_each = [unmixed(one, reports[wave == number]) for number in waves]
        found = study.shares(one.id)
        assert told(found, "share") == near(np.mean(of_each, axis=0))
        alone = [study.wave(int(number) + 1).shares(one.id).export.rows for number in waves]
        for row, *each in zip(found.export.rows, *alone, strict=True):
            if row["statistic"] != "share":
                continue
            squares = [float(str(other["standard_error"])) ** 2 for other in each]
            error = math.sqrt(sum(squares)) / len(waves)
            assert float(str(row["standard_error"])) == pytest.approx(error)
        if len(waves) > 1:
            steps = [after - before for before, after in pairwise(of_each)]
            changes = study.changes().export.rows
            mine = [
                row["estimate"]
                for row in changes
                if row["item"] == one.id and row["statistic"] == "change_of_share"
            ]
            assert mine == near(np.concatenate(steps))
    groups = sent[0]
    for one, reports in zip(items[1:], sent[1:], strict=True):
        found = study.by("q0", one.id)
        for group in np.unique(groups):
            inside = [(wave == number) & (groups == group) for number in waves]
            expected = np.mean([unmixed(one, reports[each]) for each in inside], axis=0)
            assert told(found, "share", group=f"a{group}") == near(expected)
    last = study.wave(int(waves[-1]) + 1)
    among = wave == waves[-1]
    for (one, first), (other, second) in product(zip(items, sent, strict=True), repeat=2):
        if one is not other:
            both = Asked("both", np.kron(one.law, other.law))
            pairs = unmixed(both, (first * len(other.law) + second)[among])
            assert told(last.cross(one.id, other.id), "share") == near(pairs)


@pytest.mark.parametrize("seed", first_of(range(2, 62), 1, pytest.mark.campaign))
def test_every_door_of_a_random_survey_tells_the_same(seed: int, tmp_path: Path) -> None:
    """A store and its file of reports, by command, the zip, and what the desk gives by its API."""
    _, items, sent, wave = opened(seed)
    text = random_survey(np.random.default_rng(seed))[0]
    file, url = tmp_path / "random.yaml", f"sqlite:///{tmp_path}/r.db"
    file.write_text(text)
    numbers = np.unique(wave)
    with closing(open_store(url, create=True)) as store:
        survey = store.register(read(text).survey, text)
        for number in range(survey.waves):
            if number:
                store.begin_wave("random", number + 1)
            rows = sent.T[wave == number].astype(np.uint8)
            wire = survey.on_wire(number + 1)
            store.insert_reports([report(survey, bytes(r))._replace(wave=wire) for r in rows])
        store.set_state("random", State.CLOSED)  # before, the desk has yet to show the last ten
        desk = create_desk_app(store, RESPONDENTS).test_client()
        bearer = {"Authorization": f"Bearer {make_token(store, NOBODY, 'tests', Scope.READ)}"}
        estimated, downloaded = (
            desk.get(f"/api/v1/surveys/random/{name}.csv", headers=bearer).text
            for name in ("estimates", "reports")
        )
    (tmp_path / "desk.csv").write_text(downloaded)

    def run(*words: str) -> str:
        found = CliRunner().invoke(commands, [*words])
        assert found.exit_code == 0, found.output
        return found.stdout

    run("export", "random", "--store", url, "-o", str(tmp_path / "r.csv"))
    run("export", "random", "--store", url, "--zip", str(tmp_path / "r.zip"))
    with zipfile.ZipFile(tmp_path / "r.zip") as archive:
        (name,) = (one for one in archive.namelist() if one.endswith("/estimates.csv"))
        doors = [archive.read(name).decode(), estimated]
    doors.append(run("estimate", "random", "--store", url, "--format", "csv"))
    for name in ("r.csv", "desk.csv"):
        read_from = str(tmp_path / name)
        doors.append(run("estimate", str(file), "--reports", read_from, "--format", "csv"))
    for door in doors:
        lines = [*csv.DictReader(io.StringIO(door))]
        for (one, answers), number in product(zip(items, sent, strict=True), numbers):
            found = [
                float(row["estimate"] or "nan")  # a direct answer of few people is hidden
                for row in lines
                if row["item"] == one.id
                and row["statistic"] == "share"
                and row.get("wave", "1") == str(number + 1)
            ]
            if not found and one.id == "q0":
                continue  # and so its column is in no file
            expected = unmixed(one, answers[wave == number])
            hidden = np.isnan(found) & (one.id == "q0")
            assert found == near(np.where(hidden, np.nan, expected), nan_ok=True), one.id
