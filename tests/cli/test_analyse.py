"""``deniable analyse``: rates and regressions from a CSV that was collected anywhere."""

import csv
import io
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from deniable import designs
from deniable.analysis import regress
from tests.cli.conftest import Run, names

FORCED = "forced_response: {truth: 2/3, yes: 1/2}"

# 2,457 people as in a published survey of militants' contacts in Nigeria, of whom 22 are missing:
# Blair, Imai and Zhou (2015); P(yes) = 1/6 + 2/3 θ, so that θ is (831/2435 - 1/6) / (2/3).
NO, YES, MISSING = 1604, 831, 22


@pytest.fixture(autouse=True)
def data(folder: Path) -> None:
    random = np.random.default_rng(5)
    cells = ["0"] * NO + ["1"] * YES + ["NA"] * MISSING
    random.shuffle(cells)
    lines = ['"id","rr.q1","cov.age","cov.female","region"']
    for number, cell in enumerate(cells):
        age, female = random.integers(18, 70), random.integers(0, 2)
        lines.append(f'{number},{cell},{age},{female},"{random.choice(["north", "south"])}"')
    (folder / "survey.csv").write_text("\n".join(lines) + "\n")


def analyse(run: Run, *options: object, exits: int = 0) -> str:
    result = run("analyse", "survey.csv", *options, exits=exits)
    return result.stdout if exits == 0 else result.stderr


def test_a_column_becomes_a_table_to_publish(run: Run) -> None:
    said = analyse(run, "--column", "rr.q1", "--design", FORCED)
    lines = said.splitlines()
    assert lines[0] == "rr.q1; survey.csv: 2,435 responses, 22 missing"
    assert lines[1].endswith(
        "; P(yes | no) 0.1667, P(yes | yes) 0.8333; ε 1.61; yes of the design: “1”"
    )
    # The digits of R's rr and RRreg on the same counts: .2619096509 (.0144156656).
    (row,) = [line.split() for line in lines if line.strip().startswith("yes")]
    assert row[:5] == ["yes", "34.1", "%", "26.2", "%"]
    assert row[-4:-2] == ["1.4", "%"]
    theta, rate = 0.2619096509, YES / (NO + YES)
    effect = rate * (1 - rate) / (2 / 3) ** 2 / (theta * (1 - theta))
    assert names(said, f"{effect:.2f}", "2,435 responses", f"{2435 / effect:,.0f} direct answers")
    # A report counts 1 / (2/3) times as much as a direct answer.
    assert names(said, "25 of 2,435", f"{25 * 1.5 / 2435:.3g}")


def test_a_mean_needs_the_values_of_the_truths(run: Run, folder: Path) -> None:
    (folder / "survey.csv").write_text("drinks\n" + "0\n" * 40 + "1\n" * 60)
    design = "two_point: {levels: 5, epsilon: 1}"
    said = analyse(run, "--column", "drinks", "--design", design, exits=1)
    assert "not identifiable" in said
    options = ("--column", "drinks", "--design", design, "--values", "0,1,2,3,4")
    (row,) = csv.DictReader(io.StringIO(analyse(run, *options, "--format", "csv")))
    # Duchi's design: P(high) = 1/2 + (level - 2) / 4 * (e - 1) / (e + 1).
    slope = (math.e - 1) / (math.e + 1) / 4
    assert float(row["estimate"]) == pytest.approx(2 + (0.6 - 0.5) / slope, abs=1e-6)
    assert (row["answer"], row["statistic"]) == ("", "mean")


def test_errors_are_those_that_are_asked_for(run: Run, folder: Path) -> None:
    rows = [f"{place % 7 % 2},{place % 11}" for place in range(300)]
    (folder / "survey.csv").write_text("\n".join(["q,age", *rows, ""]))
    options = ("--formula", "q ~ age", "--design", FORCED, "--errors", "sandwich")
    document = json.loads(analyse(run, *options, "--format", "json"))
    reports, ages = zip(*(map(int, row.split(",")) for row in rows), strict=True)
    fit = regress(reports, [[1, age] for age in ages], designs.forced_response("2/3", "1/2"))
    found = [row["standard_error"] for row in document["coefficients"]]
    assert found == pytest.approx(fit.standard_error("sandwich").tolist(), rel=1e-6)


def test_intervals_may_be_by_profile_likelihood(run: Run) -> None:
    options = ("--formula", "rr.q1 ~ female", "--design", FORCED, "--ends", "profile")
    assert "intervals by profile likelihood" in analyse(run, *options)


def test_cells_are_read_as_meant(run: Run, folder: Path) -> None:
    rows = [f"{place % 3 % 2}.0,{20 + place % 40},{'mf'[place % 2]}" for place in range(400)]
    rows[7], rows[9], rows[11] = "1.0,unknown,f", ",30,f", "1.0,30,F"
    (folder / "survey.csv").write_text("\n".join(["q,age,sex", *rows, ""]))
    said = analyse(run, "--column", "q", "--design", FORCED)
    assert said.startswith("q; survey.csv: 399 responses, 1 missing")
    assert analyse(run, "--column", "q", "--design", FORCED, "--codes", "0,1") == said
    said = analyse(run, "--formula", "q ~ age", "--design", FORCED, exits=1)
    assert "1 of 400 cells of age are no numbers: 'unknown' (1); expected" in " ".join(said.split())
    for options in (("--column", "q", "--by", "sex"), ("--formula", "q ~ sex")):
        done = run("analyse", "survey.csv", *options, "--design", FORCED)
        assert "column 'sex': 'F' and 'f' differ in case alone" in done.stderr


def test_a_large_number_s_coefficient_has_three_digits(run: Run, folder: Path) -> None:
    rows = [f"{int(place % 7 < 3)},{12000 + 780 * (place * 37 % 100)}" for place in range(400)]
    (folder / "survey.csv").write_text("\n".join(["q,income", *rows, ""]))
    lines = analyse(run, "--formula", "q ~ income", "--design", FORCED).splitlines()
    (row,) = [line.split() for line in lines if line.startswith("income")]
    digits = re.compile(r"−?\d\.\d\de−\d")
    assert all(digits.fullmatch(row[place]) for place in (1, 2, 3, 5)), row
    assert row[8] != "1.00", row


def test_a_list_experiment_is_read_with_gaps(run: Run, folder: Path) -> None:
    rows = ["1,short,no,2", "3,long,yes,1", "2,short,yes,2", "2,long,no,1", "NA,long,no,2"]
    rows += ["3,short,no,4", "3,long,no,2", "2,short,no,3", "4,long,no,1"]
    (folder / "survey.csv").write_text("\n".join(["count,list,direct,other", *rows]) + "\n")
    options = ("--list", "count", "--arm", "list", "--arms", "short,long")
    said = analyse(run, *options)
    assert names(said, "count; survey.csv: 4 with the short list, 4 with the long one, 1 missing")
    found = json.loads(analyse(run, *options, "--direct", "direct", "--format", "json"))
    assert [row["by"] for row in found["estimates"]] == ["both", "direct question", "lists"]
    assert found["estimates"][2]["estimate"] == 1.0
    (double,) = json.loads(analyse(run, *options, "--second-list", "other", "--format", "json"))[
        "estimates"
    ]
    assert double["estimate"] == (7 / 4 + 3 / 4) / 2


def test_a_dictionary_makes_data_a_survey(run: Run, folder: Path) -> None:
    (folder / "d.yaml").write_text(
        f"columns:\n  rr.q1: {{design: {{{FORCED}}}}}\n  region: {{protection: direct}}\n"
    )
    said = analyse(run, "--dictionary", "d.yaml", "--item", "rr.q1", "--by", "region")
    assert names(said, "2,435 responses", "22 missing", "north − south")
    weighed = analyse(run, "--dictionary", "d.yaml", "--item", "rr.q1", "--weights", "cov.age")
    assert names(weighed, "weights cov.age", told := "2,166 1.12")
    column = ("--column", "rr.q1", "--design", FORCED, "--weights", "cov.age")
    assert names(analyse(run, *column), told)
    assert "without weights" in analyse(run, *column, "--values", "0,1", exits=1)
    saha = ("--column", "cov.age", "--design", "saha: {multiplier: 2, addend: 1}")
    assert "Effective n" in analyse(run, *saha, "--weights", "cov.age")
    for wrong, why in (
        (("--item", "rr.q1", "--store", "s.db"), "--dictionary cannot be used with"),
        (("--column", "rr.q1", "--design", FORCED), "--dictionary is for a survey"),
    ):
        assert why in analyse(run, "--dictionary", "d.yaml", *wrong, exits=2)
    assert "expected --dictionary" in analyse(run, "--item", "rr.q1", exits=2)
