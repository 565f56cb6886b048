"""`advance: auto`, `skip: true` and the keys of digits: how people go through the questions."""

import pytest
from selenium import webdriver
from selenium.webdriver.common.keys import Keys

from tests.browser.conftest import serves
from tests.browser.looks import Look, on_screen
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.browser.test_accessibility import check_with_axe

pytestmark = pytest.mark.promise("everyone")

TEXT = """
version: 1
survey: swift
title: Swift
epsilon: 4
skip: true
advance: auto
questions:
  - {id: first, text: "Was it you?", type: single, answers: [No, Yes]}
  - {id: second, text: "Was it late?", type: single, answers: [No, Yes]}
  - {id: third, text: "How was it?", type: single, answers: [Bad, Fair, Good]}
"""

served = serves(TEXT)

FITS = "return document.documentElement.scrollHeight <= innerHeight"


@pytest.fixture
def page(served: Served, chromium: webdriver.Chrome) -> Page:
    """Open the first question."""
    page = Page(chromium, served.links[0]).open_afresh()
    page.proceed()
    assert page.at_heading() == "first"
    return page


def test_a_tap_leads_on_from_two_answers_alone(page: Page) -> None:
    assert page.text("#first").endswith("A tap on an answer leads on.")
    page.point("#first label")
    page.wait(lambda: page.at_heading() == "second")
    # To skip is an answer, too.
    page.point("#second .choice:last-child label")
    page.wait(lambda: page.at_heading() == "third")
    assert "A tap on an answer" not in page.text("#third")
    page.point("#third label")
    page.driver.execute_async_script("setTimeout(arguments[0], 600)")
    assert page.at_heading() == "third" or page.focused() == "third-0"
    assert page.questions() == ["third"]


def test_keys_choose_and_lead_nowhere(page: Page) -> None:
    page.driver.execute_script("arguments[0].focus()", page.one("#first-0"))
    keys = page.driver.switch_to.active_element
    keys.send_keys(Keys.SPACE)
    page.driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    assert page.one("#first-1").is_selected()
    page.driver.switch_to.active_element.send_keys("3")
    assert page.one("#first-2").is_selected()
    page.driver.switch_to.active_element.send_keys("9")
    assert page.one("#first-2").is_selected()
    page.driver.execute_async_script("setTimeout(arguments[0], 600)")
    assert page.questions() == ["first"]
    page.proceed()
    assert page.at_heading() == "second"


def test_a_skip_is_mixed_with_chance(page: Page) -> None:
    with on_screen(page.driver, Look(360, "light"), 640):
        # A question with two answers and a way past it fits a small phone.
        assert page.driver.execute_script(FITS)
        assert page.text("#first .choice:last-child") == "Skip this question"
        assert "Chance may change a skip, too." in page.text("#first")
        check_with_axe(page.driver)
    page.answer(["first-2", "second-0", "third-3"])
    page.to_review()
    assert page.text(".mixed").startswith("3 answers will be sent.")
    page.show_answers()
    assert "Skipped" in page.text("[data-question=first]")
    assert page.send() == "stored"
    assert "Answers sent: 3." in page.text("[role=status]")
