"""The way through the pages: forward, back, to the review, and nothing kept of it."""

from functools import partial

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from tests.browser.looks import Look, on_screen
from tests.browser.page import Page

pytestmark = pytest.mark.promise("memory")

ANSWERS = ["medicine-1", "offered-0", "sleep-0-0", "sleep-1-2", "year-1"]
TYPED = {"drinks-0": "6"}


def answer_all(page: Page) -> None:
    """Answer every question, each on its page."""
    page.answer(ANSWERS[:-1], TYPED)
    page.answer(ANSWERS[-1:])


def is_shown(page: Page, id: str) -> bool:
    return page.questions() == [id]


def answers(page: Page) -> list[list[str]]:
    """Return what the review says was answered, question by question."""
    page.show_answers()
    return [
        [line.text for line in entry.find_elements(By.CSS_SELECTOR, "dd:not(:has(button, .mark))")]
        for entry in page.all("dl.review > div")
    ]


ALL = [["Yes"], ["Steroids"], ["I sleep well: Disagree", "I feel rested: Agree"], ["6"]]
ALL.append(["Second"])


def test_each_page_begins_at_its_top(paged: Page) -> None:
    driver, foot = paged.driver, "scrollTo(0, document.body.scrollHeight)"
    drawn = "const [done] = arguments; requestAnimationFrame(() => requestAnimationFrame(done))"
    with on_screen(driver, Look(375, "light"), 480):
        for step, there in ((paged.proceed, "#medicine"), (driver.back, "section[tabindex]")):
            driver.execute_script(foot)
            assert driver.execute_script("return scrollY") > 0
            step()
            paged.wait(partial(paged.all, there))
            driver.execute_async_script(drawn)
            assert driver.execute_script("return scrollY") == 0


def test_going_back_and_forward_keeps_the_answers(paged: Page) -> None:
    answer_all(paged)
    paged.to_review()
    for back, forward in (
        (partial(paged.click, "button.back"), paged.proceed),
        (paged.driver.back, paged.driver.forward),
    ):
        for id in ["year", "drinks", "sleep", "offered", "medicine"]:
            back()
            paged.wait(partial(is_shown, paged, id))
            assert paged.at_heading() == id
        assert paged.one("#medicine-1").is_selected()
        for _ in range(5):
            forward()
        paged.wait(lambda: paged.all("[data-answers]"))
        assert answers(paged) == ALL


def test_every_kind_of_answer_is_shown_in_words(kinds: Page) -> None:
    kinds.answer(["medicine-2", "offered-2", "sleep-0-0", "sleep-1-0", "year-0"], {"drinks-0": "0"})
    kinds.to_review()
    assert answers(kinds)[:2] == [["Skipped"], ["None of these"]]
    kinds.click("button.back")
    kinds.answer(["offered-0", "offered-1", "drinks-decline-0"])
    kinds.to_review()
    assert answers(kinds)[1] == ["Steroids", "EPO"]
    assert answers(kinds)[3] == ["Skipped"]
    kinds.click("button.back")
    kinds.answer(["offered-3"])
    kinds.to_review()
    assert answers(kinds)[1] == ["Skipped"]


def test_skipping_to_the_questions_stays_on_the_page(paged: Page) -> None:
    # A double click goes on by one page.
    ActionChains(paged.driver).double_click(paged.one("button[type=submit]")).perform()
    assert not paged.mistakes()
    paged.click("#medicine-1")
    length = paged.driver.execute_script("return history.length")
    paged.driver.execute_script("document.querySelector('.skip').click()")
    paged.driver.execute_async_script("setTimeout(arguments[0], 100)")
    assert paged.questions() == ["medicine"]
    assert paged.driver.switch_to.active_element == paged.one("main")
    # It is no step of the way: back leads to the page before.
    assert paged.driver.execute_script("return history.length") == length
    paged.driver.back()
    paged.wait(lambda: paged.screen() == "start")
    paged.driver.forward()
    paged.wait(lambda: paged.questions() == ["medicine"])
    assert paged.one("#medicine-1").is_selected()
    paged.proceed()
    assert paged.questions() == ["offered"]
