"""A grid is a table where there is room, and elsewhere one row at a time."""

from collections.abc import Iterator

import pytest
from selenium import webdriver
from selenium.webdriver.common.keys import Keys

from tests.browser.conftest import serves
from tests.browser.looks import resize, show_as_usual
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.kit import first_of

GRIDS = """
version: 1
survey: grids
title: {en: Grids, ar: جداول}
languages: [en, ar]
epsilon: 6
questions:
  - id: often
    text: {en: 'How often?', ar: 'كم مرة؟'}
    type: grid
    rows:
      driven: {en: Driven without a licence, ar: القيادة من دون رخصة}
      lied: {en: Lied to a doctor, ar: الكذب على طبيب}
      taken: {en: Taken something from a shop without paying for it, ar: أخذ شيء من متجر دون دفع}
    answers:
      never: {en: Never, ar: أبدًا}
      once: {en: Once, ar: مرة}
      few: {en: A few times, ar: مرات قليلة}
      monthly: {en: Monthly, ar: شهريًّا}
      weekly: {en: Weekly, ar: أسبوعيًّا}
      daily: {en: Daily, ar: يوميًّا}
      more: {en: Several times a day, ar: عدة مرات في اليوم}
"""

PHONE, DESK = (375, 667), (1280, 900)

served = serves(GRIDS)


@pytest.fixture
def page(served: Served, chromium: webdriver.Chrome) -> Iterator[Page]:
    """Open the question on a phone that remembers nothing."""
    page = Page(chromium, f"{served.links[0]}#lang=en")
    chromium.get(f"{served.links[0]}privacy")
    resize(chromium, *PHONE)
    page.open()
    page.find("often")
    yield page
    show_as_usual(chromium)


def open_rows(page: Page) -> list[int]:
    """Return which rows show what can be chosen."""
    return [row for row in range(3) if page.one(f"#often-{row}-0").is_displayed()]


def folded(page: Page) -> list[str]:
    """Return what the rows that are folded say."""
    return [line.text for line in page.all(".folded") if line.is_displayed()]


@pytest.mark.slow
def test_on_a_phone_one_row_is_open(page: Page) -> None:
    assert open_rows(page) == [0]
    page.click("#often-0-3")
    assert folded(page) == ["Monthly · Change"]
    assert open_rows(page) == [1]
    assert page.focused() == "often-1-0"
    # What has the focus has no answer by that.
    assert not page.one("#often-1-0").is_selected()
    page.click(":has(> #often-1-0) > label")
    assert folded(page) == ["Monthly · Change", "Never · Change"]
    page.click("#often-2-6")
    assert open_rows(page) == []
    # Nothing is left to open: the focus stays at the last answer.
    change = page.driver.switch_to.active_element
    assert change.accessible_name == f"Change your answer: {page.text('.row:last-child legend')}"
    # Changed, the others stay as they are.
    page.click(".row:nth-of-type(1) .folded button")
    assert open_rows(page) == [0]
    assert page.focused() == "often-0-3"
    page.click("#often-0-4")
    assert folded(page) == ["Weekly · Change", "Never · Change", "Several times a day · Change"]
    # Another language, and the way back and forward.
    page.click(".languages summary")
    page.click(".languages [lang=ar]")
    assert [line.split(" · ")[0] for line in folded(page)] == [
        "أسبوعيًّا",
        "أبدًا",
        "عدة مرات في اليوم",
    ]
    page.to_review()
    page.show_answers()
    shown = page.all("dl.review dd:not(:has(button, .mark))")
    assert [line.text for line in shown] == [
        "القيادة من دون رخصة: أسبوعيًّا",
        "الكذب على طبيب: أبدًا",
        "أخذ شيء من متجر دون دفع: عدة مرات في اليوم",
    ]
    page.driver.back()
    page.wait(lambda: page.all("#often"))
    assert len(folded(page)) == 3
    # Nothing of it is left when the page is.
    page.driver.execute_script("dispatchEvent(new Event('pagehide'))")
    page.find("often")
    assert open_rows(page) == [0]
    assert {part.get_attribute("textContent") for part in page.all(".folded span")} == {""}


def test_arrow_keys_choose_and_leave_the_row_open(page: Page) -> None:
    page.one("#often-0-0").send_keys(Keys.ARROW_DOWN)
    page.driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    assert page.focused() == "often-0-2"
    assert open_rows(page) == [0, 1]
    page.driver.switch_to.active_element.send_keys(Keys.TAB)
    assert page.focused() == "often-1-0"
    page.driver.switch_to.active_element.send_keys(Keys.SPACE)
    assert page.one("#often-1-0").is_selected()
    assert open_rows(page) == [0, 1, 2]


MIDDLES = """
    return [...document.querySelectorAll(arguments[0])].map((one) => {
        const { left, width } = one.getBoundingClientRect();
        return Math.round(left + width / 2);
    });
"""


@pytest.mark.parametrize("language", first_of(["ar", "en"]))
def test_on_a_desk_columns_line_up(page: Page, language: str) -> None:
    resize(page.driver, *DESK)
    page.click(".languages summary")
    page.click(f".languages [lang={language}]")
    heads = page.driver.execute_script(MIDDLES, ".heads span")
    assert len(set(heads)) == 7
    assert heads == sorted(heads, reverse=language == "ar")
    for row in range(3):
        cells = page.driver.execute_script(MIDDLES, page.placed(f".row:has(#often-{row}-0) input"))
        assert all(abs(cell - head) <= 1 for cell, head in zip(cells, heads, strict=True))
    # Each button has its name all the same, and all of its cell can be pressed.
    labels = page.texts(".heads span")
    assert [page.one(f"#often-1-{place}").accessible_name for place in range(7)] == labels
    page.driver.execute_script("arguments[0].click()", page.one(":has(> #often-1-5) > label"))
    # Nothing folds, and nothing waits.
    assert open_rows(page) == [0, 1, 2]
    assert folded(page) == []
    page.click("#often-1-2")
    assert page.one("#often-1-2").is_selected()
    assert not page.one("#often-1-5").is_selected()
