"""Comparing, crossing and regressing on the desk: as at a prompt, and nothing of few people."""

import json
import re
from html import unescape
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from deniable.report import NOT_ASKED
from deniable.server.desk.editor import planner
from deniable.server.desk.editor.lint_worker import Checker
from deniable.server.desk.results import compare
from deniable.server.desk.results.compare import ANALYSES, MEANINGS
from deniable.server.desk.results.query import with_methods_named
from deniable.server.store import Store
from deniable.study.study import Study
from deniable.survey import Survey
from deniable.survey_file import read
from tests.kit import Answer, Browser, first_of, report, url_for

pytestmark = pytest.mark.promise("few")

NURSES = """\
version: 1
survey: nurses
title: Nurses
batch: 1
questions:
  - {id: error, text: An error, type: single, answers: [No, Yes], flip: 1/5}
  - {id: signed, text: Signed, type: single, answers: [No, Yes], flip: 1/4}
  - {id: drinks, text: Drinks, type: number, min: 0, max: 30, epsilon: 2, family: k_ary, levels: 31}
  - {id: ward, text: Ward, type: single, answers: [Surgery, Night, Care], protection: direct}
  - {id: sex, text: Sex, type: single, answers: [Woman, Man], protection: direct}
  - {id: years, text: Years, type: number, min: 0, max: 20, protection: direct}
"""

ADDRESSES = {
    "compare": "compare?item=error&by=ward",
    "cross": "cross?first=error&second=signed",
    "correlate": "correlate?first=error&second=years",
    "ratios": "ratios?item=error&by=ward&of=odds",
    "regress": f"regress?formula={quote('error ~ years + ward')}",
}


@pytest.fixture
def nurses(store: Store) -> Survey:
    """Register a survey with direct questions, and store many reports."""
    return collected(store, drawn(600))


def drawn(people: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    random = np.random.default_rng(5)
    columns = [random.integers(0, most, people) for most in (2, 2, 31, 3, 2, 5)]
    return np.stack(columns, axis=1).astype(np.uint8)


def fill(store: Store, survey: Survey, answers: np.ndarray[Any, np.dtype[np.uint8]]) -> None:
    store.insert_reports([report(survey, row.tobytes()) for row in answers])


def collected(
    store: Store, answers: np.ndarray[Any, np.dtype[np.uint8]], text: str = NURSES
) -> Survey:
    """Register the survey with its file, and store what people answered."""
    survey = store.register(read(text).survey, text)
    fill(store, survey, answers)
    return survey


def rows(answer: Answer) -> list[dict[str, str]]:
    assert answer.status == 200, answer.text
    return answer.rows


def ask(researcher: Browser, address: str) -> Answer:
    """Ask for a page of the survey's results, or for the results themselves."""
    return researcher(url_for("results.page", slug="nurses") + f"/{address}".rstrip("/"))


def ending(address: str, form: str) -> str:
    name, _, query = address.partition("?")
    return url_for("results.page", slug="nurses") + f"/{name}.{form}?{query}"


def test_pages_say_words_and_files_codes(researcher: Browser, nurses: Survey) -> None:
    tables = ""
    for kind, address in ADDRESSES.items():
        page = ask(researcher, address).text.partition("data-found")[2]
        assert '<h2 id="found">An error' in page
        assert nurses.shown_number not in page
        assert "n = 600</p>" in page
        tables = "".join(re.findall(r"<table.*?</table>", page, re.S))
        assert not re.search(r"\bward\b|>error\b|\bsigned\b|\[T", tables), kind
    assert ">Ward: Night<" in tables
    written = researcher(ending(ADDRESSES["regress"], "csv")).text
    assert "ward[T.night]" in written
    assert "Ward: Night" in researcher(ending(ADDRESSES["regress"], "svg")).text


def test_two_groups_are_told_in_one_sentence(researcher: Browser, store: Store) -> None:
    answers = drawn(400)
    answers[:, 4] = [0] * 200 + [1] * 200
    # One of five reports is not true: of 40 and 76 % yes, 33.3 and 93.3 % are.
    answers[:, 0] = [1] * 80 + [0] * 120 + [1] * 152 + [0] * 48
    survey = collected(store, answers)
    page = ask(researcher, "compare?item=error&by=sex").text
    (said,) = re.findall('<p class="lead">(.*?)</p>', page)
    assert said.startswith(
        "Yes: about 93 in 100 of “Man” and 33 of “Woman”. This is more than chance: the "
        "difference lies between "
    )
    # Once on the page; its file and Python say the same.
    assert page.count("This is more than chance:") == 1
    written = researcher(ending("compare?item=error&by=sex", "json")).text
    assert json.loads(written)["lead"] == said
    found = Study.of(survey, store.rows("nurses", survey.revision), "").by("sex", "error")
    assert (found.lead, said in repr(found)) == (said, True)
    (said,) = re.findall(
        '<p class="lead">(.*?)</p>', ask(researcher, "compare?item=signed&by=sex").text
    )
    assert "This may be chance: the difference lies between −" in said
    # Two dots on one axis, each with the name of its group.
    figure = researcher(ending("compare?item=error&by=sex", "svg")).text
    assert all(f"{group} (n = 200)" in figure for group in ("Woman", "Man"))
    # The figure first: the tables are folded below it.
    assert page.index("<picture") < page.index("<summary>Tables</summary>") < page.index("<table")
    assert '<p class="lead">' in ask(researcher, ADDRESSES["compare"]).text


@pytest.mark.parametrize("linked", [True, False])
def test_each_analysis_of_two_questions_leads_with_a_sentence(
    researcher: Browser, store: Store, *, linked: bool
) -> None:
    answers = drawn(400)
    answers[:, 4] = [0] * 200 + [1] * 200
    answers[:, 0] = [0, 1] * 200 if not linked else [1] * 80 + [0] * 120 + [1] * 152 + [0] * 48
    collected(store, answers)
    number = "−?[0-9.]+"
    for address, said in (
        ("correlate?first=error&second=sex", "The answers go together with a correlation of about"),
        ("ratios?item=error&by=sex", f"Yes: in “Woman” about {number} times the share in “Man”"),
        ("ratios?item=error&by=sex&of=odds", f"Yes: in “Woman” about {number} times the odds in"),
        ("regress?formula=error+~+sex", "“Sex: Man” goes with “yes” (more|less) often"),
    ):
        none = "No connection .*can be seen: the .* lies between"
        page = ask(researcher, address).text
        (lead,) = re.findall('<p class="lead">(.*?)</p>', page)
        assert re.match(said if linked or "ratios" in address else none, lead), lead
        if linked or "ratios" in address:
            chance = "is more than" if linked else "may be"
            assert f"This {chance} chance: the " in lead
        assert re.search(f"between {number} and {number}\\.$", lead)
        assert page.index("n = 400</p>") < page.index(lead) < page.index("<table")
    page = ask(researcher, "cross?first=error&second=sex").text
    said = "The answers to both" if linked else "No connection between the two"
    assert page.count(f'<p class="lead">{said} questions ') == 1


def test_figure_and_table_of_groups_have_one_order(researcher: Browser, nurses: Survey) -> None:
    page = ask(researcher, "compare?item=error&by=ward").text
    table = page.partition("<table")[2].partition("</table>")[0]
    heads = re.findall('scope="row(?:group)?"[^>]*>(?:An error – )?([^<(]+?)(?: \\(n|<)', table)
    wards = heads[1 : len(heads) // 2]
    assert heads == ["No", *wards, "Yes", *wards]
    assert len(wards) > 1


@pytest.mark.usefixtures("nurses")
def test_every_field_of_a_form_has_its_sentence(researcher: Browser) -> None:
    for kind in ANALYSES.values():
        page = unescape(researcher.see("analyses.page", kind=kind.name, slug="nurses").text)
        assert all(f"<dd>{MEANINGS[one.name]}</dd>" in page for one in kind.fields), kind.name


ONLY_MEANS = NURSES.replace("family: k_ary, levels: 31", "family: two_point")


def test_lists_say_why_they_lack_something(researcher: Browser, store: Store) -> None:
    collected(store, drawn(40) % 2, ONLY_MEANS)
    page = researcher.see("analyses.page", kind="cross", slug="nurses").text
    assert 'value="drinks"' not in page
    assert "Left out: Drinks (the reports tell the mean of the answers, but not the share" in page
    refused = researcher.see(
        "analyses.page", kind="cross", slug="nurses", first="drinks", second="ward"
    )
    assert refused.status == 422
    assert "“Drinks”: the reports tell the mean of the answers" in refused.text
    page = researcher.see("analyses.page", kind="regress", slug="nurses").text
    assert "<code>error ~ ward + sex + years</code>" in page
    for what, said in (
        ("compare?item=drinks&by=ward", "Differences of means: Drinks"),
        ("compare?item=drinks&by=error", "It was randomised too"),
        ("compare?item=years&by=error", "Differences of the means."),
        (f"regress?formula={quote('drinks ~ ward')}", "least squares"),
    ):
        assert said in ask(researcher, what).text, what
    asked = {"slug": "nurses", "formula": "drinks ~ ward", "link": "logit"}
    refused = researcher.see("analyses.page", kind="regress", **asked)
    assert "“Drinks”: the reports tell the mean of the answers" in refused.text
    compare = researcher.see("analyses.page", kind="compare", slug="nurses").text
    assert 'value="drinks"' in compare  # of a group there is a mean
    assert re.findall(r'value="(\w+)" selected', compare) == ["error", "sex", "95", "auto"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", first_of(ANALYSES))
def test_each_page_has_table_figure_and_files(
    researcher: Browser, nurses: Survey, kind: str
) -> None:
    page = ask(researcher, ADDRESSES[kind])
    assert page.status == 200
    assert f'data-found="{kind}"' in page.text
    assert "<caption" in page.text
    # All that was chosen stands in every address of the page, so a link shows the same.
    text = page.text.replace("&amp;", "&")
    addresses = re.findall(rf'(?:href|src|srcset)="(/desk/surveys/nurses/{kind}\.[^"]+)"', text)
    endings = {address.split("?")[0].rpartition(".")[2] for address in addresses}
    assert endings == {"csv", "json", "svg", "png", "pdf", "txt"}
    query = ADDRESSES[kind].partition("?")[2].replace("%20", "+")
    for address in addresses:
        assert query in address.replace("%20", "+")
        answer = researcher(address)
        assert answer.status == 200
        assert "no-store" in answer.headers["Cache-Control"]
        if ".svg" in address:
            assert b"<svg" in answer.body
            assert re.search(rb"interval[^<]*</text>", answer.body)
        else:
            assert answer.headers["Content-Disposition"].startswith("attachment; filename=nurses-")
    narrow, wide = (
        researcher(next(a for a in addresses if "svg" in a and ("narrow" in a) is is_narrow))
        for is_narrow in (True, False)
    )
    width = r'<svg[^>]* width="([\d.]+)pt"'
    assert float(re.findall(width, narrow.text)[0]) < float(re.findall(width, wide.text)[0]) / 2


def test_a_level_and_a_method_can_be_chosen(researcher: Browser, nurses: Survey) -> None:
    usual, wide = (
        rows(researcher(ending(ADDRESSES["compare"] + more, "csv")))[0]
        for more in ("", "&level=99&method=exact")
    )
    assert (wide["level"], wide["method"]) == ("0.99", "exact")
    assert float(wide["low"]) < float(usual["low"])
    assert ask(researcher, f"{ADDRESSES['compare']}&level=94").status == 422


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (f"regress?formula={quote('error ~ Ward')}", "did you mean &#39;ward&#39;?"),
        ("compare?item=error&by=years", "At most 12 groups can be compared, and “Years” has 21"),
        ("compare?item=ward&by=ward", "Choose another question beside “Ward”"),
        ("cross?first=drinks&second=years", "At most 400 pairs of answers can be crossed"),
        ("correlate?first=error&second=ward", "a number or two answers, found 3"),
        ("ratios?item=drinks&by=ward", "At most 12 answers have ratios"),
        (f"regress?formula={quote('error ~ I(999999^3^3^3)')}", "power"),
    ],
)
def test_a_mistake_is_told_and_the_typed_stays(
    researcher: Browser, nurses: Survey, address: str, said: str
) -> None:
    answer = ask(researcher, address)
    assert answer.status == 422
    (mistake,) = re.findall(r'<p class="mistake" id="mistake" role="alert">([^<]*)<', answer.text)
    assert said in mistake
    assert not mistake.endswith("?.")
    assert 'aria-describedby="mistake' in answer.text
    assert "data-found" not in answer.text
    if "formula" in address:
        (typed,) = re.findall(r'name="formula" value="([^"]*)"', answer.text)
        assert quote(typed) in address
    assert researcher(ending(address, "csv")).status == 422


@pytest.mark.usefixtures("nurses")
def test_columns_that_are_nearly_the_same_are_named(researcher: Browser) -> None:
    page = ask(researcher, f"regress?formula={quote('error ~ years + exp(0.01 * years)')}")
    assert 'data-found="regress"' in page.text
    assert "Careful: exp(0.01 * years) is nearly a linear combination of years" in page.text
    assert "Careful" not in ask(researcher, ADDRESSES["regress"]).text


def test_a_ratio_to_zero_is_said_and_drawn(researcher: Browser, store: Store) -> None:
    answers = drawn(600)
    answers[:, 3] = np.where(answers[:, 4] == 0, 0, answers[:, 3])  # women in surgery alone
    collected(store, answers)
    page = ask(researcher, "ratios?item=ward&by=sex&of=odds").text
    assert "divided by what may be 0" in page
    row, *_ = rows(researcher(ending("ratios?item=ward&by=sex&of=odds", "csv")))
    assert (row["answer"], row["high"], float(row["low"]) > 20) == ("surgery", "inf", True)
    assert researcher(ending("ratios?item=ward&by=sex&of=odds", "svg")).status == 200


@pytest.mark.promise("checker")
@pytest.mark.parametrize("address", [ADDRESSES["compare"], "plan"])
def test_what_takes_too_long_is_ended_and_told(
    researcher: Browser, nurses: Survey, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    for module in (compare, planner):
        monkeypatch.setattr(module, "the_searcher", lambda: Checker(seconds=0.01))
    found = ask(researcher, address)
    assert found.status == 422
    assert "It took longer than 0.01 seconds, so the desk stopped" in found.text


@pytest.mark.usefixtures("nurses")
def test_what_is_not_chosen_yet_or_cannot_be(researcher: Browser) -> None:
    for address, status in (
        ("compare", 200),
        ("cross?first=error", 200),
        ("regress", 200),
        ("regress?formula=x&link=magic", 422),
        ("ratios?item=error&by=ward&of=people", 422),
        ("compare.csv", 422),
        ("compare.xls?item=error&by=ward", 404),
        ("compare?item=error&by=ward&revision=0", 404),
    ):
        answer = ask(researcher, address)
        assert answer.status == status, address
        assert "data-found" not in answer.text
        assert 'role="alert"' not in answer.text


def test_pages_say_that_reports_or_questions_lack(
    researcher: Browser, store: Store, survey: Survey
) -> None:
    for kind in ANALYSES:
        text = researcher(url_for("results.page") + f"/{kind}").text
        assert 'id="nothing"' in text
        assert "<select" not in text
    store.insert_reports([report(survey) for _ in range(20)])
    text = researcher.see("analyses.page", kind="compare").text
    assert 'id="nothing"' in text
    assert "No two questions" in text


@pytest.fixture
def few(store: Store) -> Survey:
    """Register the survey, and store reports of which two are from one ward."""
    answers = drawn(300)
    answers[:, 3] = 0
    answers[120:298, 3] = 1
    answers[298:, 3] = 2
    answers[298:, 4] = 0
    return collected(store, answers)


EVERYWHERE = [
    "compare?item=error&by=ward",
    "cross?first=error&second=ward",
    f"regress?formula={quote('error ~ ward')}",
    "compare?item=drinks&by=ward",
    "cross?first=ward&second=error",
    f"regress?formula={quote('error ~ C(ward) + sex')}",
    "ratios?item=error&by=ward",
    f"regress?formula={quote('error ~ sex')}&within=ward",
    f"regress?formula={quote('drinks ~ 0 + `ward`')}",
]


@pytest.mark.parametrize("address", first_of(EVERYWHERE, 3))
def test_a_group_of_few_people_is_nowhere(researcher: Browser, few: Survey, address: str) -> None:
    page = ask(researcher, address)
    files = [researcher(ending(address, form)) for form in ("csv", "json", "svg")]
    # Of three wards one has two people. Another one is hidden, or theirs would follow: one is left.
    # A page may name the groups that it does not show, but all of them, and none by itself.
    by_ward_alone = "sex" not in address
    where = " in Surgery or Care" if by_ward_alone else ""
    told = f"Too few people to show{where}. " in page.text and " people are left" in page.text
    refused = "fewer than 5 people gave some answer to 'ward'" in unescape(page.text)
    assert told != refused
    assert refused == address.startswith("regress")
    found = page.text.partition("data-found")[2].replace(" in Surgery or Care.", "")
    for text in (found, *(file.text for file in files if file.status == 200)):
        assert not re.search(r"[Cc]are|[Ss]urgery", text), text


def test_a_hidden_group_s_size_is_nowhere(researcher: Browser, few: Survey) -> None:
    """Not on a page, and not as the rest of the numbers there: 122 are two groups together."""
    for address in ("", *EVERYWHERE[:5]):
        page = ask(researcher, address).text.partition("<main")[2]
        counts = {*re.findall(r"(?<![\d.,−])(?:n = )?(\d+)(?![\d.,%]| %| in 100)", page)}
        assert not counts & {"120", "180", "298"}, address
        assert "n = 2<" not in page
        assert "n = 2)" not in page
    card = researcher.see("results.page", slug="nurses").text.partition('data-question="ward"')[2]
    assert card.partition("</section>")[0].count("hidden, to protect few people") == 2


def test_a_cell_stands_below_the_answer_it_is_of(researcher: Browser, nurses: Survey) -> None:
    table = ask(researcher, ADDRESSES["cross"]).text.split('id="table-1"')[1]
    found = re.findall(r'(?:colspan="4"|scope="row")>([\w –]+)</th>(?:<td[^>]*>([\d.]+))?', table)
    # Of 600 people 32.9 % have no error and did not sign, and 22.4 % signed without an error.
    assert found[:3] == [("Signed – No", ""), ("No", "32.9"), ("Yes", "18.8")]
    assert found[3:] == [("Signed – Yes", ""), ("No", "22.4"), ("Yes", "26.0")]


@pytest.mark.parametrize(
    "address",
    [
        "compare?item=sex&by=ward",
        "cross?first=sex&second=ward",
        f"regress?formula={quote('sex ~ ward')}",
    ],
)
def test_direct_questions_with_small_cells_are_not_crossed(
    researcher: Browser, few: Survey, address: str
) -> None:
    answer = ask(researcher, address)
    assert answer.status == 422
    regressed = address.startswith("regress")
    said = "fewer than 5 people gave some" if regressed else "given together by fewer than 5 people"
    assert said in answer.text
    for form in ("csv", "json", "svg"):
        assert researcher(ending(address, form)).status == 422


@pytest.mark.parametrize("spoilers", first_of([1, 4]))
def test_a_gap_of_some_hides_nothing_of_others(
    researcher: Browser, store: Store, nurses: Survey, spoilers: int
) -> None:
    text = NURSES + "  - {id: more, text: More, type: single, answers: [No, Yes], flip: 1/4}\n"
    survey = store.register(read(text).survey)
    fill(store, survey, np.column_stack([drawn(60), np.zeros(60)]).astype(np.uint8))
    pages = ["compare?item=error&by=ward", ADDRESSES["regress"], "cross?first=ward&second=sex"]

    def shown() -> list[list[dict[str, str]]]:
        there = rows(ask(researcher, "estimates.csv"))
        found = [rows(researcher(ending(page, "csv"))) for page in pages]
        return [*found, [one for one in there if one["item"] in ("ward", "sex", "years")]]

    before = shown()
    gap = np.array([0, 0, 0, 2, 1, NOT_ASKED, 1], dtype=np.uint8)
    fill(store, survey, np.tile(gap, (spoilers, 1)))
    assert shown() == before
    assert min(map(len, before)) > 3


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("its 95 % interval (feldman-cousins).", "its 95 % interval by Feldman and Cousins."),
        ("95 % intervals (tail) or (wald): Q", "95 % intervals by inverted tails or by Wald: Q"),
        ("95 % intervals (auto): Q", "95 % intervals as the design says: Q"),
        ("95 % intervals (always-valid): Q", "95 % intervals that hold at every look: Q"),
        ("95 % intervals (set by the weights)", "95 % intervals (set by the weights)"),
    ],
)
def test_kinds_of_intervals_are_named_as_readers_do(said: str, named: str) -> None:
    assert with_methods_named(said) == named
