"""A question gets another type, and becomes one with its follow-up, by buttons of its card."""

from collections.abc import Iterator

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from deniable.server.store import Draft
from deniable.server.store.accounts import Role
from tests.browser.chromium import chromium as started
from tests.browser.looks import Look, show_on
from tests.browser.serving import serving
from tests.browser.test_accessibility import check_with_axe
from tests.browser.test_writing import PRESS, waiting
from tests.kit import url_for

pytestmark = pytest.mark.promise("drafts")

TEXT = """\
version: 1
survey: s
title: Sport
epsilon: 3
questions:
  - {id: doped, text: Doped?, hint: Ever, type: single, answers: [No, Yes]}
  - {id: own, text: Your idea?, type: single, answers: [No, Yes], ask_if: {doped: "yes"}}
"""


@pytest.fixture
def desk() -> Iterator[webdriver.Chrome]:
    """Open a draft with a follow-up."""
    with serving() as served, started() as driver:
        served.enter_desk(driver)
        with served.opened() as store:
            store.add_user("ada", Role.ADMINISTRATOR)
            store.keep_draft(Draft("d0", TEXT, "ada", ""))
        driver.get(served.desk + url_for("editor.page", draft="d0"))
        yield driver


def test_types_change_and_two_questions_become_one(desk: webdriver.Chrome) -> None:
    wait = waiting(desk)
    desk.find_element(By.CSS_SELECTOR, "#q-doped-card > summary").click()
    desk.find_element(By.ID, "q-doped-type").click()
    number = desk.find_element(By.ID, "q-doped-as-number")
    wait.until(lambda _: number.is_displayed())
    check_with_axe(desk)
    # What is lost is read before the press.
    assert "Loses “Answers”, the condition of question 2" in number.text
    number.click()
    wait.until(lambda _: desk.find_elements(By.ID, "q-doped-max"))
    assert desk.switch_to.active_element.get_attribute("id") == "q-doped-type"
    assert desk.find_element(By.ID, "q-doped-hint").get_attribute("value") == "Ever"
    desk.find_element(By.ID, "undo").click()
    wait.until(lambda _: desk.find_elements(By.ID, "q-own-merge"))
    assert not desk.find_elements(By.ID, "q-doped-max")
    desk.execute_script(PRESS, "q-own-merge")
    wait.until(lambda _: not desk.find_elements(By.ID, "q-own"))
    said = desk.find_element(By.ID, "q-doped-answers-yes_no-text")
    assert said.get_attribute("value") == "Yes. Your idea? – No"
    told = desk.find_element(By.ID, "saved")
    wait.until(lambda _: "Question 1: ±" in told.text)
    # The key goes back too: what has the focus is in the form.
    desk.switch_to.active_element.send_keys(Keys.CONTROL, "z")
    wait.until(lambda _: desk.find_elements(By.ID, "q-own-merge"))


def test_a_long_notice_moves_no_button(desk: webdriver.Chrome) -> None:
    tops = """document.getElementById("saved").textContent = arguments[0];
        return ["undo", "save", "publish"].map((id) =>
            document.getElementById(id).getBoundingClientRect().top)"""
    for width in (420, 768, 1280):
        show_on(desk, Look(width, "light"))
        first, long = (desk.execute_script(tops, one) for one in ("", "Something is told. " * 12))
        assert first == long, width
        assert len({*first}) == 1, width
