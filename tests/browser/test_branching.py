"""Questions that are asked after some answers only, in a real browser."""

import json
import re
from dataclasses import replace
from functools import partial

import pytest
from selenium import webdriver

from deniable.client.branching import complete
from deniable.client.respondent import draw_report
from deniable.survey import Survey
from tests import vectors
from tests.browser.chromium import chromium as started
from tests.browser.chromium import requests, run_before_every_page
from tests.browser.conftest import opened, serves
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.browser.test_accessibility import check_with_axe

pytestmark = pytest.mark.promise("branches")

EXAMS = vectors.branching_file()

# The truth of every item that is answered; what is left out does not apply.
SHAPES = """\
version: 1
survey: shapes
title: T
pages: one
epsilon: 8
questions:
  - {id: first, text: F, type: single, answers: [No, Yes]}
  - {id: one, text: O, type: single, answers: [A, B], order: random, ask_if: {first: yes}}
  - {id: some, text: S, type: many, answers: [A, B], ask_if: {first: yes}}
  - {id: each, text: E, type: grid, answers: [A, B], rows: [R, S], ask_if: {first: yes}}
  - {id: few, text: Few, type: number, min: 1, max: 3, ask_if: {first: yes}}
  - {id: much, text: M, type: number, min: 1, max: 99, prefer_not_to_say: true,
     ask_if: {first: yes}}
"""

# What is answered to the example as it is, and what its last screen says of it.
PATHS = {
    "no": ["helped-0", "help-skip-0", "assistant-2", "exams-skip-0"],
    "declines": ["helped-2", "help-skip-0", "assistant-2", "exams-skip-0"],
    "notes": ["helped-1", "help-0", "assistant-2", "exams-2"],
    "phone": ["helped-1", "help-1", "assistant-0", "exams-0"],
    "neither": ["helped-1", "help-2", "assistant-2", "exams-4"],
    "impossible": ["helped-0", "help-skip-0", "assistant-2", "exams-2"],
}

WAYS: dict[str, tuple[list[str], list[int | None]]] = {
    "all": (
        ["year-2", "repeated-1", "helped-1", "help-1", "assistant-0", "exams-3"],
        [2, 1, 1, 0, 1, 0, 3],
    ),
    "notes": (
        ["year-0", "helped-1", "help-0", "exams-0"],
        [0, None, 1, 1, 0, None, 0],
    ),
    "none": (["year-1", "repeated-0", "helped-0"], [1, 0, 0, None, None, None, None]),
    "least": (["year-0", "helped-2"], [0, None, 2, None, None, None, None]),
}
ASKED = {
    "all": ["year", "repeated", "helped", "help", "assistant", "exams"],
    "notes": ["year", "helped", "help", "exams"],
    "none": ["year", "repeated", "helped"],
    "least": ["year", "helped"],
}
TAPE = [(2_654_435_761 * (place + 1)) % 2**32 for place in range(11)]

HIDDEN = EXAMS.replace("survey: exams", "branch: hidden\nsurvey: exams-hidden")
ON_ONE = HIDDEN.replace("survey: exams-hidden", "pages: one\nsurvey: exams-one")

served = serves(HIDDEN, ON_ONE, SHAPES, EXAMS)


@pytest.fixture
def survey(served: Served) -> Survey:
    return served.surveys[0]


page, one = opened(0), opened(1)
"""The first of several pages, and the page with all questions."""


def answer(page: Page, way: str) -> list[str]:
    """Answer on the way, page by page, until the review; return what was asked."""
    choices, _ = WAYS[way]
    asked: list[str] = []
    while not page.all("[data-answers]"):
        if ids := page.questions():
            asked += ids
            page.answer([choice for choice in choices if choice.startswith(f"{ids[0]}-")])
        page.proceed()
        assert not page.mistakes()
    return asked


def answers(page: Page, id: str) -> list[str]:
    """Return the answers to a question that the review shows, which offers to change them."""
    page.show_answers()
    lines = page.texts(f"[data-question={id}] dd:not(:has(button, .mark))")
    assert page.all(f"[data-question={id}] button")
    return lines


@pytest.mark.slow
@pytest.mark.parametrize("year", ["first", "later"])
def test_nothing_shown_tells_a_branch(served: Served, year: str) -> None:
    found, ends = set(), {}
    for way, path in PATHS.items():
        with started() as driver:
            page = Page(driver, served.links[3]).open()
            direct = ["year-0"] if year == "first" else ["year-1", "repeated-0"]
            screens = []
            for choice in [*direct, *path]:
                page.proceed()
                # What is on the screen before it is answered, nothing ticked beforehand.
                screens.append(driver.find_element("tag name", "main").text)
                inputs = page.all("main input, main button, main progress")
                screens.append("".join(one.get_attribute("outerHTML") or "" for one in inputs))
                assert not any(one.is_selected() for one in page.all("main input"))
                page.answer([choice])
            page.proceed()
            ends[way] = page.texts("p.unfitting")
            review = driver.find_element("tag name", "main").text
            screens += ["" if ends[way] else review, str(len(page.all("main button")))]
            assert page.send() == "stored"
            sent = requests(driver)
            body = [len(one.body or "") for one in sent]
            screens.append(str([(one.method, one.url) for one in sent]) + str(body))
            if not ends[way]:
                found.add("\n".join(screens))
    assert len(found) == 1
    (sentence,) = ends.pop("impossible")
    assert sentence.startswith("This may not fit your earlier answers: “In how many exams?”.")
    assert not any(ends.values())


def test_it_says_why_more_is_sent_than_asked(page: Page) -> None:
    said = "If a question was not asked, “Does not apply” counts as your answer."
    assert answer(page, "least") == ASKED["least"]
    assert page.text(".mixed").startswith("6 answers will be sent.")
    assert page.text(".mixed + .unasked") == said
    assert page.send() == "stored"
    assert page.text("[role=status] .unasked") == said


@pytest.mark.slow
def test_not_applicable_stands_first_and_alone(served: Served, chromium: webdriver.Chrome) -> None:
    page = Page(chromium, served.links[2]).open_afresh()
    assert page.questions() == ["first", "one", "some", "each", "few", "much"]
    for id in page.questions()[1:]:
        label = page.one(f"#{id} label")
        assert label.text == "Does not apply to me"
    given = ["one-0", "some-1", "each-0-0", "few-1"]
    skips = ["one-2", "some-skip-0", "each-skip-0", "few-skip-0", "much-skip-0"]
    page.answer(["first-0", *given], {"much-0": "7"})
    page.answer(skips)
    ticked = page.ticked()
    assert ticked == {"first-0", *skips}
    assert page.one("#much-0").get_attribute("value") == ""
    page.answer(["some-0", "each-0-1", "few-0", "much-decline-0"])
    ticked = page.ticked()
    assert ticked == {"first-0", "one-2", "some-0", "each-0-1", "few-0", "much-decline-0"}
    page.answer(skips)
    check_with_axe(chromium)
    assert news(page) == ""
    page.proceed()
    assert not page.all("p.unfitting")
    page.show_answers()
    assert page.text("dl.review").count("Does not apply") == 6
    assert page.send() == "stored"


def test_nothing_sent_kept_or_drawn_tells_skipped_questions(served: Served, survey: Survey) -> None:
    """A skipped item's byte is drawn from the truth that it does not apply, like any other."""
    left = set()
    for number, (way, (_, given)) in enumerate(WAYS.items()):
        # Words of an id of its own, as the same one with other bytes is refused.
        tape = [number, *TAPE[1:]]
        with started() as driver:
            run_before_every_page(
                driver,
                "window.drawn = []; crypto.getRandomValues = (words) => {"
                f"drawn.push(words.length); words.set({json.dumps(tape)}); }};",
            )
            page = Page(driver, served.links[0]).open()
            page.proceed()
            # The number and the times of its entries are on the disk.
            made = driver.execute_cdp_cmd("Page.getNavigationHistory", {})["entries"]
            requests(driver)
            assert answer(page, way) == ASKED[way]
            assert driver.execute_cdp_cmd("Page.getNavigationHistory", {})["entries"] == made
            assert driver.execute_script("return history.state") == {"depth": 7}
            truths = complete(survey, given)
            expected = draw_report(survey, truths, vectors.source_of(tape)).to_json().decode()
            assert page.preview() == json.loads(expected)
            for place, (truth, answered) in enumerate(zip(truths, given, strict=True)):
                if answered is None:
                    assert survey.items[place].truths[truth].code == "does_not_apply"
            assert requests(driver) == []
            assert page.remembered() == {}
            assert page.send() == "stored"
            (sent,) = [request for request in requests(driver) if request.method == "POST"]
            assert sent.body == expected
            assert driver.execute_script("return drawn") == [11]
            (kept,) = page.remembered().values()
            assert set(json.loads(kept)) == {"title", "reported", "spent", "direct"}
            left.add((kept, len(made), len(expected)))
    assert len(left) == 1
    lengths = {len(answers) // 2 for answers in served.reports(survey).values()}
    assert lengths == {7}


def test_back_and_forward_skip_what_does_not_apply(page: Page) -> None:
    driver = page.driver
    answer(page, "all")
    for id in reversed(ASKED["all"]):
        driver.back()
        page.wait(partial(lambda id: page.questions() == [id], id))
        if id == "helped":
            page.click("#helped-0")
    for id in ASKED["all"][1:3]:
        driver.forward()
        page.wait(partial(lambda id: page.questions() == [id], id))
    driver.forward()
    page.wait(lambda: page.all("[data-answers]"))
    assert "exams" not in page.reviewed()
    driver.back()
    page.wait(lambda: page.questions() == ["helped"])
    page.click("#helped-1")
    driver.forward()
    page.wait(lambda: page.questions() == ["help"])


def news(page: Page) -> str:
    return page.one("form > [role=status]").get_attribute("textContent") or ""


def test_on_one_page_questions_come_and_go_audibly(one: Page) -> None:
    assert one.questions() == ["year", "helped"]
    assert news(one) == ""
    one.click("#helped-1")
    one.wait(lambda: one.questions() == ["year", "helped", "help", "exams"])
    assert re.findall(r"\d+", news(one)) == ["4"]
    assert one.driver.switch_to.active_element == one.one("#helped-1")
    one.click("#help-1")
    one.wait(lambda: "assistant" in one.questions())
    assert re.findall(r"\d+", news(one)) == ["5"]
    one.click("#assistant-1")
    check_with_axe(one.driver)
    one.click("#helped-2")
    one.wait(lambda: one.questions() == ["year", "helped"])
    assert re.findall(r"\d+", news(one)) == ["2"]
    one.click("#helped-1")
    one.wait(lambda: "assistant" in one.questions())
    assert one.one("#assistant-1").is_selected()


@pytest.mark.slow
def test_new_questions_ask_again_what_they_need(served: Served, page: Page, survey: Survey) -> None:
    """The device keeps no answer that could decide it: it is asked, and not sent again."""
    answer(page, "notes")
    assert page.send() == "stored"
    text = "In how many exams was that?"
    changed = replace(survey.questions[5], id="papers", text=text)
    item = replace(survey.items[6], id="papers", question="papers", text=text)
    revised = replace(
        survey,
        questions=(*survey.questions[:5], changed),
        items=(*survey.items[:6], item),
    )
    with served.revised(revised):
        page.open()
        told = page.texts(".round")
        assert told[0].startswith("You have answered this survey on this device before.")
        assert told[1].startswith("If all your protected answers point to the same thing")
        page.proceed()
        assert page.questions() == ["helped"]
        assert page.all("#helped[data-state=kept]")
        page.click("#helped-0")
        page.proceed()
        assert "papers" not in page.reviewed()
        page.change("helped")
        page.click("#helped-1")
        page.proceed()
        assert page.questions() == ["papers"]
        assert not page.all("#papers[data-state=kept]")
        page.answer(["papers-1"])
        assert page.send() == "stored"
        assert page.announced()["answers"][:12] == "ff" * 6
        assert page.announced()["answers"][12:] != "ff"
