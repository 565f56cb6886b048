"""A survey that asks each person a part of its questions, in a real browser."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from selenium import webdriver

from deniable.report import NOT_DRAWN
from deniable.survey import Survey
from tests.browser.chromium import requests
from tests.browser.page import Page
from tests.browser.serving import Served, serving

ASKING = Path(__file__).parents[1] / "vectors" / "asking.yaml"

KEY = "deniable:asking"
DRAWN_FROM = {"doped", "offered", "knew", "years"}


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving(ASKING.read_text() + "pages: one\n") as running:
        yield running


@pytest.fixture
def survey(served: Served) -> Survey:
    return served.surveys[0]


@pytest.fixture
def page(served: Served, chromium: webdriver.Chrome) -> Page:
    """Open the page on a device that remembers nothing."""
    page = Page(chromium, served.links[0])
    page.open_afresh()
    return page


def shown(page: Page) -> list[str]:
    """Return the ids of the questions on the page, and the texts of their options and rows."""
    ids = [field.get_attribute("id") or "" for field in page.all("fieldset.question")]
    texts = [label.text for label in page.all("fieldset.question label, .row legend")]
    return ids + texts


def questions(page: Page) -> set[str]:
    return {field.get_attribute("id") or "" for field in page.all("fieldset.question")}


def drawn(page: Page) -> list[str]:
    """Return the choices that the device remembers to have drawn."""
    choices: list[str] = json.loads(page.remembered()[KEY])["drawn"]
    return choices


def answer_all(page: Page) -> None:
    """Give the first answer to everything on the page that can be answered."""
    for field in page.all("fieldset.question"):
        id = field.get_attribute("id")
        if page.all(f"#{id} input[type=text]"):
            page.answer([], {f"{id}-0": "7"})
        elif page.all(f"#{id} .row"):
            page.answer([f"{id}-{row}-0" for row in range(len(page.all(f"#{id} .row")))])
        elif page.all(f"#{id} input"):
            page.click(f"#{id}-0")


def asked(survey: Survey, answers: str) -> set[str]:
    """Return the ids of the items that a report answers."""
    return {
        item.id
        for item, byte in zip(survey.items, bytes.fromhex(answers), strict=True)
        if byte != NOT_DRAWN
    }


def test_only_what_was_drawn_is_shown_and_it_is_said(page: Page) -> None:
    on_page = questions(page)
    assert len(on_page & DRAWN_FROM) == 2
    assert {"caught", "age"} <= on_page
    assert on_page & DRAWN_FROM == DRAWN_FROM & {*drawn(page)}
    limits = str(page.one(".limits").get_property("textContent"))
    assert re.search("2 of 4.*The report shows which", limits)
    assert re.findall(r"\d+", page.text("#caught .drawn")) == ["1", "3"]
    (caught,) = [choice for choice in drawn(page) if choice.startswith("caught.")]
    labels = [label.text for label in page.all("#caught label")]
    assert labels == [caught.removeprefix("caught.").capitalize(), "None of these"]


def test_reloading_draws_nothing_new(page: Page) -> None:
    before, remembered = shown(page), page.remembered()
    assert set(remembered) == {KEY}
    for _ in range(4):
        page.open()
        assert shown(page) == before
        assert page.remembered() == remembered


@pytest.mark.slow
def test_the_report_says_not_asked_of_the_others(
    served: Served, page: Page, survey: Survey
) -> None:
    names = drawn(page)
    answer_all(page)
    preview = page.preview()
    assert page.send() == "stored"
    message = page.announced()
    assert message == preview
    assert len(message["answers"]) == 2 * len(survey.items)
    expected = {
        item.id
        for item in survey.items
        if (item.question in names or item.question not in DRAWN_FROM)
        and (survey.question(item.question).ask is None or item.id in names)
    }
    assert asked(survey, message["answers"]) == expected
    assert served.reports(survey)[message["id"]] == message["answers"]
    page.unfold()
    receipt = page.text()
    assert receipt.count("Not asked") == len(survey.items) - len(expected)
    assert "It does reveal what you were asked." in receipt
    requests(page.driver)
    page.open()
    assert page.outcome() == "answered"
    assert [made for made in requests(page.driver) if made.method == "POST"] == []
    assert not page.all("main input")
    assert drawn(page) == names
    # The ledger says so without naming them.
    page.driver.get(urljoin(page.link, "/device"))
    page.wait(lambda: page.is_there("#ledger .each"))
    page.unfold()
    assert "for you at random" in page.text("#ledger .each")
