"""SPSS, Stata, Parquet and SQLite: what the programs that read these find in the files."""

import csv
import io
import json
import re
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pyreadstat
import pytest
import yaml
from hypothesis import HealthCheck, example, given, reject, settings
from hypothesis import strategies as st

from deniable.analysis.counts.reports_csv import columns
from deniable.analysis.privacy.columns import chosen
from deniable.analysis.privacy.disclosure import LEAST, TooFewError
from deniable.extras import how_to_get
from deniable.publication.database import DECODED, database_file, metadata_file
from deniable.publication.estimates import lay_out_estimates
from deniable.publication.material import Material
from deniable.publication.names import NOISE, file_names
from deniable.publication.parcel import contents_of, left_out
from deniable.publication.statistical import dta_file, sav_file
from deniable.survey import Survey
from deniable.survey.grouped import group_name, read_columns, write_columns
from deniable.survey.questions import Protection
from deniable.survey_file import SurveyFileError, read
from tests.kit import PANEL_TEXT as IN_WAVES
from tests.kit import needs
from tests.kit.surveys import file_of
from tests.publication import made_up
from tests.publication.made_up import EVERY_KIND, LONG, answers, survey


@pytest.fixture(scope="module")
def contents() -> dict[str, bytes]:
    every = survey()
    reports = answers(every, 80)
    reports[:3, 0] = 255  # not asked
    with pytest.MonkeyPatch.context() as undrawn:
        undrawn.setattr("deniable.results.figures.question.question_figure", lambda *_: b"")
        return contents_of(made_up.material(every, reports, "why,years", least=1))


def codebook(contents: dict[str, bytes]) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(contents["codebook.csv"].decode(), newline=""))]


def read_back(contents: dict[str, bytes], form: str, folder: Path) -> tuple[Any, Any]:
    file = folder / f"reports.{form}"
    file.write_bytes(contents[file.name])
    frame, meta = getattr(pyreadstat, f"read_{form}")(str(file))
    return frame, meta


@pytest.mark.slow
@pytest.mark.parametrize("form", ["sav", "dta"])
def test_each_cell_is_the_csv_s_code(contents: dict[str, bytes], form: str, tmp_path: Path) -> None:
    frame, meta = read_back(contents, form, tmp_path)
    rows = [*csv.DictReader(io.StringIO(contents["reports.csv"].decode(), newline=""))]
    names = {row["column"]: row["file_name"] for row in codebook(contents) if row["column"]}
    value_of = {
        (row["column"], row["code"]): float(row["file_value"])
        for row in codebook(contents)
        if row["role"] == "report" and row["column"]
    }
    assert [*frame.columns] == [names[column] for column in rows[0]]
    for column in rows[0]:
        expected = [value_of[column, row[column]] if row[column] else None for row in rows]
        found = [None if value != value else value for value in frame[names[column]]]  # noqa: PLR0124  nan
        assert found == expected, column
    assert meta.number_rows == 80


@pytest.mark.parametrize("form", ["sav", "dta"])
def test_questions_are_labels(contents: dict[str, bytes], form: str, tmp_path: Path) -> None:
    frame, meta = read_back(contents, form, tmp_path)
    labels = meta.column_names_to_labels
    mark = NOISE if form == "sav" else ""
    assert labels["doped_noisy"] == f"{mark}Doped"
    assert labels["knew_coach_noisy"] == f"{mark}Who – Coach"
    assert labels["years"] == "Years"
    values = meta.variable_value_labels
    assert values["knew_coach_noisy"] == {1: "No", 2: "Unsure", 3: "Yes"}
    # A number is its own value, and what is no number lies below them all.
    assert values["years"] == {-3: "Skipped"}
    assert set(frame["years"].dropna()) <= {-3.0, *map(float, range(-2, 11))}


def test_what_is_cut_is_whole_in_the_codebook(contents: dict[str, bytes], tmp_path: Path) -> None:
    sav, dta = (read_back(contents, form, tmp_path)[1] for form in ("sav", "dta"))
    text = LONG.strip()
    in_sav, in_dta = (meta.column_names_to_labels["mood_noisy"] for meta in (sav, dta))
    assert 250 < len(in_sav.encode()) <= 256
    assert len(in_dta) == 80
    assert in_sav.startswith(NOISE)
    cuts = in_sav.removeprefix(NOISE), in_dta
    assert all(cut.endswith("…") and text.startswith(cut[:-1]) for cut in cuts)
    (in_sav, _), (in_dta, _) = (
        [*meta.variable_value_labels["why"].values()][:2] for meta in (sav, dta)
    )
    assert len(in_sav.encode()) <= 120
    assert "ü" * 50 in in_sav
    assert in_sav.endswith("…")
    assert in_dta == "ü" * 100
    assert any("whole in codebook.csv" in note for note in sav.notes)
    rows = codebook(contents)
    of_mood = [row for row in rows if row["item"] == "mood" and row["role"] == "truth"]
    assert {(row["question_text"], row["shortened"]) for row in of_mood} == {(text, "sav dta")}
    (of_why,) = [row for row in rows if row["text"] == "ü" * 100 and row["role"] == "report"]
    assert of_why["shortened"] == "sav"
    assert "`mood_noisy`" in contents["README.md"].decode()


# Of a regular expression for these, hypothesis makes the letters of all scripts for a second.
INSIDE = st.characters(categories=["L", "N"], include_characters="_.-")
COLUMNS = st.tuples(
    st.sampled_from("abcdefghijklmnopqrstuvwxyzäя中_"),
    st.text(INSIDE, max_size=70),
    st.sampled_from(["", "_noisy"]),
).map("".join)


@settings(max_examples=30)
@example(["a" * 60 + "_noisy", "a" * 60 + ".x_noisy", "A" * 60, "by", "str12", "use.x-y"])
@given(st.lists(COLUMNS, unique=True, max_size=12))
def test_names_fit_and_noise_keeps_its_mark(columns: list[str]) -> None:
    names = file_names(columns)
    assert len({name.casefold() for name in names.values()}) == len(columns)
    for column, name in names.items():
        assert re.fullmatch(r"[^\W\d_]\w{0,30}", name)
        assert len(name.encode()) <= 64
        assert name.endswith("_noisy") == column.endswith("_noisy")
    assert not {"by", "str12"} & {*names.values()}


def test_names_keep_letters_of_any_script() -> None:
    names = file_names(
        ["größe", "rode.مرة_noisy", "rode.&_noisy", "rode.!_noisy", "a.b", "中" * 40]
    )
    assert [*names.values()] == [
        *("größe", "rode_مرة_noisy", "rode_noisy", "rode_2_noisy", "a_b", "中" * 21)
    ]


@pytest.mark.parametrize("form", ["sav", "dta"])
def test_labels_tell_columns_of_one_question_apart(form: str, tmp_path: Path) -> None:
    first, second = "باص " * 18 + "أ", "قطار " * 4
    asked = f"answers: {{مرة: {first}, ب: {second}, c: C}}, flip: 1/4"
    rides = read(file_of(f"id: rode, text: {'ما هذا ' * 60}, type: many, {asked}")).survey
    contents = contents_of(made_up.material(rides, answers(rides, 20)))
    _, meta = read_back(contents, form, tmp_path)
    labels = meta.column_names_to_labels
    assert [*labels] == ["rode_مرة_noisy", "rode_ب_noisy", "rode_c_noisy"]
    assert len({*labels.values()}) == 3
    assert labels["rode_ب_noisy"].endswith("… – " + second.strip())
    assert labels["rode_مرة_noisy"].endswith(" – " + first)


TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=("C", "Zl", "Zp")), min_size=1, max_size=400),
    st.sampled_from(
        [
            "Deleted outliers after a look at the results",
            "Deleted outliers after a look at what came out of them",
            "ü" * 300,
            "🙂" * 90,
            "إجابة" * 20,
            'Said "no", and\nleft',
        ]
    ),
)


def odd_survey(question: str, option: Sequence[str], answer: Sequence[str]) -> Survey:
    """Read a survey with these texts; what a survey file refuses is no example."""
    document = {
        "version": 1,
        "survey": "odd",
        "title": question[:200],
        "epsilon": 9,
        "questions": [
            {"id": "done", "text": question, "type": "many", "answers": [*option]},
            {
                "id": "one",
                "text": "Which?",
                "type": "single",
                "answers": [*answer],
                "prefer_not_to_say": True,
            },
            {
                "text": question,
                "type": "single",
                "id": "deleted_outliers_after_a_second_look",
                "answers": [*answer],
                "protection": "direct",
            },
        ],
    }
    try:
        return read(yaml.safe_dump(document, allow_unicode=True)).survey
    except SurveyFileError:
        reject()


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_any_text_can_be_written_and_read_again(whole: bool, tmp_path: Path) -> None:
    most = 15 if whole else 25

    @settings(max_examples=most, suppress_health_check=[*HealthCheck])
    @example("0 ", ["0", "00"], ["0", "00"])
    @example("Which?", ["Deleted outliers after a look", "No"], ["ü" * 300, "Yes"])
    @given(
        TEXTS,
        st.lists(TEXTS, min_size=2, max_size=4),
        st.lists(TEXTS, min_size=2, max_size=4),
    )
    def check(question: str, option: list[str], answer: list[str]) -> None:
        every = odd_survey(question, option, answer)
        material = made_up.material(
            every, answers(every, 30), "deleted_outliers_after_a_second_look", least=1
        )
        if whole:
            found = contents_of(material)
            assert "could not be written" not in found["README.md"].decode()
            csv_rows = [*csv.reader(io.StringIO(found["reports.csv"].decode(), newline=""))]
            assert len(csv_rows) == 31
            assert json.loads(found["datapackage.json"])["resources"]
            assert yaml.safe_load(found["CITATION.cff"])["title"]
            for name in found:
                if name.endswith(".svg"):
                    assert ET.fromstring(found[name]).tag.endswith("svg")  # noqa: S314
        else:
            found = {"reports.sav": sav_file(material), "reports.dta": dta_file(material)}
        names = file_names(column.name for column in material.table.columns)
        for form in ("sav", "dta"):
            frame, meta = read_back(found, form, tmp_path)
            assert [*frame.columns] == [*names.values()]
            assert meta.number_rows == 30
            label = meta.column_names_to_labels[names[material.table.columns[0].name]]
            first = label.removeprefix(NOISE)
            # The option stays, and what is cut of the question says so.
            assert first.endswith("…") or "… – " in first or first.startswith(question[:9].strip())

    check()


def test_an_unwritable_file_is_named_and_others_whole(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise pyreadstat.ReadstatError("secret: the cell of row 7 is Yes")

    every = survey()
    made = made_up.material(every, answers(every, 40), origin="Of a test.")
    expected = contents_of(made)
    monkeypatch.setattr(pyreadstat, "write_dta", refuse)
    monkeypatch.setattr("deniable.publication.parcel.methods_page", refuse)
    found = contents_of(made)
    assert expected.keys() - found.keys() == {"reports.dta", "methods.md"}
    same = found.keys() - {"README.md", "SHA256SUMS"}
    assert {name: found[name] for name in same} == {name: expected[name] for name in same}
    text = found["README.md"].decode()
    assert "could not be written: `reports.dta`, `methods.md`" in text
    assert "- `reports.dta`" not in text
    assert "the zip has no reports.dta" in caplog.text
    assert "secret" not in caplog.text + text


def test_the_parquet_file_has_the_csv_s_columns(contents: dict[str, bytes]) -> None:
    if find_spec("pyarrow") is None:
        assert "reports.parquet" not in contents
        assert any("pyarrow" in line or "parquet" in line for line in map(str, left_out()))
        return
    import pyarrow.parquet  # noqa: PLC0415

    table = pyarrow.parquet.read_table(io.BytesIO(contents["reports.parquet"]))
    rows = [*csv.DictReader(io.StringIO(contents["reports.csv"].decode(), newline=""))]
    assert table.to_pylist() == [{name: cell or None for name, cell in row.items()} for row in rows]


def test_without_its_package_parquet_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deniable.publication.parquet.find_spec", lambda name: None)
    every = survey()
    contents = contents_of(made_up.material(every, answers(every, 5)))
    assert "reports.parquet" not in contents
    assert "reports.parquet" not in contents["README.md"].decode()
    (missing,) = left_out()
    assert how_to_get("parquet") in str(missing)
    assert missing.at_desk.endswith("ask who runs this server to install the extra parquet")


RESPONDENTS = 400


@pytest.fixture(scope="module", params=[EVERY_KIND, IN_WAVES], ids=["every kind", "waves"])
def material(request: pytest.FixtureRequest) -> Material:
    of = survey(request.param)
    return made_up.material(of, answers(of, RESPONDENTS))


@pytest.fixture
def db(material: Material) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as opened:
        opened.deserialize(database_file(material))
        opened.row_factory = sqlite3.Row
        yield opened


def test_each_cell_is_the_text_of_its_code(material: Material, db: sqlite3.Connection) -> None:
    codes = db.execute("SELECT * FROM reports").fetchall()
    texts = db.execute(f"SELECT * FROM {DECODED}").fetchall()  # noqa: S608  a name of ours
    assert len(codes) == len(texts) == RESPONDENTS
    assert codes[0].keys() == [column.name for column in material.table.columns]
    for column in material.table.columns:
        of = {report.code: report.text for report in column.item.reports}
        for code, text in zip(codes, texts, strict=True):
            assert text[column.name] == of[code[column.name]]


def test_each_randomised_item_has_a_view(material: Material, db: sqlite3.Connection) -> None:
    names = columns(material.survey)
    for place, (item, name) in enumerate(zip(material.survey.items, names, strict=True)):
        if item.protection is Protection.DIRECT:
            continue
        wanted = Counter(item.reports[answer].text for answer in material.rows.answers[:, place])
        rows = db.execute(f'SELECT * FROM "{name}"').fetchall()  # noqa: S608
        assert {row["report"]: row["reports"] for row in rows} == dict(wanted)
        assert sum(row["share"] for row in rows) == pytest.approx(1, abs=1e-4)


def test_estimates_are_those_of_the_zip(material: Material, db: sqlite3.Connection) -> None:
    rows = [dict(row) for row in db.execute("SELECT * FROM estimates")]
    assert rows == [dict(row) for row in lay_out_estimates(material).rows]
    texts = {row["question_text"] for row in db.execute("SELECT question_text FROM codebook")}
    asked = {question.text for question in material.survey.questions}
    assert asked <= texts


def test_datasette_names_every_table(material: Material, db: sqlite3.Connection) -> None:
    said = yaml.safe_load(metadata_file(material, "club"))
    tables = said["databases"]["club"]["tables"]
    there = {row[0] for row in db.execute("SELECT name FROM sqlite_schema")}
    assert tables.keys() == there
    names = {column.name for column in material.table.columns}
    assert tables[DECODED]["columns"].keys() == names
    assert said["title"] == material.survey.title


def test_quotes_and_a_question_called_reports_are_harmless() -> None:
    text = """\
version: 1
survey: club
title: "It's \\"x\\""
questions:
  - {id: reports, text: "'; DROP", type: single, flip: 1/4,
     answers: {"a": "It's \\"one\\"", "b": "'); --"}}
"""
    with closing(sqlite3.connect(":memory:")) as db:
        of = survey(text)
        db.deserialize(database_file(made_up.material(of, answers(of, RESPONDENTS))))
        found = {text for (text,) in db.execute(f"SELECT * FROM {DECODED}")}  # noqa: S608
        assert found == {'It\'s "one"', "'); --"}
        counted = {text for text, *_ in db.execute("SELECT * FROM item_reports_noisy")}
        assert counted == found


JOINED = """\
SELECT role, team FROM role.reports JOIN team.reports
USING (q1_noisy, q2_noisy, q3_noisy, q4_noisy, q5_noisy)
GROUP BY 1, 2 HAVING role IS NOT NULL AND team IS NOT NULL"""
"""Two files of the same people, put together by what was randomised in them."""


def two_files(folder: Path) -> Counter[tuple[str, str]]:
    """Write a file with each of two direct columns, and return how many gave which answers.

    The second is written with the columns that can leave after the first.
    """
    asked = [f"id: q{n}, text: Q, type: single, answers: [a, b, c, d]" for n in range(1, 6)]
    asked += [
        "id: role, text: R, type: single, answers: [i, j, k], protection: direct",
        "id: team, text: T, type: single, answers: [x, y, z, w], protection: direct",
    ]
    asks, random = survey(file_of(*asked, head="epsilon: 5")), np.random.default_rng(3)
    chances = [[0.25] * 4] * 5 + [[0.5, 0.4, 0.1], [0.4, 0.3, 0.2, 0.1]]
    drawn = [random.choice(len(each), 300, p=each) for each in chances]
    rows = np.stack(drawn, axis=1).astype(np.uint8)
    kept, left = made_up.material(asks, rows).rows, read_columns("role", asks)
    with pytest.raises(TooFewError, match="groups they can: team:") as refused:
        chosen(kept, "team", left)
    groups = str(refused.value).partition("they can: ")[2]
    for name, direct in (("role", "role"), ("team", groups)):
        one = made_up.material(asks, rows, write_columns(chosen(kept, direct, left), asks))
        (folder / f"{name}.db").write_bytes(database_file(one))
    roles, teams = (item.reports for item in asks.items[5:])
    together = {
        team.code: group_name(asks.items[6], group)
        for group in read_columns(groups, asks)["team"]
        for team in (teams[place] for place in group)
    }
    return Counter(
        (roles[role].code, together[teams[team].code])
        for role, team in zip(*drawn[5:], strict=True)
    )


@pytest.mark.promise("rows")
def test_joined_files_tell_nothing_of_few(tmp_path: Path) -> None:
    counts = two_files(tmp_path)
    with closing(sqlite3.connect(":memory:")) as db:
        for name in ("role", "team"):
            db.execute(f"ATTACH ? AS {name}", (str(tmp_path / f"{name}.db"),))
        found = db.execute(JOINED).fetchall()
    assert found
    assert len({team for _, team in found}) > 1
    assert [pair for pair in found if counts[pair] < LEAST] == []


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
