import csv
import io
import json

import numpy as np
import numpy.typing as npt
import pytest

from deniable.analysis import Results, Tally, count_reports, summarise
from deniable.channel import Channel
from deniable.results import rows as export
from deniable.results.files import FORMATS
from tests.analysis.surveys import EVERY_KIND
from tests.analysis.test_results import NUMBER_TALLY, NUMBERS, TALLY

RESULTS = summarise(EVERY_KIND, TALLY, level=0.9, method="exact")


def test_the_csv_has_a_line_an_answer_and_the_documented_columns() -> None:
    text = as_csv(RESULTS)
    assert text.split("\r\n")[0] == (
        "question,item,answer,statistic,estimate,standard_error,low,high,level,method,"
        "maximum_likelihood,clipped,outside,narrow,observed,n,epsilon,flip,protection,survey,revision"
    )
    assert text.count("\r\n") == text.count("\n") == 1 + 2 + 4 + 6 + 2 + 2
    first = _read(RESULTS)[0]
    share = RESULTS.questions[0].items[0].shares[0]
    assert (first["question"], first["item"], first["answer"]) == ("doped", "doped", "no")
    assert first["statistic"] == "share"
    for name in ("estimate", "standard_error", "low", "high", "maximum_likelihood"):
        assert float(first[name]) == getattr(share, name)
    assert (first["level"], first["method"], first["n"]) == ("0.9", "exact", "125")
    assert (first["observed"], first["outside"], first["narrow"]) == ("0.52", "false", "false")
    assert (first["epsilon"], first["flip"]) == ("1.098613", "0.25")
    assert (first["protection"], first["survey"]) == ("randomised", "doping")
    assert first["revision"] == EVERY_KIND.revision


def test_an_estimate_outside_is_clipped_only_where_the_column_says_so() -> None:
    (offered,) = (row for row in _read(RESULTS) if (row["item"], row["answer"]) == OFFERED_YES)
    assert float(offered["estimate"]) == pytest.approx(-0.25)
    assert float(offered["low"]) < -0.25
    assert offered["clipped"] == "0.0"
    assert offered["outside"] == "true"
    (not_offered,) = (row for row in _read(RESULTS) if (row["item"], row["answer"]) == OFFERED_NO)
    assert float(not_offered["estimate"]) == pytest.approx(1.25)
    assert not_offered["clipped"] == "1.0"


OFFERED_YES, OFFERED_NO = ("offered.epo", "yes"), ("offered.epo", "no")


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


def test_the_json_has_the_same_rows_and_the_survey() -> None:
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
    in_csv = _read(RESULTS)
    assert len(rows) == len(in_csv)
    for row, line in zip(rows, in_csv, strict=True):
        assert list(row) == list(line) == list(export.COLUMNS)
        for name, value in row.items():
            if value is None:
                assert line[name] == ""
            elif isinstance(value, bool):
                assert line[name] == ("true" if value else "false")
            else:
                assert type(value)(line[name]) == value


@pytest.mark.parametrize("respondents", [0, 1])
def test_what_is_unknown_is_empty_and_null(respondents: int) -> None:
    tally = count_reports([bytes(7)] * respondents, EVERY_KIND)
    results = summarise(EVERY_KIND, tally, method="wald")
    text = as_json(results)
    assert "NaN" not in text
    row = json.loads(text)["estimates"][0]
    assert row["standard_error"] is row["low"] is row["high"] is None
    assert (row["estimate"] is None) == (row["clipped"] is None) == (respondents == 0)
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
    tally = Tally(NUMBERS.revision, 9, tuple(_all_least(item.channel) for item in NUMBERS.items))
    means = [row for row in _read(summarise(NUMBERS, tally)) if row["statistic"] == "mean"]
    clipped = {row["item"]: float(row["clipped"]) for row in means if row["outside"] == "true"}
    assert clipped == {"hours": 0, "weeks": 0, "thirds": -1 / 3, "units": 0}


def _all_least(channel: Channel) -> npt.NDArray[np.int64]:
    """Count nine reports, all of them the first one."""
    return np.bincount(np.zeros(9, dtype=int), minlength=channel.reports)


def test_shares_that_the_design_does_not_tell_have_empty_rows() -> None:
    rows = [row for row in _read(summarise(NUMBERS, NUMBER_TALLY)) if row["item"] == "weeks"]
    assert len(rows) == 102
    for row in rows[:-1]:
        assert row["estimate"] == row["low"] == row["clipped"] == row["maximum_likelihood"] == ""
        assert (row["outside"], row["n"]) == ("false", "125")


def as_csv(results: Results) -> str:
    return str(FORMATS["csv"].write(export.lay_out(results)))


def as_json(results: Results) -> str:
    return str(FORMATS["json"].write(export.lay_out(results)))


def _read(results: Results) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(as_csv(results), newline="")))
