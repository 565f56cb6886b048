"""Ratios to what may be nothing, in random surveys and in every form that shows them."""

import csv
import io
import itertools
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

import deniable
from deniable import open as opened
from deniable.client.population import read_population
from deniable.client.randomness import seeded_words
from deniable.client.simulation import simulate
from deniable.results.estimate import DIVIDED_BY_NOTHING
from deniable.results.files import FORMATS, Row
from deniable.results.result import Result
from deniable.study import Study
from deniable.survey_file import read
from tests.kit import first_of
from tests.kit.surveys import file_of

pytestmark = pytest.mark.promise("coverage")

SURVEY = read(
    file_of(
        "id: town, text: Town, type: single, answers: [North, South], protection: direct",
        'id: doped, text: Doped, type: single, answers: ["No", "Yes"]',
        'id: tempted, text: Tempted, type: single, answers: ["No", "Yes"]',
        'id: knew, text: Knew, type: single, answers: ["No", "Yes"], ask_if: {tempted: "yes"}',
        "id: mood, text: Mood, type: single, answers: [Low, Fair, High]",
        'id: smoked, text: Smoked, type: single, answers: ["No", "Yes"]',
        head="epsilon: 1.7\nask: 2",
        slug="half",
    )
).survey

RATES = ["town.south=30%", "doped.yes=10%", "tempted.yes=20%", "knew.yes=30%", "smoked.yes=5%"]


def study_of(seed: int, n: int = 600, *, weighed: bool = False) -> Study:
    (one,) = simulate(read_population(SURVEY, RATES), n, seeded_words(seed))
    study = Study.of(SURVEY, [one.answers.tobytes()], "made up")
    return study.weights(margins={"town": {"north": 0.4, "south": 0.6}}) if weighed else study


def is_unknown(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def check(rows: list[Mapping[str, Any]], greatest: float, error: str) -> Iterator[bool]:
    """Check the rule; yield of each ratio whether it has an estimate."""
    for row in rows:
        assert 0 <= row["low"] <= row["high"] <= greatest, row
        if is_unknown(row["estimate"]):
            assert is_unknown(row[error]), row
            assert not row["outside"], row
        else:
            assert row["outside"] or 0 <= row["estimate"] <= greatest, row
        yield not is_unknown(row["estimate"])


def ratios_of(study: Study) -> Iterator[bool]:
    of_knew = study.shares("knew")
    rows = [row for row in of_knew.export.rows if row["statistic"] == "share_if_applies"]
    assert len(rows) == 2
    yield from check(rows, 1, "standard_error")
    if any(row["estimate"] is None for row in rows):
        assert DIVIDED_BY_NOTHING in str(of_knew)
    assert marks_of(of_knew) == [bool(row["outside"]) for row in of_knew.export.rows]
    for item, odds in (("tempted", True), ("doped", True), ("smoked", False)):
        found = study.ratios("town", item, odds=odds)
        yield from check([*found.export.rows], math.inf, "log_standard_error")
        assert marks_of(found) == [bool(row["outside"]) for row in found.export.rows]


def marks_of(result: Result) -> list[bool]:
    """Tell of each row of the printed table whether its estimate has a star."""
    (table,) = (part for part in result.parts if not isinstance(part, str))
    cells = [table.cells(row)[table.estimate] for one in table.sections for row in one.rows]
    return [cell.endswith("*") for cell in cells]


@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("surveys", first_of([4, 150], 1, pytest.mark.campaign))
def test_no_ratio_is_impossible_unmarked_or_missing(surveys: int, *, weighed: bool) -> None:
    told = [one for seed in range(surveys) for one in ratios_of(study_of(seed, weighed=weighed))]
    assert 0 < sum(told) < len(told)


def without_an_estimate(*, weighed: bool) -> Study:
    """Find a survey in which the question may apply to nobody."""
    for seed in range(20):
        study = study_of(seed, 200, weighed=weighed)
        rows = study.shares("knew").export.rows
        if any(row["statistic"] == "share_if_applies" and row["estimate"] is None for row in rows):
            return study
    raise AssertionError("every survey tells it")


@pytest.mark.parametrize("weighed", [False, True])
def test_every_form_shows_a_dash_and_interval(*, weighed: bool) -> None:
    found = without_an_estimate(weighed=weighed).shares("knew")
    (table,) = (part for part in found.parts if not isinstance(part, str))
    of_ratios = [row for one in table.sections if one.follows for row in one.rows]
    assert [table.cells(row)[table.estimate] for row in of_ratios] == ["–", "–"]
    assert all("to" in table.cells(row)[table.estimate + 1] for row in of_ratios)
    written = csv.DictReader(io.StringIO(str(FORMATS["csv"].write(found.export))))
    told = json.loads(FORMATS["json"].write(found.export))["estimates"]
    frame = found.to_frame().to_dict("records")
    for rows, unknown in ((list(written), ""), (told, None), (frame, None)):
        some = [row for row in rows if row["statistic"] == "share_if_applies"]
        assert len(some) == 2
        for row in some:
            for name in ("estimate", "standard_error"):
                assert row[name] == unknown or is_unknown(row[name])
            assert 0 <= float(row["low"]) <= float(row["high"]) <= 1
            assert str(row["outside"]).lower() == "false"
    page = found._repr_html_()
    assert "divided by what may be 0" in page
    assert "<svg" not in page  # the figure is a picture, which is drawn without the estimate


def test_shares_within_randomised_groups_keep_the_rule() -> None:
    told = 0
    for seed in range(3):
        found = study_of(seed, 120).by("mood", "tempted")
        shares = [row for row in found.export.rows if row["statistic"] == "share"]
        without = [not one for one in check(shares, 1, "standard_error")]
        assert (DIVIDED_BY_NOTHING in str(found)) == any(without)
        told += sum(without)
    assert told


TRAIT = read(
    file_of(
        'id: doped, text: Doped, type: single, answers: ["No", "Yes"], flip: 1/5',
        "id: hours, text: Hours, type: number, min: 0, max: 30, protection: direct",
        slug="trait",
    )
).survey


def test_an_effect_of_nobody_s_is_marked() -> None:
    doped = np.repeat([0, 1], [30, 10])
    hours = np.clip(np.round(10 + 3 * np.random.default_rng(2).normal(size=40)), 0, 30)
    for added, marked in ((0, True), (9, False)):
        rows = np.column_stack([doped, np.clip(hours + added * doped, 0, 30)]).astype(np.uint8)
        told = opened(TRAIT, rows).regress("hours ~ doped")
        _, effect = told.export.rows
        assert not is_unknown(effect["coefficient"])
        assert not is_unknown(effect["low"])
        assert ("reaches as far as the outcome's own range" in str(told)) == marked


ASKED = "asked"
GROUPS = ("one", "two")


def named(name: str, flip: str = "") -> Study:
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
    direct, randomised = named(name), named(name, "flip: 1/5")
    yield "by", direct.by(name, ASKED)
    yield "by, with weights", direct.weights(strata=name).by(name, ASKED)
    yield "by a randomised question", randomised.by(name, ASKED)
    yield "cross", direct.cross(name, ASKED)


def as_csv(found: Result) -> list[Row]:
    written = FORMATS["csv"].write(found.export)
    assert isinstance(written, str)
    return list(csv.DictReader(io.StringIO(written)))


PLAIN = dict(found_in("plain"))


LIKELIEST = ("answer", "estimate", "first_answer", "group", "item", "level", "n", "wave")
"""What people are likeliest to call a question, or what rows are told apart by."""


@pytest.mark.parametrize("name", first_of(LIKELIEST, 2))
def test_a_question_may_be_called_a_column(name: str) -> None:
    for kind, found in found_in(name):
        question = "first_question" if kind == "cross" else "group_question"
        rows = as_csv(found)
        for row, plain in zip(rows, as_csv(PLAIN[kind]), strict=True):
            assert [*row] == [*plain]
            assert {column for column in row if row[column] != plain[column]} == {question}, kind
            assert (row[question], plain[question]) == (name, "plain")
        rows = [row for row in rows if row["statistic"] == "share"]
        if kind == "cross":
            pairs = [(row["first_answer"], row["second_answer"]) for row in rows]
            assert pairs == [*itertools.product(GROUPS, ("no", "yes"))]
        else:
            assert [row["group"] for row in rows] == [*np.repeat(GROUPS, 2)], kind
            assert {row["item"] for row in rows} == {ASKED}
