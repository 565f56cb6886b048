"""The first screen: what people know before they begin, in few words, and what they can open."""

import json
import re
from collections.abc import Iterator
from functools import partial
from urllib.request import urlopen

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from tests.browser.chromium import chromium as started
from tests.browser.chromium import run_before_every_page
from tests.browser.page import Page
from tests.browser.serving import Served, serving
from tests.browser.stations import SURVEYS
from tests.kit import at
from tests.kit.readability import grade
from tests.kit.surveys import EXAMPLES

pytestmark = pytest.mark.promise("label")

FILES = {path.stem: path.read_text() for path in sorted(EXAMPLES.glob("*.yaml"))}

OURS = """
    const main = document.querySelector('main');
    const button = main.querySelector('button[type=submit]');
    const range = document.createRange();
    range.setStart(main, 0);
    range.setEndBefore(button);
    const ours = document.createElement('div');
    ours.append(range.cloneContents());
    const theirs = 'h1, .asker, .purpose, .introduction, fieldset.question, [hidden], .unseen';
    ours.querySelectorAll(theirs).forEach((one) => one.remove());
    main.append(ours);
    const text = ours.innerText;
    ours.remove();
    return text;
"""
"""What stands above the button and is not the survey's own."""

ABOVE = OURS.replace("'h1, .asker, .purpose, .introduction, fieldset.question, ", "'.path ol, ")
"""All that does, but for the words in the picture."""

SAME_CHANCE = """
    let drawn = 0;
    crypto.getRandomValues = (words) => {
        drawn += 1;
        for (const place of words.keys()) words[place] = 2654435761 * (place + 1);
        return words;
    };
    Object.defineProperty(window, 'draws', { get: () => drawn });
"""


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    texts = FILES | {"kinds": SURVEYS["kinds"]}
    texts["cards"] = (
        "version: 1\nsurvey: cards\ntitle: Cards\nepsilon: 3\nexit: none\nquestions:\n"
        "  - {id: a, text: One, type: single, answers: [No, Yes],\n"
        "     design: {custom: {table: [[1/2, 1/4, 1/4], [1/4, 1/4, 1/2]]}}}\n"
    )
    texts["weak"] = (
        "version: 1\nsurvey: weak\ntitle: Weak\nexit: none\nquestions:\n"
        "  - {id: a, text: One, type: single, answers: [No, Yes], flip: 1/20}\n"
    )
    texts["days"] = (
        "version: 1\nsurvey: days\ntitle: Days\nepsilon: 1\nexit: none\nquestions:\n"
        "  - {id: a, text: On how many days?, type: number, min: 0, max: 7}\n"
        "  - {id: b, text: Which?, type: single, answers: [A, B], protection: direct}\n"
    )
    texts["consenting"] = (
        texts["wellbeing"]
        .replace("survey: wellbeing", "survey: consenting")
        .replace("epsilon: 1.098612", "epsilon: 2.9")
        .replace("ask: 1", "split: even")
    )
    with serving(*texts.values()) as running:
        yield running


def page_of(served: Served, driver: webdriver.Chrome, slug: str) -> Page:
    """Open the page of a survey, on a device that remembers nothing."""
    (link,) = (link for link in served.links if link.endswith(at(slug)))
    return Page(driver, link).open_afresh()


def label_of(page: Page) -> dict[str, list[dict[str, object]]]:
    with urlopen(f"{page.link}privacy.json") as answer:
        found: dict[str, list[dict[str, object]]] = json.load(answer)
    return found


def ours(page: Page) -> list[str]:
    page.wait(lambda: page.all("main button[type=submit]"))
    return [line for line in str(page.driver.execute_script(OURS)).split("\n") if line]


def folded(page: Page) -> list[str]:
    """Return what can be opened below the button; all of it has to be closed."""
    parts = page.all("form ~ details")
    assert not any(part.get_property("open") for part in parts)
    return [part.get_dom_attribute("class") or "" for part in parts]


@pytest.mark.slow
def test_easy_words_stand_above_the_button(served: Served, chromium: webdriver.Chrome) -> None:
    for slug in FILES:
        page = page_of(served, chromium, slug)
        lines = ours(page)
        words = re.findall(r"[\w’':-]+", page.driver.execute_script(ABOVE))
        # Beside the one picture; what changes between waves and is not protected takes a few more.
        assert 20 < len(words) <= (57 if slug == "season" else 45), (slug, len(words), words)
        assert grade(". ".join(lines)) <= 6, (slug, lines)
        steps = page.texts(".path li")
        assert [len(step.split()) <= 5 for step in steps] == [True] * 3, steps
        # Below it only who helps, and one line that opens all the rest.
        below = [*page.all("form ~ *:not(details)")]
        assert [one.get_dom_attribute("class") for one in below] in ([], ["helpline"])
        assert folded(page) == ["protects"]
        page.unfold()
        assert "No name, no IP address stored" in page.text(".protects > ul")
        assert bool(page.all(".leaving")) is bool(page.all(".exit")) is (slug != "classroom")
        if page.all(".leaving"):
            assert "www.wikipedia.org" in page.text(".leaving")


@pytest.mark.parametrize(
    ("slug", "what"),
    [("doping", "how many, not who"), ("weak", "how many"), ("days", "the average")],
)
def test_it_says_what_is_learned_all_the_same(
    served: Served, chromium: webdriver.Chrome, slug: str, what: str
) -> None:
    page = page_of(served, chromium, slug)
    assert page.text(".path figcaption") == f"From everyone together we learn {what}."


@pytest.mark.slow
def test_the_crowds_are_those_of_the_label(served: Served, chromium: webdriver.Chrome) -> None:
    for slug in ("doping", "kinds"):
        page = page_of(served, chromium, slug)
        page.unfold()
        crowds = label_of(page)["crowds"]
        counts = [crowd["count"] for crowd in crowds]
        assert [int(one.text) for one in page.all(".panel .large")] == counts
        drawings = page.all(".panel svg.people")
        for drawn, crowd in zip(drawings, crowds, strict=True):
            assert drawn.get_attribute("aria-label") == crowd["sentence"]
            filled, others = drawn.find_elements(By.CSS_SELECTOR, "path")
            assert (filled.get_attribute("d") or "").count("z") == crowd["count"]
            assert (others.get_attribute("d") or "").count("z") == 100 - int(str(crowd["count"]))
            assert filled.value_of_css_property("fill") != others.value_of_css_property("fill")


@pytest.mark.slow
def test_statements_and_codes_are_tried_in_their_words(
    served: Served, chromium: webdriver.Chrome
) -> None:
    # A spinner: its own steps, its statements to pretend, and what is replied to them.
    page = page_of(served, chromium, "shops")
    assert len(page.all(".path li")) == 3
    assert page.all(".pair")
    page.unfold()
    never, once = page.all(".pretend button")
    (shops,) = (survey for survey in served.surveys if survey.slug == "shops")
    statements = shops.questions[0].statements
    assert [one.text for one in (never, once)] == [one.text for one in statements]
    for button, true in ((never, (2, 3)), (once, (7, 8))):
        button.click()
        made = [one.get_property("textContent") for one in page.all(".reports li")]
        count = made.count("True of me")
        assert (len(made), count in true) == (10, True)
        assert str(count) in page.text(".try [role=status]")
    # Reports that are codes: no crowd of answers, and their own words to try.
    page = page_of(served, chromium, "cards")
    assert not page.all(".pair")
    page.unfold()
    page.click(".pretend button")
    fallen = {one.get_property("textContent") for one in page.all(".reports li")}
    assert {"Report 1", "Report 2"} <= fallen <= {"Report 1", "Report 2", "Report 3"}
    # No way out on any page that names it.
    assert not page.all(".exit, .leave")
    for path in ("privacy", "sheet"):
        chromium.get(f"{page.link}{path}")
        assert not page.all(".exit, .leave")


@pytest.mark.slow
def test_trying_it_touches_nothing_that_is_sent(served: Served) -> None:
    with started() as driver:
        run_before_every_page(driver, SAME_CHANCE)
        page = page_of(served, driver, "doping")
        page.answer(["doped-1"])
        untried = page.preview()
        page.open()
        drawn = driver.execute_script("return window.draws")
        page.unfold()
        # It may be any of the answers, and each tap lets other reports fall.
        for button in page.all(".pretend button"):
            seen = set()
            for _ in range(3):
                button.click()
                seen.add(tuple(one.get_property("textContent") for one in page.all(".reports li")))
            assert len(seen) > 1
        assert (driver.execute_script("return window.draws"), page.remembered()) == (drawn, {})
        page.answer(["doped-1"])
        assert page.preview() == untried
        # No trace of what was pretended.
        driver.back()
        page.wait(lambda: page.all("#doped-1"))
        driver.back()
        page.wait(lambda: page.all(".try"))
        assert not page.all(".reports li")
        assert page.send() == "stored"


def test_those_who_decline_are_asked_nothing(served: Served, chromium: webdriver.Chrome) -> None:
    page = page_of(served, chromium, "consenting")
    page.proceed()
    assert page.at_heading() == "Consent"
    assert len(page.all("#Consent > p:not(.error)")) == 2
    page.proceed()
    assert page.screen() == "clear"
    assert page.unanswered() == ["Consent"]
    (link,) = page.all(".panel.warning li button")
    link.click()
    assert chromium.switch_to.active_element == page.one("#Consent-0")
    page.click("#Consent-0")
    before = page.remembered()
    page.proceed()
    assert page.all("#substances")
    assert page.remembered() == before
    # Taken away later, it is asked for again before anything is sent.
    page.click("button.back")
    page.wait(lambda: page.all("#Consent"))
    assert page.one("#Consent-0").is_selected()
    page.click("#Consent-0")
    page.click("button.back")
    for there in ("#Consent", "#substances"):
        chromium.forward()
        page.wait(partial(page.all, there))
    page.click("#substances-0")
    page.proceed()
    assert page.unanswered() == ["Consent"]
    assert page.screen() == "clear"
    page.click("#Consent-0")
    page.answer(["substances-1", "coursework-0-0", "drinking_days-2", "sought_help-0"])
    page.to_review()
    assert "Consent" not in page.reviewed()
    assert "Consent" not in json.dumps(page.remembered())
    assert len(page.announced()["answers"]) == 2 * len(
        next(one for one in served.surveys if one.slug == "consenting").items
    )
    chromium.execute_script(
        "dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))"
    )
    page.proceed()
    assert not page.one("#Consent-0").is_selected()
