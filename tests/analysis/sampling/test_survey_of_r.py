"""Weighted estimates, digit for digit as R's package survey computes them (`survey.R`).

Of a randomised answer R is given what each report contributes to the estimate (`least_variance`):
everything here is linear in these, so both are the same to rounding.
"""

import csv
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from deniable.analysis.sampling.calibration import calibrated
from deniable.analysis.waves import changes_of
from deniable.estimator import least_variance
from deniable.reanalysis import scrambled
from deniable.reanalysis.methods import Asked
from deniable.study import Study
from deniable.survey_file import read
from tests.kit import needs

SURVEY: Final = """\
version: 1
survey: schools
title: Schools
questions:
  - {id: y, text: Y, type: single, answers: [No, Yes], flip: 1/20}
  - {id: z, text: Z, type: single, answers: [No, Yes], flip: 1/20}
  - {id: v, text: V, type: number, min: 0, max: 2, epsilon: 5, family: k_ary,
     prefer_not_to_say: true}
  - {id: k, text: K, type: number, min: 0, max: 3, epsilon: 5, family: k_ary}
  - {id: direct, text: D, type: single, answers: [No, Yes], protection: direct}
  - {id: x, text: X, type: number, min: 0, max: 100, protection: direct}
  - {id: a, text: A, type: single, answers: [E, H, M], protection: direct}
  - {id: b, text: B, type: single, answers: [No, Yes], protection: direct}
"""
HERE: Final = Path(__file__).parent
SAHA: Final = {"saha": {"multiplier": 1.5, "addend": 3}}
TOLD: Final = ("estimate", "standard_error")
RSCRIPT: Final = "sudo apt-get install r-base-core r-cran-survey"

Rows = list[dict[str, Any]]


def noisy(rows: Rows, seed: int) -> Study:
    """Send reports of schools: the truths are whether x is high, whether b, and the third of x."""
    survey, random = read(SURVEY).survey, np.random.default_rng(seed)
    truths = {
        "y": [int(row["x"] > 60) for row in rows],
        "z": [row["b"] for row in rows],
        "v": [min(row["x"] // 25, 3) for row in rows],
        "k": [row["x"] // 26 for row in rows],
        "direct": [int((row["x"] + 37 * row["b"]) % 100 > 50) for row in rows],
        **{name: [row[name] for row in rows] for name in ("x", "a", "b")},
    }
    columns, columns_of = [], {item.id for item in survey.items}
    for item in survey.items:
        chances = item.channel.probabilities[truths[item.id]].cumsum(axis=1)
        columns.append((random.random((len(rows), 1)) > chances).sum(axis=1))
    reports = np.stack(columns, axis=1).astype(np.uint8)
    given = {name: [str(row[name]) for row in rows] for name in rows[0].keys() - columns_of}
    given["q"] = [str(1.5 * row["x"] + place % 5) for place, row in enumerate(rows)]
    return replace(Study.of(survey, [reports.tobytes()], "from memory"), beside=given)


def made_up() -> Rows:
    """Return 200 schools in strata and clusters, with weights."""
    random = np.random.default_rng(32)
    rows = []
    for place in range(200):
        w = round(float(random.uniform(1, 5)), 2)
        row = {"s": "pqr"[place % 3], "c": place // 10, "w": w, "one": 1.0,
               "x": int(random.integers(0, 101)), "a": int(random.integers(0, 3)),
               "b": int(random.integers(0, 2))}  # fmt: skip
        rows.append(row)
    return rows


MARGINS: Final = {"a": {"e": 210.0, "h": 90.0, "m": 100.0}, "b": {"no": 150.0, "yes": 250.0}}


def sampled(study: Study, margins: Any) -> dict[str, Study]:
    post = {"a": margins["a"]}
    return {
        "strata": study.weights("w", strata="s"),
        "clusters": study.weights("one", clusters="c"),
        "post": study.weights("w", strata="s", margins=post),
        "raked": study.weights("one", clusters="c", margins=margins),
        "calibrated": study.weights("w", strata="s", margins=margins),
    }


def ours(study: Study, margins: Any) -> dict[str, Any]:
    """Compute what `survey.R` computes, in its order."""
    found: dict[str, Any] = {}
    for name, one in sampled(study, margins).items():
        assert one.sample is not None
        (design,) = one.sample.designs.values()
        found[f"{name} weights"] = [*design.weights[:12]]
        rows = {r["answer"]: r for r in one.shares("y").export.rows}
        yes = rows["yes"]
        found[f"{name} mean"] = [yes[k] for k in (*TOLD, "design_effect")]
        (given,) = [r for r in one.shares("v").export.rows if r["statistic"] == "mean"]
        found[f"{name} ratio"] = [given[k] for k in TOLD]
        asked = Asked(design=SAHA, column="q", sample=one.sample)
        (row,) = scrambled(one.beside, one.source, asked).export.rows
        found[f"{name} scrambled"] = [row[k] for k in (*TOLD, "design_effect")]
        found |= compared(name, one)
        cells = one.cross("y", "z").export.rows
        found[f"{name} table"] = [r[k] for k in TOLD for r in cells]
        if name == "clusters":
            (yes,) = [r for r in one.shares("y", method="wald").export.rows if r["answer"] == "yes"]
            found[f"{name} ciprop"] = [yes["low"], yes["high"]]
        if name in ("strata", "clusters"):
            found[f"{name} change"] = changed(study, margins, name)
        found |= regressed(name, one, "k ~ x + a", "direct ~ x + a")
    w = np.array([*map(float, study.beside["w"])])
    found["trimmed weights"] = [*calibrated(w, [], 1.5)[:12]]
    return found


def regressed(name: str, one: Study, linear: str, logit: str) -> dict[str, Any]:
    told = ("coefficient", "standard_error", "design_effect")
    return {
        f"{name} {what}": [r[k] for k in told for r in one.regress(formula).export.rows]
        for what, formula in (("lm", linear), ("glm", logit))
    }


def changed(study: Study, margins: Any, name: str) -> list[Any]:
    """Compare two waves: every second person each."""
    halves = (
        replace(
            study,
            answers=study.answers[half::2],
            of_wave=study.of_wave[half::2],
            beside={column: cells[half::2] for column, cells in study.beside.items()},
        )
        for half in (0, 1)
    )
    item = study.item("y")
    before, after = (sampled(half, margins)[name].reports_on(1, item) for half in halves)
    (_, yes) = changes_of((1, 2), item, (before, after))
    return [yes.estimate, yes.standard_error, yes.design_effect]


def compared(name: str, one: Study) -> dict[str, Any]:
    """Compare those who answered no to b with those who answered yes."""
    both, found = one.by("b", "y").export, {}
    yes = [r for r in both.rows if r["answer"] == "yes"]
    rows = [r for r in yes if r["statistic"] == "share"]
    found[f"{name} by"] = [r[k] for k in TOLD for r in rows]
    (apart,) = (r for r in yes if r["statistic"] == "difference")
    found[f"{name} difference"] = [apart[k] for k in (*TOLD, "design_effect")]
    for of, odds in (("shares", False), ("odds", True)):
        row = one.ratios("b", "y", odds=odds).export.rows[1]
        found[f"{name} {of}"] = [
            row[k] for k in ("estimate", "log_standard_error", "design_effect")
        ]
    return found


def by_r(study: Study, margins: Any, folder: Path) -> dict[str, list[float]]:
    rscript = needs.program("Rscript", RSCRIPT)
    items = {item.id: (item, study.answers[:, k]) for k, item in enumerate(study.survey.items)}
    G = {id: least_variance(item.channel)[:, column] for id, (item, column) in items.items()}
    columns: dict[str, Any] = dict(study.beside)
    for id in ("a", "b"):
        columns[id] = [items[id][0].truths[report].code for report in items[id][1]]
    columns |= {"x": items["x"][1], "direct": items["direct"][1], "g": G["y"][1]}
    (alike,) = sampled(study, margins)["clusters"].sample.designs.values()  # type: ignore[union-attr]
    columns |= {"df": [alike.degrees_of_freedom] * len(study.answers)}
    columns |= {"k": np.arange(4) @ G["k"]}
    columns |= {"u": G["v"][1] + 2 * G["v"][2], "h": G["v"][:3].sum(axis=0)}
    columns |= {f"t{i}{j}": G["y"][i] * G["z"][j] for i in (0, 1) for j in (0, 1)}
    with (folder / "data.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    lines = [f"{q},{a},{n!r}" for q, of in margins.items() for a, n in of.items()]
    (folder / "margins.csv").write_text("\n".join(["question,answer,people", *lines]))
    ended = subprocess.run(
        [rscript, HERE / "survey.R"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    found = {}
    for line in ended.stdout.splitlines():
        one, what, *values = line.split()
        found[f"{one} {what}"] = [float(value) for value in values]
    return found


def check(found: dict[str, list[float]], expected: dict[str, list[float]]) -> None:
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        # The law of two reports is rounded to multiples of 2^-32; R rakes errors ten times, and
        # ends its iterations of a logit by the deviance.
        rough = name.endswith(("table", "glm")) or name.startswith("raked")
        near = 1e-7 if rough else 1e-9
        assert found[name] == pytest.approx(values, rel=near, abs=near), name


def test_it_is_what_r_printed() -> None:
    lines = (HERE / "survey.txt").read_text().splitlines()
    printed = {" ".join(line.split()[:2]): [*map(float, line.split()[2:])] for line in lines}
    check(ours(noisy(made_up(), 7), MARGINS), printed)


@pytest.mark.slow
def test_r_prints_it_of_its_own_schools(tmp_path: Path) -> None:
    rscript = needs.program("Rscript", RSCRIPT)
    program = (
        "suppressMessages(library(survey)); data(api); d=apiclus1;"
        "write.csv(data.frame(s=d$stype,c=d$dnum,w=round(d$enroll/100)+1,one=1,x=d$meals,"
        "a=as.integer(d$stype)-1,b=as.integer(d$sch.wide)-1),row.names=FALSE)"
    )
    made = subprocess.run([rscript, "-e", program], capture_output=True, text=True, check=True)
    rows: Rows = []
    for one in csv.DictReader(made.stdout.splitlines()):
        row: dict[str, Any] = {name: int(cell) for name, cell in one.items() if name != "s"}
        rows.append({"s": one["s"], **row})
    study = noisy(rows, 8)
    # The schools of California, by type and by whether they met their target (apipop).
    margins = {"a": {"e": 4421.0, "h": 755.0, "m": 1018.0}, "b": {"no": 1072.0, "yes": 5122.0}}
    check(ours(study, margins), by_r(study, margins, tmp_path))
