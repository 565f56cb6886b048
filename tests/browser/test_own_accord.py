"""What browsers do by themselves with what a person answers, and small screens with large words."""

import pytest
from selenium import webdriver

from tests.browser.conftest import KINDS, opened, serves
from tests.browser.looks import SEEN_WHOLE, emulate, resize
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.browser.test_leaving import STAGES, TICKED, TRACES, TYPED
from tests.kit import first_of
from tests.kit.surveys import EXAMPLES

NAMED = """
version: 1
survey: named
title: Named
contact: {text: Ask us, link: 'mailto:ask@example.org'}
help: {text: A helpline, link: 'tel:+49-30-23125-000'}
questions:
  - {id: asked, text: 'Asked?', type: single, answers: [No, Yes], epsilon: 1, hint: A hint.}
"""

served = serves(TRACES, NAMED, KINDS, EXAMPLES / "shops.yaml")
traces, named, kinds = opened(0), opened(1), opened(2)

TRANSLATED = """
const [marks] = arguments;
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const found = [];
for (let text = walk.nextNode(); text; text = walk.nextNode()) {
  const one = text.parentElement;
  if (marks.some((mark) => text.data.includes(mark)) && one.translate) found.push(one.outerHTML);
}
return found;
"""
"""Text that a browser sends to those who translate."""


@pytest.mark.promise("silence")
@pytest.mark.parametrize("stage", first_of(STAGES))
def test_no_answer_is_translated(traces: Page, stage: str) -> None:
    STAGES[stage](traces)
    assert TYPED in traces.text()
    # What can be answered is a text of the survey; what was answered is not.
    marks = [TYPED, TICKED] if stage == "reviewed" else [TYPED]
    assert traces.driver.execute_script(TRANSLATED, marks) == []
    # The questions can be translated.
    assert traces.driver.execute_script(TRANSLATED, ["Typed?"])


def test_a_number_s_readings_and_field_are_left_alone(kinds: Page) -> None:
    for field in kinds.all("main input"):
        assert field.get_dom_attribute("name") is None
        assert field.get_dom_attribute("autocomplete") == "off"
    assert kinds.one("main form").get_dom_attribute("action") is None
    fields = kinds.all("input:not([type=radio], [type=checkbox])")
    assert fields
    for field in fields:
        own = {name: field.get_dom_attribute(name) for name in LEFT_ALONE}
        assert own == LEFT_ALONE
    pulled = "return getComputedStyle(document.documentElement).overscrollBehaviorY"
    assert kinds.driver.execute_script(pulled) == "contain"
    kinds.one("#drinks-0").send_keys("1,250")
    kinds.proceed()
    assert kinds.is_there(".question.wrong")
    readings = [one for one in ("1.25", "1250", "1,250") if one in kinds.text()]
    assert kinds.driver.execute_script(TRANSLATED, readings) == []


LEFT_ALONE = {
    "spellcheck": "false",
    "autocorrect": "off",
    "writingsuggestions": "false",
}


def described(page: Page) -> list[str]:
    """Return what describes the question of the page, to those who do not see it."""
    texts: list[str] = page.driver.execute_script(
        "const [field] = document.querySelectorAll('fieldset.question');"
        "return (field.getAttribute('aria-describedby') ?? '').split(' ')"
        ".map((id) => document.getElementById(id)?.textContent)"
    )
    return texts


@pytest.mark.promise("everyone")
def test_a_hint_stays_tied_to_its_answers(named: Page) -> None:
    named.find("asked-0")
    mark, *hints = described(named)
    assert mark.endswith("so a “Yes” is only a hint.")
    assert hints == ["A hint."]
    named.proceed()
    assert described(named)[1:] == ["A hint.", "Choose an answer"]


@pytest.mark.promise("everyone")
def test_who_comes_back_finds_whom_to_ask(named: Page) -> None:
    named.answer(["asked-0"])
    assert named.send() == "stored"
    named.driver.refresh()
    named.wait(lambda: named.outcome() == "answered")
    shown = [named.one(f"{one} button") for one in (".helpline", ".contact")]
    assert all(one.is_displayed() for one in shown)
    leads = [one.get_dom_attribute("data-leads") for one in shown]
    assert leads == ["tel:+49-30-23125-000", "mailto:ask@example.org"]


def spinner(served: Served, driver: webdriver.Chrome, width: int) -> Page:
    """Open the question with two statements on a screen of this width."""
    resize(driver, width, 640)
    emulate(driver, {})
    page = Page(driver, served.links[3]).open()
    page.find("took-0")
    return page


@pytest.mark.promise("everyone")
def test_a_spinner_and_replies_fit_small_phones(served: Served, fresh: webdriver.Chrome) -> None:
    page = spinner(served, fresh, 360)
    fresh.execute_script("scrollTo(0, 0)")
    for selector in (".disc", ".choice:last-child", "form > button"):
        assert fresh.execute_script(SEEN_WHOLE, selector), selector
    # What is told of the colours names both statements again: that waits until it is opened.
    assert not page.one(".sectors").is_displayed()
    page.click(".colours summary")
    assert page.texts(".sectors li")[0].startswith("25 in 100: I have never taken")


@pytest.mark.promise("everyone")
def test_large_words_make_no_column_of_letters(served: Served, fresh: webdriver.Chrome) -> None:
    page = spinner(served, fresh, 180)
    page.click(".colours summary")
    for selector in (".statement", ".exit", ".sectors li"):
        assert page.one(selector).size["width"] >= 110, selector
    assert fresh.execute_script("return document.documentElement.scrollWidth") == 180
