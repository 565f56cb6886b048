"""``deniable export --zip``."""

import io
import zipfile
from pathlib import Path

import pytest

from tests.cli.conftest import Run, names
from tests.surveys import CLUB


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


def test_it_names_rows_that_are_unique(run: Run, club: None) -> None:
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
