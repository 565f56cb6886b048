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
    other = '{"reported": {"m": 0}, "title": "Another", "spent": 1500000}'
    design.driver.execute_script("localStorage.setItem('deniable:other', arguments[0])", other)
    open_ledger(design)
    assert design.screen() == "surveys"
    headings = [heading.text for heading in design.all("#ledger h2")]
    assert headings == ["Another", "Doping in your sport"]
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


def test_above_the_limit_nothing_is_asked_until_the_person_raises_it(design: Page) -> None:
    """Told the total, by two presses; each person apart, and for all surveys together."""
    spent = '{"reported": {"m": 0}, "title": "Another", "spent": 7500000}'
    design.driver.execute_script("localStorage.setItem('deniable:other', arguments[0])", spent)
    design.open()
    assert design.screen() == "refused"
    # e^(7.5 + 3) = 36,315, and e^10 = 22,026.5.
    assert "36,316 (ε = 10.499997). Your limit is 22,027 (ε = 10)." in design.text()
    assert not design.all("main input, main button")
    check_with_axe(design.driver)
    open_ledger(design)
    assert re.search(r"\b1,809\b.*\bε 7.5\b", design.text("#ledger .total"))
    assert "a factor of 22,027 (ε 10) for all reports together" in design.text("#ledger .limit")
    design.click("#ledger > button")
    assert "(ε 20)" in design.text("#ledger > [role=status]")
    assert "deniable:" not in design.remembered()
    check_with_axe(design.driver)
    design.click("#ledger > button")
    assert "(ε 20)" in design.text("#ledger .limit")
    design.open()
    assert design.screen() == "start"
    design.answer(ANSWERS)
    assert design.send() == "stored"
    open_ledger(design)
    assert "ε 10.5" in design.text("#ledger .total")


def test_who_has_answered_nothing_can_raise_the_limit_too(design: Page) -> None:
    open_ledger(design)
    design.click("#ledger > button")
    design.click("#ledger > button")
    assert design.remembered() == {"deniable:": '{"limit":20000000}'}


def test_two_people_have_a_total_each(design: Page) -> None:
    for key, spent in (("a", 1), ("a:2", 2), ("b:2", 3)):
        kept = f'{{"reported": {{"m": 0}}, "title": "{key}", "spent": {spent}000000}}'
        design.driver.execute_script(f"localStorage.setItem('deniable:{key}', '{kept}')")
    open_ledger(design)
    assert [heading.text for heading in design.all("#ledger h2")] == ["Person 1", "Person 2"]
    totals = [re.findall(r"ε ([\d.]+)", line.text) for line in design.all("#ledger .total")]
    assert totals == [["1"], ["5"]]
    check_with_axe(design.driver)
    second = design.all("[data-survey=a] button")[1]
    second.click()
    second.click()
    assert set(design.remembered()) == {"deniable:a", "deniable:b:2"}
