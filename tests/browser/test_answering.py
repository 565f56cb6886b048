"""Known answers in a real browser: what is stored is what was shown, and follows the channel."""

import random
from collections.abc import Sequence

import pytest
from selenium import webdriver

from tests.browser.chromium import requests
from tests.browser.conftest import serves
from tests.browser.page import NAMES, Page
from tests.browser.serving import Served
from tests.kit import at

ANSWER_WITH_WORDS = f"""
{NAMES}
const [word, ids, typed, done] = arguments;
(async () => {{
  const root = document.getElementById("page-survey");
  localStorage.clear();
  const randomness = (words) => words.forEach((_, at) => (words[at] = at % 3 ? word : at + 7));
  await openPage({{ root, randomness, storage: localStorage, tab: window }});
  for (const id of ids) document.querySelector(placed(`#${{id}}`)).click();
  const number = document.querySelector(placed("#drinks-0"));
  number.value = typed;
  number.dispatchEvent(new Event("input", {{ bubbles: true }}));
  root.querySelector("button[type=submit]").click();
  done(JSON.parse(root.querySelector("pre.wire").textContent).answers);
}})().catch((error) => done(String(error)));
"""


ONE_OPTION = """\
version: 1
survey: one-option
title: T
epsilon: 2
pages: one
batch: 1
questions:
  - {id: done, text: D, type: many, answers: [Forged], protection: direct}
  - {id: seen, text: S, type: many, answers: [Forged], prefer_not_to_say: true}
"""

lone = serves(ONE_OPTION)


def inputs(truths: Sequence[int]) -> list[str]:
    """Return the inputs to tick in the design's survey, so that its items have these truths."""
    doped, *offered, knew, age = truths
    ticked = [f"substances-{place}" for place, truth in enumerate(offered) if truth]
    return [f"doped-{doped}", *(ticked or ["substances-3"]), f"coach_knew-{knew}", f"age-{age}"]


@pytest.mark.promise("no-sender")
@pytest.mark.parametrize("clicked", [2, pytest.param(24, marks=pytest.mark.slow)])
def test_what_is_clicked_shown_sent_and_stored(
    served: Served, chromium: webdriver.Chrome, design: Page, clicked: int
) -> None:
    survey = served.surveys[0]
    generator = random.Random(20)
    address = at(survey.slug)
    for _ in range(clicked):
        design.open_afresh()
        requests(chromium)
        truths = [generator.randrange(item.channel.truths) for item in survey.items]
        design.answer(inputs(truths))
        previewed = design.preview()
        assert requests(chromium) == [], "nothing may leave before the button is pressed"
        assert design.send() == "stored"
        (sent,) = requests(chromium)
        shown = design.announced()
        assert (sent.method, sent.path) == ("POST", f"{address}reports")
        assert sent.body == design.one("pre.wire").get_attribute("textContent")
        assert previewed == shown
        assert served.reports(survey)[shown["id"]] == shown["answers"]
        # The direct question is sent as it was given.
        assert int(shown["answers"][-2:], 16) == truths[-1]


def test_each_kind_is_read_right(served: Served, chromium: webdriver.Chrome, kinds: Page) -> None:
    # Known words instead of chance: then the bytes say which truths the page read from its inputs.
    survey = served.surveys[1]
    answers = ["medicine-2", "offered-1", "sleep-0-1", "sleep-1-2", "year-2"]
    truths = [2, 0, 1, 1, 2, 5, 2]
    kinds.answer(answers, {"drinks-0": "5"})
    for words in (0, 2**31, 2**32 - 1, 1_500_000_000, 3_500_000_000):
        shown = chromium.execute_async_script(ANSWER_WITH_WORDS, words, answers, "5")
        expected = bytes(
            item.channel.sample(truth, words if at % 3 else at + 7)
            for at, (item, truth) in enumerate(zip(survey.items, truths, strict=True), start=4)
        )
        assert shown == expected.hex(), words


def test_lone_choices_untick_others_until_undone(kinds: Page) -> None:

    def ticked() -> list[bool]:
        return [one.is_selected() for one in kinds.all("#offered input")]

    undo = kinds.one("#offered [role=status] button")
    kinds.answer(["offered-0", "offered-1"])
    assert ticked() == [True, True, False, False]
    kinds.answer(["offered-2"])
    assert ticked() == [False, False, True, False]
    undo.click()
    assert ticked() == [True, True, False, False]
    assert kinds.focused() == "offered-0"
    assert not undo.is_displayed()
    # Who declines leaves nothing that tells of more.
    kinds.answer(["offered-3"])
    assert ticked() == [False, False, False, True]
    assert not undo.is_displayed()
    assert not kinds.all("[data-unticked]")
    kinds.answer(["offered-1"])
    assert ticked() == [False, True, False, False]
    # Who ticks another one goes on, and nothing of what was undone is left.
    kinds.answer(["offered-2"])
    assert undo.is_displayed()
    kinds.answer(["offered-0"])
    assert ticked() == [True, False, False, False]
    assert not undo.is_displayed()
    assert not kinds.all("[data-unticked]")
    kinds.answer(["offered-2"])
    assert kinds.all("[data-unticked]")
    kinds.driver.execute_script("dispatchEvent(new Event('pagehide'))")
    assert not kinds.all("[data-unticked]")


@pytest.mark.promise("text")
def test_survey_text_is_text(kinds: Page) -> None:
    assert "<b>Nothing here is markup.</b>" in kinds.text()
    assert not kinds.all("main b")


def test_what_is_missing_is_said_and_linked(kinds: Page) -> None:
    kinds.answer(["medicine-0"], {"drinks-0": "31"})
    kinds.proceed()
    summary = kinds.one(".panel.warning")
    assert kinds.driver.switch_to.active_element == summary
    assert kinds.driver.title.startswith("Error: ")
    assert "You can also leave this page." in summary.text
    links = summary.find_elements("css selector", "button")
    missing = ("offered-0", "sleep-0-0", "sleep-1-0", "drinks-0", "year-0")
    for link, control in zip(links, missing, strict=True):
        kinds.driver.execute_script("arguments[0].click()", link)
        assert kinds.driver.switch_to.active_element == kinds.one(f"#{control}")
    assert kinds.unanswered() == ["offered", "sleep", "drinks", "year"]
    # Beside each question stands what its link says of it; among several it names its question.
    for id, link in zip(["offered", "drinks", "year"], [links[0], *links[3:]], strict=True):
        instruction = kinds.text(f"#{id} .error")
        assert instruction
        assert link.text == f"{kinds.text(f'#{id} h2')} – {instruction}"
    kinds.click(".panel.warning li:nth-child(4) button")
    assert kinds.focused() == "drinks-0"
    # Mended, it goes through.
    kinds.one("#drinks-0").clear()
    kinds.answer(["offered-2", "sleep-0-0", "sleep-1-0", "year-0"], {"drinks-0": "7"})
    assert kinds.send() == "stored"
    assert not kinds.driver.title.startswith("Error: ")


@pytest.mark.parametrize(("clicked", "truth"), [("done-0", "01"), ("done-1", "00")])
def test_an_option_alone_is_ticked_or_not(
    lone: Served, chromium: webdriver.Chrome, clicked: str, truth: str
) -> None:
    page = Page(chromium, lone.links[0]).open_afresh()
    page.answer([clicked, "seen-0"])
    assert page.send() == "stored"
    shown = page.announced()
    assert shown["answers"].startswith(truth)
    assert lone.reports(lone.surveys[0])[shown["id"]] == shown["answers"]
