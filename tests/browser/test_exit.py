"""Leave quickly: gone at once, nothing kept, and no way back by the back button."""

import dataclasses
from collections.abc import Callable, Iterator
from email.message import Message
from functools import partial
from http.server import BaseHTTPRequestHandler
from typing import ClassVar
from urllib.parse import urljoin
from urllib.request import urlopen

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from deniable.survey import NEUTRAL_SITE
from deniable.survey_file import read
from tests.browser.chromium import chromium as started
from tests.browser.chromium import requests, run_before_every_page
from tests.browser.conftest import KINDS
from tests.browser.looks import Look, on_screen
from tests.browser.page import Page, follow
from tests.browser.serving import Served
from tests.browser.stations import NO_STORAGE
from tests.browser.test_leaving import new_tab
from tests.kit import at, first_of, lent
from tests.kit.threads import Quiet, answering

pytestmark = pytest.mark.promise("leave-quickly")

ANSWERS = ["medicine-1", "offered-0", "sleep-0-0", "sleep-1-2"]


class Weather(Quiet, BaseHTTPRequestHandler):
    """A site that nobody wonders about, and the headers of those who came to it."""

    visitors: ClassVar[list[Message]] = []

    def do_GET(self) -> None:
        self.visitors.append(self.headers)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<title>Weather</title><p>Sunny.")


@pytest.fixture(scope="module")
def neutral() -> Iterator[str]:
    with answering(Weather) as origin:
        yield f"{origin}/weather"


@pytest.fixture(scope="module")
def served(neutral: str) -> Iterator[Served]:
    kinds = read(KINDS.read_text()).survey
    leaving = dataclasses.replace(kinds, slug="leaving", pages=None, exit=neutral)
    with lent([leaving, kinds]) as (server, store):
        yield Served(store, [leaving, kinds], server.links, server.sign_in)


@pytest.fixture
def page(served: Served, chromium: webdriver.Chrome) -> Page:
    page = Page(chromium, served.links[0]).open_afresh()
    chromium.get("about:blank")
    page.open()
    return page


def press(page: Page, *keys: str) -> None:
    for key in keys:
        ActionChains(page.driver).send_keys(key).perform()


def wait_until_left(page: Page) -> None:
    page.wait(lambda: page.driver.title == "Weather")


def check_left(page: Page) -> None:
    """Check that the neutral site is there, and that going back does not lead to the survey."""
    wait_until_left(page)
    check_back(page)


def check_back(page: Page) -> None:
    """Check that a step back leads to the page before, or to this site's own, and then to that."""
    driver, left = page.driver, page.driver.current_url
    driver.back()
    page.wait(partial(has_left, driver, left))
    assert driver.current_url in ("about:blank", urljoin(page.link, "/"))


def keep(page: Page) -> None:
    """Have the device keep what two people sent to this survey, and something else."""
    page.driver.execute_script(
        "localStorage.setItem('deniable:leaving', '{}');"
        "localStorage.setItem('deniable:leaving:2', '{}');"
        "localStorage.setItem('deniable:another', 'stays');"
    )


def check_forgotten(page: Page) -> None:
    page.driver.get(f"{page.link}privacy")
    assert page.remembered() == {"deniable:another": "stays"}
    page.driver.execute_script("localStorage.clear()")


@pytest.mark.promise("silence")
def test_leaving_midway_leads_back_nowhere_and_tells_nothing(page: Page, neutral: str) -> None:
    Weather.visitors.clear()
    page.answer(ANSWERS)
    keep(page)
    page.click(".exit")
    wait_until_left(page)
    assert page.driver.current_url == neutral
    assert not {"Referer", "Origin", "Cookie"} & {*Weather.visitors[0].keys()}
    check_left(page)
    check_forgotten(page)


def test_no_key_is_named_where_there_is_none(page: Page) -> None:
    """On a small screen, and on a large one that is touched."""
    hint = "or press Esc three times"
    assert hint in page.text("header")
    for width, touched in ((360, False), (1024, True)):
        with on_screen(page.driver, Look(width, "light")):
            touch = {"enabled": touched}
            page.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", touch)
            assert "Leave quickly" in page.text("header")
            assert hint not in page.text("header")


@pytest.mark.slow
def test_escape_three_times_leaves(page: Page) -> None:
    assert "or press Esc three times" in page.text("header")
    page.answer(ANSWERS[:1])
    press(page, Keys.ESCAPE, Keys.ESCAPE)
    page.driver.execute_async_script("setTimeout(arguments[0], 2100)")
    press(page, Keys.ESCAPE, "a", Keys.ESCAPE, Keys.ESCAPE)
    assert page.driver.current_url == page.link
    press(page, Keys.ESCAPE)
    check_left(page)


@pytest.mark.slow
def test_nothing_shows_while_the_next_site_loads(page: Page) -> None:
    page.answer(ANSWERS[:1])
    # In the same turn in which it is pressed, before any other site can have come.
    left = page.driver.execute_script(
        "document.querySelector('.exit').click();"
        "return [document.body.childElementCount, document.title]"
    )
    assert left == [0, "127.0.0.1"]


@pytest.mark.promise("document", "fails-closed")
def test_without_javascript_only_the_exit_is_there(served: Served) -> None:
    with started(javascript=False) as driver:
        page = Page(driver, served.links[0])
        # The page of questions knows no survey, and leads to one that does.
        with urlopen(served.links[0]) as answer:
            assert f'<a class="exit" href="{NEUTRAL_SITE}"' in answer.read().decode()
        driver.get(served.links[0])
        page.wait(lambda: page.sent_as() == "unscripted")
        assert driver.current_url == f"{page.link}unscripted"
        assert "Esc" not in page.text("header")
        (exit_,) = page.all(".exit")
        assert exit_.is_displayed()
        assert exit_.get_dom_attribute("href") == served.surveys[0].neutral_site
        # In the survey's own language alone: what it is, and what to do.
        assert page.text("h1") == served.surveys[0].title
        for said in ("JavaScript is switched off", "nothing can be sent", "settings of your brow"):
            assert said in page.text()
        assert page.one("main a[href$=sheet]").is_displayed()
        assert not page.all("input, button:not(.exit), form")
        assert {request.method for request in requests(driver)} == {"GET"}


def test_it_works_where_the_browser_keeps_nothing(served: Served) -> None:
    with started() as driver:
        run_before_every_page(driver, NO_STORAGE)
        page = Page(driver, served.links[0]).open()
        # Which is told first.
        assert page.one("section[tabindex] p.warning").is_displayed()
        page.click(".exit")
        wait_until_left(page)


def at_the_first_screen(page: Page) -> None:
    assert page.screen() == "start"


def at_a_question(page: Page) -> None:
    page.answer(ANSWERS[:1])


def back_at_the_first_screen(page: Page) -> None:
    at_a_question(page)
    page.click(".back")
    page.wait(lambda: page.screen() == "start")


def reloaded_at_a_question(page: Page) -> None:
    at_a_question(page)
    page.driver.refresh()
    page.wait(lambda: page.screen() == "start")


def returned_from_another_page(page: Page) -> None:
    at_a_question(page)
    follow(page.driver, "footer button")
    page.wait(lambda: page.sent_as() == "privacy")
    page.driver.back()
    page.wait(lambda: page.screen() == "start")


def when_it_was_sent(page: Page) -> None:
    page.answer(ANSWERS, {"drinks-0": "4"})
    page.answer(["year-0"])
    assert page.send() == "stored"


STAGES: list[Callable[[Page], None]] = [
    at_a_question,
    back_at_the_first_screen,
    when_it_was_sent,
    at_the_first_screen,
    reloaded_at_a_question,
    returned_from_another_page,
]
"""Where somebody is who leaves."""


def by_the_button(page: Page) -> None:
    page.click(".exit")
    wait_until_left(page)


def by_escape(page: Page) -> None:
    for _ in range(3):
        page.one("body").send_keys(Keys.ESCAPE)
    wait_until_left(page)


def by_clearing(page: Page) -> None:
    page.click("main .clear")
    page.wait(lambda: page.driver.current_url == "about:blank")


def by_forgetting(page: Page) -> None:
    page.unfold()
    page.click("main .forget")
    page.wait(lambda: page.driver.current_url == "about:blank")


LEAVINGS: list[tuple[Callable[[Page], None], Callable[[Page], None]]] = [
    *((stage, by_the_button) for stage in STAGES),
    (at_a_question, by_escape),
    (when_it_was_sent, by_clearing),
    (when_it_was_sent, by_forgetting),
]


def has_left(driver: webdriver.Chrome, address: str) -> bool:
    return driver.current_url != address


def check_nothing_lies_ahead(driver: webdriver.Chrome, link: str) -> None:
    """Leave in every way, and press Forward and Back: neither leads to the survey."""
    for stage, leave in LEAVINGS:
        page = Page(driver, link).open_afresh()
        new_tab(driver)
        driver.get("about:blank")
        page.open()
        stage(page)
        leave(page)
        left = driver.current_url
        driver.forward()
        driver.execute_async_script("setTimeout(arguments[0], 200)")
        assert driver.current_url == left, (stage, leave)
        check_back(page)


@pytest.mark.slow
def test_no_step_forward_leads_to_the_survey(served: Served, chromium: webdriver.Chrome) -> None:
    check_nothing_lies_ahead(chromium, served.links[0])


@pytest.mark.parametrize(("path", "how"), first_of([("privacy", "pressed"), ("sheet", "Escape")]))
def test_a_page_around_it_is_left_alike(page: Page, path: str, how: str) -> None:
    page.driver.get("about:blank")
    page.driver.get(f"{page.link}{path}")
    keep(page)
    # The line on Escape is hidden until the program listens.
    assert page.one(".leave span").is_displayed()
    if how == "pressed":
        page.click(".exit")
    else:
        press(page, Keys.ESCAPE, Keys.ESCAPE, Keys.ESCAPE)
    check_left(page)
    check_forgotten(page)


def test_the_ledger_names_all_surveys_and_forgets_all(page: Page) -> None:
    """To the usual site, which no test may ask anything of: it is stopped on the way."""
    driver = page.driver
    driver.get(page.link.replace(at("leaving"), "/device"))
    driver.execute_script(
        "localStorage.setItem('deniable:one', '{}');"
        "localStorage.setItem('deniable:two:2', '{}');"
        "localStorage.setItem('deniable:', '{}');"
        "localStorage.setItem('another', 'stays');"
    )
    link = page.one(".exit")
    assert link.get_dom_attribute("href") == "https://www.wikipedia.org/"
    kept = driver.execute_script(
        "document.querySelector('.exit').click();"
        "const kept = {...localStorage}; window.stop(); return kept"
    )
    assert kept == {"another": "stays"}
    driver.get(f"{page.link}privacy")
    driver.execute_script("localStorage.clear()")
