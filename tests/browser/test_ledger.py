"""The ledger: what this device remembers, to be read and cleared by the person."""

import re
from urllib.parse import urljoin

import pytest

from deniable.text.languages import LANGUAGES
from tests.browser.chromium import requests
from tests.browser.page import Page
from tests.browser.test_accessibility import check_with_axe
from tests.browser.test_coming_back import ANSWERS

pytestmark = pytest.mark.promise("ledger")

FILES = {
    "leave.js",
    "language.js",
    "waves.js",
    "device.js",
    "main.js",
    *(f"words-{one}.js" for one in (*LANGUAGES, "waves", "device")),
}

AS_GIVEN = (
    "The server got 1 of your answers just as you gave them. "
    "Anyone who sees what is stored can read them."
)
RAISE = "#ledger .limit + button"


def used(page: Page) -> list[str]:
    """Return how many hundredths of each person's limit the ledger says are used."""
    return [re.findall(r"\d+", line.text)[0] for line in page.all("#ledger .limit")]


def open_ledger(page: Page) -> None:
    page.driver.get(urljoin(page.link, "/device"))
    page.wait(lambda: not page.all("#ledger .warning"))
    if page.all("#ledger .titles"):
        page.click("#ledger .titles")


def test_the_list_names_no_survey_unasked(design: Page) -> None:
    design.answer(ANSWERS)
    assert design.send() == "stored"
    design.driver.get(urljoin(design.link, "/device"))
    design.wait(lambda: design.all("#ledger [data-survey]"))
    design.unfold()
    assert "Doping" not in design.text("main")
    assert "a private window. Then answer once only." in design.text("main")
    assert "Survey 1" in design.text("#ledger")
    design.click("#ledger .titles")
    assert "Doping in your sport" in design.text("#ledger")


def test_the_last_screen_forgets_on_request(design: Page) -> None:
    design.answer(ANSWERS)
    assert design.send() == "stored"
    assert "remembers that this survey was answered here" in design.text(".known")
    assert "you reveal more" in design.text(".forget + .hint")
    assert "a private window. Then answer once only." in design.text(".forget + .hint")
    design.click(".forget")
    design.wait(lambda: design.driver.current_url == "about:blank")
    open_ledger(design)
    assert design.screen() == "empty"


def test_what_was_answered_is_forgotten_when_pressed_twice(design: Page) -> None:
    design.answer(ANSWERS)
    assert design.send() == "stored"
    other = '{"reported": {"m": 0}, "title": "Another", "spent": 1500000}'
    design.driver.execute_script("localStorage.setItem('deniable:other', arguments[0])", other)
    open_ledger(design)
    assert design.screen() == "surveys"
    # The list comes first, and nothing but the list.
    lines = [row.text.splitlines() for row in design.all("[data-survey]")]
    assert lines == [["Another", "sent", "Forget"], ["Doping in your sport", "sent", "Forget"]]
    assert "ε" not in design.text()
    # ε is 4.5 together, and 1 / (1 + e^-4.5) = .98901, rounded up.
    bound, given = (line.text for line in design.all("#ledger .total"))
    assert bound.startswith("If all your protected answers point to the same thing")
    assert "99 % sure at most" in bound
    # The age was sent as it was given: the bound is not one on it.
    assert given == AS_GIVEN
    check_with_axe(design.driver)
    design.unfold()
    # e^3 and e^1.5: .95257 and .81757.
    assert design.text("#ledger .each dl").splitlines() == [
        "Another",
        "Protected answers: 82 % sure at most",
        "Doping in your sport",
        "Protected answers: 96 % sure at most",
        given,
    ]
    check_with_axe(design.driver)
    button = "[data-survey=doping] button"
    assert not design.text("[data-survey=doping] [role=status]")
    design.click(button)
    assert design.text("[data-survey=doping] [role=status]")
    assert "deniable:doping" in design.remembered()
    design.click(button)
    design.wait(lambda: not design.all("[data-survey=doping]"))
    assert set(design.remembered()) == {"deniable:other"}
    assert design.driver.switch_to.active_element.tag_name == "h1"


def test_the_ledger_sends_nothing(design: Page) -> None:
    design.answer(ANSWERS)
    design.send()
    requests(design.driver)
    open_ledger(design)
    made = requests(design.driver)
    assert {request.method for request in made} == {"GET"}
    names = {request.url.rpartition("/")[2] for request in made}
    assert names <= FILES | {"device"}


def spend(page: Page) -> None:
    spent = '{"reported": {"m": 0}, "title": "Another", "spent": 7500000}'
    page.driver.execute_script("localStorage.setItem('deniable:other', arguments[0])", spent)


def test_another_tab_s_report_counts_first(design: Page) -> None:
    design.answer(ANSWERS)
    spend(design)
    requests(design.driver)
    assert design.send() == design.screen() == "limit"
    assert set(design.remembered()) == {"deniable:other"}
    assert not [made for made in requests(design.driver) if made.method == "POST"]


def test_above_the_limit_only_a_raise_asks_on(design: Page) -> None:
    """Told the total, by two presses; each person apart, and for all surveys together."""
    spend(design)
    design.open()
    # The promise holds: no alarm. Beside each way on stands what comes of it.
    assert design.screen() == "limit"
    assert not design.all(".warning, [role=alert]")
    assert "could not make sure" not in design.text()
    assert "You lose nothing by stopping here." in design.text(".panel")
    raising, somebody = design.all("main .hint")
    assert "someone who knows all your reports could learn more" in raising.text
    assert "A second report from you would reveal more" in somebody.text
    assert raising.find_element("tag name", "a").get_dom_attribute("href") == "/device"
    # Nothing but the way on for somebody else.
    assert len(design.all("main input, main button")) == len(design.all(".else button")) == 1
    check_with_axe(design.driver)
    open_ledger(design)
    design.unfold()
    assert used(design) == ["75"]
    design.click(RAISE)
    assert "2 times" in design.text(f"{RAISE} + [role=status]")
    assert "deniable:" not in design.remembered()
    check_with_axe(design.driver)
    design.click(RAISE)
    design.unfold()
    assert used(design) == ["38"]
    design.open()
    assert design.screen() == "start"
    design.answer(ANSWERS)
    assert design.send() == "stored"
    open_ledger(design)
    design.unfold()
    # 10.5 of 20, rounded up.
    assert used(design) == ["53"]
