"""Weights at the desk: margins that are kept, used, refused and taken away, and what they tell."""

import csv
import io
import re
import zipfile
from collections import Counter
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from deniable.analysis.counts.rows import join_rows
from deniable.server.store import Store
from deniable.study.study import Study
from deniable.survey import Survey
from deniable.survey_file import plan_of, read
from tests.kit import Answer, Browser, of_wave, url_for
from tests.publication.in_r import PROGRAM, run
from tests.server.desk.results.test_compare import NURSES, drawn, ending, fill
from tests.server.desk.results.test_same_numbers import alike

MARGINS = {
    "ward": {"surgery": 0.5, "night": 0.2, "care": 0.3},
    "sex": {"woman": 0.7, "man": 0.3},
}
HEADER = "question,answer,people\n"
FORM = {f"{name}:{a}": f"{100 * p:g}" for name, of in MARGINS.items() for a, p in of.items()}
ADDRESSES = {
    "compare": "compare?item=error&by=ward",
    "compare of means": "compare?item=drinks&by=sex",
    "cross": "cross?first=error&second=signed",
    "regress": f"regress?formula={quote('error ~ ward')}",
}


@pytest.fixture
def nurses(store: Store) -> Survey:
    survey = read(NURSES).survey
    store.register(survey, NURSES)
    fill(store, survey, drawn(600))
    return survey


def keep(researcher: Browser, **form: str) -> Answer:
    return researcher.post(url_for("margins.keep", slug="nurses"), **form)


def expected(study: Study) -> dict[str, Any]:
    return {
        "compare": study.by("ward", "error"),
        "compare of means": study.by("sex", "drinks"),
        "cross": study.cross("error", "signed"),
        "regress": study.regress("error ~ ward"),
    }


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("correlate?first=error&second=signed", "after “Take the weights away”"),
        ("compare?item=drinks&by=error", "after “Take the weights away”"),
        (f"regress?formula={quote('error ~ sex')}&within=ward", "after “Take the weights away”"),
        (f"regress?formula={quote('error ~ 1|ward')}", "in the field “Random intercepts”"),
    ],
)
def test_a_refusal_names_what_the_reader_of_the_desk_can_do(
    researcher: Browser, nurses: Survey, address: str, said: str
) -> None:
    keep(researcher, **FORM)
    page = unescape(researcher(url_for("results.page", slug="nurses") + f"/{address}").text)
    assert said in page
    found = page[page.index(said) - 300 : page.index(said) + 300]
    assert not re.search(r"(?<![\w-])--[a-z]|weights\(\)", found)


@pytest.mark.slow
def test_all_is_weighted_as_by_the_study_until_it_is_taken_away(
    researcher: Browser, store: Store, nurses: Survey
) -> None:
    study = Study.of(nurses, store.answers("nurses", nurses.revision), "")
    weighed = study.weights(margins=MARGINS)
    before = researcher.see("results.estimates", slug="nurses", form="csv").text
    assert keep(researcher, **FORM).status == 303
    for kind, one in expected(weighed).items():
        found = researcher(ending(ADDRESSES[kind], "json")).json[one.export.key]
        # The desk has counted rows: it adds in another order.
        assert len(found) == len(one.export.rows), kind
        for row, other in zip(found, one.export.rows, strict=True):
            assert [*row] == [*other], kind
            assert all(alike(cell, other[name]) for name, cell in row.items()), (kind, row)
    rows = researcher.see("results.estimates", slug="nurses", form="csv").rows
    shares = {(row["item"], row["answer"]): row for row in rows if row["statistic"] == "share"}
    for row in weighed.shares("error").export.rows:
        one = shares["error", str(row["answer"])]
        assert alike(float(one["estimate"]), row["estimate"])
        assert alike(float(one["design_effect"]), row["design_effect"])
    page = researcher.see("results.page", slug="nurses").text
    assert 'id="weighted"' in page
    assert "(raked)" in page
    assert "Effective n" in page
    assert store.survey("nurses") == nurses  # what respondents get is the same
    assert keep(researcher, remove="yes").status == 303
    assert researcher.see("results.estimates", slug="nurses", form="csv").text == before
    assert store.source("nurses", nurses.revision) == NURSES


@pytest.mark.slow
def test_the_zip_is_weighted_where_its_answers_are_published(
    researcher: Browser, nurses: Survey, tmp_path: Path
) -> None:
    assert keep(researcher, **FORM).status == 303
    page = researcher.see("export.page", slug="nurses", direct="sex").text
    assert "expected ward and sex among the published ones, found no ward" in page
    page = researcher.see("export.page", slug="nurses", direct=["ward", "sex"]).text
    assert 'id="weighted"' in page
    answer = researcher.see("export.download", slug="nurses", direct=["ward", "sex"])
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        archive.extractall(tmp_path)
    (folder,) = tmp_path.glob("nurses-*")
    assert run(PROGRAM, folder).returncode == 0
    with (folder / "weighted.csv").open(newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["item"] == "error"]
    assert all(float(row["design_effect"]) > 1 for row in rows)
    alone = researcher.see("export.page", slug="nurses", revision=nurses.revision).text
    assert "weighted.csv" not in alone


def test_a_table_is_read_by_texts_and_shares_are_kept_in_percent(
    researcher: Browser, store: Store, nurses: Survey
) -> None:
    assert keep(researcher, csv=f"{HEADER}sex,Woman,700\nsex,Man,300\n").status == 303
    kept = plan_of(store.source("nurses", nurses.revision)).margins
    assert kept == {"sex": {"woman": Fraction(70), "man": Fraction(30)}}
    assert 'value="70"' in researcher.see("margins.page", slug="nurses").text


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({}, "found none"),
        (
            {"sex:woman": "-1", "sex:man": "101"},
            "Woman: expected percent from 0 to 100, found '-1'",
        ),
        ({"sex:woman": "x"}, "found 'x'"),
        ({"sex:woman": "nan", "sex:man": "1"}, "found 'nan'"),
        (
            {"sex:woman": "50", "sex:man": "48"},
            "percentages that sum to 100, found 98",
        ),
        ({"sex:woman": "100"}, "found nothing for 'man'"),
        ({"csv": f"{HEADER}error,yes,1\n"}, "asked directly (ward, sex, years)"),
        (
            {"csv": f"{HEADER}sex,other,1\n"},
            "“Sex”: expected one of the answers woman",
        ),
        ({"csv": "question,share\n"}, "expected the columns question, answer, people"),
        ({"csv": f"{HEADER}sex,woman,-2\n"}, "line 2: expected people above 0"),
        ({"csv": f"{HEADER}sex,woman,0.5\nsex,man,0.4\n"}, "parts that sum to 1, or people, found"),
        ({"csv": f"{HEADER}sex,woman,inf\n"}, "line 2: expected people above 0"),
    ],
)
def test_bad_margins_are_refused_with_a_sentence(
    researcher: Browser, store: Store, nurses: Survey, form: dict[str, str], said: str
) -> None:
    answer = keep(researcher, **form)
    assert answer.status == 422
    (sentence,) = re.findall(r'role="alert">(.*?)</p>', unescape(answer.text))
    assert said in sentence
    # Where it is of one question, it stands there; where of one answer, that is marked.
    of_one = "csv" not in form and sentence.startswith("“Sex”")
    assert bool(re.search(r"<legend>Sex</legend>\s*<p class=\"mistake\"", answer.text)) is of_one
    marked = re.findall(r'name="([\w:]+)"[^>]* aria-invalid', answer.text)
    assert marked == ([*form][:1] if "“Sex”, Woman" in sentence else [*form] * of_one), marked
    assert store.source("nurses", nurses.revision) == NURSES


@pytest.mark.promise("few")
def test_nothing_is_weighted_that_a_table_of_all_of_it_would_hide(
    researcher: Browser, store: Store
) -> None:
    survey = read(NURSES).survey
    store.register(survey, NURSES)
    answers = drawn(600)
    rare = (answers[:, 3] == 1) & (answers[:, 4] == 1)
    answers = answers[~rare | (np.cumsum(rare) <= 3)]  # three men work at night
    fill(store, survey, answers)
    sex = {name: part for name, part in FORM.items() if name.startswith("sex")}
    assert keep(researcher, **sex).status == 303
    assert researcher(ending("compare?item=ward&by=sex", "csv")).status == 422
    crossed = researcher(ending("cross?first=ward&second=error", "csv")).rows
    file = researcher.see("results.reports", slug="nurses").rows
    people = Counter((row["ward"], row["sex"]) for row in file if row["sex"])
    for ward in ("surgery", "night", "care"):
        told = sum(float(row["estimate"]) for row in crossed if row["first_answer"] == ward)
        known = sum(
            part * people[ward, sex] / sum(people[one, sex] for one in MARGINS["ward"])
            for sex, part in MARGINS["sex"].items()
        )
        assert told == pytest.approx(known, abs=1e-12), "it is told of the rows of the file alone"
    assert researcher(ending("compare?item=error&by=sex", "csv")).status == 200
    rows = researcher.see("results.estimates", slug="nurses", form="csv").rows
    weighted = {row["item"] for row in rows if row["design_effect"]}
    assert "error" in weighted
    assert "ward" not in weighted
    page = researcher.see("results.page", slug="nurses").text
    assert "Not weighted: too few people to show" in page


@pytest.mark.slow
def test_waves_and_their_changes_are_weighted_as_by_the_study(
    researcher: Browser, store: Store
) -> None:
    file = NURSES.replace("batch: 1", "batch: 1\nwaves: {count: 2, redraw: 1/10}")
    survey = read(file).survey
    store.register(survey, file)
    for wave in (1, 2):
        store.insert_batch([of_wave(survey, wave, answers=bytes(row)) for row in drawn(400)])
        if wave == 1:
            store.begin_wave("nurses", 2)
    assert keep(researcher, **FORM).status == 303
    rows = [join_rows(drawn(400), np.full(400, wave), survey).tobytes() for wave in (1, 2)]
    weighed = Study.of(survey, rows, "").weights(margins=MARGINS)
    expected = {
        (row["wave"], row["since"], row["answer"], row["statistic"]): row
        for row in weighed.waves("error").export.rows
    }
    found = researcher.see("results.estimates", slug="nurses", form="csv").rows
    told = [row for row in found if row["item"] == "error"]
    assert len(told) == len(expected) == 6
    for row in told:
        since = int(row["since"]) if row["since"] else None
        one = expected[int(row["wave"]), since, row["answer"], row["statistic"]]
        for name in ("estimate", "standard_error", "low", "high"):
            assert float(row[name]) == pytest.approx(one[name]), name
    page = researcher.see("results.page", slug="nurses").text
    assert "changes between waves of which both can be weighted" in page
    trend = url_for("results.trend", slug="nurses", question="error", form="svg")
    assert researcher(trend).status == 200
    assert researcher(trend.replace("error", "errr")).status == 404
