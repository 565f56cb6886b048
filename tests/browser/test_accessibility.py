"""Everybody can answer: axe finds nothing, the keyboard suffices, a small phone is wide enough."""

import json
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from tests import needs
from tests.browser.page import Page
from tests.browser.serving import Served

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"

RUN_AXE = """
const done = arguments[0];
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
axe.run(document, { runOnly: tags }).then((found) => done(JSON.stringify(found)));
"""


def check_with_axe(driver: webdriver.Chrome) -> None:
    """Check the page as it stands against WCAG 2.2 AA."""
    source = needs.file(AXE, "make install").read_text()
    # Through the debugger: the page's own policy rightly refuses scripts from elsewhere.
    driver.execute_cdp_cmd("Runtime.evaluate", {"expression": source})
    found: dict[str, Any] = json.loads(driver.execute_async_script(RUN_AXE))
    assert len(found["passes"]) > 10
    problems = [
        f"{violation['id']}: {violation['help']}: {node['html']}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]
    assert problems == []


def dark(driver: webdriver.Chrome, *, on: bool) -> None:
    features = [{"name": "prefers-color-scheme", "value": "dark" if on else "light"}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


ANSWERS = ["medicine-0", "offered-2", "sleep-0-0", "sleep-1-0", "year-0"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_from_the_first_question_to_the_receipt(kinds: Page, scheme: str) -> None:
    dark(kinds.driver, on=scheme == "dark")
    try:
        check_with_axe(kinds.driver)
        kinds.proceed()
        check_with_axe(kinds.driver)
        kinds.answer(ANSWERS, {"drinks-0": "0"})
        kinds.to_review()
        check_with_axe(kinds.driver)
        kinds.preview()
        check_with_axe(kinds.driver)
        kinds.send()
        check_with_axe(kinds.driver)
        kinds.driver.get(f"{kinds.link}/privacy")
        check_with_axe(kinds.driver)
    finally:
        dark(kinds.driver, on=False)


def test_the_keyboard_suffices(kinds: Page) -> None:
    def focused() -> WebElement:
        return kinds.driver.switch_to.active_element

    def press(*keys: str) -> str:
        for key in keys:
            focused().send_keys(key)
        return focused().get_attribute("id") or focused().tag_name

    kinds.one("body").send_keys(Keys.TAB)
    kinds.driver.execute_script("document.querySelector('.panel a').focus()")
    # A group of radio buttons is one stop; arrows move and choose, around the ends too.
    assert press(Keys.TAB) == "medicine-0"
    assert press(Keys.ARROW_DOWN) == "medicine-1"
    assert press(Keys.ARROW_UP, Keys.ARROW_UP) == "medicine-2"
    assert kinds.one("#medicine-2").is_selected()
    assert press(Keys.TAB) == "offered-0"
    assert press(Keys.TAB, Keys.SPACE) == "offered-1"
    assert press(Keys.TAB, Keys.TAB, Keys.TAB) == "sleep-0-0"
    assert press(Keys.SPACE, Keys.TAB) == "sleep-1-0"
    assert press(Keys.ARROW_RIGHT, Keys.TAB) == "drinks-slider"
    assert press(Keys.ARROW_RIGHT, Keys.TAB) == "drinks-0"
    assert kinds.one("#drinks-0").get_property("value") == "4"
    assert press(Keys.TAB, Keys.TAB) == "year-0"
    press(Keys.SPACE)
    assert press(Keys.TAB) == "button"
    press(Keys.ENTER)
    assert focused().text == "Check your answers before anything is sent"
    for _ in kinds.all("dl.review > div"):
        press(Keys.TAB)
    assert press(Keys.TAB) == "summary"
    press(Keys.ENTER)
    message = kinds.announced()
    assert press(Keys.TAB) == "pre"
    assert press(Keys.TAB) == "button"
    press(Keys.ENTER)
    assert kinds.outcome() == "stored"
    assert kinds.announced() == message
    # The person who cannot see the change is told: focus stands at its heading.
    assert focused().text == "Thank you. Your report has arrived."


def test_going_back_into_a_group_meets_the_chosen_answer(kinds: Page) -> None:
    kinds.answer(["medicine-1", "offered-0"])
    kinds.one("#offered-0").send_keys(Keys.SHIFT + Keys.TAB)
    assert kinds.driver.switch_to.active_element.get_attribute("id") == "medicine-1"


@pytest.mark.parametrize("width", [320, 375, 900])
def test_nothing_is_wider_than_the_screen(served: Served, kinds: Page, width: int) -> None:
    def overflow() -> int:
        script = (
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        excess: int = kinds.driver.execute_script(script)
        return excess

    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    kinds.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        assert overflow() == 0
        kinds.proceed()
        assert overflow() == 0
        kinds.answer(ANSWERS, {"drinks-0": "0"})
        kinds.preview()
        assert overflow() == 0
        kinds.send()
        assert overflow() == 0
        kinds.driver.get(f"{kinds.link}/privacy")
        assert overflow() == 0
    finally:
        kinds.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_what_is_wrong_is_tied_to_its_question(kinds: Page) -> None:
    kinds.proceed()
    for field in kinds.all("fieldset.question"):
        described = field.get_dom_attribute("aria-describedby")
        assert described is not None
        assert kinds.one(f"#{described}").is_displayed()
