"""Data of other programs with a dictionary, written by the libraries that their users have."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest
import yaml

import deniable
from deniable import designs
from deniable.analysis import estimate, regress
from deniable.analysis.counts.reports_csv import AT_A_TIME
from deniable.results.result import Result
from deniable.study import Study
from deniable.study.collected import of_design, open_collected
from deniable.study.tables import read_table
from deniable.survey_file import SurveyFileError
from tests.cli.conftest import names
from tests.kit.surveys import file_of

N = 400
random = np.random.default_rng(4)
USED = random.choice([1.0, 2.0, np.nan], N, p=[0.6, 0.3, 0.1])
SEX = random.choice([1.0, 2.0], N)
AGE = random.integers(18, 80, N).astype(float)
WEIGHT = random.choice([0.5, 1.5], N)
CIRCLE = random.choice([0.0, 1.0], N)
FRAME = pd.DataFrame({"q.1": USED, "sex": SEX, "age": AGE, "w": WEIGHT, "mark": CIRCLE})
LABELS: dict[str, dict[int | float, str]] = {
    "q.1": {1: "Nein", 2: "Ja"},
    "sex": {1: "Mann", 2: "Frau"},
}
NAMED = FRAME.assign(**{name: FRAME[name].map(of) for name, of in LABELS.items()})

DICTIONARY = """\
title: Drugs
columns:
  q.1: {design: {warner: {flip: 1/4}}, answers: [Nein, Ja]}
  sex: {protection: direct}
  mark: {design: {triangular: {rate: 1/4}}}
"""


def write_sav(path: Path) -> None:
    frame = FRAME.rename(columns={"q.1": "q_1"})
    labels = {name.replace(".", "_"): of for name, of in LABELS.items()}
    pyreadstat.write_sav(frame, path, column_labels={"q_1": "Ever?"}, variable_value_labels=labels)


def write_dta(path: Path) -> None:
    frame = FRAME.rename(columns={"q.1": "q_1"})
    labels = {name.replace(".", "_"): of for name, of in LABELS.items()}
    pyreadstat.write_dta(frame, path, variable_value_labels=labels)


WRITERS: dict[str, Callable[[Path], None]] = {
    "data.csv": lambda path: NAMED.to_csv(path, index=False),
    "semicolons.csv": lambda path: NAMED.to_csv(path, index=False, sep=";", decimal=","),
    "data.sav": write_sav,
    "data.dta": write_dta,
    "data.parquet": lambda path: NAMED.astype({"sex": "category"}).to_parquet(path),
}


def opened(folder: Path, name: str = "data.csv", dictionary: str = DICTIONARY) -> Study:
    WRITERS[name](folder / name)
    is_labelled = name in ("data.sav", "data.dta")
    text = dictionary.replace("q.1:", "q_1:") if is_labelled else dictionary
    (folder / "d.yaml").write_text(text)
    return deniable.open(folder / name, folder / "d.yaml")


def test_frames_and_dicts_are_their_files_study(tmp_path: Path) -> None:
    expected, written = opened(tmp_path), yaml.safe_load(DICTIONARY)
    for study in (
        deniable.open(NAMED, written),
        deniable.open(NAMED, tmp_path / "d.yaml"),
        deniable.open(tmp_path / "data.csv", written),
    ):
        for found, of_files in (
            (study.shares(), expected.shares()),
            (study.by("sex", "q.1"), expected.by("sex", "q.1")),
        ):
            for one, other in zip(found.export.rows, of_files.export.rows, strict=True):
                assert one["estimate"] == other["estimate"]
        slope, same = (one.regress("q.1 ~ age").export.rows[1] for one in (study, expected))
        assert slope["coefficient"] == pytest.approx(same["coefficient"], rel=1e-12)
    with pytest.raises(ValueError, match="this is data: expected its dictionary as well"):
        deniable.open(NAMED)
    with pytest.raises(SurveyFileError, match="the dictionary:1:1: expected a data dictionary"):
        deniable.open(NAMED, {"q.1": "warner"})


KINDS = [
    # An engine of its own, which comes with what only the slow tests need.
    pytest.param(name, marks=pytest.mark.slow) if name.endswith(".parquet") else name
    for name in WRITERS
]


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_of_file_is_the_same_study(tmp_path: Path, name: str) -> None:
    study = opened(tmp_path, name)
    asked = study.survey.items[0].id
    counts = [int(np.sum(code == USED)) for code in (1, 2)]
    found = estimate(counts, designs.warner(flip="1/4"))
    rows = study.shares(asked).export.rows
    assert [row["estimate"] for row in rows] == pytest.approx(list(found.theta))
    assert "400 respondents" in str(study)
    groups = study.by("sex", asked)
    for label, code in (("Frau", 2), ("Mann", 1)):
        assert names(str(groups), f"{label}", f"n = {int(np.sum((code == SEX) & (USED > 0)))}")
    weighed = study.weights("w").shares(asked).export.rows[1]["estimate"]
    kept = ~np.isnan(USED)
    rate = np.average(USED[kept] == 2, weights=WEIGHT[kept])
    assert weighed == pytest.approx((rate - 1 / 4) / (1 / 2))
    slope = study.regress(f"{asked} ~ age").export.rows[1]["coefficient"]
    X = np.column_stack([np.ones(N), AGE])[kept]
    fit = regress((USED[kept] == 2).astype(int), X, designs.warner(flip="1/4"))
    assert slope == pytest.approx(fit.coefficients[1], rel=1e-5)


def test_a_design_without_a_bound_has_its_shares(tmp_path: Path) -> None:
    study = opened(tmp_path)
    assert study.survey.epsilon == float("inf")
    (_, yes) = study.shares("mark").export.rows
    assert yes["estimate"] == pytest.approx((CIRCLE.mean() - 1 / 4) / (3 / 4))
    assert "ε unbounded" in str(study.shares("mark"))
    assert "ε inf" in repr(study.survey)
    assert study.cross("q.1", "mark").export.rows


def test_variable_labels_are_the_questions(tmp_path: Path) -> None:
    study = opened(tmp_path, "data.sav")
    assert [one.text for one in study.survey.questions] == ["Ever?", "sex", "mark"]


@pytest.mark.parametrize(
    "written",
    [
        'column,design,answers,text\nq.1,warner: {flip: 1/4},"Nein, Ja","Ever, say?"\nsex,,,\n',
        "column;design;answers;text\nq.1;warner: {flip: 1/4};Nein, Ja;Ever, say?\n",
    ],
)
def test_a_spreadsheet_of_columns_is_a_dictionary_too(tmp_path: Path, written: str) -> None:
    expected = opened(tmp_path).shares("q.1").export.rows
    (tmp_path / "d.csv").write_text(written)
    study = deniable.open(tmp_path / "data.csv", tmp_path / "d.csv")
    assert study.survey.questions[0].text == "Ever, say?"
    assert study.shares("q.1").export.rows == expected


@pytest.mark.parametrize(
    ("written", "wrong"),
    [
        ("{desing: {warner: {flip: 1/4}}}", "d.yaml:2:9: unknown key 'desing': did you mean"),
        ("{design: {warnr: {flip: 1/4}}}", "d.yaml:2:17: found no design 'warnr': did you mean"),
        ("{flip: 1/4, answers: [Nein, Jaa]}", "column 'q.1': expected cells of 'Nein', 'Jaa'"),
        ("{design: {crosswise: {rate: 1/4}}}", "expected 'reports' in the dictionary"),
        ("{flip: 1/4, reports: [Ja]}", "expected 2 different names, one for each report"),
        ("{protection: randomised}", "d.yaml:2:8: expected flip, epsilon or design"),
        ("{type: number}", "the column 'q.1' does not hold numbers"),
        ("{type: many, flip: 1/4}", "each column is a question of its own"),
        ("{design: {k_ary: {k: 3, epsilon: 1}}}", "expected the key 'answers' with the 3 answers"),
        ("{flip: 1/4}\n  sxe: {}", "d.yaml:3:3: the data have no column 'sxe': did you mean 'sex'"),
        ("{design: {forced: {truth: 1}}}", "mean 'forced_response' or 'forced_response_k'?"),
    ],
)
def test_a_dictionary_with_a_mistake_says_where(tmp_path: Path, written: str, wrong: str) -> None:
    with pytest.raises(ValueError) as found:  # noqa: PT011  the message is what is tested
        opened(tmp_path, dictionary=f"columns:\n  q.1: {written}\n")
    assert wrong in str(found.value)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("colum,design\nq.1,warner\n", 1),
        ("column,design\nsex,\nq.1,warner: {flip: 1/4\n", 3),
        ("column,answers\nsex,\nq.1,No,Yes\n", 3),
    ],
)
def test_a_spreadsheet_s_mistake_has_its_line(tmp_path: Path, text: str, line: int) -> None:
    opened(tmp_path)
    (tmp_path / "d.csv").write_text(text)
    with pytest.raises(SurveyFileError) as found:
        deniable.open(tmp_path / "data.csv", tmp_path / "d.csv")
    assert {one.line for one in found.value.mistakes} == {line}


@pytest.mark.parametrize(
    ("name", "content", "wrong"),
    [
        ("data.xlsx", b"", "save the sheet as a CSV in UTF-8"),
        ("data.sav", b"q.1\n1\n", "this is no .sav file that can be read"),
        pytest.param(
            *("data.parquet", b"q.1\n1\n", "this is no .parquet file that can be read"),
            marks=pytest.mark.slow,
        ),
        ("data.csv", b"q.1\n\xff\n", "line 2: expected a CSV in UTF-8"),
        ("data.csv", b"q.1,q.1\n1,2\n", "expected a column 'q.1', found 2 of that name"),
        ("data.csv", b"q.1,g\n", "data.csv: expected a row for each person, found none"),
        ("data.csv", b"", "data.csv: expected a header with the names of columns, found none"),
        ("data.csv", b"q.1\n1\n0\n\n7\n9\n1\n", "found '7', '9'; see row 3 below the header"),
        ("data.csv", b"q.1\nyes\n0\n", "found '0'; see row 2 below the header"),
    ],
)
def test_a_file_of_another_kind_is_refused(
    tmp_path: Path, name: str, content: bytes, wrong: str
) -> None:
    (tmp_path / name).write_bytes(content)
    (tmp_path / "d.yaml").write_text("columns:\n  q.1: {flip: 1/4}\n")
    with pytest.raises(ValueError, match="data") as found:
        deniable.open(tmp_path / name, tmp_path / "d.yaml")
    assert wrong in str(found.value)


@pytest.mark.slow  # its engine comes with what only the slow tests need
def test_a_small_file_of_too_much_is_refused(
    tmp_path: Path,
) -> None:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    rows = pa.table({"q.1": pa.array(np.zeros(10_000_000, np.int8))})
    with pq.ParquetWriter(tmp_path / "data.parquet", rows.schema) as file:
        for _ in range(6):
            file.write_table(rows)
    assert (tmp_path / "data.parquet").stat().st_size < 10**6
    (tmp_path / "d.yaml").write_text("columns:\n  q.1: {flip: 1/4}\n")
    with pytest.raises(ValueError, match="at most 50,000,000 cells, found 60,000,000"):
        deniable.open(tmp_path / "data.parquet", tmp_path / "d.yaml")


def test_what_lacks_beside_the_data_is_said(tmp_path: Path) -> None:
    study = opened(tmp_path)
    with pytest.raises(ValueError, match="expected its dictionary as well"):
        deniable.open(tmp_path / "data.csv")
    beside = r"it is a column beside those of the survey .* an entry, such as {protection: direct}"
    with pytest.raises(ValueError, match=beside):
        study.by("age", "q.1")
    with pytest.raises(ValueError, match=r"a formula such as .*, found 'q\.1 age'"):
        study.regress("q.1 age")


SURVEY = file_of(
    "id: error, text: E, type: single, answers: [No, Yes], flip: 1/4",
)
LATIN = SURVEY.replace("title: T", "title: Köln").encode("latin-1")


@pytest.mark.parametrize(
    ("survey", "reports", "wrong"),
    [
        ({"survey": 1}, None, "or a survey or a data file by its path, found a dict"),
        ("ward.yaml", {"columns": 1}, "expected reports by their path, found a dict"),
        ("data.csv", "ward.yaml", "'questions': this is a survey, which comes before its reports"),
        ("data.csv", "none.yaml", "expected a data dictionary with the key 'columns', found 'q'"),
        ("data.csv", "data.csv", "data.csv:1:1: expected a data dictionary's columns"),
        ("latin.yaml", None, "latin.yaml:3:9: expected UTF-8, found the byte 0xf6"),
        ("d.yaml", "data.csv", "d.yaml:1:1: expected a survey with the key 'questions', found the"),
        ("ward.yaml", "data.csv", "such as 'error_noisy', found 'q'"),
    ],
)
def test_misplaced_files_are_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, survey: Any, reports: Any, wrong: str
) -> None:
    monkeypatch.chdir(tmp_path)
    contents = {
        "data.csv": b"q\n0\n",
        "d.yaml": b"columns: {q: {flip: 1/4}}\n",
        "none.yaml": b"q: {flip: 1/4}\n",
        "ward.yaml": SURVEY.encode(),
        "latin.yaml": LATIN,
    }
    for name, content in contents.items():
        Path(name).write_bytes(content)
    with pytest.raises((TypeError, ValueError)) as found:
        deniable.open(survey, reports)
    assert wrong in str(found.value)
    assert "\n" not in str(found.value)


def test_a_dictionary_s_code_is_no_other_answer(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("q\n0\n1\n1\n")
    (tmp_path / "d.yaml").write_text("columns: {q: {flip: 1/4, answers: {1: No, 2: Yes}}}\n")
    with pytest.raises(ValueError, match="found '0'; see row 1 below the header"):
        deniable.open(tmp_path / "data.csv", tmp_path / "d.yaml")


LONG = AT_A_TIME + 100


def numbers_of(found: Result) -> list[float]:
    cells = (cell for row in found.export.rows for cell in row.values())
    return [cell for cell in cells if isinstance(cell, float)]


def long_file(tmp_path: Path, last: str = "no,s,20,1") -> Path:
    rows = (f"{'yes' if k % 3 else 'no'},{'ns'[k % 2]},{20 + k % 5},{k}" for k in range(LONG - 1))
    (tmp_path / "long.csv").write_text("\n".join(["q,side,age,id", *rows, last, ""]))
    return tmp_path / "long.csv"


@pytest.mark.slow
def test_a_long_file_is_counted_while_read(tmp_path: Path) -> None:
    """Nothing grows with people of whom the same is known, and no result changes."""
    file = long_file(tmp_path)
    entries = {"columns": {"q": {"design": {"warner": {"flip": "1/4"}}, "answers": ["no", "yes"]}}}
    study = open_collected(file, entries, beside=["side", "age"])
    assert (study.n, len(study.answers), [*study.beside]) == (LONG, 20, ["side", "age"])
    everything = open_collected(file, entries)
    assert (everything.n, len(everything.answers)) == (LONG, LONG)
    asked: list[Callable[[Study], Result]] = [
        lambda one: one.shares("q"),
        lambda one: one.weights("age", clusters="age").shares("q"),
        lambda one: one.regress("q ~ side + age"),
    ]
    for ask in asked:
        counted, each, whole = (numbers_of(ask(one)) for one in (study, study.each(), everything))
        assert counted == pytest.approx(each, rel=1e-9, nan_ok=True)
        assert counted == pytest.approx(whole, rel=1e-9, nan_ok=True)
        assert len(counted) > 8


@pytest.mark.slow
def test_a_long_file_s_mistake_names_its_row(tmp_path: Path) -> None:
    file = long_file(tmp_path, "perhaps,s,20,1")
    design, entry = {"warner": {"flip": "1/4"}}, {"flip": 0.25, "answers": ["no", "yes"]}
    with pytest.raises(ValueError, match=f"'perhaps'; see row {LONG} below"):
        of_design(read_table(file), "long.csv", design, "q")
    with pytest.raises(ValueError, match=f"'perhaps'; see row {LONG} below"):
        open_collected(file, {"columns": {"q": entry}})


def test_only_the_columns_that_are_named_are_kept(tmp_path: Path) -> None:
    file = long_file(tmp_path)
    assert [*read_table(file, ["q", "age"]).cells] == ["q", "age"]
    # With a name that is of no column the error can list all that there are.
    assert [*read_table(file, ["q", "agee"]).cells] == ["q", "side", "age", "id"]
