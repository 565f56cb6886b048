"""Whatever fails, the page can send nothing, and says why."""

from urllib.parse import urljoin

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from tests.browser.chromium import alter_questions, block, requests, run_before_every_page
from tests.browser.chromium import chromium as started
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.kit import first_of

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


def test_without_javascript(served: Served) -> None:
    with started(javascript=False) as driver:
        driver.get(served.links[1])
        page = Page(driver, served.links[1])
        page.wait(lambda: page.sent_as() == "unscripted")
        assert driver.current_url == f"{page.link}unscripted"
        said = page.text()
        # In the survey's own language alone: what it is, and what to do.
        assert page.text("h1") == served.surveys[1].title
        assert "JavaScript is switched off" in said
        assert "nothing can be sent" in said
        assert "settings of your browser" in said
        assert page.one("main a[href$=sheet]").is_displayed()
        assert not driver.find_elements(By.CSS_SELECTOR, "input, button:not(.exit), form")
        assert {request.method for request in requests(driver)} == {"GET"}


def test_a_blocked_program(served: Served, fresh: webdriver.Chrome) -> None:
    block(fresh, "*/client/main.js")
    fresh.get(urljoin(served.links[1], "/device"))
    page = Page(fresh, served.links[1])
    page.wait(lambda: page.one("#ledger .warning").is_displayed())
    check_sends_nothing(fresh)


BROKEN_RANDOMNESS = {
    "throws": 'crypto.getRandomValues = () => { throw new Error("no entropy here"); };',
    "fills nothing": "crypto.getRandomValues = (words) => words;",
    "is missing": "Object.defineProperty(window, 'crypto', { value: undefined });",
}


@pytest.mark.parametrize("how", first_of(BROKEN_RANDOMNESS))
def test_randomness_that(served: Served, fresh: webdriver.Chrome, how: str) -> None:
    run_before_every_page(fresh, BROKEN_RANDOMNESS[how])
    page = Page(fresh, served.links[1])
    page.open()
    assert page.screen() == "refused"
    reason = {"throws": "no entropy here", "fills nothing": "random numbers are not working"}
    assert reason.get(how, "The reason:") in page.text()
    check_sends_nothing(fresh)


@pytest.mark.promise("noise")
def test_a_promise_that_does_not_hold(served: Served, fresh: webdriver.Chrome) -> None:
    """Here for the page; `protocol.test.js` has all that a server may lie about."""
    alter_questions(fresh, "survey.items[0].weights[0] = [2**32 - 2, 1, 1]")
    page = Page(fresh, served.links[1])
    page.open()
    assert page.screen() == "refused"
    assert "reveal more than" in page.text()
    check_sends_nothing(fresh)


def test_questions_that_cannot_be_fetched(served: Served, fresh: webdriver.Chrome) -> None:
    block(fresh, "*/survey.json")
    page = Page(fresh, served.links[1])
    page.open()
    assert page.screen() == "refused"
    check_sends_nothing(fresh)


def test_chance_comes_from_a_cryptographic_source(served: Served, fresh: webdriver.Chrome) -> None:
    run_before_every_page(
        fresh,
        """
        Math.random = () => { throw new Error("not cryptographic"); };
        crypto.getRandomValues = (words) => words.map((_, place) => words[place] = 3_000_000_000);
        """,
    )
    page = Page(fresh, served.links[0])
    page.open()
    page.answer(["doped-0", "substances-3", "coach_knew-0", "age-0"])
    survey = served.surveys[0]
    expected = [item.channel.sample(0, 3_000_000_000) for item in survey.items]
    assert bytes.fromhex(page.preview()["answers"]) == bytes(expected)
    assert page.preview()["id"] == f"{3_000_000_000:08x}" * 4


def test_no_input_has_a_name_or_memory(kinds: Page) -> None:
    inputs = kinds.all("main input")
    assert len(inputs) > 10
    for element in inputs:
        assert element.get_dom_attribute("name") is None
        assert element.get_dom_attribute("autocomplete") == "off"
    assert kinds.one("main form").get_dom_attribute("action") is None
