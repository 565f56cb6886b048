"""Warner's own form on the page: where the spinner points stays until Send, and is then nowhere."""

import json
import re
from pathlib import Path

import pytest
from selenium import webdriver

from tests.browser.chromium import chromium as started
from tests.browser.conftest import serves
from tests.browser.looks import emulate, show_as_usual
from tests.browser.page import NAMES, Page
from tests.browser.serving import Served
from tests.browser.test_leaving import SESSION_IS_WRITTEN, found_on_disk

pytestmark = pytest.mark.promise("spinner")

SPUN = """
version: 1
survey: spun
title: {en: Spun, de: Gedreht}
languages: [en, de]
pages: one
branch: hidden
epsilon: 3
questions:
  - id: took
    text: {en: Taking things, de: Mitnehmen}
    type: single
    style: statement
    answers: {no: {en: "No", de: Nein}, yes: {en: "Yes", de: Ja}}
    statements: {no: {en: I never did., de: Ich nie.}, yes: {en: I did., de: Ich schon.}}
    flip: 1/4
  - id: sold
    text: {en: Selling them, de: Verkaufen}
    type: single
    answers: [{en: "No", de: Nein}, {en: "Yes", de: Ja}]
    ask_if: {took: yes}
"""

SCENE = """
const field = document.querySelector("[data-pointed]");
return JSON.stringify([
  field.dataset.pointed,
  field.querySelector("svg g").getAttribute("transform"),
]);
"""

TURNING = """
const field = document.querySelector("[data-pointed]");
// What was taken away turns anew.
field.style.display = "none";
const { offsetHeight } = field;
field.style.display = "";
const all = field.getAnimations({ subtree: true });
const ends = all.map(({ effect }) => effect.getComputedTiming().endTime);
return [ends, ...[0, ...ends.map((end) => end - 1), ...ends].map((time) => {
  for (const one of all) { one.pause(); one.currentTime = time; }
  return [".statement", "input"].filter((one) =>
    field.querySelector(one).checkVisibility({ visibilityProperty: true })).length;
})];
"""

REPLIES = (
    NAMES
    + """
const [cases, done] = arguments;
const root = document.getElementById("page-survey");
(async () => {
  const found = [];
  for (const [word, reply] of cases) {
    localStorage.clear();
    window.name = "";
    const randomness = (words) => words.forEach((_, at) => (words[at] = at % 3 ? word : at + 7));
    await openPage({ root, randomness, storage: localStorage, tab: window });
    const { pointed } = document.querySelector("[data-pointed]").dataset;
    document.querySelector(placed(`#took-${reply}`)).click();
    await new Promise((drawn) => setTimeout(drawn));
    const asked = !document.querySelector(placed("#sold")).hidden;
    if (asked) document.querySelector(placed("#sold-0")).click();
    root.querySelector("button[type=submit]").click();
    const { answers } = JSON.parse(root.querySelector("pre.wire").textContent);
    found.push([Number(pointed), asked, answers.slice(0, 2)]);
  }
  done(found);
})().catch((error) => done(String(error)));
"""
)


spun = serves(SPUN)


def test_the_truth_decides_the_question_sent(spun: Served, chromium: webdriver.Chrome) -> None:
    """In one opening of the page, with known words: on both sides of the disc's two edges."""
    Page(chromium, spun.links[0]).open()
    words = (0, 2**30 - 1, 2**30, 2**31, 2**32 - 1)
    cases = [(word, reply) for word in words for reply in (0, 1)]
    found = chromium.execute_async_script(REPLIES, cases)
    item = spun.surveys[0].items[0]
    for (word, reply), (pointed, asked, sent) in zip(cases, found, strict=True):
        truth = pointed if reply == 1 else 1 - pointed
        assert pointed == int(word >= 2**30)
        assert asked == (truth == 1)
        assert int(sent, 16) == reply == item.sample(truth, word)


@pytest.mark.slow
def test_no_disk_tells_where_the_spinner_pointed(spun: Served, tmp_path: Path) -> None:
    with started(tmp_path / "profile") as driver:
        page = Page(driver, spun.links[0]).open()
        scene = driver.execute_script(SCENE)
        name = driver.execute_script("return window.name")
        (hiding,) = json.loads(page.remembered()["deniable:spun"])["hiding"]
        mark, hidden = name.split(" ")
        pointed_by = (int(hidden) ^ hiding) % 2**32
        driver.refresh()
        page.wait(lambda: page.all("[data-pointed]"))
        assert driver.execute_script(SCENE) == scene
        # In another language, with what was answered.
        page.wait(page.one("#took-1").is_displayed)
        page.click("#took-1")
        page.click("nav summary")
        page.click("nav button[lang=de]")
        assert driver.execute_script(SCENE) == scene
        assert page.one("#took-1").is_selected()
        assert page.one(".statement").get_property("textContent") in ("Ich nie.", "Ich schon.")
        if page.one("#sold").is_displayed():
            page.click("#sold-0")
        # So long that all that will ever be written is.
        driver.execute_async_script(f"setTimeout(arguments[0], {2 * SESSION_IS_WRITTEN})")
        page.to_review()
        said = page.text("[data-answers]")
        assert "Ich" not in said
        page.show_answers()
        said = page.text("dl.review [data-question=took]")
        assert "„Ich" in said
        assert "Ja" not in said
        assert page.send() == "stored"
        assert page.announced()["answers"].startswith("01")
        assert driver.execute_script(
            "return [window.name, document.querySelectorAll('.statement')]"
        ) == [
            "",
            [],
        ]
        assert "hiding" not in page.remembered()["deniable:spun"]
        driver.execute_async_script(f"setTimeout(arguments[0], {SESSION_IS_WRITTEN})")
        check_somebody_else(page, pointed_by)
    profile = tmp_path / "profile"
    # What hides it is there for a while, as all that a browser deletes; what it hid never was.
    assert found_on_disk(profile, f'"hiding":[{hiding}]')
    for trace in (mark, hidden, str(pointed_by)):
        assert found_on_disk(profile, trace) == [], trace


def check_somebody_else(page: Page, pointed_by: int) -> None:
    """Have another person answer after one who is done, come back, and leave quickly."""
    driver = page.driver
    page.unfold()
    page.click(".else button")
    page.wait(lambda: page.all("[data-pointed]"))
    scene = driver.execute_script(SCENE)
    (hiding,) = json.loads(page.remembered()["deniable:spun:2"])["hiding"]
    (own,) = driver.execute_script("return window.name").split(",")
    assert (int(own.split(" ")[1]) ^ hiding) % 2**32 != pointed_by
    driver.refresh()
    page.wait(lambda: page.all("[data-outcome]"))
    assert not page.all("[data-pointed]")
    page.click(".else button")
    page.wait(lambda: page.all("[data-pointed]"))
    assert driver.execute_script(SCENE) == scene
    left = "document.querySelector('.exit').click(); return [window.name, localStorage.length]"
    assert driver.execute_script(left) == ["", 0]


def test_the_statement_waits_for_the_pointer(spun: Served, chromium: webdriver.Chrome) -> None:
    Page(chromium, spun.links[0]).open_afresh()
    emulate(chromium, {"prefers-reduced-motion": "no-preference"})
    # Neither the statement nor a reply to it before that, and then both.
    ends, *shown = chromium.execute_script(TURNING)
    assert {*ends} == {1500}
    assert shown == [0] * (1 + len(ends)) + [2] * len(ends)
    emulate(chromium, {})  # without motion
    assert chromium.execute_script(TURNING) == [[], 2]
    show_as_usual(chromium)


def test_a_page_that_is_left_shows_no_statement(spun: Served, chromium: webdriver.Chrome) -> None:
    page = Page(chromium, spun.links[0]).open_afresh()
    assert page.all(".statement")
    chromium.execute_script("dispatchEvent(new Event('pagehide'))")
    assert page.all(".statement") == []
    assert page.all("svg.disc") == []


@pytest.mark.slow
def test_no_page_says_chance_changes_a_reply(spun: Served, chromium: webdriver.Chrome) -> None:
    """The reply is sent just as it is pressed: chance picks the statement."""
    page = Page(chromium, spun.links[0]).open_afresh()
    # The other question, which is randomised, applies to some only.
    pointed = page.one("[data-pointed]").get_attribute("data-pointed")
    page.wait(page.one(f"#took-{pointed}").is_displayed)
    page.click(f"#took-{pointed}")
    page.wait(lambda: page.one("#sold").is_displayed())
    page.unfold()
    as_given = "sent just as you give it"
    assert "Only you know which statement you got." in page.text("#took .mark")
    assert "Your device sends" not in page.text("#took")
    page.click("#sold-0")
    page.to_review()
    page.unfold()
    assert re.findall(r"\d+", page.text(".mixed")) == ["2", "1", "2"]
    for part in (".mixed", "details.leaves"):
        assert as_given in page.text(part)
