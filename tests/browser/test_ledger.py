"""The ledger: what this device remembers, to be read and cleared by the person."""

from urllib.parse import urljoin

from tests.browser.chromium import requests
from tests.browser.page import Page
from tests.browser.test_accessibility import check_with_axe
from tests.browser.test_coming_back import ANSWERS

MODULES = {
    "device.js",
    "ledger.js",
    "dom.js",
    "words.js",
    "channel.js",
    "report.js",
    "language.js",
    "languages.css",
    "say.js",
    "translation.js",
    "storage.js",
    "waves.js",
    "memory.js",
}


def open_ledger(page: Page) -> None:
    page.driver.get(urljoin(page.link, "/device"))
    page.wait(lambda: not page.all("#ledger .warning"))


def test_nothing_answered_is_nothing_remembered(design: Page) -> None:
    open_ledger(design)
    assert "remembers no survey" in design.text("#ledger")
    check_with_axe(design.driver)


def test_what_was_answered_is_listed_and_forgotten_only_when_pressed_twice(design: Page) -> None:
    design.answer(ANSWERS)
    assert design.send() == "stored"
    sent = design.announced()["answers"]
    other = '{"answers": "00", "title": "Another", "epsilon": 1.5, "items": []}'
    design.driver.execute_script("localStorage.setItem('deniable:other', arguments[0])", other)
    open_ledger(design)
    headings = [heading.text for heading in design.all("#ledger h2")]
    assert headings == ["Another", "Doping in your sport"]
    assert sent in design.text("[data-survey=doping]")
    # ε is 3 and e^3 = 20.1; together 4.5, and e^4.5 = 90.02, rounded up.
    assert "by a factor of 21 at most (ε 3)" in design.text("[data-survey=doping]")
    assert "All 2 together, if one person sent them: by a factor of 91" in design.text("#ledger")
    check_with_axe(design.driver)
    button = "[data-survey=doping] button"
    design.click(button)
    assert "their ε add up" in design.text("[data-survey=doping]")
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
    assert names <= MODULES | {"device", "style.css", "icon.svg", "favicon.ico"}
