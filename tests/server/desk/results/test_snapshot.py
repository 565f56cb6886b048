"""Results of one moment, prepared ahead and cached."""

import asyncio
import io
import re
import threading
import zipfile
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from deniable.analysis.results import Results, summarise
from deniable.server.desk.results import warmup as preparing
from deniable.server.desk_program import create_desk_program
from deniable.server.store import Snapshot, State, Store, StoreUnavailable
from deniable.server.store.records import SurveyRecord
from deniable.study import counted
from deniable.survey import Survey
from deniable.survey_file import read
from tests.cli.conftest import DOPING
from tests.kit import ORIGIN, Browser, Caller, report, surveys, url_for
from tests.kit.fixtures import signed_in
from tests.server.desk.test_pages import without_tokens

DESK = Path(__file__).parents[4] / "server" / "desk"


@pytest.mark.slow
@pytest.mark.promise("batches")
def test_polling_the_desk_learns_no_single_report(researcher: Browser, store: Store) -> None:
    """Before there were batches, 25 of 25 reports were learned, each with its second."""
    survey = store.register(surveys.survey(title="Doping, asked again", batch=10))
    results = url_for("results.page")
    files = (f"{results}/{name}" for name in ("estimates.json", "estimates.csv", "reports.csv"))
    figure = url_for("results.figure", question="doped", form="svg")
    paths = [results, url_for("surveys.index"), url_for("status.page"), figure, *files]
    seen = []
    for number in range(25):
        store.insert_reports([report(survey, bytes([number % 2]))])
        seen.append([without_tokens(researcher(path).text) for path in paths])
    # Not only the numbers stay: nothing at all is another between two batches.
    assert seen == [seen[0]] * 19 + [seen[19]] * 6
    assert not any(map(str.__eq__, seen[0], seen[19]))


@pytest.mark.promise("batches")
def test_the_page_says_when_reports_are_shown(store: Store, researcher: Browser) -> None:
    def told(slug: str) -> set[str]:
        pages = "".join(
            researcher.see(page, slug=slug).text for page in ("results.page", "status.page")
        )
        return {
            " ".join(one.split()) for one in re.findall(r'<p class="hint">(.*?)</p>', pages, re.S)
        }

    batched = store.register(surveys.survey(slug="batched", batch=10))
    assert any("The first 10 appear when 20 have arrived" in one for one in told("batched"))
    store.insert_reports([report(batched) for _ in range(20)])
    assert any("Of the latest, 10 to 19 are held back until" in one for one in told("batched"))
    store.set_state("batched", State.CLOSED)
    assert any("Fewer than 10 of each revision may be missing" in one for one in told("batched"))
    store.register(surveys.survey(slug="shown", batch=1))
    assert "Each report is shown as soon as it arrives." in told("shown")


@pytest.mark.promise("batches")
def test_a_page_is_of_one_snapshot(
    store: Store, researcher: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    batched = store.register(surveys.survey(slug="batched", batch=10))
    look = Store.snapshot

    def grown(self: Store, slug: str) -> Snapshot:
        found = look(self, slug)
        self.insert_reports([report(batched) for _ in range(10)])
        return found

    monkeypatch.setattr(Store, "snapshot", grown)
    for _ in range(4):
        page = researcher.see("results.page", slug="batched").text
        (head,) = re.findall(r'answered</dt><dd class="number">([^<]+)', page)
        (choice,) = re.findall(r"\(current\), ([^<]+) reports", page)
        assert head == choice
        rows = researcher.see("results.reports", slug="batched").rows
        assert len(rows) % 10 == 0


@pytest.mark.promise("batches")
def test_the_desk_asks_only_for_the_snapshot() -> None:
    exact = re.compile(r"store\.(answers|count|count_of_wave|copying)\(")
    # How many phones of a meeting have answered is told in full, and its phones are told so. The
    # answers of a trial are its owner's own.
    allowed = {"live/session.py": ["count"], "editor/routes.py": ["count"]}
    found = {
        file.relative_to(DESK).as_posix(): exact.findall(file.read_text(encoding="utf-8"))
        for file in DESK.rglob("*.py")
    }
    assert {file: calls for file, calls in found.items() if calls} == allowed


@pytest.mark.promise("batches")
def test_the_results_say_the_words_that_were_corrected(store: Store, researcher: Browser) -> None:
    first = DOPING.replace("survey: doping", "survey: word\nbatch: 1")
    store.register(read(first).survey)
    store.insert_reports([report(read(first).survey)])
    store.set_public("word", public=True)
    store.set_state("word", State.CLOSED)
    for text in (first, first.replace("Have you doped?", "Did you dope?")):
        survey = store.register(read(text).survey)
        page = researcher.see("results.page", slug="word").text
        assert survey.questions[0].text in page
        assert survey.questions[0].text in researcher("/public/word").text
        assert store.survey("word").shown_number in page
    said = "“Have you doped?” became “Did you dope?”"
    assert said in researcher.see("status.page", slug="word").text
    paper = zipfile.ZipFile(io.BytesIO(researcher.see("export.download", slug="word").body))
    for name in ("methods.md", "codebook.html"):
        (path,) = (one for one in paper.namelist() if one.endswith(name))
        assert said in paper.read(path).decode()


REPORTS = 100


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note whose results are computed."""
    slugs: list[str] = []

    def noted(survey: Survey, *arguments: Any, **named: Any) -> Results:
        slugs.append(survey.slug)
        return summarise(survey, *arguments, **named)

    monkeypatch.setattr(counted, "summarise", noted)
    counted.summary.cache_clear()
    return slugs


@pytest.fixture
def start(store: Store, loop: asyncio.AbstractEventLoop) -> Callable[[], Caller]:
    """Start a desk, and wait until it has prepared what it prepares."""

    def started() -> Caller:
        desk = Caller(create_desk_program(store, ORIGIN, prepared=True), loop)
        for thread in threading.enumerate():
            if thread.name == "preparing":
                thread.join()
        return desk

    return started


@pytest.mark.parametrize("missing", [0, 1])
def test_only_large_surveys_are_computed_ahead(
    store: Store,
    survey: Survey,
    start: Callable[[], Caller],
    computed: list[str],
    monkeypatch: pytest.MonkeyPatch,
    missing: int,
) -> None:
    store.insert_reports([report(survey) for _ in range(REPORTS)])
    monkeypatch.setattr(preparing, "LARGE", store.snapshot(survey.slug).count() + missing)
    desk = signed_in(store, start())
    assert computed == ([] if missing else [survey.slug])
    assert desk(url_for("results.page", slug=survey.slug)).status == HTTPStatus.OK
    assert computed == [survey.slug]


def test_an_unreadable_store_stops_no_desk(
    store: Store, start: Callable[[], Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    def surveys() -> list[SurveyRecord]:
        raise StoreUnavailable("the disk cannot be read or written")

    monkeypatch.setattr(store, "surveys", surveys)
    assert start()(url_for("surveys.index"), method="GET").status == HTTPStatus.UNAUTHORIZED
