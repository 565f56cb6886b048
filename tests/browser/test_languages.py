"""A survey in several languages: chosen on the device, sent to nobody, kept nowhere."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from selenium import webdriver

from deniable.server.web.words import words
from tests.browser import chromium as browsers
from tests.browser.chromium import requests, run_before_every_page
from tests.browser.conftest import serves
from tests.browser.looks import Look, on_screen
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.kit import first_of
from tests.kit.surveys import everybody_answers_all

pytestmark = pytest.mark.promise("language")

JOURNEYS = everybody_answers_all()

GERMAN = """\
version: 1
survey: nur-deutsch
languages: [de]
title: Nur auf Deutsch
epsilon: 2
questions:
  - {id: q, text: 'Haben Sie?', type: single, answers: [Nein, Ja], prefer_not_to_say: true}
"""

LONG = JOURNEYS.replace("survey: journeys", "survey: long").replace(
    "How old are you?", "How old were you on your last birthday?"
)

FIXED = "crypto.getRandomValues = (words) => words.forEach((_, i) => words[i] = 1e9 + i * 1e8);"

ANSWERS = ["no_ticket-1", "risks-1", "fear-0-2", "fear-1-0", "drinks-3", "age-1"]

PLACES = ["no_ticket", "risks", "fear", "drinks", "age"]


served = serves(JOURNEYS, GERMAN, LONG)


@contextmanager
def speaking(languages: str) -> Iterator[webdriver.Chrome]:
    """Open a browser whose owner reads these languages."""
    with browsers.chromium() as driver:
        browsers.read_in(driver, languages)
        yield driver


@pytest.fixture(scope="module")
def english() -> Iterator[webdriver.Chrome]:
    with speaking("en-US,en") as driver:
        run_before_every_page(driver, FIXED)
        yield driver


@pytest.fixture
def page(served: Served, english: webdriver.Chrome) -> Page:
    """Open the survey on a device that remembers nothing, with chance that is known."""
    return Page(english, served.links[0]).open_afresh()


def choose(page: Page, language: str) -> None:
    # They are folded into one word.
    for folded in page.all(".languages details:not([open]) summary"):
        if folded.is_displayed():
            folded.click()
    page.click(f".languages [lang={language}]")


def spoken(page: Page) -> tuple[str, str]:
    """Return the language and the direction of the page."""
    said: dict[str, str] = page.driver.execute_script(
        "return {lang: document.documentElement.lang, "
        "dir: getComputedStyle(document.body).direction}"
    )
    return said["lang"], said["dir"]


@pytest.mark.slow
def test_the_page_speaks_its_reader_s_first_language(served: Served) -> None:
    with speaking("it,ar-EG,en") as driver:
        page = Page(driver, served.links[0]).open()
        assert spoken(page) == ("ar", "rtl")
        assert page.text("button[type=submit]") == "ابدأ"
        assert len(page.all("h1")) == 1
        assert driver.title == "استبيان"
        # What the address asks for goes before, if it is there.
        for asked, found in (("de", ("de", "ltr")), ("xx", ("ar", "rtl"))):
            driver.get("about:blank")
            driver.get(f"{served.links[0]}#lang={asked}")
            page.wait(lambda: page.is_there("button[type=submit]"))
            assert spoken(page) == found
    with speaking("it,pl") as driver:
        # A page without program finds it in the same way, from one of none that there are.
        driver.get(f"{served.links[0]}privacy")
        assert visible(Page(driver, served.links[0])) == ["en"]


def test_the_chooser_names_each_language_in_itself(page: Page) -> None:
    page.click(".languages summary")
    links = page.all(".languages [lang]")
    assert [link.text for link in links] == ["English", "Deutsch", "العربية"]
    assert [link.get_dom_attribute("lang") for link in links] == ["en", "de", "ar"]
    current = page.all(".languages [aria-current=true]")
    assert [link.text for link in current] == ["English"]
    choose(page, "ar")
    assert spoken(page) == ("ar", "rtl")
    current = page.all(".languages [aria-current=true]")
    assert [link.get_dom_attribute("lang") for link in current] == ["ar"]
    # Who chose with the keyboard goes on from there.
    assert page.driver.switch_to.active_element == page.one(".languages summary")
    # An address that is typed chooses too.
    page.driver.execute_script("location.hash = 'lang=de'")
    page.wait(lambda: spoken(page) == ("de", "ltr"))
    assert page.text("button[type=submit]") == "Beginnen"
    # The check number and the code of a link stay in the address.
    rest = f"0123456789abcdef&code={'BCDF-' * 4}BCDF"
    page.driver.execute_script(f"location.hash = '{rest}'")
    choose(page, "en")
    assert page.driver.current_url.endswith(f"#lang=en&{rest}")


def test_the_way_out_stands_beside_the_languages(page: Page) -> None:
    page.proceed()
    with on_screen(page.driver, Look(320, "light"), 568):
        for language in ("en", "de", "ar"):
            choose(page, language)
            boxes = [page.one(which).rect for which in (".languages", ".leave .exit")]
            first, second = sorted(boxes, key=lambda box: box["x"])
            assert first["x"] + first["width"] <= second["x"], language


def test_another_language_changes_nothing_else_at_any_step(page: Page) -> None:
    expected = {"en": "Continue", "de": "Weiter", "ar": "متابعة"}
    requests(page.driver)
    for place, language in zip(PLACES, ["de", "ar", "de", "en", "ar"], strict=True):
        page.proceed()
        for id in [id for id in ANSWERS if id.startswith(place)]:
            page.click(f"#{id}")
        choose(page, language)
        assert page.all(f"#{place}")
        assert page.text("button[type=submit]") == expected[language]
        ticked = page.ticked()
        assert ticked == {id for id in ANSWERS if id.startswith(place)}
        # An answer can be changed, and changed back, in the new language.
        if place == "no_ticket":
            page.click("#no_ticket-2")
            page.click("#no_ticket-1")
    page.proceed()
    # Choosing has requested nothing, and kept nothing.
    assert requests(page.driver) == []
    assert page.remembered() == {}
    left = "return [sessionStorage.length, document.cookie, ...Object.keys(history.state)]"
    assert page.driver.execute_script(left) == [0, "", "depth"]
    page.show_answers()
    assert page.text("dl.review dd") == "نعم"
    choose(page, "de")
    assert page.text("dl.review dd") == "Ja"
    assert page.text(".review > div:nth-child(2) dd").startswith("Am Steuer")
    assert page.text(".review > div:nth-child(4) dd") == "3"
    switched = page.preview()["answers"]
    choose(page, "ar")
    assert page.one("form > details").get_property("open") is True
    assert page.announced()["answers"] == switched
    # Nor does what is sent and kept tell of it, in the words of the questions either.
    assert page.send() == "stored"
    (sent,) = requests(page.driver)
    assert sent.body == page.one("pre.wire").get_attribute("textContent")
    assert page.announced()["answers"] == switched
    left = f"{sent.url} {sent.body} {page.remembered()}"
    assert "lang" not in left
    assert words("ar").say("Yes") not in left
    page.open_afresh()
    page.answer(ANSWERS)
    page.to_review()
    assert page.preview()["answers"] == switched


def test_what_is_sent_unchanged_is_told_alike(served: Served, english: webdriver.Chrome) -> None:
    """A name that is too long for the line in the first language is not named in the others."""
    page = Page(english, served.links[-1])
    english.get("about:blank")
    page.open_afresh()
    assert page.text(".verdict.open") == "Sent unchanged: 1 of 5 questions."
    choose(page, "de")
    assert page.text(".verdict.open") == "Unverändert gesendet: 1 von 5 Fragen."


def test_mistakes_and_the_way_back_are_in_the_language_chosen(page: Page) -> None:
    page.proceed()
    page.click("#no_ticket-1")
    page.proceed()
    page.proceed()
    choose(page, "de")
    assert page.mistakes() == ["Kreuzen Sie alles an, was zutrifft, oder „Nichts davon“"]
    assert page.driver.title.startswith("Fehler: Umfrage")
    page.driver.back()
    page.wait(lambda: page.all("#no_ticket"))
    assert not page.driver.title.startswith("Fehler")
    assert spoken(page) == ("de", "ltr")
    assert page.driver.current_url.endswith("#lang=de")
    assert page.one("#no_ticket-1").is_selected()


def visible(page: Page) -> list[str]:
    return [one.get_attribute("lang") or "" for one in page.all(".language") if one.is_displayed()]


@pytest.mark.parametrize("path", first_of(["privacy", "sheet"]))
def test_without_program_the_address_chooses_the_language(page: Page, path: str) -> None:
    page.driver.get(f"{page.link}{path}")
    assert visible(page) == ["en"]
    page.click(".language[lang=en] .languages summary")
    page.click(".language[lang=en] .languages [lang=ar]")
    assert visible(page) == ["ar"]
    assert len([one for one in page.all("h1") if one.is_displayed()]) == 1
    page.driver.get("about:blank")
    page.driver.get(f"{page.link}{path}#lang=de")
    assert visible(page) == ["de"]
    # Jumping to the content keeps the language; on the sheet nothing stands before the content.
    if path == "/privacy":
        page.driver.execute_script("document.querySelector('[lang=de] .skip').click()")
    assert visible(page) == ["de"]


def test_a_german_survey_speaks_german_alone(served: Served) -> None:
    with speaking("en") as driver:
        page = Page(driver, served.links[1]).open()
        assert spoken(page) == ("de", "ltr")
        assert not page.all(".languages")
        page.proceed()
        assert page.texts("#q label") == ["Nein", "Ja", "Diese Frage überspringen"]
