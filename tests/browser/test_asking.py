"""A survey that asks each person a part of its questions, in a real browser."""

import json
import re

from tests import vectors
from tests.browser.conftest import opened, serves
from tests.browser.page import Page

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
