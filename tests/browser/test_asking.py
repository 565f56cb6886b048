"""A survey that asks each person a part of its questions, in a real browser."""

import json
import re

from selenium import webdriver

from tests import vectors
from tests.browser.conftest import opened, serves
from tests.browser.page import Page
from tests.browser.serving import serving

KEY = "deniable:asking"
DRAWN_FROM = {"doped", "offered", "knew", "years"}

served = serves(vectors.asking_file() + "pages: one\n")
page = opened(0)


def drawn(page: Page) -> list[str]:
    """Return the choices that the device remembers to have drawn."""
    choices: list[str] = json.loads(page.remembered()[KEY])["drawn"]
    return choices


def test_only_what_was_drawn_is_shown(page: Page) -> None:
    on_page = {*page.questions()}
    assert len(on_page & DRAWN_FROM) == 2
    assert {"caught", "age"} <= on_page
    assert on_page & DRAWN_FROM == DRAWN_FROM & {*drawn(page)}
    limits = str(page.one(".limits").get_property("textContent"))
    assert re.search("2 of 4.*The report shows which", limits)
    assert re.findall(r"\d+", page.text("#caught .drawn")) == ["1", "3"]
    (caught,) = [choice for choice in drawn(page) if choice.startswith("caught.")]
    labels = page.texts("#caught label")
    assert labels == [caught.removeprefix("caught.").capitalize(), "None of these"]


PARTS = """version: 1
survey: parts
title: Parts
epsilon: 2
ask: 2
questions:
  - {id: age, type: single, text: Your age, answers: [Young, Old], protection: direct}
  - {id: offered, type: many, text: What was offered, answers: [Steroids, EPO, Money]}
"""
"""Two options of one question are drawn: two screens, whatever is drawn."""


def test_the_first_screen_counts_what_is_asked_then(chromium: webdriver.Chrome) -> None:
    with serving(PARTS) as served:
        page = Page(chromium, served.links[0]).open_afresh()
        assert page.text(".verdict.open") == "Sent unchanged: “Your age”."
        page.unfold()
        # The picture is of one question, and says of which.
        shown = page.text("[aria-labelledby=page-protection]")
        assert "“What was offered”\nSteroids\n" in shown
        page.proceed()
        assert "Question 1 of 2" in page.text()
