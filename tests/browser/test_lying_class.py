"""Each answer that may come in our server's place to the phone of a class, and then the truth.

The class goes on meanwhile, and the phone goes on by itself, as its page says. It presses what the
page offers, and loads a page anew where a stranger's stands in its place.
"""

import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from urllib.request import urlopen

import pytest
from _pytest.mark import ParameterSet
from selenium import webdriver
from selenium.common.exceptions import WebDriverException

from deniable.server.desk.editor.starters import ready_questions
from deniable.server.desk.live import session
from deniable.server.store import Store
from tests.browser.chromium import chromium as browsers
from tests.browser.chromium import run_before_every_page
from tests.browser.page import PATIENCE, Page
from tests.browser.phones import Phone
from tests.browser.serving import serving
from tests.browser.test_lying_network import HASTY, MOST_TRIES, visit
from tests.kit import LIES, OLD, Network, network

pytestmark = [pytest.mark.promise("our-word"), pytest.mark.promise("phone")]

Room = tuple[Store, Network, webdriver.Chrome]

QUICK = [
    ("step.json", "200 other"),
    ("state.json", "410"),
    ("reports", "half"),
    ("reports", "410 problem"),
]
"""The cases that differ in kind."""

MOST_PAGES = 3
"""Times that a phone loads the question by itself: when it is asked, once anew, and after that."""


def cases() -> Iterator[ParameterSet]:
    """Yield all cases: those that differ little in the slow tests."""
    for about, lie in QUICK:
        yield pytest.param(about, lie, id=f"{about}-{lie}")
    for about in ("join", "step.json", "page", "survey.json", "state.json", "reports"):
        # A page that does not come is the browser's; files are asked for in one way.
        for lie in LIES if about in ("step.json", "reports") else LIES[::5]:
            # Chromium by itself loads a page again that was reset.
            browsers_own = about in ("join", "page") and lie in ("silence", "reset", "lost")
            if (about, lie) not in QUICK and not browsers_own:
                yield pytest.param(about, lie, marks=pytest.mark.slow, id=f"{about}-{lie}")


@pytest.fixture(scope="module")
def room() -> Iterator[Room]:
    """Lend a class behind the network, and a phone for it."""
    asked = ready_questions()["last-digit"]
    other = asked.replace("survey: last-digit", "survey: other")
    with serving(asked, other) as served, served.opened() as store, browsers() as driver:
        run_before_every_page(driver, HASTY)
        port = int(served.links[0].split("/")[2].rpartition(":")[2])
        with network(port, served.surveys[1]) as between:
            yield store, between, driver


def go_on(phone: Phone, between: Network, there: str = "[data-outcome=stored]") -> None:
    """With the truth back, do what is left to do until the report has arrived, or what is there."""
    page, end = phone.page, time.monotonic() + PATIENCE
    while not page.is_there(there):
        assert time.monotonic() < end, (page.screen(), page.text("body"), between.asked[-9:])
        with suppress(WebDriverException):
            if page.is_there("#last_digit-1"):
                page.answer(["last_digit-1"])
                page.proceed()
            elif page.is_there("[data-screen=offline] button"):
                page.click("[data-screen=offline] button")
            elif not page.is_there("main"):
                visit(page)
        time.sleep(0.05)


@pytest.mark.parametrize(("about", "lie"), [*cases()])
def test_a_class_goes_on_whatever_answers(room: Room, about: str, lie: str) -> None:
    store, between, driver = room
    between.tell_truth()
    begun = session.begin_meeting(store, "", store.survey("last-digit"))
    phone = Phone(Page(driver, f"{between.url}/join/{begun.code}"), store, begun)
    page = phone.page
    driver.get(f"{between.url}/device")
    driver.execute_script("localStorage.clear()")
    between.asked.clear()
    between.told = 0
    if about != "reports":
        between.lie(lie, begun.code if about == "join" else about)
    phone.go("question")
    visit(page)
    if about == "reports":
        page.wait(lambda: page.is_there("#last_digit-1"))
        between.lie(lie, about)
        page.answer(["last_digit-1"])
        page.click("button[type=submit]")
        page.outcome()
    else:
        page.wait(lambda: between.told > 0)
        time.sleep(0.5)  # for a loop to show
    told = page.text("body")
    for wrong in ("is over", "has arrived", "Unexpected", "Failed to fetch"):
        assert wrong not in told
    tries = between.count(about)
    assert tries <= MOST_TRIES or about == "step.json", "it is asked again and again"
    assert between.count("page") <= MOST_PAGES
    assert between.count(begun.code) <= MOST_PAGES
    between.tell_truth()
    go_on(phone, between)
    slug = begun.slug()
    assert store.count(slug) == 1
    # The class is lost while it goes on: the phone follows.
    between.lie(lie, "step.json")
    page.wait(lambda: page.is_there(".lost"))
    phone.go("bars")
    between.tell_truth()
    go_on(phone, between, "#guess-0")
    assert store.count(slug) == 1
    store.remove_meeting(begun.id)


@pytest.fixture
def old(room: Room) -> Iterator[tuple[Phone, Network]]:
    """Lend a phone that waits, behind a cache that has where the class was then."""
    store, between, driver = room
    between.tell_truth()
    begun = session.begin_meeting(store, "", store.survey("last-digit"))
    phone = Phone(Page(driver, f"{between.url}/join/{begun.code}"), store, begun)
    driver.get(f"{between.url}/device")
    driver.execute_script("localStorage.clear()")
    visit(phone.page)
    phone.page.wait(lambda: f"/join/{begun.code}/step.json" in between.first)
    between.asked.clear()
    yield phone, between
    between.pages.clear()
    between.tell_truth()
    store.remove_meeting(begun.id)


def loads(phone: Phone, between: Network) -> int:
    """Return how often a phone has loaded a page, after a time for a loop to show."""
    time.sleep(1)
    return between.count("page") + between.count(phone.meeting.code)


def test_an_old_step_leads_nobody_back(old: tuple[Phone, Network]) -> None:
    phone, between = old
    between.lie(OLD, "step.json")
    phone.go("question")
    phone.page.wait(lambda: phone.page.is_there("#last_digit-1"))
    phone.page.wait(lambda: between.told > 3)
    assert loads(phone, between) == 1
    assert phone.page.is_there("#last_digit-1")
    # Where the class goes back, the phone follows, as it does where it goes on again.
    for step, there in (("waiting", "[data-screen=waiting]"), ("question", "#last_digit-1")):
        between.asked.clear()
        phone.go(step)
        phone.page.wait(partial(phone.page.is_there, there))
        assert loads(phone, between) <= 2
    go_on(phone, between)


def test_an_old_step_leads_once_to_what_is_closed(old: tuple[Phone, Network]) -> None:
    phone, between = old
    step = f"/join/{phone.meeting.code}/step.json"
    phone.go("question")
    phone.page.wait(lambda: phone.page.is_there("#last_digit-1"))
    with urlopen(between.url + step) as answer:
        between.pages[step] = ("application/json", answer.read())
    phone.go("waiting")
    between.asked.clear()
    visit(phone.page)
    # The page for the code, the question that the old step names, and the way back from it.
    assert loads(phone, between) <= 3
    assert phone.page.screen() == "waiting"
    between.pages.clear()
    phone.go("question")
    go_on(phone, between)


def test_who_scans_the_code_again_is_led_to_the_question(old: tuple[Phone, Network]) -> None:
    phone, between = old
    between.lie("200 HTML", "survey.json")
    phone.go("question")
    phone.page.wait(lambda: phone.page.screen() == "offline")
    between.tell_truth()
    phone.driver.execute_script("location.assign(arguments[0])", phone.page.link)
    go_on(phone, between)
