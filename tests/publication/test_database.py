"""The database for Datasette: what is in it, in words, and what Datasette makes of it."""

import json
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

from deniable.analysis.counts.reports_csv import columns
from deniable.analysis.privacy.cells import LEAST
from deniable.cli.main import commands
from deniable.publication.database import DECODED, database_file, metadata_file
from deniable.publication.estimates import lay_out_estimates
from deniable.publication.material import Material
from deniable.survey import Survey
from deniable.survey.questions import Protection
from deniable.survey_file import read
from tests import needs
from tests.publication import made_up
from tests.publication.made_up import EVERY_KIND
from tests.surveys_in_waves import TEXT as IN_WAVES

RESPONDENTS = 400


def material_of(text: str, direct: tuple[str, ...] = ()) -> Material:
    survey, random = read(text).survey, np.random.default_rng(3)
    counts = [*survey.report_counts, *([survey.waves] * survey.is_repeated)]
    columns = [random.integers(count, size=RESPONDENTS) for count in counts]
    return made_up.material(survey, np.stack(columns, axis=1).astype(np.uint8), direct)


@pytest.fixture(scope="module", params=[EVERY_KIND, IN_WAVES], ids=["every kind", "waves"])
def material(request: pytest.FixtureRequest) -> Material:
    return material_of(request.param)


@pytest.fixture
def db(material: Material) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as opened:
        opened.deserialize(database_file(material))
        opened.row_factory = sqlite3.Row
        yield opened


def test_each_cell_of_the_view_is_the_text_of_its_code(
    material: Material, db: sqlite3.Connection
) -> None:
    codes = db.execute("SELECT * FROM reports").fetchall()
    texts = db.execute(f"SELECT * FROM {DECODED}").fetchall()  # noqa: S608  a name of ours
    assert len(codes) == len(texts) == RESPONDENTS
    for column in material.table.columns:
        of = {report.code: report.text for report in column.item.reports}
        for code, text in zip(codes, texts, strict=True):
            assert text[column.name] == of[code[column.name]]


def test_a_view_of_each_randomised_item_counts_its_reports(
    material: Material, db: sqlite3.Connection
) -> None:
    names = columns(material.survey)
    for place, (item, name) in enumerate(zip(material.survey.items, names, strict=True)):
        if item.protection is Protection.DIRECT:
            continue
        wanted = Counter(item.reports[answer].text for answer in material.rows.answers[:, place])
        rows = db.execute(f'SELECT * FROM "{name}"').fetchall()  # noqa: S608
        assert {row["report"]: row["reports"] for row in rows} == dict(wanted)
        assert sum(row["share"] for row in rows) == pytest.approx(1, abs=1e-4)


def test_estimates_and_codebook_are_those_of_the_zip(
    material: Material, db: sqlite3.Connection
) -> None:
    rows = [dict(row) for row in db.execute("SELECT * FROM estimates")]
    assert rows == [dict(row) for row in lay_out_estimates(material).rows]
    texts = {row["question_text"] for row in db.execute("SELECT question_text FROM codebook")}
    asked = {question.text for question in material.survey.questions}
    assert asked <= texts


def test_no_direct_column_is_there_unless_it_is_named_and_rare_ones_are_empty() -> None:
    plain, named = material_of(EVERY_KIND), material_of(EVERY_KIND, ("age",))
    answers = named.rows.answers.copy()
    place = [item.id for item in named.survey.items].index("age")
    answers[:, place] = 0
    answers[:3, place] = 1
    for material, there in (
        (plain, False),
        (made_up.material(named.survey, answers, ("age",)), True),
    ):
        with closing(sqlite3.connect(":memory:")) as db:
            db.deserialize(database_file(material))
            found = [name for _, name, *_ in db.execute("PRAGMA table_info(reports)")]
            assert ("age" in found) == there
            assert not {"why", "years"} & {*found}
            if there:
                counts = dict(db.execute("SELECT age, count(*) FROM reports GROUP BY 1"))
                assert counts.get("old", 0) == 0


def test_what_datasette_says_names_every_table_and_column(
    material: Material, db: sqlite3.Connection
) -> None:
    said = yaml.safe_load(metadata_file(material, "club"))
    tables = said["databases"]["club"]["tables"]
    there = {row[0] for row in db.execute("SELECT name FROM sqlite_schema")}
    assert tables.keys() == there
    names = {column.name for column in material.table.columns}
    assert tables[DECODED]["columns"].keys() == names
    assert said["title"] == material.survey.title


def test_quotes_in_texts_and_a_question_called_reports_do_no_harm() -> None:
    text = """\
version: 1
survey: club
title: "It's \\"x\\""
questions:
  - {id: reports, text: "'; DROP", type: single, flip: 1/4,
     answers: {"a": "It's \\"one\\"", "b": "'); --"}}
"""
    with closing(sqlite3.connect(":memory:")) as db:
        db.deserialize(database_file(material_of(text)))
        found = {text for (text,) in db.execute(f"SELECT * FROM {DECODED}")}  # noqa: S608
        assert found == {'It\'s "one"', "'); --"}
        counted = {text for text, *_ in db.execute("SELECT * FROM item_reports_noisy")}
        assert counted == found


def test_the_command_writes_both_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("panel.yaml").write_text(IN_WAVES.replace("waves: {count: 3, redraw: 1/10}\n", ""))

    def run(command: str) -> int:
        return CliRunner().invoke(commands, command.split()).exit_code

    assert run("simulate panel.yaml -n 50 --seed 1 -o reports.csv") == 0
    export = "export panel.yaml --reports reports.csv --datasette"
    assert run(f"{export} noise.db") == 0
    assert yaml.safe_load(Path("noise.metadata.yaml").read_text())["databases"].keys() == {"noise"}
    with closing(sqlite3.connect("noise.db")) as db:
        assert db.execute(f"SELECT count(*) FROM {DECODED}").fetchone() == (50,)  # noqa: S608
    assert run(f"{export} noise.db") == 1, "nothing is replaced"
    assert run(f"{export} noise.db --force --direct age") == 0
    for wrong in ("noise.csv", "-", "panel.yaml", "other.db --zip other.zip", "other.db -o x.csv"):
        assert run(f"{export} {wrong}") == 2, wrong


JOINED = """\
SELECT role, team FROM role.reports JOIN team.reports
USING (q1_noisy, q2_noisy, q3_noisy, q4_noisy, q5_noisy)
GROUP BY 1, 2 HAVING role IS NOT NULL AND team IS NOT NULL"""
"""Two files of the same people, put together by what was randomised in them."""


def two_files(folder: Path) -> Counter[tuple[str, str]]:
    """Write a file with each of two direct columns, and return how many gave which answers."""
    asked = [f"  - {{id: q{n}, text: Q, type: single, answers: [a, b, c, d]}}" for n in range(1, 6)]
    asked += [
        "  - {id: role, text: R, type: single, answers: [i, j, k], protection: direct}",
        "  - {id: team, text: T, type: single, answers: [x, y, z, w], protection: direct}",
    ]
    text = "\n".join(["version: 1", "survey: club", "title: C", "epsilon: 5", "questions:", *asked])
    survey, answers = people(text)
    for direct in ("role", "team"):
        one = made_up.material(survey, answers, (direct,))
        (folder / f"{direct}.db").write_bytes(database_file(one))
    items = survey.items
    return Counter(
        (items[5].reports[role].code, items[6].reports[team].code)
        for role, team in answers[:, 5:].tolist()
    )


def people(text: str) -> tuple[Survey, np.ndarray[Any, np.dtype[np.uint8]]]:
    survey, random = read(text).survey, np.random.default_rng(3)
    chances = [np.full(4, 0.25)] * 5 + [np.array([0.5, 0.4, 0.1]), np.array([0.4, 0.3, 0.2, 0.1])]
    drawn = [random.choice(len(each), 100, p=each) for each in chances]
    return survey, np.stack(drawn, axis=1).astype(np.uint8)


@pytest.mark.promise("rows")
def test_two_files_that_are_joined_tell_of_few_people_nothing(tmp_path: Path) -> None:
    counts = two_files(tmp_path)
    with closing(sqlite3.connect(":memory:")) as db:
        for name in ("role", "team"):
            db.execute(f"ATTACH ? AS {name}", (str(tmp_path / f"{name}.db"),))
        found = db.execute(JOINED).fetchall()
    assert found
    assert [pair for pair in found if counts[pair] < LEAST] == []


@pytest.mark.slow
@pytest.mark.promise("rows")
def test_datasette_joins_two_files_and_tells_of_few_people_nothing(tmp_path: Path) -> None:
    python, counts = needs.peer("datasette", "Datasette"), two_files(tmp_path)
    query = urlencode({"sql": JOINED, "_shape": "arrays"})
    words = ["role.db", "team.db", "--crossdb", "--get", f"/_memory.json?{query}"]
    asked = [python, "-m", "datasette", *words]
    said = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    found = {tuple(row) for row in json.loads(said)["rows"]}
    assert found
    assert not {pair for pair in found if counts[pair] < LEAST}


@pytest.mark.slow
def test_datasette_shows_it(material: Material, tmp_path: Path) -> None:
    python = needs.peer("datasette", "Datasette")
    (tmp_path / "noise.db").write_bytes(database_file(material))
    (tmp_path / "noise.metadata.yaml").write_text(metadata_file(material, "noise"))

    def get(path: str) -> str:
        words = ["noise.db", "--metadata", "noise.metadata.yaml", "--get", path]
        asked = [python, "-m", "datasette", *words]
        return subprocess.run(
            asked, cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout

    rows = json.loads(get(f"/noise/{DECODED}.json?_shape=array&_size=5"))
    assert len(rows) == 5
    assert rows[0].keys() == {column.name for column in material.table.columns}
    page = get(f"/noise/{DECODED}")
    assert "Reports, noise included" in page
    assert "changed by chance on purpose" in page
