"""Exports as Parquet, tallies, and estimates from a tally alone."""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deniable.analysis.counts.reports_csv import columns
from deniable.server.store import open_store
from deniable.study.tallies.file import Tallies
from deniable.survey_file import read
from tests.cli.conftest import ROOT, Run, names
from tests.kit import PANEL_TEXT, needs

PANEL = PANEL_TEXT.replace("batch: 1", "batch: 10")
ENGINES = "make test-slow, which installs them into .venv-oldest"


@pytest.fixture
def parquet() -> None:
    needs.packages(("pyarrow",), "make install")


@pytest.fixture
def store(run: Run, folder: Path) -> Path:
    run("simulate", "every-type.yaml", "-n", 2_003, "--store", "study.db", "--seed", 3)
    return folder / "study.db"


def export(run: Run, *options: object, exits: int = 0) -> str:
    return run("export", "--store", "study.db", "--parquet", "lake", *options, exits=exits).stderr


@pytest.mark.slow
def test_a_tally_estimates_as_its_store(run: Run, store: Path) -> None:
    said = run("tally", "study.db", "-o", "t.json").stderr
    assert names(said, "2,003", "1,990")  # it sees what the desk does not show yet
    for form in ("table", "csv", "json"):
        of_store = run("estimate", "--store", "study.db", "--format", form).stdout
        assert run("estimate", "--tally", "t.json", "--format", form).stdout == of_store
    assert run("estimate", "every-type", "--tally", "t.json").stdout
    assert run("estimate", "every-type.yaml", "--tally", "t.json").stdout
    piped = run("estimate", "--tally", "-", typed=Path("t.json").read_bytes()).stdout
    assert piped == run("estimate", "--store", "study.db").stdout


@pytest.mark.slow
def test_earlier_revisions_reports_are_in_a_tally(run: Run, folder: Path) -> None:
    in_two_revisions(run, folder)
    assert "Note: 180 reports to revision" in run("tally", "study.db", "-o", "t.json").stderr
    of_store = run("estimate", "--store", "study.db").stdout
    assert run("estimate", "--tally", "t.json").stdout in of_store


def test_a_tally_says_that_it_loses_margins(run: Run, folder: Path) -> None:
    text = (folder / "every-type.yaml").read_text()
    text += "plan:\n  margins: {age: {young: 60, old: 40}}\n"
    (folder / "every-type.yaml").write_text(text)
    db = open_store("sqlite:///study.db")
    db.register(read(text).survey, text)
    db.close()
    run("simulate", "every-type.yaml", "-n", 200, "--store", "study.db", "--add")
    said = "Note: nothing from a tally is weighted to age, as the survey's plan says"
    assert said in run("tally", "study.db", "-o", "t.json").stderr
    assert said in run("estimate", "every-type.yaml", "--tally", "t.json").stderr
    assert "weighted to" not in run("estimate", "--tally", "t.json").stderr


def in_two_revisions(run: Run, folder: Path) -> None:
    """Fill a store with reports to all waves of a survey, and to the third of its next revision."""
    (folder / "panel.yaml").write_text(PANEL)
    run("simulate", "panel.yaml", "-n", 60, "--store", "study.db")
    (folder / "panel.yaml").write_text(f"{PANEL}exit: none\n")
    db = open_store("sqlite:///study.db")
    db.register(read((folder / "panel.yaml").read_text()).survey)
    db.close()
    run("simulate", "panel.yaml", "-n", 40, "--store", "study.db", "--add", "--wave", "3")


@pytest.mark.slow
def test_an_export_has_each_report_and_no_id(run: Run, store: Path, parquet: None) -> None:
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
def test_waves_and_revisions_are_exported_apart(run: Run, folder: Path, parquet: None) -> None:
    in_two_revisions(run, folder)
    export(run, "--small-cells")
    found = Counter(file.parent.name for file in folder.rglob("*.parquet"))
    assert found == {"wave=1": 1, "wave=2": 1, "wave=3": 2}


@pytest.mark.slow
def test_a_failed_export_leaves_and_replaces_nothing(
    run: Run, store: Path, parquet: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(run)
    assert "exists already" in export(run, exits=1)
    before = sorted(Path("lake").rglob("*"))

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.rename", fail)
    assert "No space left" in export(run, "--force", exits=1)
    assert sorted(Path("lake").rglob("*")) == before


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("source", "words", "megabytes"),
    [
        # Caches of fixed size fill, which is some 25 MB. The further reports, held, would add
        # 66 MB: two values of bytes and a tuple take 147 bytes each.
        ("--store", ("export", "--parquet", "lake"), 45),
        # Held as rows and cells, the further people would add 120 MB.
        ("--reports", ("analyse", "doping.yaml", "--item", "doped", "--weights", "w"), 45),
        # 16 bytes of each for SPSS and Stata are held, and some copies of them; as rows, 190 MB.
        ("--reports", ("export", "doping.yaml", "--zip", "paper.zip"), 90),
    ],
)
def test_memory_does_not_grow_with_the_reports(
    folder: Path, source: str, words: tuple[str, ...], megabytes: int
) -> None:
    """Four times as many reports, exported in hardly more memory."""
    if "--parquet" in words:
        needs.packages(("pyarrow",), "make install")
    most = {}
    for n in (150_000, 600_000):
        written = folder / f"{n}"
        option = "-o" if source == "--reports" else source
        command(folder, "simulate", "doping.yaml", "-n", n, option, written)
        if "--weights" in words:
            beside(written)
        most[n] = command(folder, *words, source, written, *["--force"] * ("export" in words))
    sys.stdout.write(f"{most}\n")
    assert most[600_000] < most[150_000] + megabytes * 2**10


def beside(reports: Path) -> None:
    """Add a column of weights, line by line: a process begins with its parent's memory."""
    lines = reports.with_suffix(".bare")
    reports.rename(lines)
    with lines.open() as given, reports.open("w") as wider:
        for place, line in enumerate(given):
            wider.write(f"{line.strip()},{1 + place % 8 if place else 'w'}\n")


def by_duckdb(query: str) -> list[tuple[Any, ...]]:
    import duckdb  # noqa: PLC0415

    with duckdb.connect() as db:
        rows: list[tuple[Any, ...]] = db.execute(query).fetchall()
    return rows


def by_spark(query: str) -> list[tuple[Any, ...]]:
    needs.program("java", "scripts/install.sh java")
    from pyspark.sql import SparkSession  # noqa: PLC0415

    settings: dict[str, bool | float | int | str | None]
    settings = {"spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1"}
    settings["spark.driver.host"] = "127.0.0.1"
    spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    try:
        return [tuple(row) for row in spark.sql(query).collect()]
    finally:
        spark.stop()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize(
    ("engine", "package"), [(by_duckdb, "duckdb"), (by_spark, "pyspark")], ids=["DuckDB", "Spark"]
)
def test_the_page_s_sql_gives_the_numbers_of_tally(
    run: Run,
    store: Path,
    parquet: None,
    engine: Callable[[str], list[tuple[Any, ...]]],
    package: str,
) -> None:
    needs.packages((package,), ENGINES)
    export(run, "--small-cells")
    run("tally", "study.db", "-o", "t.json")
    tallies = Tallies.from_json(Path("t.json").read_bytes())
    survey = tallies.survey
    first, second = 1, len(survey.items) - 1
    (query,) = [
        one.replace("survey=ward", "survey=every-type")
        .replace("error_noisy", columns(survey)[first])
        .replace("signed_noisy", columns(survey)[second])
        for one in re.findall(r"(?ms)^```sql\n(.*?)^```", (ROOT / "docs/large.md").read_text())
        if ("read_parquet" in one) == (package == "duckdb")
    ]
    expected = tallies.waves[1].block(first, second)
    found = np.zeros_like(expected)
    for revision, wave, one, other, n in engine(query):
        assert (revision, int(wave)) == (survey.revision, 0)
        # What was not asked is counted last.
        found[-1 if one is None else one, -1 if other is None else other] = n
    assert np.array_equal(found, expected)


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
