"""Everybody can answer: by the keyboard alone, by hearing, on paper; see also `test_stations`."""

from dataclasses import dataclass

import pytest
from selenium import webdriver
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from tests.browser.checks import axe_problems
from tests.browser.looks import emulate
from tests.browser.page import Page

pytestmark = pytest.mark.promise("everyone")


def check_with_axe(driver: webdriver.Chrome) -> None:
    """Check the page as it stands against WCAG 2.2 AA."""
    assert axe_problems(driver) == []


def dark(driver: webdriver.Chrome, *, on: bool) -> None:
    emulate(driver, {"prefers-color-scheme": "dark" if on else "light"})


@dataclass
class Keyboard:
    """Keys are all that this person has."""

    page: Page

    @property
    def focused(self) -> WebElement:
        return self.page.driver.switch_to.active_element

    def press(self, *keys: str) -> str:
        """Press keys, and return the id or the text of what has the focus then."""
        for key in keys:
            self.focused.send_keys(key)
        return self.page.focused() or self.focused.text

    def tab_to(self, found: str) -> None:
        assert any(self.press(Keys.TAB) == found for _ in range(12)), found

    def proceed(self) -> str:
        """Go on, and return whose heading has the focus then."""
        self.tab_to("Continue")
        self.press(Keys.ENTER)
        return self.page.at_heading()


@pytest.fixture
def keyboard(paged: Page) -> Keyboard:
    keyboard = Keyboard(paged)
    paged.one("body").send_keys(Keys.TAB)
    keyboard.tab_to("Start")
    # Each page is begun at its heading.
    keyboard.press(Keys.ENTER)
    assert paged.at_heading() == "medicine"
    return keyboard


def test_the_ring_is_around_what_keys_lead_to(keyboard: Keyboard) -> None:
    """The heading of a page has the focus, so that it is read, and no ring: nothing is to press."""
    assert keyboard.focused.value_of_css_property("outline-style") == "none"
    keyboard.press(Keys.TAB)
    assert keyboard.focused.value_of_css_property("outline-style") == "solid"


@pytest.mark.slow
def test_the_keyboard_suffices_from_page_to_page(keyboard: Keyboard) -> None:
    press, tab_to, page = keyboard.press, keyboard.tab_to, keyboard.page
    # From a mistake to its control, and on.
    keyboard.proceed()
    assert keyboard.focused == page.one(".panel.warning")
    press(Keys.TAB)
    assert press(Keys.ENTER) == "medicine-0"
    press(Keys.ARROW_DOWN)
    assert keyboard.proceed() == "offered"
    tab_to("offered-0")
    press(Keys.SPACE)
    keyboard.proceed()
    tab_to("sleep-0-0")
    press(Keys.SPACE)
    tab_to("sleep-1-0")
    press(Keys.ARROW_UP)
    keyboard.proceed()
    tab_to("drinks-0")
    press("1")
    keyboard.proceed()
    assert press(Keys.SHIFT + Keys.TAB) == "Back"
    press(Keys.ENTER)
    page.wait(lambda: page.all("#drinks-0"))
    assert page.one("#drinks-0").get_property("value") == "1"
    keyboard.proceed()
    tab_to("year-0")
    press(Keys.SPACE)
    assert keyboard.proceed() == "review"
    # Two parts, whose names say what is in them: one's own answers, and what leaves.
    assert page.texts("main [data-answers] ~ details summary")[0].startswith("See the message")
    tab_to("Show or change my answers")
    press(Keys.ENTER)
    assert keyboard.focused.text == "Hide my answers"
    tab_to("Change")
    press(Keys.ENTER)
    assert page.at_heading() == "medicine"
    tab_to("medicine-1")
    keyboard.proceed()
    tab_to("Send")
    press(Keys.ENTER)
    assert page.outcome() == "stored"


def test_nothing_is_preselected_and_gaps_name_their_question(kinds: Page) -> None:
    inputs = kinds.all("main input")
    assert len(inputs) > 10
    assert not [box for box in inputs if box.is_selected()]
    assert kinds.one("#drinks-0").get_property("value") == ""
    kinds.proceed()
    # Of a question with rows each row is wrong by itself.
    wrong = kinds.all("fieldset.question:not(:has(.row)), fieldset.row")
    assert len(wrong) == len(kinds.mistakes()) == len(kinds.all("fieldset.question")) + 1
    for field in wrong:
        # Its hints come before what is wrong.
        described = (field.get_dom_attribute("aria-describedby") or "").split()
        assert described[-1].endswith("-error")
        assert all(kinds.one(f"#{one}").is_displayed() for one in described)
