"""Surveys of every kind of question, and reports to them that were drawn without the project."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.pooling import rows_of_reports
from deniable.analysis.privacy.disclosure import LEAST
from deniable.publication.material import Material
from deniable.publication.parcel import contents_of
from deniable.survey import Survey
from deniable.survey.grouped import read_columns
from deniable.survey_file import read

LONG = "Wie oft haben Sie in den letzten zwölf Monaten größere Mengen davon genommen? " * 5

EVERY_KIND = f"""\
version: 1
survey: every-kind
title: One question of every kind
epsilon: 12
organisation: "A club: the study group"
questions:
  - {{id: doped, text: Doped, type: single, answers: [No, Yes]}}
  - {{id: substances, text: Which, type: many, answers: [Steroids, EPO]}}
  - {{id: mood, text: "{LONG}", type: single, answers: [Low, Fair, Good], prefer_not_to_say: true}}
  - {{id: knew, text: Who, type: grid, rows: [Coach, Doctor], answers: [No, Unsure, Yes]}}
  - {{id: hours, text: Hours, type: number, min: 0, max: 2, step: 0.5, family: k_ary}}
  - {{id: drinks, text: Drinks, type: number, min: 0, max: 40, prefer_not_to_say: true}}
  - {{id: two, text: Goals, type: number, min: 0, max: 4, family: two_point}}
  - {{id: when, text: When, type: single, answers: [Before, After], ask_if: {{doped: yes}}}}
  - {{id: forced, text: Forced, type: single, answers: [No, Yes],
     design: {{kuk: {{no: 1/4, yes: 3/4, draws: 3}}}}}}
  - {{id: age, text: Age, type: single, answers: [Young, Old], protection: direct}}
  - {{id: why, text: Why, type: single, answers: ["{"ü" * 100}", Fun], protection: direct,
     ask_if: {{age: old}}}}
  - {{id: years, text: Years, type: number, min: -2, max: 10, prefer_not_to_say: true,
     protection: direct}}
"""


def survey(text: str = EVERY_KIND) -> Survey:
    return read(text).survey


def answers(of: Survey, n: int, seed: int = 13) -> npt.NDArray[np.uint8]:
    """Draw rows of reports by the channels' tables, more early answers than late ones."""
    random = np.random.default_rng(seed)
    columns = []
    for item in of.items:
        shares = np.arange(len(item.truths), 0, -1.0)
        of_reports = shares / shares.sum() @ item.channel.probabilities
        columns.append(random.choice(len(of_reports), n, p=of_reports / of_reports.sum()))
    if of.is_repeated:
        columns.append(random.choice([0, 2], n))  # nobody answered the second wave
    return np.array(columns, dtype=np.uint8).T


def material(
    of: Survey,
    rows: npt.NDArray[np.uint8],
    direct: str = "",
    least: int = LEAST,
    **more: Any,
) -> Material:
    """Publish rows with direct columns, as `deniable.survey.grouped.write_columns` writes them."""
    columns = read_columns(direct, of)
    return Material(of, rows_of_reports(of, [rows.tobytes()], least), columns, **more)


def unpack(material: Material, folder: Path) -> Path:
    for name, content in contents_of(material).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder
