"""The desk's weighted changes between waves stand in the zip, and R computes them again."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from deniable.analysis.counts.pooling import rows_of_reports
from deniable.publication.material import Material
from deniable.publication.parcel import contents_of
from deniable.study.study import Study
from deniable.survey.grouped import read_columns
from deniable.survey_file import read
from tests.publication import made_up
from tests.publication.in_r import run

TEXT = """\
version: 1
survey: panel
title: Weighted twice
epsilon: 9
waves: {count: 2, redraw: 1/4}
questions:
  - {id: stole, text: Stole, type: single, answers: [No, Yes], flip: 1/4}
  - {id: often, text: How often, type: number, min: 0, max: 4, prefer_not_to_say: true}
  - {id: kind, text: Kind, type: single, answers: [a, b, c]}
  - {id: sex, text: Sex, type: single, answers: [f, m], protection: direct}
  - {id: ward, text: Ward, type: single, answers: [x, y, z], protection: direct}
"""
MARGINS = {"sex": {"f": 0.6, "m": 0.4}, "ward": {"x": 0.5, "y": 0.3, "z": 0.2}}


def panel(n: int = 600) -> tuple[Material, Study]:
    survey = read(TEXT).survey
    rows = made_up.answers(survey, n)
    rows[:, -1] //= 2  # waves 1 and 2
    columns = read_columns("sex,ward", survey)
    found = rows_of_reports(survey, [rows.tobytes()])
    return Material(survey, found, columns, margins=MARGINS), Study.shown(found, "", MARGINS)


def test_weighted_changes_are_those_of_the_desk() -> None:
    material, study = panel()
    weighted = csv.DictReader(io.StringIO(contents_of(material)["weighted.csv"].decode()))
    found = {
        (row["item"], row["answer"]): row
        for row in weighted
        if row["statistic"].startswith("change") and row["estimate"]
    }
    changes = study.estimates().changes
    told = [one for one in changes if one.estimate is not None]
    assert len(found) == len(told) > 6
    for one in told:
        row = found[one.item.id, one.answer.code if one.answer else ""]
        for name in ("estimate", "standard_error", "low", "high", "design_effect"):
            assert float(row[name]) == pytest.approx(getattr(one, name), rel=1e-9), name
    plain = {(one.item.id, one.answer): one.estimate for one in material.results.changes}
    assert all(one.estimate != plain[one.item.id, one.answer] for one in told)


@pytest.mark.slow
def test_r_computes_weighted_changes_again(tmp_path: Path) -> None:
    folder = made_up.unpack(panel()[0], tmp_path)
    ended = run(folder / "reproduce.R", cwd="/")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    file = folder / "weighted.csv"
    rows = [*csv.DictReader(io.StringIO(file.read_text()))]
    for name, by in (("estimate", 1e-6), ("standard_error", 1e-6), ("high", 0.02)):
        place = next(
            n for n, row in enumerate(rows) if row["statistic"] == "change_of_share" and row["low"]
        )
        changed = [*map(dict, rows)]
        changed[place][name] = repr(float(changed[place][name]) + by)
        with file.open("w", newline="") as lines:
            writer = csv.DictWriter(lines, [*rows[0]])
            writer.writeheader()
            writer.writerows(changed)
        ended = run(folder / "reproduce.R", cwd="/")
        assert ended.returncode == 1
        assert f"line {place + 2} " in ended.stdout, np.array(ended.stdout.splitlines())[-20:]
