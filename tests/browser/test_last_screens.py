"""The review that hides answers, the end, and the screen that is cleared."""

from urllib.parse import urljoin

from selenium import webdriver

from tests.browser.chromium import chromium as started
from tests.browser.chromium import run_before_every_page
from tests.browser.conftest import serves
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.browser.test_accessibility import check_with_axe

SECRET = "SECRET4711"
COUNT = 13

LONG = (
    """
version: 1
survey: long
title: Thirteen things
epsilon: 6
pages: one
help: {text: 'A helpline, 030 23125 000', link: 'tel:+49-30-23125-000'}
results: https://example.org/results
delete_reports: 2028-01-31
panel: https://panel.example.org/done
questions:
"""
    + "".join(
        f"  - {{id: q{place}, text: 'Question {place}?', type: single, answers: [No, {SECRET}]}}\n"
        for place in range(COUNT - 1)
    )
    + f"""  - id: last
    text: The last?
    type: single
    protection: direct
    answers: [No, {SECRET}]
"""
)

ANSWERS = [*(f"q{place}-1" for place in range(COUNT - 1)), "last-1"]

REVOKED = """
const revoke = URL.revokeObjectURL;
URL.revokeObjectURL = (url) => { localStorage.revoked = url; revoke.call(URL, url); };
"""

served = serves(LONG)


def read_out(driver: webdriver.Chrome) -> list[str]:
    """Return what a screen reader finds on the page."""
    nodes = driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    return [str(node.get("name", {}).get("value", "")) for node in nodes if not node["ignored"]]


def groups(page: Page) -> list[tuple[str, bool]]:
    """Return the groups of the review, and whether each is open."""
    return [
        (part.text.splitlines()[0], bool(part.get_property("open"))) for part in page.all(".group")
    ]


def test_to_the_end_and_no_trace_of_it(served: Served) -> None:
    with started() as driver:
        run_before_every_page(driver, REVOKED)
        page = Page(driver, served.links[0])
        driver.get("about:blank")
        page.open()
        page.unfold()
        told = "The server deletes all reports on: 2028-01-31"
        assert page.text(".asking .deletion") == told
        page.answer(ANSWERS)
        page.to_review()
        check_the_review(page)
        assert "panel.example.org" not in driver.page_source
        message = page.announced()
        assert page.send() == "stored"
        assert page.announced() == message
        assert message["answers"].endswith("01")
        # Whoever the questions trouble finds somebody without opening anything.
        assert page.one(".helpline button").is_displayed()
        # No line ends within the number.
        words = page.one(".helpline button").get_property("textContent")
        assert words == "A helpline, 030\u00a023125\u00a0000"
        assert "Answers sent: 13. With chance mixed in: 12." in page.text("[role=status]")
        assert (
            page.one(".helpline button").get_dom_attribute("data-leads") == "tel:+49-30-23125-000"
        )
        assert page.text(".results") == "Results will stand here: https://example.org/results"
        assert (
            page.one(".results button").get_dom_attribute("data-leads")
            == "https://example.org/results"
        )
        assert page.text(".deletion") == told
        # The same for everybody, and a button: no browser fetches it before it is pressed.
        back = page.one(".panel-link button")
        assert back.get_dom_attribute("data-leads") == "https://panel.example.org/done"
        assert not page.all("a[href*=panel]")
        parts = page.texts("summary, footer button")
        assert len(parts) == len({*parts}) > 3
        assert page.text(".clear + .hint").startswith("The next person")
        page.unfold()
        check_with_axe(driver)
        check_that_it_is_cleared(page)


def check_the_review(page: Page) -> None:
    # What sends is last, and below it stands nothing that leads away from it.
    last = "return document.querySelector('form').lastElementChild.matches('[type=submit]')"
    assert page.driver.execute_script(last)
    assert not page.is_there("form ~ *")
    assert page.text(".mixed") == (
        "13 answers will be sent. Chance may change 12 of your 13 answers. "
        "Sent unchanged: “The last?”."
    )
    page.unfold()
    check_with_axe(page.driver)
    # What leaves is shown by whoever opens it; of questions and answers there is no trace.
    page.click("form > details > summary")
    hidden = page.one("[data-answers=hidden]")
    assert hidden.get_property("innerHTML") == ""
    assert not [words for words in read_out(page.driver) if SECRET in words]
    page.show_answers()
    # One is sent as it is given, which is said there.
    assert [row.text.splitlines()[0] for row in page.all(".review > div:has(.mark)")] == [
        "The last?"
    ]
    assert groups(page) == [
        ("Questions 1 to 5", True),
        ("Questions 6 to 9", True),
        ("Questions 10 to 13", True),
    ]
    assert page.text("[data-answers]").count(SECRET) == COUNT
    check_with_axe(page.driver)
    page.click("form > button.quiet")
    assert hidden.get_property("innerHTML") == ""
    page.change("q7")
    assert page.at_heading() == "q7"
    page.to_review()
    # Whoever comes back finds them hidden again.
    assert page.all("[data-answers=hidden]")


def check_that_it_is_cleared(page: Page) -> None:
    driver = page.driver
    file = page.one("a[download]").get_dom_attribute("href")
    kept = page.remembered()
    page.click("main .clear")
    page.wait(lambda: driver.current_url == "about:blank")
    assert not driver.title
    # Nothing leads to it, forward or back.
    driver.forward()
    assert driver.current_url == "about:blank"
    driver.back()
    page.wait(lambda: page.sent_as() == "home")
    assert driver.current_url == urljoin(page.link, "/")
    assert "Thirteen" not in driver.page_source
    assert page.remembered() == {**kept, "revoked": file}
    driver.back()
    page.wait(lambda: driver.current_url == "about:blank")
