"""A number is a button, or typed as people write it: what the page says it uses is the truth."""

import re
from collections.abc import Iterator

import pytest
from selenium import webdriver
from selenium.webdriver.common.keys import Keys

from tests.browser.chromium import chromium as started
from tests.browser.chromium import run_before_every_page
from tests.browser.conftest import serves
from tests.browser.looks import resize, show_as_usual
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.kit import first_of

NUMBERS = """
version: 1
survey: numbers
title: {en: Numbers, de: Zahlen}
languages: [en, de]
epsilon: 6
pages: one
questions:
  - {id: days, text: {en: 'How many days?', de: 'Wie viele Tage?'}, type: number, min: 0, max: 10,
     prefer_not_to_say: true}
  - {id: money, text: {en: 'How much?', de: 'Wie viel?'}, type: number, min: 0, max: 10000,
     step: 50, prefer_not_to_say: true}
"""

KNOWN = "crypto.getRandomValues = (words) => words.forEach((_, i) => words[i] = 2e9 + i * 1e7);"
"""Chance that is known, no two words the same."""

MONEY, SAID = "#money-0", "#money-state"

served = serves(NUMBERS)


@pytest.fixture(scope="module")
def chromium() -> Iterator[webdriver.Chrome]:
    with started() as driver:
        run_before_every_page(driver, KNOWN)
        yield driver


@pytest.fixture
def page(served: Served, chromium: webdriver.Chrome) -> Page:
    """Open the page, on a device that remembers nothing."""
    page = Page(chromium, f"{served.links[0]}#lang=en")
    chromium.get(f"{served.links[0]}privacy")
    page.open()
    return page


def type_in(page: Page, text: str) -> None:
    page.one(MONEY).clear()
    page.one(MONEY).send_keys(text)


@pytest.mark.slow
def test_few_numbers_are_buttons_and_others_a_field(page: Page) -> None:
    buttons = page.all("#days input[type=radio]")
    assert [button.accessible_name for button in buttons] == [str(day) for day in range(11)]
    assert not page.all("#days input[type=text]")
    assert not page.all("input[type=range]")
    field = page.one(MONEY)
    assert field.accessible_name == "Enter a number from 0 to 10000"
    assert field.get_dom_attribute("aria-describedby") == page.placed(SAID)[1:]
    assert field.get_dom_attribute("inputmode") == "decimal"
    # One stop for the Tab key; arrows move and choose, around the ends too.
    buttons[0].send_keys(Keys.ARROW_UP, Keys.NULL)
    assert page.focused() == "days-10"
    chosen, paper = page.one(".choice:has(#days-10)"), page.one("body")
    filled = chosen.value_of_css_property("background-color")
    assert chosen.value_of_css_property("color") == paper.value_of_css_property("background-color")
    assert filled == page.one("button[type=submit]").value_of_css_property("background-color")
    # Declining and a number exclude each other.
    page.click("#days-decline-0")
    assert not page.all("#days input[type=radio]:checked")
    page.click("#days-2")
    assert not page.one("#days-decline-0").is_selected()
    resize(page.driver, 320, 568)
    for button in buttons:
        assert button.size["width"] >= 44
        assert button.size["height"] >= 44
    show_as_usual(page.driver)


def test_the_number_that_is_named_is_randomised(served: Served, page: Page) -> None:
    survey = served.surveys[0]
    levels = [answer.text for answer in survey.question("money").answers]
    page.click("#days-3")
    reports = set()
    for typed, button, used in [
        ("1234", None, "1250"),
        ("٢٬٤٧٥", None, "2500"),
        ("$ 9,999.99", None, "10000"),
        ("1,250", 1, "1250"),
        ("1,250", 2, "0"),
    ]:
        type_in(page, typed)
        if button:
            assert "1250" in page.text(SAID)
            assert "1.25" in page.text(SAID)
            page.click(f".either button:nth-child({button})")
            assert page.focused() == "money-0"
            assert not page.all(".either button")
        assert re.findall(r"\d+", page.text(SAID)) == [used]
        truths = [3, levels.index(used)]
        expected = bytes(
            item.channel.sample(truth, int(2e9 + (4 + place) * 1e7))
            for place, (item, truth) in enumerate(zip(survey.items, truths, strict=True))
        )
        assert page.preview()["answers"] == expected.hex(), typed
        page.show_answers()
        assert used in page.text("[data-question=money]")
        reports.add(expected)
        page.change("money")
    # Not all of them are the same byte whatever was typed.
    assert len(reports) > 1


@pytest.mark.parametrize("typed", first_of(["10001", "four"]))
def test_what_is_no_answer_moves_nothing_away(page: Page, typed: str) -> None:
    assert page.text(SAID) == ""
    type_in(page, typed)
    said = page.text(SAID)
    assert said
    assert page.one(MONEY).get_dom_attribute("aria-invalid") == "false"
    button = page.one("button[type=submit]")
    place = button.location
    page.one(MONEY).send_keys(Keys.TAB)
    assert page.text(SAID) == said
    assert page.one(SAID).get_dom_attribute("class") == "error"
    assert page.one(MONEY).get_dom_attribute("aria-invalid") == "true"
    assert button.location == place, "a press that has begun must still meet the button"
    type_in(page, "50")
    assert page.one(MONEY).get_dom_attribute("aria-invalid") == "false"


def test_a_doubted_number_is_accepted_or_declined(page: Page) -> None:
    type_in(page, "1,250")
    # Leaving the field, as pressing does, takes no button away.
    button = page.one(".either button")
    page.one(MONEY).send_keys(Keys.TAB)
    assert page.driver.switch_to.active_element == button
    button.send_keys(Keys.ENTER)
    assert page.one(MONEY).get_property("value") == "1250"
    # Declining takes the typed number away.
    type_in(page, "1,250")
    page.click("#money-decline-0")
    assert page.one(MONEY).get_property("value") == ""
    assert page.text(SAID) == ""
    assert not page.all(".either button")
    type_in(page, "7")
    assert not page.one("#money-decline-0").is_selected()
