"""Whatever fails, the page can send nothing, and says why."""

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from tests.browser.chromium import alter_questions, requests, run_before_every_page
from tests.browser.page import Page
from tests.browser.serving import Served

pytestmark = pytest.mark.promise("document", "fails-closed")

CLICK_EVERYTHING = """
const leads = "[role=link], .exit";
for (const element of document.querySelectorAll(`input, button:not(${leads}), summary, label`))
  element.click();
for (const form of document.forms) { try { form.requestSubmit(); } catch {} }
"""


def check_sends_nothing(driver: webdriver.Chrome) -> None:
    """Click everything there is, and see that no request carries anything."""
    driver.execute_script(CLICK_EVERYTHING)
    made = requests(driver)
    assert {request.method for request in made} <= {"GET"}
    assert all("?" not in request.url for request in made)
    assert not driver.find_elements(By.CSS_SELECTOR, "main input, main button, main form")


def test_randomness_that_throws(served: Served, fresh: webdriver.Chrome) -> None:
    run_before_every_page(
        fresh, 'crypto.getRandomValues = () => { throw new Error("no entropy here"); };'
    )
    page = Page(fresh, served.links[1]).open()
    assert page.screen() == "refused"
    assert "no entropy here" in page.text()
    check_sends_nothing(fresh)


@pytest.mark.promise("noise")
def test_a_promise_that_does_not_hold(served: Served, fresh: webdriver.Chrome) -> None:
    """Here for the page; `protocol.test.js` has all that a server may lie about."""
    alter_questions(fresh, "survey.items[0].weights[0] = [2**32 - 2, 1, 1]")
    page = Page(fresh, served.links[1]).open()
    assert page.screen() == "refused"
    assert "reveal more than" in page.text()
    check_sends_nothing(fresh)


@pytest.mark.parametrize("name", ["replaceChildren", "g-1"])
def test_a_question_called_as_none_is(served: Served, fresh: webdriver.Chrome, name: str) -> None:
    """`test_ids.py` has what it may be called; these would hide the page's own, or another."""
    alter_questions(
        fresh,
        f"""const called = (line) => line.replaceAll(/\\bdoped\\b/g, "{name}");
        survey = JSON.parse(called(JSON.stringify(survey)));
        words.forEach((line, at) => (words[at] = called(line)));""",
    )
    page = Page(fresh, served.links[0]).open()
    assert page.screen() == "refused"
    assert "in the form that every survey has" in page.text()
    check_sends_nothing(fresh)
