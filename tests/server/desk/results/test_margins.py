"""Weights and margins, what the page says of its tables, and the same numbers at every door."""

import csv
import io
import json
import re
from collections import Counter
from contextlib import suppress
from fractions import Fraction
from html import unescape
from itertools import product
from typing import Any, Final
from urllib.parse import quote

import numpy as np
import pytest

from deniable.analysis.findings import Share
from deniable.server.store import Store
from deniable.study.received import Received
from deniable.study.study import Study
from deniable.survey import Survey
from deniable.survey.questions import Answer as Said
from deniable.survey_file import plan_of, read
from tests.analysis.test_control import TEXT
from tests.kit import Answer, Browser, report, url_for
from tests.kit.surveys import file_of
from tests.results.snapshot import DOORS, SURVEYS, kept
from tests.results.test_snapshot import differences
from tests.server.desk.results.test_compare import NURSES, collected, drawn, ending, nurses
from tests.server.desk.results.test_export_zip import files

__all__ = ["nurses"]

MARGINS = {
    "ward": {"surgery": 0.5, "night": 0.2, "care": 0.3},
    "sex": {"woman": 0.7, "man": 0.3},
}
HEADER = "question,answer,people\n"
FORM = {f"{name}:{a}": f"{100 * p:g}" for name, of in MARGINS.items() for a, p in of.items()}


def keep(researcher: Browser, **form: str) -> Answer:
    return researcher.post(url_for("margins.keep", slug="nurses"), **form)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("correlate?first=error&second=signed", "after “Take the weights away”"),
        ("compare?item=drinks&by=error", "after “Take the weights away”"),
        (f"regress?formula={quote('error ~ sex')}&within=ward", "after “Take the weights away”"),
        (f"regress?formula={quote('error ~ 1|ward')}", "in the field “Random intercepts”"),
    ],
)
def test_a_refusal_names_what_readers_can_do(
    researcher: Browser, nurses: Survey, address: str, said: str
) -> None:
    keep(researcher, **FORM)
    page = unescape(researcher(url_for("results.page", slug="nurses") + f"/{address}").text)
    assert said in page
    found = page[page.index(said) - 300 : page.index(said) + 300]
    assert not re.search(r"(?<![\w-])--[a-z]|weights\(\)", found)


@pytest.mark.usefixtures("nurses")
def test_a_share_fixed_by_weights_says_so(researcher: Browser) -> None:
    """It is what was asked for, and no estimate: on the page, in its table and in its files."""
    plain = researcher(url_for("results.page", slug="nurses")).text
    assert "set by the weights" not in plain
    keep(researcher, **FORM)
    page = unescape(researcher(url_for("results.page", slug="nurses")).text)
    assert re.search(r'<p class="lead">[^<]+ in 100, set by the weights\.</p>', page)
    assert re.search(r'<span class="ends">set by the weights</span>', page)
    assert re.search(r'data-label="95 % interval">set by the weights</td>', page)
    rows = csv.DictReader(io.StringIO(researcher(ending("estimates", "csv")).text))
    fixed = {row["item"] for row in rows if row["method"] == "set by the weights"}
    assert fixed == {*MARGINS}


def test_unweighted_numbers_say_so_beside_weighted_ones(
    researcher: Browser, store: Store, nurses: Survey
) -> None:
    def said() -> tuple[bool, bool]:
        public = "from the reports that you see here, but not weighted."
        page = researcher.see("results.page", slug="nurses").text
        return public in page, "It did not read the reports." not in page

    assert said() == (False, False)
    keep(researcher, **FORM)
    assert said() == (True, True)
    page = researcher.see("results.page", slug="nurses").text
    assert all(one in page for one in ('id="weighted"', "(raked)", "Effective n"))
    assert store.survey("nurses") == nurses  # what respondents get is the same
    assert keep(researcher, remove="yes").status == 303
    assert said() == (False, False)
    assert store.source("nurses", nurses.revision) == NURSES


@pytest.mark.parametrize(
    ("estimate", "error", "is_set"),
    [(0.4, 2e-17, True), (0.4, 0.02, False), (0.0, 0.0, False), (1.0, 0.0, False)],
)
def test_only_a_share_without_error_is_set(estimate: float, error: float, *, is_set: bool) -> None:
    share = Share(estimate=estimate, standard_error=error, answer=Said("yes", "Yes"))
    assert share.is_set == is_set


@pytest.mark.slow
@pytest.mark.usefixtures("nurses")
def test_zips_are_weighted_where_answers_are_published(researcher: Browser) -> None:
    keep(researcher, **FORM)
    page = researcher.see("export.page", slug="nurses", direct="sex").text
    assert "made of: publish ward too" in page
    page = researcher.see("export.page", slug="nurses", direct=["ward", "sex"]).text
    assert 'id="weighted"' in page
    answer = researcher.see("export.download", slug="nurses", direct=["ward", "sex"])
    rows = csv.DictReader(io.StringIO(files(answer)["weighted.csv"].decode()))
    assert all(float(row["design_effect"]) > 1 for row in rows if row["item"] == "error")


def test_tables_are_read_by_texts_in_percent(
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
def test_nothing_hidden_is_weighted(researcher: Browser, store: Store) -> None:
    answers = drawn(600)
    rare = (answers[:, 3] == 1) & (answers[:, 4] == 1)
    answers = answers[~rare | (np.cumsum(rare) <= 3)]  # three men work at night
    collected(store, answers)
    sex = {name: part for name, part in FORM.items() if name.startswith("sex")}
    assert keep(researcher, **sex).status == 303
    # Weighted by sex, the share of a ward and its effective n tell how many men are in it.
    for address in (
        "compare?item=ward&by=sex",
        "cross?first=ward&second=error",
        "cross?first=error&second=ward",
        "compare?item=error&by=ward",
        "ratios?item=error&by=ward",
    ):
        assert researcher(ending(address, "csv")).status == 422, address
    assert "sex" not in researcher.see("results.reports", slug="nurses").rows[0]
    assert researcher(ending("compare?item=error&by=sex", "csv")).status == 200
    rows = researcher.see("results.estimates", slug="nurses", form="csv").rows
    weighted = {row["item"] for row in rows if row["design_effect"]}
    assert "error" in weighted
    assert "ward" not in weighted
    page = researcher.see("results.page", slug="nurses").text
    assert "Not weighted: too few people to show sex with ward" in page
    # The ward, and the years beside it.
    assert page.count('<p class="note">Not weighted, so it is of those who answered.') == 2


@pytest.mark.promise("few")
def test_unweighted_results_are_not_headed_as_weighted(researcher: Browser, store: Store) -> None:
    """Nothing is, if few people gave an answer to a margin; the reason is said once."""
    answers = drawn(600)
    men = answers[:, 4] == 1
    planned = "plan: {margins: {sex: {woman: 70, man: 30}}}\n"
    collected(store, answers[~men | (np.cumsum(men) <= 3)], NURSES + planned)
    page = unescape(researcher.see("results.page", slug="nurses").text)
    reason = "fewer than 5 people gave some answer to 'sex'."
    assert page.count(f"Nothing here is weighted: {reason}") == page.count(reason) == 1
    assert "Weighted: people count" not in page
    assert "Take the weights away" in page
    document = researcher.see("results.estimates", slug="nurses", form="json").json
    assert "margins" not in document
    survey = store.survey("nurses")
    received = Received(
        survey, ((survey, 1),), lambda one: store.snapshot_rows("nurses", one.revision)
    )
    result = received.study(received.tallies(), margins={"sex": MARGINS["sex"]})
    found = result.estimates().of(1)
    assert found is not None
    assert [*found.said_of_weights] == [f"Nothing is weighted: {reason}"]


PAGES: Final = {
    "compare": "by ward",
    "compare k": "k answers by night",
    "compare numbers": "number by night",
    "correlate": "correlation",
    "regress": "regress",
}
"""Of each page of the desk what Python is asked for the same."""
SHARES: Final = {
    **dict.fromkeys(("ward", "drawn", "pair", "drawn-pair"), "shares"),
    "waves": "waves",
}
"""Of surveys of which the desk hides nothing and Python weighs nothing: what Python is asked."""


def rows_of(found: str) -> list[dict[str, Any]]:
    document = json.loads(found[found.index("{") :])
    rows: list[dict[str, Any]] = document.get("estimates") or document["coefficients"]
    return rows


def check(*doors: object) -> None:
    """Check that rows are the same, of which JSON writes what is infinite or unknown as nothing."""
    one, other = (json.loads(json.dumps(rows), parse_constant=lambda _: None) for rows in doors)
    assert [*differences(one, other, 1e-12, "row")] == []


@pytest.mark.parametrize("survey", SURVEYS)
def test_every_door_says_the_same(survey: str) -> None:
    desk, command, python = (kept()["parts"][f"{survey} {door}"] for door in DOORS)
    shares = rows_of(desk["desk, estimates.json?"])
    check(shares, rows_of(command["estimate --format json"]))
    if survey in SHARES:
        check(shares, python[f"store, {SHARES[survey]}"][1:])
    pages = {"ward": 5, "weighed": 3, "waves": 5}.get(survey, 0)
    wave, of_wave = ("wave=2&", "wave 2, ") if survey == "waves" else ("", "")
    for page, name in [*PAGES.items()][:pages]:
        found = rows_of(desk[f"desk, {page}.json?{wave}"])
        check(found, python[f"store, {of_wave}{name}"][1:])


HOURS = '\n  - {id: hours, text: "Hours?", type: number, min: 0, max: 3, protection: direct}\n'


@pytest.fixture
def ward(store: Store) -> Survey:
    survey = store.register(read(TEXT.replace("1/5", "1/4") + HOURS + "batch: 1\n").survey)
    rows = [bytes([k % 2, k % 10 < 3, k % 4]) for k in range(200)]
    store.insert_reports([report(survey, row) for row in rows])
    return survey


def cells(page: str, item: str) -> list[list[str]]:
    table = page.partition('id="invented"')[2]
    rows = re.findall(rf'<tr><th scope="row">{re.escape(item)}(?:, mean)?</th>(.*?)</tr>', table)
    return [re.findall("<td[^>]*>(.*?)</td>", row) for row in rows]


def test_invented_reports_move_an_estimate_as_told(ward: Survey, researcher: Browser) -> None:
    page = researcher.see("results.page", slug="ward").text
    # 2 and 10 of 200 reports; a flip of 1/4 doubles what each counts for.
    assert cells(page, "An error?") == [["2.0 points", "10.0 points"]]
    # A direct answer counts for itself: nobody needs a table for it.
    assert cells(page, "Hours?") == []
    typed = researcher.see("results.page", slug="ward", invented="30").text
    assert cells(typed, "An error?") == [["2.0 points", "10.0 points", "30.0 points"]]
    # It is open for who typed a number, also one of the two.
    alike = researcher.see("results.page", slug="ward", invented="10").text
    assert ['id="invented" open>' in one for one in (page, typed, alike)] == [False, True, True]
    for wrong in ("0", "201", "-1", "x", "9" * 9):
        assert researcher.see("results.page", slug="ward", invented=wrong).status == 422


@pytest.mark.promise("poisoning")
def test_a_limit_is_shown_only_where_no_replaced_reports_exceed_it(
    store: Store, researcher: Browser
) -> None:
    """Replace five reports of one (group, answer) by five of another, in every way."""
    text = file_of(
        "id: dept, text: Where?, type: single, answers: {a: A, b: B}, protection: direct",
        'id: took, text: "Did you?", type: single, answers: [No, Yes], flip: 1/4',
        'id: much, text: "Much?", type: single, answers: [M, L], flip: 1/4, ask_if: {took: yes}',
        head="epsilon: 9\nbatch: 1",
        slug="rare",
    )
    survey = store.register(read(text).survey, text)
    rows = Counter(bytes([k >= 20, k % 2, k % 3]) for k in range(200))
    store.insert_reports([report(survey, row) for row in rows.elements()])

    def yes(rows: Counter[bytes], *, weighted: bool) -> float:
        study = Study.of(survey, [b"".join(rows.elements())], "")
        study = study.weights(margins=HALVES) if weighted else study
        shares = study.shares("took").to_frame()
        return float(shares[shares.answer == "yes"].estimate.iloc[0])

    def most(*, weighted: bool) -> float:
        first, moved = yes(rows, weighted=weighted), []
        pairs = product({row[:2] for row in rows}, repeat=2)
        for one, other in ((bytes([*a, 0]), bytes([*b, 0])) for a, b in pairs):
            some = [row for row in sorted(rows) if row[:2] == one[:2]]
            taken = Counter([*(Counter({row: rows[row] for row in some}).elements())][:5])
            after = rows - taken + Counter({other: taken.total()})
            with suppress(ValueError):  # nobody is left in a group, so there are no weights
                moved.append(abs(yes(after, weighted=weighted) - first))
        return 100 * max(moved)

    page = researcher.see("results.page", slug="rare", invented="5").text
    printed = cells(page, "Did you?")
    assert printed == [[f"{shown:.1f} points" for shown in (2.0, 5.0, 10.0)]]
    assert most(weighted=False) == pytest.approx(5.0, abs=0.05)
    assert cells(page, "Where?") == cells(page, "Much?") == []

    assert most(weighted=True) > 3 * 5.0
    given = {f"dept:{answer}": "50" for answer in ("a", "b")}
    assert researcher.post(url_for("margins.keep", slug="rare"), **given).status == 303
    page = researcher.see("results.page", slug="rare").text
    assert "So no limit is shown for what is weighted." in page
    assert cells(page, "Did you?") == []
    assert "at most this much" not in page


HALVES = {"dept": {"a": 0.5, "b": 0.5}}


def test_the_page_says_how_many_followed_the_instructions(
    ward: Survey, researcher: Browser
) -> None:
    (told,) = re.findall(
        "<p data-followed>(.*?)</p>", researcher.see("results.page", slug="ward").text
    )
    # .3 of yes, where those who follow send .2917 and the others .5.
    assert "96.0 %" in told
    assert "data-followed" not in researcher.see("results.page").text
