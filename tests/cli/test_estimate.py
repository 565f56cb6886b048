"""``deniable estimate``: from a CSV or a store to shares with intervals."""

import csv
import io
import json
from contextlib import closing
from pathlib import Path

import pytest

import deniable
from deniable import designs
from deniable.analysis import estimate
from deniable.server.store import open_store
from deniable.survey_file import read
from tests.cli.conftest import DOPING, Run
from tests.kit import surveys

NOISE = "doped_noisy\n" + "no\n" * 65 + "yes\n" * 60


@pytest.fixture(autouse=True)
def noise(folder: Path) -> None:
    (folder / "noise.csv").write_text(NOISE)


def from_csv(run: Run, *options: object, exits: int = 0) -> str:
    result = run("estimate", "doping.yaml", "--reports", "noise.csv", *options, exits=exits)
    return result.stdout if exits == 0 else result.stderr


def test_prints_a_table_that_can_be_piped(run: Run) -> None:
    lines = from_csv(run).splitlines()
    # p = 1/4: (60/125 - 1/4) / (1 - 2/4) = .46
    assert lines[0].startswith("Doping in [bold]your[/bold] sport :smile: (doping): 125 resp")
    low = f"{100 * estimate([65, 60], designs.warner('1/4')).interval()[0, 0]:.1f}"
    assert lines[4].split()[:8] == ["doped", "No", "52.0", "%", "54.0", "%", low, "to"]
    assert lines[5].split()[:5] == ["Yes", "48.0", "%", "46.0", "%"]
    assert "\x1b" not in "".join(lines)


def test_without_reports_there_is_no_estimate(run: Run, folder: Path) -> None:
    (folder / "noise.csv").write_text("doped_noisy\n")
    for form in ("table", "csv", "json"):
        told = run("estimate", "doping.yaml", "--reports", "noise.csv", "--format", form, exits=1)
        assert (told.stdout, "'doping' has no reports yet" in told.stderr) == ("", True)


def test_reads_reports_or_the_survey_from_standard_input(run: Run) -> None:
    expected = from_csv(run)
    assert run("estimate", "doping.yaml", "--reports", "-", typed=NOISE).stdout == expected
    assert run("estimate", "-", "--reports", "noise.csv", typed=DOPING).stdout == expected
    assert "only one of" in run("estimate", "-", "--reports", "-", exits=2).stderr


def test_writes_in_the_format_of_the_ending(run: Run, folder: Path) -> None:
    assert from_csv(run, "-o", "out.csv") == ""
    assert (folder / "out.csv").read_bytes().startswith(b"question,item,answer,statistic,")
    from_csv(run, "-o", "out.txt")
    assert (folder / "out.txt").read_text(encoding="utf-8") == from_csv(run)
    from_csv(run, "-o", "out.JSON")
    assert json.loads((folder / "out.JSON").read_text(encoding="utf-8"))["n"] == 125
    said = from_csv(run, "-o", "out.json", "--format", "table", exits=2)
    assert "this would write a table for people" in said


def test_a_corrected_word_does_not_split_the_reports(run: Run, folder: Path) -> None:
    text = DOPING.replace("[bold]", "") + "\nbatch: 20\n"
    first, corrected = read(DOPING).survey, read(text).survey
    run("simulate", "doping.yaml", "-n", 7, "--store", "s.db")
    (folder / "doping.yaml").write_text(text)
    with closing(open_store("sqlite:///s.db")) as store:
        store.register(corrected)
    run("simulate", "doping.yaml", "-n", 4, "--add", "--store", "s.db")
    said = " ".join(run("estimate", "--store", "s.db").stdout.split())
    assert "11 respondents" in said
    earlier = f"7 reports to revision {first.shown_number} (other there: title, batch): counted"
    assert earlier in said
    alone = run("estimate", "--store", "s.db", "--revision", first.revision[:6]).stdout
    assert "7 respondents" in alone
    # The same wherever it can be asked for.
    exported = run("export", "--store", "s.db")
    assert exported.stdout.count("\n") == 12
    assert earlier in " ".join(exported.stderr.split())
    assert "11" in run("analyse", "doping", "--store", "s.db", "--item", "doped").stdout
    assert deniable.open("doping", f"sqlite:///{folder / 's.db'}").n == 11
    assert run("export", "--store", "s.db", "--revision", first.revision).stdout.count("\n") == 8


def test_a_mean_that_is_wide_says_why(run: Run, folder: Path) -> None:
    """Thirty people who all say 0: some with other numbers may not be among them."""
    asked = "id: times, text: How often, type: number, min: 0, max: 10, epsilon: 7"
    (folder / "times.yaml").write_text(surveys.file_of(asked))
    run("simulate", "times.yaml", "-n", 30, "-r", "times.0=100%", "--seed", 1, "-o", "times.csv")
    said = run("estimate", "times.yaml", "--reports", "times.csv").stdout
    assert "times: the interval of the mean is wider than the spread" in said
    run("simulate", "times.yaml", "-n", 3000, "--seed", 1, "-o", "many.csv")
    said = run("estimate", "times.yaml", "--reports", "many.csv").stdout
    assert "wider than the spread" not in said


MEMBERS = "doped_noisy,role\n" + "no,player\n" * 30 + "yes,coach\n" * 20 + "no,doctor\n" * 2


@pytest.mark.promise("few")
def test_direct_answers_of_few_need_asking(run: Run, folder: Path) -> None:
    (folder / "club.yaml").write_text(surveys.CLUB)
    (folder / "members.csv").write_text(MEMBERS)

    def shares(*options: str) -> dict[str, str]:
        said = run("estimate", "club.yaml", "--reports", "members.csv", "--format", "csv", *options)
        rows = csv.DictReader(io.StringIO(said.stdout))
        return {row["answer"]: row["estimate"] for row in rows if row["item"] == "role"}

    assert [bool(shares()[answer]) for answer in ("player", "coach", "doctor")] == [0, 1, 0]
    assert float(shares("--small-cells")["doctor"]) == pytest.approx(2 / 52)
    table = run("estimate", "club.yaml", "--reports", "members.csv").stdout
    assert "– of a direct answer: fewer than 5 people gave it" in table
    shown = run("estimate", "club.yaml", "--reports", "members.csv", "--small-cells").stdout
    assert "fewer than 5 people" not in shown
