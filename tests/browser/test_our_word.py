"""Only our own server's word counts, and a fault of the network is told as one."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from selenium import webdriver

from tests.browser.page import Page
from tests.browser.serving import Served, serving
from tests.kit import at
from tests.kit.network import Network, network

pytestmark = pytest.mark.promise("our-word")

SURVEY = Path(__file__).parents[2] / "examples" / "doping.yaml"

BUTTONS = "return [...document.querySelectorAll('main button')].map((one) => one.textContent)"


def waiting(*lies: str) -> list[ParameterSet]:
    """Try these in the slow tests only: they differ little from the first."""
    return [pytest.param(lie, marks=pytest.mark.slow) for lie in lies]


@pytest.fixture(scope="module")
def behind() -> Iterator[tuple[Served, Network]]:
    """Serve a survey behind a network that lies when it is told to."""
    with serving(SURVEY) as served:
        port = int(served.links[0].split("/")[2].rpartition(":")[2])
        with network(port) as between:
            yield served, between


@pytest.fixture
def page(behind: tuple[Served, Network], fresh: webdriver.Chrome) -> Page:
    between = behind[1]
    between.tell_truth()
    between.asked.clear()
    return Page(fresh, between.url + at("doping"))


def answer(page: Page) -> None:
    page.open_afresh()
    page.answer(["doped-1"])
    page.to_review()


@pytest.mark.parametrize("lie", ["200 HTML", *waiting("401", "403", "410 problem")])
def test_a_report_waits_until_our_server_has_it(
    behind: tuple[Served, Network], page: Page, lie: str
) -> None:
    served, between = behind
    before = served.reports(served.surveys[0])
    answer(page)
    between.lie(lie, "reports")
    page.click("button[type=submit]")
    page.wait(lambda: "Not sent yet" in page.text())
    buttons = page.driver.execute_script(BUTTONS)
    assert "Try again" in buttons
    assert "Answer as another person" not in buttons
    assert "If you close the page, it is sent when you open it again." in page.text()
    assert between.count("reports") == 2
    assert between.count("page") == 1, "it was loaded anew"
    assert served.reports(served.surveys[0]) == before
    between.tell_truth()
    page.click(".panel button")
    page.wait(lambda: page.outcome() == "stored")
    assert len(served.reports(served.surveys[0])) == len(before) + 1


@pytest.mark.parametrize("lie", ["200 HTML", *waiting("200 empty", "403", "503", "reset")])
@pytest.mark.parametrize("file", ["survey.json", *waiting("state.json")])
def test_no_connection_is_no_failed_check(
    behind: tuple[Served, Network], page: Page, file: str, lie: str
) -> None:
    between = behind[1]
    between.lie(lie, file)
    page.open_afresh()
    page.wait(lambda: page.screen() == "offline")
    text = page.text()
    assert "No connection" in text
    for wrong in ("could not make sure", "will not ask", "Failed to fetch", "Unexpected", "JSON"):
        assert wrong not in text
    tries = between.count(file)
    # Chromium by itself repeats what was reset.
    assert tries == 2 or lie == "reset", "one retry by itself"
    page.click("main button")
    page.wait(lambda: between.count(file) > tries)
    # With the truth any sooner, what it tries by itself could arrive.
    page.wait(lambda: page.driver.execute_script(BUTTONS) == ["Try again"])
    between.tell_truth()
    page.click("main button")
    page.wait(lambda: page.screen() == "start")


@pytest.mark.slow
def test_silence_ends_after_twenty_seconds(behind: tuple[Served, Network], page: Page) -> None:
    between = behind[1]
    answer(page)
    between.lie("silence", "reports")
    page.click("button[type=submit]")
    start = time.monotonic()
    page.wait(lambda: "Not sent yet" in page.text())
    assert 18 < time.monotonic() - start < 25
    assert "Try again" in page.driver.execute_script(BUTTONS)
