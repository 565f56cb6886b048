"""Offline: the noisy report waits on the device and is sent later, never the answers."""

import json
from pathlib import Path

import pytest
from selenium import webdriver

from deniable.server.store.schedule import State
from tests.browser.chromium import block, open_tab, requests, run_before_every_page
from tests.browser.chromium import chromium as started
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.browser.test_accessibility import check_with_axe
from tests.browser.test_coming_back import ANSWERS
from tests.browser.test_ledger import open_ledger

IMPATIENT = """
const patient = setTimeout;
window.setTimeout = (done, time = 0, ...more) =>
  patient(done, time >= 1000 && time !== 20_000 ? time / 200 : time, ...more);
"""
"""Seconds pass two hundred times faster, but for those that a request may take."""

NEVER_ONLINE = """
const listen = window.addEventListener;
window.addEventListener = (type, ...more) =>
  type === "online" || listen.call(window, type, ...more);
"""
"""A browser that does not say when the connection is back."""


def offline(driver: webdriver.Chrome, *, on: bool = True) -> None:
    """Take the network from the browser, or give it back."""
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd(
        "Network.emulateNetworkConditions",
        {"offline": on, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1},
    )


def posts(driver: webdriver.Chrome) -> list[str]:
    """Return the bodies that were sent, or tried, since requests were last asked for."""
    return [made.body or "" for made in requests(driver) if made.method == "POST"]


def in_ledger(page: Page, slug: str) -> str | None:
    """Return what the ledger says became of the report to a survey."""
    card = f"[data-survey={slug}]"
    outcome = page.one(card).get_dom_attribute("data-outcome")
    # Only of what has arrived there is nothing more to say.
    assert (page.text(f"{card} dd") == "sent") == (outcome == "stored")
    return outcome


@pytest.fixture
def page(served: Served, fresh: webdriver.Chrome) -> Page:
    return Page(fresh, served.links[0]).open()


def test_offline_a_report_waits_and_is_sent_later(served: Served, page: Page) -> None:
    page.answer(ANSWERS)
    message = page.preview()
    requests(page.driver)
    offline(page.driver)
    assert page.send() == "unreachable"
    assert "This page sends it by itself" in page.text("[role=status]")
    # Nothing is wrong: what waits looks as calm as what has arrived, and is folded.
    assert not page.all(".warning")
    assert not page.one("pre.wire").is_displayed()
    assert len(posts(page.driver)) == 1  # no useless retries
    assert page.all("[role=status] button")
    check_with_axe(page.driver)
    assert message["id"] not in served.reports(served.surveys[0])
    # What waits is the noise: besides it nothing that is kept depends on an answer.
    (kept,) = map(json.loads, page.remembered().values())
    assert kept.pop("unsent") == message
    assert {*kept} == {"title", "reported", "spent", "direct"}
    assert not page.all("main input")

    offline(page.driver, on=False)
    page.wait(lambda: page.outcome() == "stored")
    assert set(posts(page.driver)) == {json.dumps(message, separators=(",", ":"))}
    assert served.reports(served.surveys[0])[message["id"]] == message["answers"]
    assert not page.all("[role=status] button")


def on_disk(profile: Path, text: str) -> bool:
    """Whether what pages keep on the disk holds a text."""
    files = (profile / "Default" / "Local Storage" / "leveldb").iterdir()
    return any(text.encode() in file.read_bytes() for file in files if file.is_file())


@pytest.mark.slow
@pytest.mark.promise("once")
def test_reopened_it_is_sent_as_it_was(served: Served, tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    with started(profile) as driver:
        # Else it hears that it is online when the test lets go of it, and sends while it closes.
        run_before_every_page(driver, NEVER_ONLINE)
        page = Page(driver, served.links[0]).open()
        page.answer(ANSWERS)
        message = page.preview()
        offline(driver)
        assert page.send() == "unreachable"
        # Chromium writes to the disk what a page keeps after five seconds at first, and then once a
        # minute; but at once when nobody shows the page any more.
        shown = driver.current_window_handle
        rest = open_tab(driver)
        driver.switch_to.window(shown)
        driver.close()
        driver.switch_to.window(rest)
        page.wait(lambda: on_disk(profile, message["id"]))
    assert message["id"] not in served.reports(served.surveys[0])
    with started(profile) as driver:
        page = Page(driver, served.links[0]).open()
        assert page.outcome() == "stored"
        # It arrived for the first time, so this is the time to see the receipt.
        assert page.announced() == message
        assert set(posts(driver)) == {json.dumps(message, separators=(",", ":"))}
        page.open()
        assert page.outcome() == "answered"
    assert served.reports(served.surveys[0])[message["id"]] == message["answers"]


def test_an_unsteady_connection_makes_no_storm(page: Page) -> None:
    page.answer(ANSWERS)
    offline(page.driver)
    assert page.send() == "unreachable"
    requests(page.driver)
    page.driver.execute_script(
        "for (let time = 0; time < 50; time += 1) dispatchEvent(new Event('online'));"
    )
    page.driver.execute_async_script("setTimeout(arguments[0], 1000)")
    assert len(posts(page.driver)) == 1


@pytest.mark.slow
def test_the_ledger_leads_to_sending_what_waits(served: Served, page: Page) -> None:
    page.answer(ANSWERS)
    page.to_review()
    # Reports cannot reach the server, and pages can.
    page.driver.execute_script(IMPATIENT)
    block(page.driver, "*/reports")
    assert page.send() == "unreachable"
    page.cut_off()
    message = page.announced()
    open_ledger(page)
    assert in_ledger(page, "doping") == "waiting"
    assert message["answers"] not in page.text()
    check_with_axe(page.driver)
    block(page.driver)
    page.click("[data-survey=doping] dd a")
    page.wait(lambda: page.all("[data-outcome]"))
    assert page.outcome() == "stored"
    assert served.reports(served.surveys[0])[message["id"]] == message["answers"]
    # Back again, and the server is gone: what is stored is stored.
    block(page.driver, "*/reports")
    page.open()
    assert page.outcome() == "answered"
    assert "wait" not in page.text()
    open_ledger(page)
    assert in_ledger(page, "doping") == "stored"


def test_a_survey_that_closes_meanwhile_says_so(served: Served, page: Page) -> None:
    page.answer(ANSWERS)
    message = page.preview()
    offline(page.driver)
    assert page.send() == "unreachable"
    with served.opened() as store:
        store.set_state("doping", State.CLOSED)
        try:
            offline(page.driver, on=False)
            page.wait(lambda: page.outcome() == "closed")
            assert not page.all("[role=status] button")
            open_ledger(page)
            assert in_ledger(page, "doping") == "closed"
            page.driver.get(page.link)
            assert page.sent_as() == "closed"
        finally:
            store.set_state("doping", State.OPEN)
    assert message["id"] not in served.reports(served.surveys[0])


def test_without_memory_the_page_must_stay_open(served: Served, fresh: webdriver.Chrome) -> None:
    run_before_every_page(
        fresh, "Storage.prototype.setItem = () => { throw new Error('blocked'); };"
    )
    page = Page(fresh, served.links[0]).open()
    page.answer(ANSWERS)
    message = page.preview()
    offline(fresh)
    assert page.send() == "unreachable"
    assert "Leave this page open until your report is sent" in page.text("[role=status]")
    assert "waits on this device" not in page.text()
    offline(fresh, on=False)
    page.wait(lambda: page.outcome() == "stored")
    assert page.remembered() == {}
    assert served.reports(served.surveys[0])[message["id"]] == message["answers"]
