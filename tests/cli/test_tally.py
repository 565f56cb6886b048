"""Exports as Parquet, tallies of them and of stores, and estimates from a tally alone."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from deniable.report import Report
from deniable.server.store import open_store
from deniable.survey_file import read
from tests import needs
from tests.cli.conftest import ROOT, Run, names
from tests.surveys_in_waves import TEXT

PANEL = TEXT.replace("batch: 1", "batch: 10")
ENGINES = "scripts/install.sh engines"
REPORTS = 200_000
"""Of the slow comparison of all engines; `python -m benchmarks.scale` takes 10,000,000."""


@pytest.fixture
def engines() -> None:
    """Leave a test out where the packages are missing."""
    needs.packages(("pyarrow", "duckdb"), ENGINES)


@pytest.fixture
def store(run: Run, folder: Path) -> Path:
    run("simulate", "every-type.yaml", "-n", 2_003, "--store", "study.db", "--seed", 3)
    return folder / "study.db"


def export(run: Run, *options: object, exits: int = 0) -> str:
    return run("export", "--store", "study.db", "--parquet", "lake", *options, exits=exits).stderr


def test_estimates_from_a_tally_are_those_of_the_store(run: Run, store: Path) -> None:
    said = run("tally", "study.db", "-o", "t.json").stderr
    assert names(said, "2,003", "1,990")  # it sees what the desk does not show yet
    for form in ("table", "csv", "json"):
        of_store = run("estimate", "--store", "study.db", "--format", form).stdout
        assert run("estimate", "--tally", "t.json", "--format", form).stdout == of_store
    assert run("estimate", "every-type", "--tally", "t.json").stdout
    assert run("estimate", "every-type.yaml", "--tally", "t.json").stdout
    piped = run("estimate", "--tally", "-", typed=Path("t.json").read_bytes()).stdout
    assert piped == run("estimate", "--store", "study.db").stdout


def test_a_tally_of_another_survey_is_refused(run: Run, store: Path) -> None:
    run("tally", "study.db", "-o", "t.json")
    for other in ("doping.yaml", "doping"):
        said = run("estimate", other, "--tally", "t.json", exits=1).stderr
        assert names(said, "t.json", "'doping'", "'every-type'")
        said = run("analyse", other, "--tally", "t.json", "--item", "doped", exits=1).stderr
        assert names(said, "t.json", "'doping'", "'every-type'")


def test_options_that_do_not_go_together_are_refused(run: Run, store: Path) -> None:
    run("tally", "study.db", "-o", "t.json")
    for words in (
        ("estimate", "--tally", "t.json", "--store", "study.db"),
        ("estimate", "--tally", "t.json", "--revision", "0"),
        ("estimate", "doping.yaml", "--tally", "t.json", "--reports", "t.json"),
        ("analyse", "every-type", "--tally", "t.json", "--item", "doped", "--store", "study.db"),
        ("tally", "study.db", "--engine", "spark"),
        ("export", "--store", "study.db", "--parquet", "lake", "--into", "x.db"),
        ("export", "--store", "study.db", "--parquet", "lake", "-o", "x.csv"),
        ("export", "--store", "study.db", "--parquet", "lake", "--zip", "x.zip"),
    ):
        run(*words, exits=2)
    assert not Path("lake").exists()


@pytest.mark.slow
def test_an_export_has_every_report_once_and_no_id(run: Run, store: Path, engines: None) -> None:
    import pyarrow.parquet  # noqa: PLC0415

    export(run, "--small-cells")
    survey = read(Path("every-type.yaml").read_text()).survey
    db = open_store("sqlite:///study.db")
    with db.copying(survey.slug) as copy:
        (one,) = copy.revisions
        stored = dict([*one.held, *one.reports])
    db.close()
    assert len(one.held) >= 3
    (file,) = Path("lake").rglob("*.parquet")
    table = pyarrow.parquet.read_table(file, partitioning=None)
    found = np.array([column.fill_null(255).to_numpy() for column in table.columns]).T
    # In the order of the ids, also those that the desk does not show yet.
    assert [bytes(row.tolist()) for row in found] == [stored[id] for id in sorted(stored)]
    content = file.read_bytes()
    assert not any(id in content or id.hex().encode() in content for id in stored)
    assert Path("lake/survey=every-type").stat().st_mode & 0o777 == 0o700


@pytest.mark.slow
def test_the_tally_of_an_export_is_the_store_s(run: Run, store: Path, engines: None) -> None:
    export(run, "--small-cells")
    run("tally", "study.db", "-o", "store.json")
    for place in ("lake", "lake/survey=every-type"):
        run("tally", place, "-o", "all.json", "--force")
        assert Path("all.json").read_bytes() == Path("store.json").read_bytes()


@pytest.mark.slow
def test_waves_and_revisions_are_exported_apart(run: Run, folder: Path, engines: None) -> None:
    (folder / "panel.yaml").write_text(PANEL)
    run("simulate", "panel.yaml", "-n", 60, "--store", "study.db")
    (folder / "panel.yaml").write_text(PANEL.replace("Slept", "Slept lately"))
    db = open_store("sqlite:///study.db")
    db.register(read((folder / "panel.yaml").read_text()).survey)
    db.close()
    run("simulate", "panel.yaml", "-n", 40, "--store", "study.db", "--add", "--wave", "3")
    export(run, "--small-cells")
    found = {file.parent.name for file in folder.rglob("*.parquet")}
    assert found == {"wave=1", "wave=2", "wave=3"}
    run("tally", "study.db", "-o", "store.json")
    run("tally", "lake", "-o", "all.json")
    assert Path("all.json").read_bytes() == Path("store.json").read_bytes()
    of_store = run("estimate", "--store", "study.db").stdout
    assert run("estimate", "--tally", "all.json").stdout == of_store


@pytest.mark.slow
def test_direct_answers_leave_only_if_somebody_says_so(
    run: Run, folder: Path, engines: None
) -> None:
    survey = read((folder / "every-type.yaml").read_text()).survey
    db = open_store("sqlite:///study.db")
    db.register(survey)
    answers = bytes(len(survey.items) - 1)
    db.insert_batch(
        [
            Report(survey.slug, survey.revision, os.urandom(16), answers + bytes([age]))
            for age in [0] * 40 + [1] * 2
        ]
    )
    db.close()
    export(run)
    run("tally", "lake", "-o", "t.json")
    assert last_item() == [0, 0, 42]
    export(run, "--small-cells", "--force")
    run("tally", "lake", "-o", "t.json", "--force")
    assert last_item() == [40, 2, 0]


def last_item() -> list[int]:
    """Return how often each report to the last item came, of three."""
    table = json.loads(Path("t.json").read_text())["revisions"][0]["waves"][0]["table"]
    return [row[0] for row in table[-3:]]


@pytest.mark.slow
def test_an_export_that_was_tampered_with_is_refused(run: Run, folder: Path, engines: None) -> None:
    (folder / "panel.yaml").write_text(PANEL)
    run("simulate", "panel.yaml", "-n", 60, "--store", "study.db")
    export(run)
    assert "exists already" in export(run, exits=1)
    export(run, "--force")
    assert not [one for one in Path("lake").iterdir() if one.name.startswith(".")]
    first, second = sorted(Path("lake").rglob("*.parquet"))[:2]
    content = first.read_bytes(), second.read_bytes()
    # A wave in the place of another one: its reports would count twice.
    second.write_bytes(content[0])
    said = run("tally", "lake", exits=1).stderr
    assert names(said, str(second), "wave '1'", "'2'")
    second.write_bytes(content[1][:-40])
    assert f"{second}: expected a Parquet file" in run("tally", "lake", exits=1).stderr
    second.unlink()
    assert f"{second}: is not there" in run("tally", "lake", exits=1).stderr
    second.write_bytes(content[1])
    (manifest,) = Path("lake").rglob("export.json")
    said = manifest.read_text()
    entry = next(line for line in said.splitlines() if "wave=1" in line)
    rows = entry.rpartition(": ")[2].rstrip(",")
    manifest.write_text(said.replace(entry, entry.replace(f": {rows}", ": 7")))
    assert f"{first}: expected 7 reports" in run("tally", "lake", exits=1).stderr
    manifest.write_text("{}")
    assert "expected what an export says of itself" in run("tally", "lake", exits=1).stderr
    manifest.unlink()
    assert "export.json: is not there" in run("tally", "lake", exits=1).stderr


@pytest.mark.slow
def test_an_export_that_fails_leaves_nothing_and_replaces_nothing(
    run: Run, store: Path, engines: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(run)
    before = sorted(Path("lake").rglob("*"))

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("deniable.study.tallies.parquet._put", fail)
    assert "No space left" in export(run, "--force", exits=1)
    assert sorted(Path("lake").rglob("*")) == before


@pytest.mark.slow
def test_memory_does_not_grow_with_the_reports(folder: Path, engines: None) -> None:
    """Four times as many reports, exported in hardly more memory."""
    most = {}
    for n in (150_000, 600_000):
        command(folder, "simulate", "doping.yaml", "-n", n, "--store", f"{n}.db")
        most[n] = command(folder, "export", "--store", f"{n}.db", "--parquet", f"{n}")
    sys.stdout.write(f"{most}\n")
    # Caches of fixed size fill, which is some 25 MB. The further reports, held, would add 66 MB:
    # two values of bytes and a tuple take 147 bytes each.
    assert most[600_000] < most[150_000] + 45 * 2**10


@pytest.mark.slow
def test_two_worker_processes_of_spark_count_what_the_store_does(folder: Path) -> None:
    needs.packages(("pyarrow", "duckdb", "pyspark"), ENGINES)
    needs.program("java", "scripts/install.sh java")
    command(folder, "simulate", "every-type.yaml", "-n", REPORTS, "--store", "study.db")
    command(folder, "export", "--store", "study.db", "--parquet", "lake", "--small-cells")
    command(folder, "tally", "study.db", "-o", "store.json")
    command(folder, "tally", "lake", "-o", "duckdb.json")
    spark = ("--engine", "spark", "--master", "local-cluster[2,1,1024]")
    command(folder, "tally", "lake", *spark, "-o", "spark.json")
    whole = (folder / "store.json").read_bytes()
    assert (folder / "duckdb.json").read_bytes() == whole
    assert (folder / "spark.json").read_bytes() == whole
    sys.stdout.write(
        f"{REPORTS:,} reports: the store, DuckDB and two workers of Spark count the same\n"
    )


def command(folder: Path, *words: object) -> int:
    """Run a command in a process of its own; return how many kilobytes of memory it took."""
    process = subprocess.Popen(
        [sys.executable, "-m", "deniable.cli.main", *map(str, words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    with process.stderr as stream:
        said = stream.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, said
    return used.ru_maxrss
