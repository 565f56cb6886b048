"""Questions and answers in random order: on the device alone, never in the report."""

import pytest
from selenium.webdriver.common.keys import Keys

from deniable.survey import Survey
from tests.browser.chromium import chromium as started
from tests.browser.chromium import run_before_every_page
from tests.browser.conftest import serves
from tests.browser.page import Page
from tests.browser.serving import Served

SHUFFLED = """
version: 1
survey: shuffled
title: In any order
epsilon: 9
pages: one
order: random
questions:
  - {id: when, text: 'When?', type: single, answers: [Never, Once, Often], order: random,
     prefer_not_to_say: true}
  - {id: what, text: 'What?', type: many, answers: [Beer, Wine, Gin, Rum], order: random,
     prefer_not_to_say: true}
  - {id: who, text: 'Who?', type: grid, answers: [No, Yes], rows: [Mother, Father, Friend],
     order: random}
  - {id: age, text: 'How old?', type: single, answers: [Young, Old], protection: direct}
"""

DESCENDING = (
    "crypto.getRandomValues = (words) => words.forEach((_, i) => words[i] = 4e9 - i * 1e7);"
)
"""So that every order is the other way round."""

served = serves(SHUFFLED)


@pytest.fixture
def survey(served: Served) -> Survey:
    return served.surveys[0]


def labels(page: Page, selector: str) -> list[str]:
    return page.texts(selector)


@pytest.mark.slow
def test_reports_keep_their_order_and_declining_is_last(served: Served, survey: Survey) -> None:
    with started() as driver:
        run_before_every_page(driver, DESCENDING)
        page = Page(driver, served.links[0]).open()
        assert page.questions() == ["age", "who", "what", "when"]
        page.one("#when-2").send_keys(Keys.ARROW_DOWN)
        assert page.focused() == "when-1"
        assert labels(page, "#when label") == ["Often", "Once", "Never", "Skip this question"]
        assert labels(page, "#what label") == [
            *["Rum", "Gin", "Wine", "Beer"],
            *["None of these", "Skip this question"],
        ]
        assert labels(page, "#who .row legend") == ["Friend", "Father", "Mother"]
        assert labels(page, "#who .row:not(.waiting) label") == ["No", "Yes"]
        # Those that are missing are named in the order in which they stand, and met by the links.
        page.click("#who-2-1")
        page.proceed()
        assert page.unanswered()[1] == "who"
        assert "“Father”" in page.mistakes()[1]
        assert "“Mother”" in page.mistakes()[2]
        page.click(".panel.warning li:nth-child(2) button")
        assert page.focused() == "who-1-0"
        for selector in ("#when label", "#what label"):
            page.all(selector)[0].click()  # "Often", "Rum"
        page.answer(["who-1-0", "who-0-1", "age-1"])
        truths = [2, 0, 0, 0, 1, 1, 0, 1, 1]
        words = [int(4e9 - (4 + place) * 1e7) for place in range(len(truths))]
        expected = [
            item.channel.sample(truth, word)
            for item, truth, word in zip(survey.items, truths, words, strict=True)
        ]
        assert list(bytes.fromhex(page.preview()["answers"])) == expected
        assert [item.id for item in survey.items][:2] == ["when", "what.beer"]
