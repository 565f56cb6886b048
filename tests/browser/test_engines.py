"""Surveys are answered in each engine, and Firefox too keeps no answer: not on the disk either."""

import dataclasses
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from selenium import webdriver

from deniable.survey_file import read
from tests.browser import page as pages
from tests.browser import test_leaving as leaving
from tests.browser.conftest import KINDS
from tests.browser.engines import LIMIT, firefox, unpacked, webkit
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.browser.stations import answer_all
from tests.browser.test_exit import check_nothing_lies_ahead, neutral, wait_until_left
from tests.kit import first_of, lent

__all__ = ["neutral"]

pytestmark = pytest.mark.slow

SURVEYS = [KINDS, *sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))]


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PATIENCE", LIMIT)


@pytest.fixture(scope="module")
def served(neutral: str) -> Iterator[Served]:
    texts = [*(file.read_text() for file in SURVEYS), leaving.TRACES]
    surveys = [dataclasses.replace(read(text).survey, exit=neutral) for text in texts]
    surveys.insert(-1, dataclasses.replace(surveys[0], slug="leaving", pages=None))
    with lent(surveys) as (server, store):
        yield Served(store, surveys, server.links, server.sign_in)


@pytest.fixture(scope="module", params=[firefox, webkit], ids=["firefox", "webkit"])
def engine(request: pytest.FixtureRequest) -> Iterator[webdriver.Chrome]:
    with request.param() as driver:
        yield driver


@pytest.mark.promise("silence")
@pytest.mark.parametrize("place", first_of(range(len(SURVEYS))), ids=[one.stem for one in SURVEYS])
def test_a_survey_is_answered_in(served: Served, engine: webdriver.Chrome, place: int) -> None:
    page = Page(engine, served.links[place]).open_afresh()
    answer_all(page)
    assert page.send() == "stored"
    sent = page.announced()
    # Behind it stands of a wave which one it was.
    assert served.reports(served.surveys[place])[sent["id"]].startswith(sent["answers"])


@pytest.mark.promise("leave-quickly")
def test_firefox_steps_forward_to_no_survey(served: Served) -> None:
    with firefox() as driver:
        check_nothing_lies_ahead(driver, served.links[-2])


WAYS = [way for way in leaving.WAYS if way is not leaving.crashed]
"""Those that Firefox knows; how it goes on after it was killed has a test of its own."""


@pytest.mark.promise("memory")
def test_the_next_in_firefox_finds_no_answer(served: Served) -> None:
    with firefox() as driver:
        for way in WAYS:
            for stage in leaving.STAGES.values():
                page = Page(driver, served.links[-1]).open_afresh()
                stage(page)
                way(page)
                leaving.check_nothing_is_left(page)


@pytest.mark.promise("silence", "memory")
@pytest.mark.parametrize(
    "end", [leaving.killed, pytest.param(leaving.closed, marks=pytest.mark.campaign)]
)
@pytest.mark.parametrize("stage", leaving.STAGES)
def test_firefox_keeps_and_restores_no_answer(
    served: Served, tmp_path: Path, stage: str, end: Callable[[webdriver.Chrome], None]
) -> None:
    session = tmp_path / "sessionstore-backups" / "recovery.jsonlz4"
    with firefox(tmp_path) as driver:
        page = Page(driver, served.links[-1]).open()
        leaving.STAGES[stage](page)
        driver.execute_script(leaving.UNPROTECTED)
        page.one("main > input").send_keys(leaving.CONTROL)
        control = leaving.CONTROL.encode()
        page.wait(lambda: session.exists() and control in unpacked(session.read_bytes()))
        end(driver)
    assert leaving.found_on_disk(tmp_path, leaving.CONTROL)
    assert leaving.found_on_disk(tmp_path, leaving.TYPED) == []
    assert leaving.found_on_disk(tmp_path, leaving.TICKED) == []
    with firefox(tmp_path) as driver:
        page = Page(driver, served.links[-1])
        page.wait(lambda: shows(driver, page.link))
        leaving.check_nothing_is_left(page)


def shows(driver: webdriver.Chrome, link: str) -> bool:
    """Return whether a tab has opened a page by itself, and go there."""
    for tab in driver.window_handles:
        driver.switch_to.window(tab)
        if driver.current_url == link:
            return True
    return False


@pytest.mark.promise("after-sending", "leave-quickly")
@pytest.mark.parametrize("leaves", [False, True])
def test_firefox_keeps_little_once_sent(served: Served, tmp_path: Path, *, leaves: bool) -> None:
    with firefox(tmp_path) as driver:
        page = Page(driver, served.links[-1]).open()
        leaving.reviewed(page)
        assert page.send() == "stored"
        message = page.announced()
        if leaves:
            page.click(".exit")
            wait_until_left(page)
    for mark in (message["id"], leaving.TYPED, leaving.TICKED):
        assert leaving.found_on_disk(tmp_path, mark) == []
    assert bool(leaving.found_on_disk(tmp_path, '"reported":{')) is not leaves
    with closing(sqlite3.connect(tmp_path / "places.sqlite")) as db:
        visited = [url for (url,) in db.execute("select url from moz_places")]
    assert page.link in visited
    assert [url for url in visited if url.startswith(page.link)] == [page.link]
