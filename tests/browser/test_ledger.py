"""The ledger: what this device remembers, to be read and cleared by the person."""

import re
from urllib.parse import urljoin

from tests.browser.chromium import requests
from tests.browser.page import Page
from tests.browser.test_accessibility import check_with_axe
from tests.browser.test_coming_back import ANSWERS

FILES = {
    "leave.js",
    "language.js",
    "waves.js",
    "device.js",
    "main.js",
    "languages.css",
    "style.css",
}


def open_ledger(page: Page) -> None:
    page.driver.get(urljoin(page.link, "/device"))
    page.wait(lambda: not page.all("#ledger .warning"))


def test_nothing_answered_is_nothing_remembered(design: Page) -> None:
    open_ledger(design)
    assert design.screen() == "empty"
    check_with_axe(design.driver)


def test_what_was_answered_is_listed_and_forgotten_only_when_pressed_twice(design: Page) -> None:
    design.answer(ANSWERS)
    assert design.send() == "stored"
    sent = design.announced()["answers"]
    other = '{"answers": "00", "title": "Another", "epsilon": 1.5, "items": []}'
    design.driver.execute_script("localStorage.setItem('deniable:other', arguments[0])", other)
    open_ledger(design)
    assert design.screen() == "surveys"
    headings = [heading.text for heading in design.all("#ledger h2")]
    assert headings == ["Another", "Doping in your sport"]
    assert sent in design.text("[data-survey=doping]")
    # ε is 3 and e^3 = 20.1; together 4.5, and e^4.5 = 90.02, rounded up.
    assert re.search(r"\b21\b.*\bε 3\b", design.text("[data-survey=doping]"))
    assert re.search(r"\b91\b.*\bε 4.5\b", design.text("#ledger .total"))
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
