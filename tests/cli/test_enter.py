"""``deniable enter``: sheets of paper into a store."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import DOPING, Run, names

SHEETS = "doped_noisy\nno\nyes\nno\n"


@pytest.fixture(autouse=True)
def sheets(folder: Path) -> None:
    (folder / "sheets.csv").write_text(SHEETS)


def test_a_survey_can_be_collected_on_paper_alone(run: Run) -> None:
    said = run("enter", "doping.yaml", "sheets.csv").stdout
    assert names(said, "3 sheets", "doping", "3 reports")
    found = json.loads(run("estimate", "doping", "--format", "json").stdout)
    assert found["n"] == 3
    # A third said yes, and two coins say a quarter: (1/3 - 1/4) / (1/2).
    assert found["estimates"][1]["estimate"] == pytest.approx(1 / 6)
    assert run("export", "doping").stdout == "doped_noisy\nno\nno\nyes\n"


def test_reads_standard_input(run: Run) -> None:
    assert "3 sheets" in run("enter", "doping.yaml", "-", typed=SHEETS).stdout
    assert "only one of" in run("enter", "-", "-", typed=SHEETS, exits=2).stderr


def test_the_revision_is_that_of_the_sheets(run: Run, folder: Path) -> None:
    run("enter", "doping.yaml", "sheets.csv")
    (folder / "draft.yaml").write_text(DOPING.replace("1/4", "1/6"))
    said = run("enter", "draft.yaml", "sheets.csv", exits=1).stderr
    assert "deniable.db: has no revision " in said
    assert run("export", "doping").stdout.count("\n") == 4


def test_a_mistake_enters_nothing(run: Run, folder: Path) -> None:
    (folder / "bad.csv").write_text("doped_noisy\nno\n\nmaybe\n")
    said = run("enter", "doping.yaml", "bad.csv", exits=1).stderr
    assert names(said, "bad.csv", "line 4", "'doped_noisy'", "'no'", "'yes'")
    assert not (folder / "deniable.db").exists()
    (folder / "latin.csv").write_bytes("doped_noisy\né\n".encode("latin-1"))
    said = run("enter", "doping.yaml", "latin.csv", exits=1).stderr
    assert names(said, "latin.csv", "UTF-8")


def test_the_same_sheets_are_entered_twice_only_if_asked_for(run: Run, folder: Path) -> None:
    run("enter", "doping.yaml", "sheets.csv")
    (folder / "again.csv").write_text("doped_noisy;\nyes;\nno;\nno;\n".replace(";", ""))
    said = run("enter", "doping.yaml", "again.csv", exits=1).stderr
    assert names(said, "deniable.db", "entered before", "--again")
    assert names(run("enter", "doping.yaml", "again.csv", "--again").stdout, "6 reports")
