"""``deniable export --zip``, and what no file of any command tells of few people."""

import csv
import io
import re
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from deniable.analysis.privacy.disclosure import LEAST
from deniable.cli.export import export_command
from deniable.extras import how_to_get
from deniable.server.store import open_store
from tests.cli.conftest import Run, names
from tests.kit import needs, report
from tests.server.desk.results.test_outputs import (
    AT_ONCE,
    DIRECT,
    Groups,
    corrected,
    in_rows,
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


@pytest.fixture
def staff(tmp_path: Path) -> Path:
    """Make a store with a survey and a correction, which few people of each year have answered."""
    path = tmp_path / "store.db"
    with closing(open_store(f"sqlite:///{path}", create=True)) as store:
        # So many that "third" does not follow where it is put together with "first".
        survey = corrected(store, AT_ONCE)
        more = [bytes([0, 0, 0, 0, 0, 0])] * 2 + [bytes([0, 0, 0, 1, 0, 0])] * 3
        store.insert_reports([report(survey, row) for row in more])
    return path


def in_database(path: Path) -> Groups:
    assert path.with_suffix(".metadata.yaml").is_file()
    with closing(sqlite3.connect(path)) as db:
        db.row_factory = sqlite3.Row
        return of_table([dict(row) for row in db.execute("SELECT * FROM reports")])


def of_table(rows: list[dict[str, object]]) -> Groups:
    text = io.StringIO(newline="")
    table = csv.DictWriter(text, [*DIRECT, "cash_noisy"], extrasaction="ignore")
    table.writeheader()
    table.writerows(rows)
    return in_rows(text.getvalue().encode())


WRITERS: dict[str, tuple[str, str, Callable[[Path], Groups]]] = {
    "output": ("--output", "staff.csv", lambda path: in_rows(path.read_bytes())),
    "parcel": ("--zip", "staff.zip", lambda path: in_rows(files(str(path))["reports.csv"])),
    "datasette": ("--datasette", "staff.db", in_database),
}

OTHERS = {
    "into": "a whole store, for the people who may see the store",
    "parquet": "without direct answers, see below",
    **dict.fromkeys(
        ["slug", "store", "revision", "small_cells", "rows", "direct", "level", "force"],
        "writes nothing",
    ),
}


def test_every_file_is_read_here() -> None:
    assert {one.name for one in export_command.params} == WRITERS.keys() | OTHERS.keys()


@pytest.mark.parametrize("writer", WRITERS)
def test_no_file_tells_of_few_people(run: Run, staff: Path, tmp_path: Path, writer: str) -> None:
    option, name, reader = WRITERS[writer]
    written = ("export", "staff", "--store", str(staff), option)
    unasked = run(*written, str(tmp_path / f"unasked-{name}")).stderr
    assert ("Note: without year, dept, led: with them, fewer" in unasked) == (writer == "output")
    assert not {*reader(tmp_path / f"unasked-{name}")}
    refused = run(*written, str(tmp_path / name), "--direct=year", exits=1).stderr
    groups = refused.partition("they can: ")[2].strip()
    assert groups == "year:[first third]+second"
    assert not (tmp_path / name).exists()
    run(*written, str(tmp_path / name), "--direct", groups)
    counts = dict(reader(tmp_path / name))
    assert {cell for cell in counts if len(cell) == 1} == {
        frozenset({("year", group)}) for group in ("[first third]", "second")
    }
    for cell, count in counts.items():
        assert count >= LEAST, cell
    with closing(open_store(f"sqlite:///{staff}")) as store:
        assert store.left("staff") == (groups, LEAST)
    # With --small-cells all of them stand there: the file would tell.
    again = tmp_path / f"all-{name}"
    said = run(*written, str(again), "--direct=year,dept", "--small-cells").stderr
    assert re.search("Note: [0-9]+ people have direct answers there that fewer than 5", said)
    assert any(count < LEAST for _, count in reader(again))


@pytest.mark.slow
@pytest.mark.parametrize("option", [(), ("--small-cells",)])
def test_parquet_has_direct_answers_on_request(
    run: Run, staff: Path, tmp_path: Path, option: tuple[str, ...]
) -> None:
    needs.packages(["pyarrow"], how_to_get("parquet"))
    from pyarrow import parquet  # noqa: PLC0415

    run("export", "staff", "--store", str(staff), "--parquet", str(tmp_path / "lake"), *option)
    files = [*(tmp_path / "lake").rglob("*.parquet")]
    rows = [row for file in files for row in parquet.ParquetFile(file).read().to_pylist()]
    assert rows
    assert any(row[one] is not None for row in rows for one in DIRECT) == bool(option)
