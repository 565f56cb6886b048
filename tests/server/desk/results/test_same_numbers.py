"""One study says the same numbers at the desk, by the API, by the command and in Python.

Each result is asked for at the four doors in every format that has rows, and what is read back is
compared cell by cell. The zip is compared file by file.
"""

import csv
import io
import json
import math
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import urlencode

import numpy as np
import pytest
from click.testing import CliRunner

import deniable
from deniable.cli.main import commands
from deniable.results.result import Result
from deniable.server.desk.auth.api_tokens import make_token
from deniable.server.store import Store
from deniable.server.store.accounts import NOBODY, Scope
from deniable.study import Study
from deniable.survey_file import read
from tests.kit import Answer, Browser, Caller, first_of, report, url_for

WARD: Final = """\
version: 1
survey: nurses
title: Errors on the ward
epsilon: 4
batch: 1
questions:
  - {id: error, text: Made an error, type: single, answers: [No, Yes]}
  - {id: kept, text: Kept quiet, type: single, answers: [No, Unsure, Yes]}
  - {id: hours, text: Hours, type: number, min: 0, max: 4}
  - {id: ward, text: Ward, type: single, answers: {a: A, b: B, c: C}, protection: direct}
  - {id: night, text: Night shifts, type: single, answers: [No, Yes], protection: direct}
"""
MARGINS: Final = """\
plan:
  margins: {ward: {a: 50, b: 30, c: 20}}
"""
PEOPLE: Final = 400

CODES: Final = {"answer", "first_answer", "second_answer", "group", "minus"}
"""Columns whose cells are texts also where they look like numbers."""

Row = dict[str, Any]

CASES: Final[Mapping[str, tuple[Mapping[str, str], list[str], Callable[[Study], Result]]]] = {
    "compare": (
        {"item": "error", "by": "ward"},
        ["--item", "error", "--by", "ward"],
        lambda study: study.by("ward", "error"),
    ),
    "compare, two groups, a number": (
        {"item": "hours", "by": "night"},
        ["--item", "hours", "--by", "night"],
        lambda study: study.by("night", "hours"),
    ),
    "compare, by a randomised item": (
        {"item": "kept", "by": "error"},
        ["--item", "kept", "--by", "error"],
        lambda study: study.by("error", "kept"),
    ),
    "cross": (
        {"first": "kept", "second": "night"},
        ["--cross", "kept", "night"],
        lambda study: study.cross("kept", "night"),
    ),
    "correlate": (
        {"first": "error", "second": "hours"},
        ["--correlate", "error", "hours"],
        lambda study: study.correlation("error", "hours"),
    ),
    "ratios": (
        {"item": "error", "by": "ward", "of": "odds"},
        ["--item", "error", "--by", "ward", "--ratio", "odds"],
        lambda study: study.ratios("ward", "error", odds=True),
    ),
    "regress": (
        {"formula": "error ~ ward + night"},
        ["--formula", "error ~ ward + night"],
        lambda study: study.regress("error ~ ward + night"),
    ),
}
"""Of each result its choices at the desk and the API, the command's options, and Python's call."""


def fill(store: Store, text: str) -> None:
    survey, random = read(text).survey, np.random.default_rng(60)
    store.register(survey, text)
    answers = random.integers(0, survey.report_counts, (PEOPLE, len(survey.items)))
    store.insert_batch([report(survey, bytes(row)) for row in answers.astype(np.uint8).tolist()])


def in_csv(text: str) -> list[Row]:
    rows = csv.DictReader(io.StringIO(text))
    return [{k: cell(v, is_code=k in CODES) for k, v in row.items()} for row in rows]


def cell(text: str, *, is_code: bool) -> object:
    if text in ("", "true", "false"):
        return {"": None, "true": True, "false": False}[text]
    if is_code:
        return text
    try:
        return float(text)
    except ValueError:
        return text


def in_json(text: str) -> list[Row]:
    found = json.loads(text)
    rows: list[Row] = found["estimates"] if "estimates" in found else found["coefficients"]
    return [{k: float(v) if type(v) is int else v for k, v in row.items()} for row in rows]


def in_frame(found: Result) -> list[Row]:
    records = found.to_frame().to_dict("records")
    return [{str(k): None if v != v else v for k, v in row.items()} for row in records]  # noqa: PLR0124  nan


READ: Final = {"csv": in_csv, "json": in_json}


def compared(rows: list[Row]) -> list[Row]:
    """Leave out what only names the data, and write infinity as JSON and CSV do: as nothing."""
    return [
        {k: None if v in (np.inf, -np.inf) else v for k, v in row.items() if k != "revision"}
        for row in rows
    ]


def alike(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        # What is near 0 is a difference of numbers near 1, whose last digits depend on the order.
        return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-13)
    return one == other


def command(*arguments: object) -> str:
    found = CliRunner().invoke(commands, [*map(str, arguments)], prog_name="deniable")
    assert found.exit_code == 0, found.output
    return found.stdout


Script: TypeAlias = Callable[[str], Answer]


@pytest.fixture
def script(store: Store, desk: Caller) -> Script:
    """Ask the API for what stands below the address of the survey."""
    headers = {"Authorization": f"Bearer {make_token(store, NOBODY, 'test', Scope.READ)}"}
    return lambda path: desk(f"/api/v1/surveys/nurses{path}", b"", method="GET", headers=headers)


def by_api(script: Script, monkeypatch: pytest.MonkeyPatch) -> Study:
    """Open the study over the API, whose answers come without a network."""

    def get(_: object, path: str, **__: object) -> bytes:
        if path == "/surveys":
            return json.dumps([script("").json]).encode()
        return script(path.removeprefix("/surveys/nurses")).body

    monkeypatch.setattr("deniable.study.remote._Desk.get", get)
    study: Study = deniable.open("nurses", "http://127.0.0.1", token="a-token")
    return study


NOT_WEIGHED: Final = ("correlate", "compare, by a randomised item")
"""What is told of the respondents alone."""

WEIGHED: Final = [(name, MARGINS) for name in CASES if name not in NOT_WEIGHED]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "plan"), first_of([*WEIGHED, *((one, "") for one in CASES)], 5))
def test_every_door_and_format_says_the_same(
    name: str,
    plan: str,
    researcher: Browser,
    store: Store,
    script: Script,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fill(store, WARD + plan)
    kind, (chosen, options, ask) = name.partition(",")[0], CASES[name]
    study: Study = deniable.open("nurses", f"sqlite:///{store.name}")
    result = ask(study)
    assert ("sample" in result.export.document) == bool(plan)
    expected = compared(in_frame(result))
    assert len(expected) > 0
    said = {}
    # A script asks the API for the reports, and Python for the rest.
    said["API"] = in_frame(ask(by_api(script, monkeypatch)))
    of_command = ("analyse", "nurses", "--store", store.name, *options)
    for form, read_back in READ.items():
        said[f"Python, {form}"] = read_back(str(formats()[form](result)))
        query = urlencode(chosen)
        page = url_for("results.page", slug="nurses") + f"/{kind}.{form}?{query}"
        said[f"desk, {form}"] = read_back(researcher(page).text)
        said[f"command, {form}"] = read_back(command(*of_command, "--format", form))
    check(said, expected)


@pytest.mark.parametrize("plan", ["", MARGINS])
def test_every_door_and_format_says_the_same_shares(
    plan: str,
    researcher: Browser,
    store: Store,
    script: Script,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fill(store, WARD + plan)
    study = deniable.open("nurses", f"sqlite:///{store.name}")
    result = study.shares()
    expected = compared(in_frame(result))
    assert len(expected) > 0
    said = {"API, reports": in_frame(by_api(script, monkeypatch).shares())}
    page = url_for("results.page", slug="nurses")
    of_command = ("estimate", "nurses", "--store", store.name)
    for form, read_back in READ.items():
        said[f"Python, {form}"] = read_back(str(formats()[form](result)))
        said[f"desk, {form}"] = read_back(researcher(f"{page}/estimates.{form}").text)
        said[f"API, {form}"] = read_back(script(f"/estimates.{form}").text)
        said[f"command, {form}"] = read_back(command(*of_command, "--format", form))
    check(said, expected)
    by_heads = study.weights() if plan else study
    unweighted = in_json(command(*of_command, "--unweighted", "--format", "json"))
    check({"unweighted": unweighted}, compared(in_frame(by_heads.shares())))


def check(said: Mapping[str, list[Row]], expected: list[Row]) -> None:
    """Compare what each door said, cell by cell."""
    for door, rows in said.items():
        assert len(rows) == len(expected), door
        for row, other in zip(compared(rows), expected, strict=True):
            assert [*row] == [*other], door
            for column, value in row.items():
                assert alike(value, other[column]), (door, column, value, other[column])


def formats() -> dict[str, Callable[[Result], str | bytes]]:
    from deniable.results.files import FORMATS  # noqa: PLC0415  beside what reads them

    return {form: lambda one, form=form: FORMATS[form].write(one.export) for form in READ}  # type: ignore[misc]


def test_a_table_of_groups_has_its_differences_and_tests_in_its_rows(tmp_path: Path) -> None:
    """What is printed below the table stands in the files and in the frame."""
    survey, random = read(WARD).survey, np.random.default_rng(61)
    answers = random.integers(0, survey.report_counts, (PEOPLE, 5)).astype(np.uint8)
    study: Study = deniable.open(survey, answers)
    frame: Any = study.by("ward", "error").to_frame()
    apart = frame[frame.statistic == "difference"].set_index(["group", "minus", "answer"])
    shares = frame[frame.statistic == "share"].set_index(["group", "answer"]).estimate
    assert len(apart) == 6
    for (one, other, answer), row in apart.iterrows():
        assert row.estimate == pytest.approx(shares[one, answer] - shares[other, answer])
        assert row.low < row.estimate < row.high
        assert (row.low > 0 or row.high < 0) == (row.p_value < 0.05)
    (p_value,) = frame[frame.statistic == "test_of_equal_shares"].p_value
    assert 0 < p_value <= 1
    crossed: Any = study.cross("kept", "night").to_frame()
    (p_value,) = crossed[crossed.statistic == "test_of_independence"].p_value
    assert 0 < p_value <= 1


def contents(zipped: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(zipped)) as archive:
        for entry in archive.namelist():
            yield entry.partition("/")[2], archive.read(entry)


def test_the_zip_of_the_command_has_the_weights_that_the_desks_has(
    researcher: Browser, store: Store, tmp_path: Path
) -> None:
    fill(store, WARD + MARGINS)
    page = url_for("results.page", slug="nurses") + "/paper.zip?direct=ward"
    of_desk = dict(contents(researcher(page).body))
    named = ("export", "nurses", "--store", store.name, "--direct", "ward")
    command(*named, "--zip", tmp_path / "nurses.zip")
    of_command = dict(contents((tmp_path / "nurses.zip").read_bytes()))
    assert of_command.keys() == of_desk.keys()
    assert {"weighted.csv", "margins.csv"} <= of_command.keys()
    differing = {name for name, content in of_desk.items() if of_command[name] != content}
    # They say which reports these are: those that the desk showed, or all.
    assert differing <= {"README.md", "methods.md", "SHA256SUMS", "CITATION.cff"}
