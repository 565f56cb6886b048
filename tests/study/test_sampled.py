"""A survey's own weights, strata and clusters, by the formulas of the textbooks."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import deniable
from deniable.study import Study
from deniable.survey_file import read

SURVEY = """\
version: 1
survey: pupils
title: Pupils
questions:
  - {id: copied, text: Copied, type: single, answers: [No, Yes], flip: 1/4}
  - {id: days, text: Days, type: number, min: 0, max: 4, epsilon: 2, family: k_ary}
  - {id: region, text: Region, type: single, answers: [North, South], protection: direct}
  - {id: size, text: Size, type: number, min: 1, max: 9, protection: direct}
"""
N = 240


@pytest.fixture
def rows() -> list[dict[str, str]]:
    random = np.random.default_rng(6)
    return [
        {
            "copied_noisy": str(random.choice(["no", "yes"])),
            "days_noisy": str(random.integers(0, 5)),
            "region": str(random.choice(["north", "south"])),
            "size": str(random.integers(1, 10)),
            "w": f"{random.uniform(0.5, 3):.3f}",
            "school": str(random.integers(0, 12)),
        }
        for _ in range(N)
    ]


@pytest.fixture
def study(tmp_path: Path, rows: list[dict[str, str]]) -> Study:
    (tmp_path / "pupils.yaml").write_text(SURVEY)
    with (tmp_path / "reports.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    made: Study = deniable.open(
        tmp_path / "pupils.yaml", tmp_path / "reports.csv", beside=["w", "school"]
    )
    return made


def by_hand(rows: list[dict[str, str]], among: str = "") -> tuple[float, float]:
    """Return the share and its error of pupils drawn in schools within regions (Särndal, 5.7)."""
    inside = np.array([not among or row["region"] == among for row in rows])
    weights = np.array([float(row["w"]) for row in rows]) * inside
    # 1.5 for a yes and -0.5 for a no: expected to be 1 and 0.
    g = np.array([1.5 if row["copied_noisy"] == "yes" else -0.5 for row in rows])
    share = float(weights @ g / weights.sum())
    parts = weights * (g - share) / weights.sum()
    variance = 0.0
    for region in ("north", "south"):
        totals: dict[str, float] = {}
        for row, part in zip(rows, parts, strict=True):
            if row["region"] == region:
                totals[row["school"]] = totals.get(row["school"], 0.0) + part
        of = np.array([*totals.values()])
        variance += len(of) / (len(of) - 1) * float(((of - of.mean()) ** 2).sum())
    return share, math.sqrt(variance)


def test_the_shares_of_a_population_are_those_of_the_formulas(
    study: Study, rows: list[dict[str, str]]
) -> None:
    found = study.shares("copied", weights="w", strata="region", clusters="school")
    (yes,) = [row for row in found.export.rows if row["answer"] == "yes"]
    share, error = by_hand(rows)
    assert yes["estimate"] == pytest.approx(share)
    assert yes["standard_error"] == pytest.approx(error)
    units = {(row["region"], row["school"]) for row in rows}
    t = float(stats.t.ppf(0.975, len(units) - 2))
    assert yes["high"] == pytest.approx(share + t * error)
    assert f"{100 * share:.1f} %" in repr(found)
    assert "weights w, strata region, clusters school" in repr(found)


def test_groups_of_a_population_are_its_domains(study: Study, rows: list[dict[str, str]]) -> None:
    found = study.by("region", "copied", weights="w", strata="region", clusters="school")
    for code in ("north", "south"):
        (yes,) = [r for r in found.export.rows if (r["group"], r["answer"]) == (code, "yes")]
        assert (yes["estimate"], yes["standard_error"]) == pytest.approx(by_hand(rows, code))
    figure = found.figure()
    assert figure._repr_svg_().startswith("<?xml")


def test_a_direct_number_of_the_survey_weighs_too_and_all_items_are_estimated(
    study: Study, rows: list[dict[str, str]]
) -> None:
    found = study.shares(weights="size").export.rows
    assert {row["item"] for row in found} == {"copied", "days", "region", "size"}
    weights = np.array([float(row["size"]) for row in rows])
    (mean,) = [row for row in found if (row["item"], row["statistic"]) == ("size", "mean")]
    assert mean["estimate"] == pytest.approx(weights @ weights / weights.sum())
    # Weights that are all alike change no estimate.
    rows_alike = study.shares("days", strata="region").export.rows
    plain = {row["answer"]: row["estimate"] for row in study.shares("days").export.rows}
    assert {row["answer"]: row["estimate"] for row in rows_alike} == pytest.approx(plain)


def test_a_column_that_is_not_there_is_answered_by_those_that_are(
    study: Study, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"'weight'.*\(w, school, region, size\)"):
        study.shares(weights="weight")
    with pytest.raises(ValueError, match="'copied'"):
        study.shares(strata="copied")
    with pytest.raises(ValueError, match="expected a weight"):
        study.shares(weights="region")
    with pytest.raises(ValueError, match="randomised"):
        study.by("days", "copied", weights="w")
    with pytest.raises(ValueError, match="unknown column 'school'"):
        deniable.open(tmp_path / "pupils.yaml", tmp_path / "reports.csv", beside=["w"])
    with pytest.raises(ValueError, match="'v'"):
        deniable.open(
            tmp_path / "pupils.yaml", tmp_path / "reports.csv", beside=["w", "school", "v"]
        )


def test_somebody_without_a_weight_is_no_guess(study: Study) -> None:
    answers = study.answers.copy()
    answers[3, 2] = 255
    with pytest.raises(ValueError, match="1 empty"):
        Study(study.survey, answers, "", study.beside).shares(strata="region")
    with pytest.raises(ValueError, match="is asked once"):
        Study.of(read(SURVEY).survey, [], "").waves()
