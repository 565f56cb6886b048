"""What browsers do by themselves with what a person answers, and small screens with large words."""

from pathlib import Path

import pytest
from selenium import webdriver

from tests.browser.conftest import KINDS, serves
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.browser.test_leaving import STAGES, TICKED, TRACES, TYPED
from tests.kit import first_of

NAMED = """
version: 1
survey: named
title: Named
contact: {text: Ask us, link: 'mailto:ask@example.org'}
help: {text: A helpline, link: 'tel:+49-30-23125-000'}
questions:
  - {id: asked, text: 'Asked?', type: single, answers: [No, Yes], epsilon: 1, hint: A hint.}
"""

BUTTONS = """
version: 1
survey: buttons
title: Buttons
epsilon: 1
questions:
  - {id: paid, text: 'Paid?', type: number, min: 100000, max: 500000, step: 50000}
"""

SHOPS = Path(__file__).parents[2] / "examples" / "shops.yaml"

served = serves(TRACES, NAMED, KINDS, BUTTONS, SHOPS)

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
def test_no_answer_is_translated(served: Served, chromium: webdriver.Chrome, stage: str) -> None:
    page = Page(chromium, served.links[0])
    page.open_afresh()
    STAGES[stage](page)
    assert TYPED in page.text()
    # What can be answered is a text of the survey; what was answered is not.
    marks = [TYPED, TICKED] if stage == "reviewed" else [TYPED]
    assert chromium.execute_script(TRANSLATED, marks) == []
    # The questions can be translated.
    assert chromium.execute_script(TRANSLATED, ["Typed?"])


def test_number_readings_are_never_translated(served: Served, chromium: webdriver.Chrome) -> None:
    page = Page(chromium, served.links[2])
    page.open_afresh()
    page.one("#drinks-0").send_keys("1,250")
    page.proceed()
    assert page.is_there(".question.wrong")
    readings = [one for one in ("1.25", "1250", "1,250") if one in page.text()]
    assert chromium.execute_script(TRANSLATED, readings) == []


def test_every_field_is_left_alone(served: Served, chromium: webdriver.Chrome) -> None:
    page = Page(chromium, served.links[2])
    page.open_afresh()
    fields = page.all("input:not([type=radio], [type=checkbox])")
    assert fields
    for field in fields:
        own = {name: field.get_dom_attribute(name) for name in LEFT_ALONE}
        assert own == LEFT_ALONE
    pulled = "return getComputedStyle(document.documentElement).overscrollBehaviorY"
    assert chromium.execute_script(pulled) == "contain"


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
def test_a_hint_stays_tied_to_its_answers(served: Served, chromium: webdriver.Chrome) -> None:
    page = Page(chromium, served.links[1])
    page.open_afresh()
    page.find("asked-0")
    mark, *hints = described(page)
    assert mark.endswith("so a “Yes” is only a hint.")
    assert hints == ["A hint."]
    page.proceed()
    assert described(page)[1:] == ["A hint.", "Choose an answer"]


@pytest.mark.promise("everyone")
def test_who_comes_back_finds_whom_to_ask(served: Served, chromium: webdriver.Chrome) -> None:
    page = Page(chromium, served.links[1])
    page.open_afresh()
    page.answer(["asked-0"])
    assert page.send() == "stored"
    page.driver.refresh()
    page.wait(lambda: page.outcome() == "answered")
    shown = [page.one(f"{one} button") for one in (".helpline", ".contact")]
    assert all(one.is_displayed() for one in shown)
    leads = [one.get_dom_attribute("data-leads") for one in shown]
    assert leads == ["tel:+49-30-23125-000", "mailto:ask@example.org"]


def on_a_screen(driver: webdriver.Chrome, width: int, height: int) -> None:
    screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)


@pytest.mark.promise("everyone")
@pytest.mark.parametrize(("width", "height"), first_of([(360, 640), (1280, 800)]))
def test_a_short_question_does_not_scroll(
    served: Served, fresh: webdriver.Chrome, width: int, height: int
) -> None:
    on_a_screen(fresh, width, height)
    page = Page(fresh, served.links[1])
    page.open()
    page.find("asked-0")
    tall = "return [document.documentElement.scrollHeight, innerHeight]"
    assert fresh.execute_script(tall) == [height, height]
    # Nothing below a question leads away from the answers.
    assert not page.one("footer button").is_displayed()


@pytest.mark.promise("everyone")
def test_large_words_make_no_column_of_letters(served: Served, fresh: webdriver.Chrome) -> None:
    on_a_screen(fresh, 180, 640)
    page = Page(fresh, served.links[4])
    page.open()
    page.find("took-0")
    for selector in (".statement", ".exit", ".sectors li"):
        assert page.one(selector).size["width"] >= 110, selector
    assert fresh.execute_script("return document.documentElement.scrollWidth") == 180


@pytest.mark.promise("everyone")
def test_large_numbers_fit_a_narrow_screen(served: Served, fresh: webdriver.Chrome) -> None:
    on_a_screen(fresh, 256, 640)
    page = Page(fresh, served.links[3])
    page.open()
    page.find("paid-0")
    fresh.execute_script("document.documentElement.style.fontSize = '32px'")
    ends = (
        "return Math.max(...[...document.querySelectorAll('.numbers .choice')]"
        ".map((one) => one.getBoundingClientRect().right))"
    )
    assert fresh.execute_script(ends) <= 256
