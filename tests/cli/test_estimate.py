"""``deniable estimate``: from a CSV or a store to shares with intervals."""

import csv
import io
import json
from contextlib import closing
from pathlib import Path

import click
import numpy as np
import pytest

import deniable
from deniable import designs
from deniable.analysis import Tally, estimate, summarise
from deniable.cli.analyse import analyse_command
from deniable.cli.estimate import estimate_command
from deniable.cli.estimate_options import KINDS
from deniable.cli.plan import plan_command
from deniable.designs.numeric import two_point
from deniable.results.files import FORMATS
from deniable.results.item import parts_of_all
from deniable.results.text import written
from deniable.server.store import open_store
from deniable.survey_file import read
from tests.analysis.surveys import survey
from tests.analysis.test_results import number
from tests.cli.conftest import DOPING, Run, names

NUMBERS = """\
version: 1
survey: numbers
title: Numbers
questions:
  - {id: hours, text: Hours, type: number, min: 0, max: 2, step: 1, flip: 1/4}
  - {id: age, text: Age, type: number, min: 30, max: 40, step: 10, protection: direct}
"""

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


@pytest.mark.parametrize(("method", "level"), [("exact", 0.5), ("wilson", 0.95)])
def test_csv_and_json_hold_what_the_analysis_says(run: Run, method: str, level: float) -> None:
    options = ("--method", method, "--level", level)
    result = estimate([65, 60], designs.warner("1/4"))
    expected = result.interval(level, method)[1].tolist()
    (_, row) = csv.DictReader(io.StringIO(from_csv(run, "--format", "csv", *options)))
    assert [float(row["low"]), float(row["high"])] == pytest.approx(expected)
    assert float(row["estimate"]) == pytest.approx(0.46)
    document = json.loads(from_csv(run, "--format", "json", *options))
    found = document["estimates"][1]
    assert [found["low"], found["high"]] == pytest.approx(expected)
    assert (found["level"], found["n"]) == (level, 125)
    assert (found["method"], document["method"]) == (result.methods(method)[1], method)


def test_what_falls_outside_is_marked_and_kept(run: Run, folder: Path) -> None:
    (folder / "noise.csv").write_text("doped_noisy\n" + "no\n" * 90 + "yes\n" * 10)
    said = from_csv(run)
    assert "−30.0 % *" in said
    assert "130.0 % *" in said
    assert "* below 0 or above 100 %. Chance can cause this." in said
    assert "†" not in said  # the default interval looks at what is possible


def test_an_interval_of_which_little_is_possible_is_marked(run: Run, folder: Path) -> None:
    (folder / "noise.csv").write_text("doped_noisy\n" + "no\n" * 83 + "yes\n" * 17)
    said = from_csv(run, "--method", "blaker")
    assert said.count("% †") == 2
    assert "† less than a third of the interval is possible." in said
    (folder / "noise.csv").write_text("doped_noisy\n" + "no\n" * 75 + "yes\n" * 25)
    assert "†" not in from_csv(run, "--method", "blaker")


def test_without_reports_there_is_no_estimate(run: Run, folder: Path) -> None:
    (folder / "noise.csv").write_text("doped_noisy\n")
    for form in ("table", "csv", "json"):
        told = run(
            *("estimate", "doping.yaml", "--reports", "noise.csv", "--format", form), exits=1
        )
        assert (told.stdout, "'doping' has no reports yet" in told.stderr) == ("", True)


@pytest.mark.parametrize("command", [analyse_command, estimate_command, plan_command])
def test_each_command_that_estimates_offers_every_format(command: click.Command) -> None:
    (form,) = (one.type for one in command.params if one.name == "form")
    assert isinstance(form, click.Choice)
    assert form.choices == ("table", *FORMATS)
    assert {*KINDS} == {*form.choices}


def test_counts_at_which_all_results_once_were_lost(run: Run, folder: Path) -> None:
    (folder / "n11.yaml").write_text(
        "version: 1\nsurvey: n11\ntitle: Numbers\nquestions:\n"
        "  - {id: num, text: How many, type: number, min: 0, max: 10, step: 1, epsilon: 3}\n"
    )
    # As report_1, report_2, …; the design is piecewise, on two more levels.
    counts = [11, 11, 2, 2, 0, 2, 0, 0, 0, 1, 1, 0]
    names = read((folder / "n11.yaml").read_text()).survey.items[0].reports
    cells = [name.code for name, count in zip(names, counts, strict=True) for _ in range(count)]
    (folder / "n11.csv").write_text("\n".join(["num_noisy", *cells, ""]))
    rows = run("estimate", "n11.yaml", "--reports", "n11.csv", "--format", "csv").stdout
    most_likely = [
        float(row["maximum_likelihood"])
        for row in csv.DictReader(io.StringIO(rows))
        if row["statistic"] == "share"
    ]
    assert len(most_likely) == 11
    assert sum(most_likely) == pytest.approx(1)


def test_a_number_has_its_mean_before_its_shares(run: Run, folder: Path) -> None:
    (folder / "numbers.yaml").write_text(NUMBERS)
    (folder / "hours.csv").write_text(
        "hours_noisy,age\n" + "0,30\n" * 20 + "1,30\n" * 10 + "2,40\n" * 30
    )
    lines = run("estimate", "numbers.yaml", "--reports", "hours.csv").stdout.splitlines()
    assert lines[0].startswith("Numbers")
    hours = next(place for place, line in enumerate(lines) if line.startswith("hours "))
    # Flip 1/4, so that 3/4 − 1/8 of the mean's difference from 1 is left: 1 + (10/60)/(5/8).
    assert lines[hours].split()[1:4] == ["Mean", "–", "1.267"]
    assert " to " in lines[hours]
    assert "%" not in lines[hours]
    assert lines[hours + 1].split()[:2] == ["0", "33.3"]
    age = next(place for place, line in enumerate(lines) if line.startswith("age (direct) "))
    assert lines[age].split()[2:5] == ["Mean", "–", "35.00"]
    said = "\n".join(lines)
    assert "Mean alone" not in said
    assert "of a mean" not in said


def test_a_mean_is_there_alone_where_reports_do_not_tell_the_shares() -> None:
    asked = survey(
        (number("hours", "0", "12", "24"), two_point(3, 1)),
        (number("sold", "0", "1"), designs.warner("1/4")),
    )
    tally = Tally(asked.revision, 100, (np.array([90, 10]), np.array([78, 22])))
    said = written(parts_of_all(summarise(asked, tally), ""))
    lines = said.splitlines()
    (hours,) = (line for line in lines if line.startswith("hours "))
    assert " * " in hours
    # 12 − 12 × .8/tanh(1/2) = −8.77, more than two errors of .6 × 26/10 below 0.
    assert "−8.77 *" in hours
    assert lines[lines.index(hours) + 2].startswith("sold "), "no line a share"
    assert "Mean alone: the design of that question does not tell the shares" in said
    (doubt,) = (line for line in lines if "Was the design followed?" in line)
    assert names(doubt, "hours", "−8.77")
    assert names(said, "5 %")


def test_reads_reports_or_the_survey_from_standard_input(run: Run) -> None:
    expected = from_csv(run)
    assert run("estimate", "doping.yaml", "--reports", "-", typed=NOISE).stdout == expected
    assert run("estimate", "-", "--reports", "noise.csv", typed=DOPING).stdout == expected
    assert "only one of" in run("estimate", "-", "--reports", "-", exits=2).stderr


def test_writes_a_file_in_the_format_of_its_ending(run: Run, folder: Path) -> None:
    assert from_csv(run, "-o", "out.csv") == ""
    assert (folder / "out.csv").read_bytes().startswith(b"question,item,answer,statistic,")
    from_csv(run, "-o", "out.txt")
    assert (folder / "out.txt").read_text(encoding="utf-8") == from_csv(run)
    from_csv(run, "-o", "out.JSON")
    assert json.loads((folder / "out.JSON").read_text(encoding="utf-8"))["n"] == 125
    said = from_csv(run, "-o", "out.json", "--format", "table", exits=2)
    assert "this would write a table for people" in said


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "noise.csv: line 1: found no column 'doped_noisy'"),
        (b"doped\nno\n", "found no column 'doped_noisy', an unknown column 'doped'"),
        (b"doped_noisy\nno\nmaybe\n", "line 3: column 'doped_noisy': expected one of 'no', 'yes'"),
        (b"doped_noisy\nno,no\n", "line 2: expected 1 cells, found 2"),
        (b"doped_noisy\n\xff\n", "noise.csv: expected a CSV in UTF-8"),
    ],
)
def test_a_bad_csv_is_explained(run: Run, folder: Path, content: bytes, message: str) -> None:
    (folder / "noise.csv").write_bytes(content)
    assert message in from_csv(run, exits=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--reports", "noise.csv"], "SURVEY is missing"),
        (["doping", "--reports", "noise.csv"], "'doping' is not a file"),
        (["doping.yaml", "--reports", "no.csv"], "File 'no.csv' does not exist"),
        (
            ["doping.yaml", "--reports", "noise.csv", "--store", "sqlite:///s.db"],
            "cannot be used with --store or --revision",
        ),
        (["doping", "--level", "95"], "expected a share between 0 and 1, such as 0.95"),
        (["doping", "--method", "wilsn"], "'wilsn' is not one of"),
    ],
)
def test_wrong_usage_exits_with_2(run: Run, arguments: list[str], message: str) -> None:
    assert message in run("estimate", *arguments, exits=2).stderr


def test_a_store_and_a_csv_of_it_give_the_same_estimates(run: Run) -> None:
    run("simulate", "every-type.yaml", "-n", 400, "--store", "sqlite:///deniable.db")
    run("export", "every-type", "-o", "every.csv")
    from_store = run("estimate", "every-type", "--format", "csv").stdout
    assert run("estimate", "--format", "csv").stdout == from_store  # the only survey there
    by_csv = run("estimate", "every-type.yaml", "--reports", "every.csv", "--format", "csv").stdout
    assert by_csv == from_store


def test_the_survey_in_a_store_must_be_found(run: Run) -> None:
    run("simulate", "doping.yaml", "-n", 4, "--store", "sqlite:///s.db")
    run("simulate", "every-type.yaml", "-n", 4, "--store", "sqlite:///s.db")

    def said(*arguments: object) -> str:
        return run("estimate", *arguments, "--store", "sqlite:///s.db", exits=1).stderr

    assert names(said(), "doping", "every-type")
    assert names(said("dopin"), "'dopin'", "'doping'")
    assert not names(said("dopin"), "every-type")
    assert names(said("zzz"), "'zzz'", "doping", "every-type")
    assert "expected a revision of 'doping'" in said("doping", "--revision", "zz")


def test_a_corrected_word_does_not_split_the_reports(run: Run, folder: Path) -> None:
    first, corrected = (read(text).survey for text in (DOPING, DOPING.replace("[bold]", "")))
    run("simulate", "doping.yaml", "-n", 7, "--store", "s.db")
    (folder / "doping.yaml").write_text(DOPING.replace("[bold]", ""))
    with closing(open_store("sqlite:///s.db")) as store:
        store.register(corrected)
    run("simulate", "doping.yaml", "-n", 4, "--add", "--store", "s.db")
    said = " ".join(run("estimate", "--store", "s.db").stdout.split())
    assert "11 respondents" in said
    earlier = f"7 reports to revision {first.fingerprint} (other there: title): counted in this."
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


def test_revisions_of_other_questions_are_estimated_apart(run: Run, folder: Path) -> None:
    run("simulate", "doping.yaml", "-n", 7, "--store", "sqlite:///s.db")
    store = open_store("sqlite:///s.db")
    store.register(read(DOPING.replace("1/4", "1/3")).survey)
    store.close()
    said = run("estimate", "--store", "sqlite:///s.db", exits=1).stderr
    assert "has no reports yet" in said
    assert names(said, "7 reports", "doped: design", "no question is the same")
    first = read(DOPING).survey.revision[:6]
    said = run("estimate", "--store", "sqlite:///s.db", "--revision", first).stdout
    assert "7 respondents" in said
    assert "other revisions" not in said


@pytest.mark.parametrize(
    "url", ["sqlite:s.db", "postgresql://host/db", "sqlite:///noise.csv", "noise.csv"]
)
def test_what_is_no_store_is_explained(run: Run, url: str) -> None:
    assert "Error: " in run("estimate", "doping", "--store", url, exits=1).stderr


def test_a_mean_that_is_wide_says_why(run: Run, folder: Path) -> None:
    """Thirty people who all say 0: some with other numbers may not be among them."""
    (folder / "times.yaml").write_text(
        "version: 1\nsurvey: times\ntitle: Times\nquestions:\n"
        "  - {id: times, text: How often, type: number, min: 0, max: 10, epsilon: 7}\n"
    )
    run("simulate", "times.yaml", "-n", 30, "--rate", "times.0=1", "--seed", 1, "-o", "times.csv")
    said = run("estimate", "times.yaml", "--reports", "times.csv").stdout
    assert (
        "times: the interval of the mean is wider than the spread of the reports suggests, because"
        in said
    )
    run("simulate", "times.yaml", "-n", 3000, "--seed", 1, "-o", "many.csv")
    said = run("estimate", "times.yaml", "--reports", "many.csv").stdout
    assert "wider than the spread" not in said


CLUB = """\
version: 1
survey: club
title: A club
questions:
  - {id: doped, text: Doped, type: single, answers: [No, Yes], flip: 1/4}
  - {id: role, text: Role, type: single, answers: [Player, Coach, Doctor], protection: direct}
"""
MEMBERS = "doped_noisy,role\n" + "no,player\n" * 30 + "yes,coach\n" * 20 + "no,doctor\n" * 2


@pytest.mark.promise("few")
def test_direct_answers_of_few_people_are_shown_only_if_asked_for(run: Run, folder: Path) -> None:
    (folder / "club.yaml").write_text(CLUB)
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
