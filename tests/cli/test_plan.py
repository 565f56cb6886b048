"""``deniable plan``, and ``deniable analyse`` of a survey's own reports."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, names
from tests.kit.surveys import file_of, yes_or_no

SURVEY = file_of(
    "id: error, text: Errors, type: single, answers: [No, Yes], flip: 1/5",
    "id: signed, text: Signed, type: single, answers: [No, Yes], flip: 1/4",
    "id: ward, text: Ward, type: single, answers: {a: Ward A, b: Ward B}, protection: direct",
    slug="nurses",
)


@pytest.fixture(autouse=True)
def survey(folder: Path) -> None:
    (folder / "nurses.yaml").write_text(SURVEY)


@pytest.fixture
def reports(run: Run, folder: Path) -> Path:
    run("simulate", "nurses.yaml", "-n", 400, "--rate", "error.yes=30%", "-o", "reports.csv")
    return folder / "reports.csv"


def test_a_plan_says_how_many_people_it_takes(run: Run) -> None:
    said = run("plan", "nurses.yaml", "--within", 5, "--detect", "10%", 25).stdout
    # (.98/√n + 1/2n) / .6 = .05 for a flip of 1/5, and / .5 for one of 1/4.
    assert names(said, "1,101", "1,577", "10 %", "25 %", "80 %")


def test_a_plan_is_for_spreadsheets_and_programs_too(run: Run, folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(run("plan", "nurses.yaml", "--format", "csv").stdout)))
    assert [row["question"] for row in rows] == ["error", "signed", "ward"]
    run("plan", "nurses.yaml", "-n", 200, "--within", "5", "-o", "plan.json")
    plan = json.loads((folder / "plan.json").read_text())
    assert plan["respondents"] == 200
    assert plan["questions"][0]["n_within"] == 1101


def test_epsilon_spent_otherwise_is_planned_as_a_file(run: Run, folder: Path) -> None:
    five = "id: b, text: B, type: single, answers: [1, 2, 3, 4, 5]"
    shared = file_of(*yes_or_no(""), five, head="epsilon: 2")
    (folder / "shared.yaml").write_text(shared)
    (folder / "even.yaml").write_text(shared.replace("epsilon: 2", "epsilon: 3\nsplit: even"))
    otherwise = run("plan", "shared.yaml", "--epsilon", "3", "--split", "even", "--format", "csv")
    assert otherwise.stdout == run("plan", "even.yaml", "--format", "csv").stdout
    flipped = run("plan", "nurses.yaml", "--flip", "error", "1/4", "--prior", 10, "--format", "csv")
    error, signed, _ = csv.DictReader(io.StringIO(flipped.stdout))
    # Odds of 1 to 9 become 3 to 9.
    assert (error["flip"], error["posterior"]) == (signed["flip"], "0.25")
    said = run("plan", "nurses.yaml", "--flip", "ward", "1/4", exits=2).stderr
    assert names(said, "'ward'", "error, signed")


def test_weights_and_waves_are_options(run: Run, folder: Path, reports: Path) -> None:
    header, *lines = reports.read_text().splitlines()
    weighted = [f"{header},w", *(f"{line},{1 + place % 3}" for place, line in enumerate(lines))]
    (folder / "weighted.csv").write_text("\n".join(weighted))
    of = ["analyse", "nurses.yaml", "--reports", "weighted.csv", "--item", "error"]
    found = run(*of, "--weights", "w", "--strata", "ward", "--format", "csv").stdout
    (yes,) = [row for row in csv.DictReader(io.StringIO(found)) if row["answer"] == "yes"]
    rows = list(csv.DictReader(weighted))
    total = sum(float(row["w"]) for row in rows)
    share = sum(float(row["w"]) for row in rows if row["error_noisy"] == "yes") / total
    assert float(yes["estimate"]) == pytest.approx((share - 0.2) / 0.6)
    assert names(run(*of, "--weights", "ww", exits=1).stderr, "'ww'", "'w'")
    crossed = run(*of[:-2], "--cross", "error", "signed", "--weights", "w").stdout
    assert "Effective n" in crossed
    (folder / "census.csv").write_text("question,answer,people\nward,a,1\nward,c,2\n")
    raked = [*of, "--weights", "w", "--margins", "census.csv"]
    assert names(run(*raked, exits=1).stderr, "Error: census.csv: margin 'ward'", "'c'")
    for wrong, why in ((b"\xe9", "in UTF-8"), (b"a" * 200_000, "field larger than")):
        (folder / "census.csv").write_bytes(b"question,answer,people\nward,%b,1\n" % wrong)
        assert names(run(*raked, exits=1).stderr, "Error: census.csv, line 2", why)
    (folder / "census.csv").write_text("question,answer,people\nward,a,1\nward,Ward B,3\n")
    assert "margins ward" in run(*raked, "--trim", 4).stdout
    of_wards = [*of, "--weights", "w", "--strata", "ward", "--method"]
    assert "wald" in run(*of_wards, "wald", "--format", "json").stdout
    assert names(run(*of_wards, "feldman-cousins", exits=1).stderr, "feldman-cousins")
    nurses = ["analyse", "nurses.yaml", "--reports", reports, "--item", "error"]
    assert names(run(*nurses, "--wave", 2, exits=1).stderr, "nurses, which has 1, found 2")


def test_groups_of_unequal_size_take_more_people(run: Run, folder: Path) -> None:
    (folder / "one.yaml").write_text(file_of(*yes_or_no(""), head="epsilon: 1"))
    asked = ("plan", "one.yaml", "-n", 1000, "--detect", 40, 60, "--format", "json")
    even, uneven, other = (
        json.loads(run(*asked, "--first", part).stdout)["questions"][0] for part in (50, 20, 80)
    )
    # The variance of the difference goes with 1 / n1 + 1 / n2: 1/.2 + 1/.8 against 4.
    assert abs(uneven["n_detect"] / even["n_detect"] - 6.25 / 4) < 0.03
    assert abs(uneven["n_detect"] - other["n_detect"]) < 0.02 * other["n_detect"]
    assert even["power"] > uneven["power"]
    said = run(*asked[:-2], "--first", 20).stdout
    assert "Groups: of 20 and 80 % of the people" in said
    assert "above 0 and below 100, found '0'" in run(*asked, "--first", 0, exits=2).stderr
