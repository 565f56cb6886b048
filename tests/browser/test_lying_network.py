"""Each answer that may come in our server's place to a request of a survey, and then the truth.

The person does what everybody does: answers, sends, presses what the page offers, and at last loads
the page anew. The report arrives exactly once, and nobody is thanked before.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from selenium import webdriver
from selenium.common.exceptions import WebDriverException

from deniable.server.store import store_url
from deniable.server.store.invitations import new_codes
from deniable.server.store.keys import invite, key_file
from tests.browser.chromium import chromium as browsers
from tests.browser.chromium import run_before_every_page
from tests.browser.conftest import DESIGN
from tests.browser.page import Page
from tests.browser.serving import Served, serving
from tests.browser.test_coming_back import ANSWERS
from tests.kit import LIES, Network, at, network

pytestmark = pytest.mark.promise("our-word")

SEASON = Path(__file__).parents[2] / "examples" / "season.yaml"
INVITED = DESIGN.read_text().replace("survey: doping", "survey: invited")

TICKED = {
    "doping": ANSWERS,
    "invited": ANSWERS,
    "season": ["painkillers-1", "injured-0", "level-0"],
}

HASTY = """
const patient = setTimeout;
window.setTimeout = (done, time = 0, ...more) =>
  patient(done, time >= 1000 ? time / (time === 20_000 ? 20 : 50) : time, ...more);
"""
"""Seconds pass fifty times faster; of a request that nobody answers, twenty, as a busy machine may
need a second."""

MOST_TRIES = 14
"""Requests for one thing before anybody presses anything: six tries, and those of the browser."""

BUTTON = "[role=status] button:not([hidden]), [data-screen=offline] button"

Case = tuple[str, str, str, float]
"""A survey, what is asked for, what comes instead, and how often."""

QUICK: list[Case] = [
    ("doping", "survey.json", "302", 9e9),
    ("doping", "state.json", "200 other", 9e9),
    ("doping", "reports", "401", 9e9),
    ("doping", "reports", "half", 9e9),
    ("doping", "reports", "lost", 1),
    ("invited", "tokens", "403", 9e9),
    ("season", "reports", "410 problem", 9e9),
]
"""The cases that differ in kind."""

ASKED: dict[tuple[str, str], tuple[str, ...]] = {
    ("doping", "page"): LIES[:-1:3],  # silence ends as the browser has it
    ("doping", "survey.json"): LIES[1::2],
    ("doping", "state.json"): LIES,
    ("doping", "reports"): LIES,
    ("invited", "tokens"): LIES,
    ("invited", "reports"): LIES[1::5],
    ("season", "state.json"): LIES[4::5],
    ("season", "reports"): LIES[3::5],
}
"""Of a survey what is asked for, and what comes: everything of what differs in kind."""

ALL: list[Case] = [
    (slug, about, lie, times)
    for (slug, about), lies in ASKED.items()
    for lie in lies
    for times in ((1, 9e9) if about in ("tokens", "reports") and lie in LIES[::4] else (9e9,))
]


def cases() -> Iterator[ParameterSet]:
    """Yield all cases: those that differ little in the slow tests."""
    for case in dict.fromkeys([*QUICK, *ALL]):
        slug, about, lie, times = case
        marks = [] if case in QUICK else [pytest.mark.slow]
        name = f"{slug}-{about}-{lie}-{'once' if times == 1 else 'for good'}"
        yield pytest.param(case, marks=marks, id=name)


@dataclass
class Scene:
    """Somebody's browser behind the network."""

    served: Served
    between: Network
    driver: webdriver.Chrome
    codes: list[str] = field(default_factory=list)

    def stored(self) -> int:
        """Return how many reports the store has, of all surveys."""
        with closing(sqlite3.connect(self.served.store)) as db:
            rows = db.execute("select id from reports union all select id from held").fetchall()
        return len(rows)


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    with serving(DESIGN, INVITED, SEASON) as served, browsers() as driver:
        codes = new_codes(200)
        with served.opened() as store:
            invite(store, key_file(store_url(str(served.store))), "invited", codes)
        run_before_every_page(driver, HASTY)
        port = int(served.links[0].split("/")[2].rpartition(":")[2])
        with network(port, served.surveys[2]) as between:
            yield Scene(served, between, driver, codes)


def visit(page: Page) -> None:
    """Go to the page, as far as the network lets anybody."""
    page.driver.get("about:blank")  # an address that differs by its fragment alone loads nothing
    with suppress(WebDriverException):
        page.driver.get(page.link)
        # Browsers keep a 410 for good: who sees it loads the page again.
        if page.text("body") and not page.is_there("main"):
            page.driver.refresh()


def settled(page: Page) -> str:
    """Wait until the page goes on by itself no more, and return its screen."""
    page.wait(lambda: page.screen() in ("start", "offline", "refused", "answered", "report"))
    return page.screen()


def answered(page: Page, slug: str) -> None:
    page.answer(list(TICKED[slug]))
    page.to_review()


def says_thanks(page: Page) -> bool:
    return page.is_there("[data-outcome=stored], [data-screen=answered]")


def send_at_last(page: Page, slug: str) -> None:
    """With the truth back, do what is left to do until the report has arrived."""
    end = time.monotonic() + 30
    while not says_thanks(page):
        assert time.monotonic() < end, (page.screen(), page.text())
        screen = page.screen()
        if screen == "report":
            with suppress(WebDriverException):  # it goes on by itself, too
                if page.is_there(BUTTON):
                    page.click(BUTTON)
                page.wait(lambda: says_thanks(page) or page.is_there(BUTTON))
        elif screen == "start":
            answered(page, slug)
        elif page.is_there("[data-answers]"):
            page.proceed()
        else:
            visit(page)
            settled(page)


@pytest.mark.parametrize("case", [*cases()])
def test_a_report_arrives_once_whatever_answers(scene: Scene, case: Case) -> None:
    slug, about, lie, times = case
    between, driver = scene.between, scene.driver
    between.tell_truth()
    link = f"{between.url}{at(slug)}"
    if slug == "invited":
        link += f"#code={scene.codes.pop()}"
    page = Page(driver, link)
    driver.get(f"{between.url}/device")
    driver.execute_script("localStorage.clear()")
    before = scene.stored()
    between.asked.clear()
    at_once = about not in ("tokens", "reports")
    if at_once:
        between.lie(lie, about, times)
    visit(page)
    if about != "page":
        screen = settled(page)
        # What is another survey's is no fault of the network.
        assert screen in ("start", "offline") or (about, lie) == ("survey.json", "200 other")
        assert (screen == "start") == (not at_once)
        assert screen != "offline" or page.is_there("main button"), "no way on"
    if not at_once:
        if about == "tokens":
            between.lie(lie, about, times)
            ask_for_token(page)
        else:
            answered(page, slug)
            between.lie(lie, about, times)
            page.click("button[type=submit]")
            page.outcome()
    assert between.count(about) <= MOST_TRIES
    # Chromium by itself asks again for what was reset.
    most = MOST_TRIES if about == "page" and lie in ("reset", "lost") else 2
    assert between.count("page") <= most, "it is loaded anew once at most"
    for wrong in ("used before", "no such code", "Unexpected", "Failed to fetch"):
        assert wrong not in page.text("body")
    # Who is thanked has a report in the store.
    assert not says_thanks(page) or scene.stored() == before + 1
    between.tell_truth()
    send_at_last(page, slug)
    assert scene.stored() == before + 1
    visit(page)
    page.wait(lambda: page.screen() == "answered")
    assert scene.stored() == before + 1


def ask_for_token(page: Page) -> None:
    """Press Start, with the code that stands in the link."""
    page.click("button[type=submit]")
    page.wait(lambda: not page.is_there("button[type=submit]:disabled"))
