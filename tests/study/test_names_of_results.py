"""What people call their questions and answers never takes the place of a result's own columns."""

import csv
import io
import itertools
import json
from collections.abc import Iterator

import numpy as np
import pytest

import deniable
from deniable.results.files import FORMATS, Row
from deniable.results.result import Result
from deniable.study.study import Study
from deniable.survey_file import read
from tests.kit import first_of

ASKED = "asked"
GROUPS = ("one", "two")


def study_of(name: str, flip: str = "") -> Study:
    """Make a study with two groups of 30 and 50 by the question that is called `name`."""
    survey = read(
        f"version: 1\nsurvey: names\ntitle: Names\nquestions:\n"
        f"  - {{id: {name}, text: Group, type: single, {flip or 'protection: direct'},\n"
        f"     answers: {{one: The first, two: The second}}}}\n"
        f"  - {{id: {ASKED}, text: Asked, type: single, answers: [No, Yes], flip: 1/4}}\n"
    ).survey
    groups = np.repeat([0, 1], [30, 50])
    answers = np.stack([groups, np.arange(80) % 3 == 0], axis=1).astype(np.uint8)
    study: Study = deniable.open(survey, answers)
    return study


def found_in(name: str) -> Iterator[tuple[str, Result]]:
    """Yield each kind of result that has groups or pairs, in which the question is named."""
    direct, randomised = study_of(name), study_of(name, "flip: 1/5")
    yield "by", direct.by(name, ASKED)
    yield "by, with weights", direct.weights(strata=name).by(name, ASKED)
    yield "by a randomised question", randomised.by(name, ASKED)
    yield "cross", direct.cross(name, ASKED)


def as_csv(found: Result) -> list[Row]:
    written = FORMATS["csv"].write(found.export)
    assert isinstance(written, str)
    return list(csv.DictReader(io.StringIO(written)))


def as_json(found: Result) -> list[Row]:
    rows: list[Row] = json.loads(FORMATS["json"].write(found.export))[found.export.key]
    return rows


def as_frame(found: Result) -> list[Row]:
    frame = found.to_frame()
    return [dict(zip(frame.columns, cells, strict=True)) for cells in frame.to_numpy().tolist()]


PLAIN = dict(found_in("plain"))

OWN_NAMES = {
    name for found in PLAIN.values() for name in (*found.export.columns, *found.export.document)
} | {"column", "by", "wave", "since", "revision", "question", "survey", "first", "second"}


LIKELIEST = ("answer", "estimate", "first_answer", "group", "item", "level", "n", "wave")
"""What people are likeliest to call a question, or what rows are told apart by."""


@pytest.mark.parametrize("name", first_of([*LIKELIEST, *sorted(OWN_NAMES - {*LIKELIEST})], 2))
def test_a_question_may_be_called_as_a_column_is(name: str) -> None:
    for kind, found in found_in(name):
        question = "first_question" if kind == "cross" else "group_question"
        for read_back in (as_csv, as_json, as_frame):
            rows, plain_rows = read_back(found), read_back(PLAIN[kind])
            for row, plain in zip(rows, plain_rows, strict=True):
                assert [*row] == [*plain]
                changed = {column for column in row if str(row[column]) != str(plain[column])}
                assert changed == {question}, kind
                assert (row[question], plain[question]) == (name, "plain")
            rows = [row for row in rows if row["statistic"] == "share"]
            if kind == "cross":
                pairs = [(row["first_answer"], row["second_answer"]) for row in rows]
                assert pairs == [*itertools.product(GROUPS, ("no", "yes"))]
            else:
                assert [row["group"] for row in rows] == [*np.repeat(GROUPS, 2)], kind
                assert {row["item"] for row in rows} == {ASKED}
