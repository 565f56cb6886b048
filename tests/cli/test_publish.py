"""``deniable export --zip``, and what no file of any command tells of few people."""

import csv
import io
import itertools
import sqlite3
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from deniable.analysis.privacy.disclosure import LEAST
from deniable.cli.export import export_command
from deniable.extras import how_to_get
from deniable.server.store import open_store
from deniable.survey_file import read
from tests.cli.conftest import Run, names
from tests.kit import needs, report
from tests.kit.surveys import CLUB


@pytest.fixture
def club(folder: Path) -> None:
    """Write a club of 30 players, 20 coaches and a doctor, and its reports."""
    (folder / "club.yaml").write_text(CLUB)
    roles = ["player"] * 30 + ["coach"] * 20 + ["doctor"]
    (folder / "reports.csv").write_text(
        "doped_noisy,role\n" + "".join(f"no,{role}\n" for role in roles)
    )


def files(name: str) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(Path(name).read_bytes())) as archive:
        return {entry.partition("/")[2]: archive.read(entry) for entry in archive.namelist()}


def test_store_and_csv_make_the_same_zip(run: Run, folder: Path) -> None:
    run("simulate", "doping.yaml", "-n", 60, "--seed", 3, "--store", "s.db")
    run("export", "doping", "--store", "s.db", "-o", "doping.csv")
    run("export", "doping.yaml", "--reports", "doping.csv", "--zip", "a.zip")
    run("export", "--store", "s.db", "--zip", "b.zip")
    of_csv, of_store = files("a.zip"), files("b.zip")
    assert of_csv["survey.yaml"] == (folder / "doping.yaml").read_bytes()
    assert of_store.keys() == of_csv.keys() - {"survey.yaml"}
    differing = {name for name in of_store if of_store[name] != of_csv[name]}
    # A CSV does not say to which revision a report is.
    assert differing == {"README.md", "SHA256SUMS", "CITATION.cff", "methods.md"}
    assert b"60 reports: all to revision" in of_store["methods.md"]
    assert names(of_store["README.md"].decode(), "60 reports", "revision")
    run("export", "--store", "s.db", "--zip", "b.zip", exits=1)
    run("export", "--store", "s.db", "--zip", "b.zip", "--force", "--level", "90")
    assert b",0.9,feldman-cousins," in files("b.zip")["estimates.csv"]


def test_a_changed_file_joins_no_older_reports(run: Run, folder: Path) -> None:
    run("simulate", "doping.yaml", "-n", 20, "--seed", 3, "--store", "s.db")
    file = folder / "doping.yaml"
    file.write_text(file.read_text().replace("Have you doped", "Did you dope"))
    run("export", "doping.yaml", "--store", "s.db", "--zip", "a.zip")
    assert "survey.yaml" not in files("a.zip")


def test_it_names_rows_that_are_unique(run: Run, folder: Path, club: None) -> None:
    given = ("export", "club.yaml", "--reports", "reports.csv", "--zip", "a.zip", "--force")
    assert "unique" not in run(*given).stderr
    said = run(*given, "--direct", "role").stderr
    assert names(said, "1 row is unique by role", "31 rows", "--small-cells")
    assert b"doctor" not in files("a.zip")["reports.csv"]
    said = run(*given, "--direct", "role", "--small-cells").stderr
    assert names(said, "1 row is unique by role", "role doctor")
    assert b"doctor" in files("a.zip")["reports.csv"]
    said = run(*given, "--direct", "doped", exits=1).stderr
    assert names(said, "'doped'", "role")
    assert "could not be written" not in said
    reports = folder / "reports.csv"
    reports.write_text(reports.read_text().replace("doctor", "coach"))
    said = run(*given, "--direct", "role").stderr
    assert "Note: no row is unique by role and by what was not asked." in " ".join(said.split())


STAFF = """\
version: 1
survey: staff
title: Staff
epsilon: 9
batch: 1
questions:
  - {id: took, text: Took it, type: single, answers: [No, Yes]}
  - {id: cash, text: Cash, type: single, answers: [No, Yes]}
  - {id: year, text: Year, type: single, answers: [First, Second, Third], protection: direct}
  - {id: dept, text: Department, type: single, answers: [A, B], protection: direct}
"""

DIRECT = ("year", "dept")

PARQUET = how_to_get("parquet")

OF_ALL = {"first": 33, "second": 21, "third": 6}
"""How many people gave each answer, as `estimate` tells."""

Rows = list[dict[str, str | None]]


@pytest.fixture
def staff(tmp_path: Path) -> Path:
    """Make a store with a survey and a correction, which few people of each year have answered."""
    path = tmp_path / "store.db"
    first, second = read(STAFF).survey, read(STAFF.replace("Cash", "In cash")).survey
    with closing(open_store(f"sqlite:///{path}", create=True)) as store:
        for survey, people in (
            (first, {(0, 0): 28, (1, 1): 17, (2, 1): 5}),
            (second, {(0, 0): 5, (1, 1): 4, (2, 0): 1}),
        ):
            store.register(survey)
            for (year, dept), count in people.items():
                rows = [bytes([k % 2, k % 2, year, dept]) for k in range(count)]
                store.insert_batch([report(survey, row) for row in rows])
    return path


def in_csv(path: Path) -> Rows:
    with path.open(newline="") as lines:
        return [*csv.DictReader(lines)]


def in_zip(path: Path) -> Rows:
    with zipfile.ZipFile(path) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/reports.csv"))
        return [*csv.DictReader(io.StringIO(archive.read(name).decode()))]


def in_database(path: Path) -> Rows:
    with closing(sqlite3.connect(path)) as db:
        db.row_factory = sqlite3.Row
        return [dict(row) for row in db.execute("SELECT * FROM reports")]


def in_parquet(path: Path) -> Rows:
    from pyarrow import parquet  # noqa: PLC0415

    found: Rows = []
    for file in sorted(path.rglob("*.parquet")):
        table = parquet.ParquetFile(file).read()
        codes = {"year": ("first", "second", "third"), "dept": ("a", "b")}
        # Each revision has columns of its own; where it was asked is where its folder is.
        asked = f"{file.parts[-3]}"
        for row in table.to_pylist():
            told = {name: None if row[name] is None else codes[name][row[name]] for name in DIRECT}
            found.append({**told, "cash_noisy": asked})
    return found


WRITERS: dict[str, tuple[str, str, Callable[[Path], Rows]]] = {
    "output": ("--output", "staff.csv", in_csv),
    "parcel": ("--zip", "staff.zip", in_zip),
    "datasette": ("--datasette", "staff.db", in_database),
    "parquet": ("--parquet", "lake", in_parquet),
}

OTHERS = {
    "into": "a whole store, for the people who may see the store",
    **dict.fromkeys(
        ["slug", "store", "revision", "small_cells", "rows", "direct", "level", "force"],
        "writes nothing",
    ),
}


def test_every_file_is_read_here() -> None:
    assert {one.name for one in export_command.params} == WRITERS.keys() | OTHERS.keys()


@pytest.mark.parametrize(
    "writer",
    [
        # What writes Parquet is installed for the slow tests.
        pytest.param(one, marks=[pytest.mark.slow] if one == "parquet" else [])
        for one in WRITERS
    ],
)
def test_no_file_tells_of_few_people(run: Run, staff: Path, tmp_path: Path, writer: str) -> None:
    if writer == "parquet":
        needs.packages(["pyarrow"], PARQUET)
    option, name, reader = WRITERS[writer]
    direct = [f"--direct={one}" for one in DIRECT if writer in ("parcel", "datasette")]
    done = run("export", "staff", "--store", str(staff), option, str(tmp_path / name), *direct)
    assert done.exit_code == 0, done.output
    rows = reader(tmp_path / name)
    assert len(rows) == sum(OF_ALL.values())
    counts = Counter(groups(rows))
    assert bool(counts) == (writer != "parquet")
    for said, count in counts.items():
        assert count >= LEAST, said
    for answer, people in OF_ALL.items():
        missing = people - counts[frozenset({("year", answer)})]
        assert missing in (0, people) or missing >= LEAST, answer
    # With --small-cells all of them stand there: the file would tell.
    again = str(tmp_path / f"all-{name}")
    small = run("export", "staff", "--store", str(staff), option, again, *direct, "--small-cells")
    assert small.exit_code == 0, small.output
    assert any(count < LEAST for count in Counter(groups(reader(Path(again)))).values())


def groups(rows: Rows) -> Iterator[frozenset[tuple[str, str | None]]]:
    """Yield of each row what it says of direct answers, with the revision and without it."""
    for row in rows:
        for size in (1, 2):
            for some in itertools.combinations(DIRECT, size):
                if all(row[one] for one in some):
                    said = [(one, row[one]) for one in some]
                    yield frozenset(said)
                    yield frozenset([*said, ("cash", cash(row))])


def cash(row: dict[str, str | None]) -> str:
    """Say to which revision a row answers: by an empty cell, or by where it stands."""
    value = row["cash_noisy"] or ""
    return value if value.startswith("revision=") else str(bool(value))
