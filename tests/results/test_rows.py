"""Findings as rows of files, and the mark of what is little possible."""

import csv
import io
import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

from deniable.analysis import Results, Tally, count_reports, summarise
from deniable.analysis.control import told
from deniable.analysis.counts.tally import count_waves
from deniable.analysis.findings import (
    Cell,
    Change,
    Contrast,
    Finding,
    Followed,
    Interval,
    Mean,
    Share,
)
from deniable.analysis.waves import summarise_waves
from deniable.results import rows as export
from deniable.results.changes import all_waves, only_changes
from deniable.results.estimate import cells
from deniable.results.files import FORMATS
from tests.analysis.surveys import EVERY_KIND
from tests.analysis.test_results import NUMBER_TALLY, NUMBERS, TALLY
from tests.kit import panel

RESULTS = summarise(EVERY_KIND, TALLY, level=0.9, method="exact")


def test_the_csv_has_the_documented_columns() -> None:
    text = as_csv(RESULTS)
    assert text.split("\r\n")[0] == (
        "question,item,answer,statistic,estimate,standard_error,low,high,level,method,"
        "maximum_likelihood,clipped,outside,narrow,observed,n,epsilon,flip,protection,survey,revision"
    )
    assert text.count("\r\n") == text.count("\n") == 1 + 2 + 4 + 6 + 2 + 2
    first = _read(RESULTS)[0]
    share = RESULTS.questions[0].items[0].shares[0]
    for name in ("estimate", "standard_error", "low", "high", "maximum_likelihood"):
        assert float(first[name]) == getattr(share, name)
    assert (first["epsilon"], first["flip"], first["observed"]) == ("1.098613", "0.25", "0.52")


def test_only_the_clipped_column_is_clipped() -> None:
    rows = {row["answer"]: row for row in _read(RESULTS) if row["item"] == "offered.epo"}
    for answer, estimate, clipped in (("yes", -0.25, "0.0"), ("no", 1.25, "1.0")):
        assert float(rows[answer]["estimate"]) == pytest.approx(estimate)
        assert (rows[answer]["clipped"], rows[answer]["outside"]) == (clipped, "true")
    assert float(rows["yes"]["low"]) < -0.25


def test_direct_items_have_neither_noise_nor_epsilon() -> None:
    for row in _read(RESULTS):
        empty = {name for name in ("epsilon", "flip", "observed") if row[name] == ""}
        if row["item"] == "age":
            assert row["protection"] == "direct"
            assert empty == {"epsilon", "flip"}
            assert row["observed"] == row["estimate"]
        elif row["item"] == "uneven":
            assert empty == {"flip", "observed"}
        else:
            assert not empty


def test_the_json_has_rows_and_survey() -> None:
    document = json.loads(as_json(RESULTS))
    rows = document.pop("estimates")
    verdict = document.pop("design_followed")
    assert verdict["tested"] == RESULTS.verdict.tested == 10
    assert verdict["p_value"] == RESULTS.verdict.p_value
    doubts = [
        (one.item.id, one.found.answer and one.found.answer.code) for one in RESULTS.verdict.doubts
    ]
    assert doubts
    assert [(one["item"], one["answer"]) for one in verdict["doubted"]] == doubts
    assert all(one["estimate"] < 0 or one["estimate"] > 1 for one in verdict["doubted"])
    assert document == {
        "survey": "doping",
        "title": "Doping, sagt man «mal»",
        "revision": EVERY_KIND.revision,
        "epsilon": EVERY_KIND.epsilon,
        "n": 125,
        "level": 0.9,
        "method": "exact",
    }
    assert len(rows) == len(_read(RESULTS))
    assert {tuple(row) for row in rows} == {export.COLUMNS}


@pytest.mark.parametrize("respondents", [0, 1])
def test_what_is_unknown_is_empty_and_null(respondents: int) -> None:
    tally = count_reports([bytes(7)] * respondents, EVERY_KIND)
    results = summarise(EVERY_KIND, tally, method="wald")
    text = as_json(results)
    assert "NaN" not in text
    for row in json.loads(text)["estimates"]:
        assert row["standard_error"] is row["low"] is row["high"] is None
        assert (row["estimate"] is None) == (row["clipped"] is None) == (respondents == 0)
        assert row["n"] == respondents
    assert "nan" not in as_csv(results)


def test_a_number_has_one_more_row_its_mean() -> None:
    results = summarise(NUMBERS, NUMBER_TALLY, level=0.9)
    rows = _read(results)
    means = [row["item"] for row in rows if row["statistic"] == "mean"]
    assert means == ["hours", "weeks", "thirds", "units", "age"]
    assert [row["statistic"] for row in rows[:5]] == ["share", "share", "share", "mean", "share"]
    for question in results.questions:
        (item,) = question.items
        (row,) = (row for row in rows if (row["item"], row["answer"]) == (item.item.id, ""))
        mean = item.mean
        assert mean is not None
        assert row["statistic"] == "mean"
        for name in ("estimate", "standard_error", "low", "high"):
            assert float(row[name]) == getattr(mean, name)
        assert row["maximum_likelihood"] == (
            "" if mean.maximum_likelihood is None else str(mean.maximum_likelihood)
        )
        assert (row["level"], row["method"], row["n"]) == ("0.9", mean.method, "125")
        assert row["observed"] == ""
        assert row["protection"] == item.item.protection.value


def test_a_mean_is_clipped_to_the_answers() -> None:
    least = (9 * np.eye(item.channel.reports, dtype=np.int64)[0] for item in NUMBERS.items)
    tally = Tally(NUMBERS.revision, 9, tuple(least))
    means = [row for row in _read(summarise(NUMBERS, tally)) if row["statistic"] == "mean"]
    clipped = {row["item"]: float(row["clipped"]) for row in means if row["outside"] == "true"}
    assert clipped == {"hours": 0, "weeks": 0, "thirds": -1 / 3, "units": 0}


def as_csv(results: Results) -> str:
    return str(FORMATS["csv"].write(export.lay_out(results)))


def as_json(results: Results) -> str:
    return str(FORMATS["json"].write(export.lay_out(results)))


def _read(results: Results) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(as_csv(results), newline="")))


ITEMS = {item.id: item for item in panel().items}
YES, CHOSEN = ITEMS["doped"].truths[1], "feldman-cousins"
MARK = "† less than a third of"


@pytest.mark.parametrize(
    ("one", "little", "enough"),
    [
        (Share(YES, method="tail"), (-0.4, 0.1), (-0.4, 0.3)),
        (Mean(20, 70, method="tail"), (5, 22), (5, 30)),
        (Followed(item=ITEMS["doped"], known=(0.5, 0.5), n=9), (0.9, 1.4), (0.7, 1.4)),
        (Change(1, 2, ITEMS["doped"], YES, least=-1), (-1.3, -0.95), (-0.2, 0.1)),
        (Change(1, 2, ITEMS["hours"], None, least=-4, greatest=4), (3, 8), (2, 5)),
        (Contrast(YES, YES, YES, least=-1), (0.9, 1.4), (0.2, 1.4)),
        (Contrast(YES, YES, None, least=-40, greatest=40), (-60, -38), (0.9, 1.4)),
        (Cell(answer=YES, first=YES, estimate=-0.2), (-0.4, 0.1), (-0.4, 0.3)),
    ],
)
def test_less_than_a_third_is_narrow(
    one: Finding, little: tuple[float, float], enough: tuple[float, float]
) -> None:
    for ends, expected in ((little, True), (enough, False)):
        found = replace(one, interval=Interval(*ends))
        assert found.narrow == cells(found, 0.95)["narrow"] == expected
        # This kind looks at what is possible, and leaves it only to hold its estimate.
        assert not replace(found, method=CHOSEN).narrow


@pytest.mark.parametrize("later", [0, 1])
def test_changes_have_marks_and_a_sentence(later: int) -> None:
    survey = panel()
    rows = itertools.chain([(0, 0, 0, 0, 0)] * 40, [(later, 0, 0, 0, 2)] * 40)
    waves = summarise_waves(survey, count_waves([b"".join(map(bytes, rows))], survey), 0.9, "wald")
    marked = [row["item"] for row in only_changes(waves, "", None).export.rows if row["narrow"]]
    assert marked == ["doped"] * 2 * later
    said = repr(only_changes(waves, "", None))
    assert (said.count(" †"), MARK in said) == (2 * later, later > 0)
    assert repr(all_waves(waves, "", None)).count(MARK) == 1


def test_followed_shares_have_the_same_sentence() -> None:
    found = Followed(item=ITEMS["doped"], known=(0.5, 0.5), n=9, estimate=-0.1)
    for low, expected in ((-0.4, True), (-0.2, False)):
        said = told(replace(found, interval=Interval(low, 0.1)), 0.95)
        assert ("Less than a third of the interval" in said) == expected
