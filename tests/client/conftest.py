"""Surveys that the client's tests answer."""

import pytest

from deniable.survey import Survey
from deniable.survey_file import read

EVERY_TYPE = """
version: 1
survey: every-type
title: One question of every type
epsilon: 8
questions:
  - {id: doped, text: Doped, type: single, answers: [No, Yes]}
  - {id: substances, text: Which, type: many, answers: [Steroids, EPO]}
  - {id: mood, text: Mood, type: single, answers: [Low, Fair, Good], prefer_not_to_say: true}
  - {id: knew, text: Who, type: grid, rows: [Coach, Doctor], answers: [No, Unsure, Yes]}
  - {id: hours, text: Hours, type: number, min: 0, max: 2, step: 0.5}
  - {id: age, text: Age, type: single, answers: [Young, Old], protection: direct}
"""


@pytest.fixture(scope="session")
def survey() -> Survey:
    return read(EVERY_TYPE).survey
