"""Surveys that are asked again, for tests that need one."""

import os
from functools import cache

from deniable import Report, Survey
from deniable.survey_file import read

TEXT = """\
version: 1
survey: panel
title: A panel
epsilon: 3
waves: {count: 3, redraw: 1/10}
batch: 1
questions:
  - {id: doped, text: Doped, type: single, answers: [No, Yes]}
  - {id: sleep, text: Slept, type: single, answers: [Badly, So so, Well]}
  - {id: hours, text: Hours, type: number, min: 0, max: 4}
  - {id: age, text: Age, type: single, answers: [Young, Old], protection: direct}
"""


@cache
def panel(redraw: str = "1/10") -> Survey:
    """Read a survey of four questions and three waves."""
    return read(TEXT.replace("1/10", redraw)).survey


def of_wave(
    survey: Survey, wave: int, id: bytes | None = None, answers: bytes = bytes(4)
) -> Report:
    """Write a report of a wave of such a survey."""
    id = id or os.urandom(16)
    return Report(survey.slug, survey.revision, id, answers, wave)
