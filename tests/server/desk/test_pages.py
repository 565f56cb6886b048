"""The desk's pages, whatever a survey is called, and with a damaged store."""

import ast
import asyncio
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from werkzeug.routing import Map

import deniable.server
from deniable import designs
from deniable.analysis import intervals
from deniable.results.files import FORMATS, Format
from deniable.server.desk.app import create_desk_app
from deniable.server.desk.auth import login_links
from deniable.server.desk.results.compare import ANALYSES
from deniable.server.desk_program import create_desk_program
from deniable.server.respondent.app import create_respondents_app
from deniable.server.store import Store, StoreUnavailable
from deniable.server.web.tls import WITHOUT_TLS
from deniable.survey import Survey
from deniable.survey.address import PATTERN
from deniable.survey_file import read
from deniable.text.wording import quantity
from tests.deniable.test_wordings import WRITTEN, corrected
from tests.kit import ORIGIN, RESPONDENTS, Browser, Caller, at, report, surveys, url_for
from tests.kit.surveys import file_of

DESK_ON_TLS = "https://desk.example.org"


def without_tokens(page: str) -> str:
    """Return a page without its forms' tokens, which tell the visitor and the second."""
    return re.sub(r'name="csrf_token" value="[^"]+"', "", page)


def test_a_weak_promise_s_words_are_told(researcher: Browser, store: Store) -> None:
    told = "One answer by itself: close to proof"
    assert told not in researcher.see("results.page").text
    weak = surveys.single(channel=designs.warner(epsilon=9))
    store.register(surveys.survey(weak, slug="weak"))
    assert told in researcher.see("results.page", slug="weak").text
    # Its colour is that of one answer, also where a change between waves reveals more.
    text = file_of("id: q, text: Q, type: single, answers: [No, Yes], epsilon: 2")
    store.register(read(f"{text}\nwaves: {{count: 2, redraw: 1/10}}\n").survey)
    page = researcher.see("results.page", slug="s").text
    assert 'class="badge amber">One answer by itself: strong hint<' in page


@pytest.mark.promise("program")
@pytest.mark.parametrize(
    ("respondents", "warned"),
    [("http://192.0.2.1:8000", True), ("https://survey.example.org", False)],
)
def test_without_tls_nothing_is_sure(
    store: Store, loop: asyncio.AbstractEventLoop, respondents: str, warned: bool
) -> None:
    browser = Browser(Caller(create_desk_program(store, respondents), loop))
    browser.sign_in(login_links.new_link(store, ORIGIN))
    assert (WITHOUT_TLS in browser.see("surveys.index").text) is warned


def fill(store: Store, survey: Survey, counts: list[int]) -> None:
    """Store so many reports of each answer to the only question."""
    store.insert_reports(
        [report(survey, bytes([a])) for a, count in enumerate(counts) for _ in range(count)]
    )


@surveys.AT_ONCE
def test_estimates_outside_are_flagged(researcher: Browser, store: Store, survey: Survey) -> None:
    fill(store, survey, [74, 26])
    text = researcher.see("results.page").text
    # Its number, with its mark, and the whole interval stand where those of its neighbours do.
    (card,) = re.findall(r'<li class="outside">.*?</li>', text, re.DOTALL)
    (row,) = (
        row
        for row in researcher.see("results.estimates", form="csv").rows
        if (row["answer"], row["statistic"]) == ("yes", "share")
    )
    low, high = (f"{100 * float(row[end]):.1f} %".replace("-", "−") for end in ("low", "high"))
    assert re.search(r'class="estimate">−1.9 % <span aria-hidden="true">◆</span>', card)
    assert f'class="ends">{low} to {high}<' in card
    assert " in 100, " not in text  # its note says more than a sentence could
    assert text.count("No, Yes: Outside 0–100 %. This can happen by chance, so it is not cut") == 1
    assert "was the design followed?" not in text.lower()
    assert "Less than a third" not in text
    fill(store, survey, [826, 74])
    text = researcher.see("results.page").text
    assert "−36.6 %" in text
    assert "can happen by chance, so it is not cut off" not in text
    assert text.count("No, Yes: Further outside 0–100 % than chance explains. Was the design") == 1
    assert "<li>What about doped?: Yes, −36.6 %</li>" in text


def test_revisions_show_their_check_numbers(researcher: Browser, store: Store) -> None:
    survey = read(WRITTEN).survey
    again = corrected(survey, ("superviser", "supervisor"))
    other = replace(again, batch=20)
    for one in (survey, again, other):
        store.register(one)
    page = researcher.see("results.page", slug="lab").text
    assert f'<code title="{other.check_number}">{other.shown_number}</code>' in page
    for one, current in ((again, ""), (other, " (current)")):
        said = f">only {one.shown_number}{current}, fewer than {2 * one.batch} reports</option>"
        assert said in page
    page = researcher.see("results.page", slug="lab", revision=survey.revision).text
    assert f"only revision {again.shown_number}</summary>" in page


def test_a_further_wave_keeps_earlier_results(researcher: Browser, store: Store) -> None:
    first = store.register(surveys.panel())
    store.insert_reports([surveys.of_wave(first, 1) for _ in range(20)])
    store.begin_wave("panel", 3)
    store.insert_reports([surveys.of_wave(first, 3) for _ in range(30)])
    longer = store.register(replace(first, waves=4))
    store.begin_wave("panel", 4)
    store.insert_reports([surveys.of_wave(longer, 4) for _ in range(40)])
    found = researcher.see("results.estimates", slug="panel", form="json").json
    assert found["n_by_wave"] == {"1": 20, "3": 30, "4": 40}
    changes = {(row["since"], row["wave"]) for row in found["estimates"] if row["since"]}
    assert changes == {(1, 3), (3, 4)}
    for revision, waves in ((first.revision, "13"), (longer.revision, "4")):
        see = partial(researcher.see, slug="panel", revision=revision)
        assert [*see("results.estimates", form="json").json["n_by_wave"]] == [*waves]
        # What compares questions has the reports to both, in waves that the revision has.
        query = f"?first=doped&second=sleep&wave=3&revision={revision}"
        assert (
            researcher(f"{url_for('results.page', slug='panel')}/cross.json{query}").json["n"] == 30
        )


@surveys.AT_ONCE
def test_level_and_method_are_chosen(researcher: Browser, store: Store, survey: Survey) -> None:
    fill(store, survey, [650, 350])
    changed = store.register(surveys.survey(title="Doping, asked again", batch=1))
    wide = researcher.see("results.estimates", form="json", revision=survey.revision).json
    query = f"revision={survey.revision}&level=99&method=exact"
    wider = researcher(url_for("results.estimates", form="json") + f"?{query}").json
    assert (wide["n"], wide["level"], wide["method"]) == (1000, 0.95, intervals.DEFAULT)
    assert (wider["n"], wider["level"], wider["method"]) == (1000, 0.99, "exact")
    assert wider["estimates"][0]["low"] < wide["estimates"][0]["low"]
    page = researcher(url_for("results.page") + f"?{query}").text
    assert "99 % interval" in page
    assert "(earlier)" in page
    assert "level=99" in page
    # Without a choice all revisions are seen together, as people read the same question.
    fill(store, changed, [3, 4])
    assert researcher.see("results.estimates", form="json").json["n"] == 1007
    assert researcher.see("results.reports").text.count("\n") == 1008
    together = " ".join(researcher.see("results.page").text.split())
    assert f"1,000 reports to revision {survey.shown_number} (other there: title)" in together
    assert "other there" not in page
    for bad, status in (
        ("level=94", 422),
        ("method=magic", 422),
        ("revision=01", 404),
        (f"revision={'0' * 32}", 404),
    ):
        answer = researcher(url_for("results.page") + f"?{bad}")
        assert answer.status == status
        assert bad.partition("=")[2] not in answer.text.partition("<main")[2]
        assert (" must be " in answer.text) == (status == 422)


def test_a_new_format_is_offered_at_once(
    researcher: Browser, store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, survey, [20, 10])
    assert researcher.see("results.estimates", form="rows").status == 404
    made_up = Format("rows", "text/rows", lambda export: b"%d rows of noise" % len(export.rows))
    monkeypatch.setitem(FORMATS, "rows", made_up)
    assert "Estimates as rows" in researcher.see("results.page").text
    answer = researcher.see("results.estimates", form="rows")
    assert answer.body == b"2 rows of noise"
    assert answer.headers["Content-Type"].startswith("text/rows")
    assert answer.headers["Content-Disposition"].endswith("-estimates.rows")


def test_without_reports_there_is_one_line(researcher: Browser, store: Store) -> None:
    age = "id: age, text: Age?, type: number, min: 20, max: 70, step: 25, epsilon: 1, family: "
    for slug, family in (("shares", "k_ary"), ("mean", "two_point")):
        one = store.register(read(file_of(age + family, slug=slug)).survey)
        text = researcher.see("results.page", slug=one.slug).text
        assert text.count('id="nothing"') == 1
        assert f"{RESPONDENTS}{one.path}" in text
        assert not re.search("<table|<picture|data-question|/compare", text)


@pytest.mark.parametrize(
    ("value", "span", "written"),
    [
        (None, 1, "–"),
        (35.25, 80, "35.25"),
        (35.25, 100, "35.2"),
        (7.0, 24, "7.00"),
        (1.23456, 2, "1.235"),
        (1.23456, 10, "1.23"),
        (1234.5678, 5000, "1235"),
        (12345678.9, 10**7, "12345679"),
        (0.001234, 0.01, "0.00123"),
        (-0.04, 100, "0.0"),
        (-3.14, 100, "−3.1"),
    ],
)
def test_quantities_have_useful_digits(value: float | None, span: float, written: str) -> None:
    assert quantity(value, span) == written


@pytest.mark.parametrize(
    "path", [at("doping"), at("doping", "reports"), "/client/main.js", "/nowhere"]
)
def test_what_is_not_the_desk_s_is_not_here(visitor: Browser, path: str) -> None:
    answer = visitor(path)
    assert answer.status == 404
    assert 'href="/desk/surveys"' in answer.text
    assert "Doping" not in answer.text


@pytest.mark.parametrize("path", ["/", "/desk", "/desk/"])
def test_the_bare_address_leads_to_the_desk(visitor: Browser, path: str) -> None:
    answer = visitor(path)
    assert (answer.status, answer.headers["Location"]) == (302, url_for("surveys.index"))


def test_no_link_leads_out_of_the_desk(researcher: Browser, store: Store, survey: Survey) -> None:
    store.register(surveys.survey(surveys.single("a", direct=True), slug="direct"))
    fill(store, survey, [15, 10])
    pages = [
        url_for("surveys.index"),
        url_for("results.page"),
        url_for("results.page", slug="direct"),
        url_for("invitations.page"),
        "/nowhere",
    ]
    pages += [url_for("results.page") + f"/{kind}" for kind in ANALYSES]
    for page in pages:
        text = researcher(page).text
        assert 'href="/desk/' in text
        for address in re.findall(r'(?:href|src|action)="([^"#][^"]*)"', text):
            assert re.match(rf"/desk/|/lab|{RESPONDENTS}{PATTERN}", address), (page, address)


@pytest.mark.parametrize("file", ["reports.csv", "paper.zip"])
def test_no_file_is_made_of_a_damaged_store(
    researcher: Browser,
    store: Store,
    survey: Survey,
    file: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    store.insert_reports([report(survey) for _ in range(20)])
    assert researcher(url_for("results.page") + f"/{file}").status == 200
    with store._engine.transaction() as db:
        db.execute("UPDATE reports SET answers = ?", (b"\1",))
    answer = researcher(url_for("results.page") + f"/{file}")
    assert answer.status == 503
    assert "'doping'" in caplog.text


NOT_READ = "It did not read the reports."


def test_results_are_of_checked_counts(
    researcher: Browser, store: Store, survey: Survey, caplog: pytest.LogCaptureFixture
) -> None:
    store.insert_reports([report(survey) for _ in range(20)])
    with store._engine.transaction() as db:
        db.execute("UPDATE reports SET answers = ?", (b"\1",))  # which the page does not read
    page = url_for("results.page")
    assert NOT_READ in researcher(page).text
    with store._engine.transaction() as db:
        db.execute("UPDATE tallies SET count = count + 1")
    assert researcher(page).status == 503
    assert "damaged store" in caplog.text
    assert "survey 'doping': the tallies do not give the sum" in caplog.text
    assert "pages cannot be made" not in caplog.text  # they cannot in a moment either


def test_a_busy_store_is_asked_again(
    researcher: Browser,
    survey: Survey,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def busy(*_: object) -> None:
        raise StoreUnavailable("the database is locked")

    page = url_for("status.page", slug=survey.slug)
    assert researcher(page).status == 200
    monkeypatch.setattr(Store, "schedule", busy)
    answer = researcher(page)
    assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
    assert "Nothing was changed" in answer.text
    assert "the database is locked" in caplog.text
    assert "Traceback" not in caplog.text


def maps(store: Store) -> list[Map]:
    apps = create_desk_app(store, RESPONDENTS), create_respondents_app(store)
    return [app.url_map for app in apps]


def test_fixed_parts_of_addresses_may_be_slugs(store: Store) -> None:
    for addresses in maps(store):
        rules = [*addresses.iter_rules()]
        fixed = {
            part for rule in rules for part in rule.rule.split("/") if part and "<" not in part
        }
        adapter = addresses.bind("localhost")
        for rule in rules:
            if "slug" not in rule.arguments:
                continue
            for slug in sorted(fixed):
                fitting = {"slug": slug, "document": "ethics", "kind": "cross"}
                values = {name: fitting.get(name, "7") for name in rule.arguments}
                (method, *_) = (rule.methods or set()) - {"HEAD", "OPTIONS"}
                path = adapter.build(rule.endpoint, values, method)
                endpoint, found = adapter.match(path, method)
                assert (endpoint, found["slug"]) == (rule.endpoint, slug)


MOST: Final = 8

_SERVER: Final = Path(deniable.server.__file__).parent


def test_no_page_gets_more_than_eight_arguments() -> None:
    counted = {
        f"{path.relative_to(_SERVER)}:{call.lineno}": len(call.args[1:]) + len(call.keywords)
        for path in sorted(_SERVER.rglob("*.py"))
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        if call.func.id == "render_template"
    }
    assert len(counted) >= 30
    assert not {place: n for place, n in counted.items() if n > MOST}
