"""SPSS, Stata and Parquet: what the libraries that read these formats find in the files."""

import csv
import io
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyreadstat
import pytest

from deniable.publication.material import Material
from deniable.publication.names import file_names
from deniable.publication.parcel import contents_of, left_out
from tests.publication.made_up import LONG, answers, survey


@pytest.fixture(scope="module")
def contents() -> dict[str, bytes]:
    every = survey()
    reports = answers(every, 80)
    reports[:3, 0] = 255  # not asked
    return contents_of(Material(every, reports, ("why", "years"), least_cell=1))


def codebook(contents: dict[str, bytes]) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(contents["codebook.csv"].decode(), newline=""))]


def read(contents: dict[str, bytes], form: str, folder: Path) -> tuple[Any, Any]:
    file = folder / f"reports.{form}"
    file.write_bytes(contents[file.name])
    frame, meta = getattr(pyreadstat, f"read_{form}")(str(file))
    return frame, meta


@pytest.mark.parametrize("form", ["sav", "dta"])
def test_each_cell_is_the_code_of_the_csv(
    contents: dict[str, bytes], form: str, tmp_path: Path
) -> None:
    frame, meta = read(contents, form, tmp_path)
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
def test_questions_and_answers_are_labels(
    contents: dict[str, bytes], form: str, tmp_path: Path
) -> None:
    frame, meta = read(contents, form, tmp_path)
    labels = meta.column_names_to_labels
    assert labels["doped_noisy"] == "Doped"
    assert labels["knew_coach_noisy"] == "Who – Coach"
    values = meta.variable_value_labels
    assert values["knew_coach_noisy"] == {1: "No", 2: "Unsure", 3: "Yes"}
    # A number is its own value, and what is no number lies below them all.
    assert values["years"] == {-3: "Prefer not to say"}
    assert set(frame["years"].dropna()) <= {-3.0, *map(float, range(-2, 11))}


def test_what_a_format_cuts_ends_in_an_ellipsis_and_is_whole_in_the_codebook(
    contents: dict[str, bytes], tmp_path: Path
) -> None:
    sav, dta = (read(contents, form, tmp_path)[1] for form in ("sav", "dta"))
    text = LONG.strip()
    in_sav, in_dta = (meta.column_names_to_labels["mood_noisy"] for meta in (sav, dta))
    assert 250 < len(in_sav.encode()) <= 256
    assert len(in_dta) == 80
    assert all(cut.endswith("…") and text.startswith(cut[:-1]) for cut in (in_sav, in_dta))
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


def test_names_fit_both_formats_and_no_two_are_the_same() -> None:
    columns = ["a" * 60 + "_noisy", "a" * 60 + ".x_noisy", "A" * 60, "by", "str12", "use.x-y"]
    names = [*file_names(columns).values()]
    assert len({name.lower() for name in names}) == len(columns)
    assert all(len(name) <= 32 and name.replace("_", "a").isalnum() for name in names)
    assert not {"by", "str12"} & {*names}


def test_the_parquet_file_has_the_columns_of_the_csv_where_its_package_is_there(
    contents: dict[str, bytes],
) -> None:
    if find_spec("pyarrow") is None:
        assert "reports.parquet" not in contents
        assert any("pyarrow" in line or "parquet" in line for line in left_out())
        return
    import pyarrow.parquet  # noqa: PLC0415

    table = pyarrow.parquet.read_table(io.BytesIO(contents["reports.parquet"]))
    rows = [*csv.DictReader(io.StringIO(contents["reports.csv"].decode(), newline=""))]
    assert table.to_pylist() == [{name: cell or None for name, cell in row.items()} for row in rows]


def test_without_its_packages_the_zip_is_made_without_these_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("deniable.publication.statistical.find_spec", lambda name: None)
    monkeypatch.setattr("deniable.publication.parquet.find_spec", lambda name: None)
    every = survey()
    contents = contents_of(Material(every, answers(every, 5)))
    assert not {"reports.sav", "reports.dta", "reports.parquet"} & contents.keys()
    assert "reports.sav" not in contents["README.md"].decode()
    said = "\n".join(left_out())
    assert "'.[paper]'" in said
    assert "'.[parquet]'" in said
