"""However the page is left, nothing of an answer stays: in the page, in storage, on the disk."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.common.exceptions import TimeoutException, WebDriverException
from selenium.webdriver.support.ui import WebDriverWait

from deniable.server.loopback import loopback
from deniable.server.respondent import headers
from deniable.survey_file import read
from tests.browser.chromium import chromium as started
from tests.browser.chromium import open_tab, run_before_every_page
from tests.browser.conftest import serves
from tests.browser.engines import unpacked
from tests.browser.page import Page, follow
from tests.browser.serving import Served
from tests.kit import first_of

pytestmark = pytest.mark.promise("silence", "memory")

TICKED = "TICKED83125"
TYPED = "71839204"
CONTROL = "CONTROL5550123"
"""Marks that are easy to find: the answers that are given, and something that a page does keep."""

TRACES = f"""
version: 1
survey: traces
title: Traces
epsilon: 6
questions:
  - {{id: ticked, text: 'Ticked?', type: single, answers: [Another, {TICKED}]}}
  - {{id: typed, text: 'Typed?', type: number, min: 71839004, max: 71840404, step: 100}}
"""

SESSION_IS_WRITTEN = 4000
"""Milliseconds after which Chromium has saved its session: a few seconds after a change."""

served = serves(TRACES)


def typed(page: Page) -> None:
    """Answer until the number is typed."""
    page.answer(["ticked-1"], {"typed-0": TYPED})


def reviewed(page: Page) -> None:
    """Answer until all answers are shown, in words."""
    typed(page)
    page.to_review()
    page.show_answers()
    assert TYPED in page.text("dl.review")
    assert TICKED in page.text("dl.review")


STAGES = {"typed": typed, "reviewed": reviewed}

KEPT = """
const done = arguments[0];
(async () => {
  const inputs = [...document.querySelectorAll("input")];
  done({
    local: { ...localStorage },
    session: { ...sessionStorage },
    databases: await indexedDB.databases(),
    caches: "caches" in window ? await caches.keys() : [],
    cookies: document.cookie,
    name: window.name,
    address: location.search + location.hash,
    history: Object.keys(history.state ?? {}),
    ticked: inputs.filter((input) => input.checked).length,
    values: inputs.filter((input) => input.type === "text").map((input) => input.value),
    reviews: document.querySelectorAll("[data-answers]").length,
  });
})();
"""


def check_nothing_is_left(page: Page) -> None:
    """Look at all that a page can see of this device, on each page of the survey."""
    page.wait(lambda: page.all("main button"))
    page.proceed()
    while True:
        kept = page.driver.execute_async_script(KEPT)
        assert kept.pop("history") == ["depth"]
        assert kept.pop("values") in ([], [""])
        assert not any(kept.values()), kept
        if page.all("#typed-0"):
            return
        page.answer(["ticked-0"])
        page.proceed()


def new_tab(driver: webdriver.Chrome) -> None:
    """Close the tab, and go on in another one."""
    old = driver.current_window_handle
    other = open_tab(driver)
    driver.switch_to.window(old)
    driver.close()
    driver.switch_to.window(other)


def reload(page: Page) -> None:
    page.driver.refresh()


def away_and_back(page: Page) -> None:
    page.driver.get(f"{page.link}privacy")
    page.driver.back()


def away_and_opened_again(page: Page) -> None:
    page.driver.get("about:blank")
    page.driver.get(page.link)


def closed_and_opened_again(page: Page) -> None:
    new_tab(page.driver)
    page.driver.get(page.link)


def exited(page: Page) -> None:
    # Towards a site of the usual kind, which no test may reach: it is stopped on the way.
    page.driver.execute_script("document.querySelector('.exit').click(); window.stop()")
    page.driver.get("about:blank")
    page.driver.get(page.link)


def in_another_tab(page: Page) -> None:
    """As a duplicated tab: with a copy of the session's storage."""
    before = {*page.driver.window_handles}
    page.driver.execute_script("window.open(location.href)")
    page.wait(lambda: len(page.driver.window_handles) > len(before))
    (other,) = {*page.driver.window_handles} - before
    page.driver.close()
    page.driver.switch_to.window(other)


def crashed(page: Page) -> None:
    old = page.driver.current_window_handle
    other = open_tab(page.driver)
    page.driver.switch_to.window(old)
    with suppress(WebDriverException):
        page.driver.get("chrome://crash")
    page.driver.switch_to.window(other)
    page.driver.get(page.link)


WAYS: list[Callable[[Page], None]] = [
    away_and_back,
    reload,
    in_another_tab,
    crashed,
    away_and_opened_again,
    closed_and_opened_again,
    exited,
]


@pytest.mark.parametrize("way", first_of(WAYS, 2), ids=[way.__name__ for way in WAYS])
@pytest.mark.parametrize("stage", first_of(STAGES))
def test_whoever_opens_it_next_finds_no_answer(
    served: Served, chromium: webdriver.Chrome, stage: str, way: Callable[[Page], None]
) -> None:
    page = Page(chromium, served.links[0]).open_afresh()
    STAGES[stage](page)
    way(page)
    check_nothing_is_left(page)


@pytest.mark.parametrize("stage", first_of(STAGES))
def test_no_page_in_the_cache_holds_answers(stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a page that must not be stored Chromium keeps none; other browsers may.

    So it is served here as one that may be stored, and what was kept is looked at before the page's
    own program can do anything.
    """
    monkeypatch.setattr(headers, "NO_STORE", ("X-Nothing", "1"))
    looked = f"""
    addEventListener("pageshow", (event) => {{
      if (!event.persisted) return;
      const inputs = [...document.querySelectorAll("input")];
      localStorage.found = JSON.stringify([
        inputs.filter((input) => input.checked).length,
        inputs.map((input) => input.value).join().includes("{TYPED}"),
        document.querySelectorAll("[data-answers]").length,
      ]);
    }});
    """
    with loopback(read(TRACES).survey) as link, started(whole=True) as driver:
        run_before_every_page(driver, looked)
        page = Page(driver, link)
        driver.get("about:blank")
        page.open()
        STAGES[stage](page)
        follow(page.driver, "footer button")
        page.wait(lambda: page.sent_as() == "privacy")
        page.driver.back()
        page.wait(lambda: page.driver.current_url == link)
        page.wait(lambda: driver.execute_script("return localStorage.found"))
        assert driver.execute_script("return localStorage.found") == "[0,false,0]"
        driver.execute_script("localStorage.clear()")
        check_nothing_is_left(page)


def found_on_disk(profile: Path, mark: str) -> list[Path]:
    """Return the files that hold a mark, in either way in which browsers write text."""
    marks = (mark.encode(), mark.encode("utf-16-le"))
    files = [path for path in profile.rglob("*") if path.is_file() and not path.is_symlink()]
    assert len(files) > 20
    return [path for path in files if any(one in unpacked(path.read_bytes()) for one in marks)]


def closed(driver: webdriver.Chrome) -> None:
    """Nothing but what the end of the block does."""
    del driver


def killed(driver: webdriver.Chrome) -> None:
    said = driver.capabilities
    os.kill(said.get("goog:processID") or said["moz:processID"], signal.SIGKILL)


def crashed_and_closed(driver: webdriver.Chrome) -> None:
    with suppress(WebDriverException):
        driver.get("chrome://crash")


ENDS: list[Callable[[webdriver.Chrome], None]] = [closed, killed, crashed_and_closed]

UNPROTECTED = "document.querySelector('main').append(document.createElement('input'))"


@pytest.mark.slow  # A profile takes a whole Chromium, twice.
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("stage", STAGES)
def test_the_disk_keeps_and_restores_no_answer(
    served: Served,
    tmp_path: Path,
    stage: str,
    end: Callable[[webdriver.Chrome], None],
) -> None:
    profile = tmp_path / "profile"
    with started(profile) as driver:
        page = Page(driver, served.links[0]).open()
        STAGES[stage](page)
        # The search finds what a browser does write: what is typed where nothing forbids it.
        driver.execute_script(UNPROTECTED)
        page.one("main > input").send_keys(CONTROL)
        driver.execute_async_script(f"setTimeout(arguments[0], {SESSION_IS_WRITTEN})")
        end(driver)
    assert found_on_disk(profile, CONTROL)
    assert found_on_disk(profile, TYPED) == []
    assert found_on_disk(profile, TICKED) == []
    with started(profile, arguments=["--restore-last-session"]) as driver:
        page = Page(driver, served.links[0])
        # Chromium opens by itself what was open, unless that is what crashed, or it was killed
        # before it had written what was open: our pages give it little to write on the way.
        if end is killed:
            with suppress(TimeoutException):
                WebDriverWait(driver, 5).until(lambda _: driver.current_url == page.link)
        if end is crashed_and_closed or driver.current_url != page.link:
            page.open()
        page.wait(lambda: driver.current_url == page.link)
        check_nothing_is_left(page)


@pytest.mark.slow
@pytest.mark.promise("after-sending")
def test_the_disk_learns_only_that_it_was_answered(served: Served, tmp_path: Path) -> None:
    """Where it arrives at once: what waits for long is written, and browsers wipe it out later."""
    profile = tmp_path / "profile"
    with started(profile) as driver:
        page = Page(driver, served.links[0]).open()
        reviewed(page)
        assert page.send() == "stored"
        message = page.announced()
        driver.execute_async_script(f"setTimeout(arguments[0], {SESSION_IS_WRITTEN})")
    assert found_on_disk(profile, message["id"]) == []
    assert found_on_disk(profile, '"reported":{')
    assert found_on_disk(profile, TYPED) == []
    assert found_on_disk(profile, TICKED) == []
