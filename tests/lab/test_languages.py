"""The lab in other languages: nothing of a page stays in English."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest

from deniable.lab.pages import PAGES
from deniable.server.lab_program import create_lab_app
from deniable.server.web.words import words
from deniable.text.languages import LANGUAGES
from tests.lab.test_pages import corners

WORD = re.compile(r"[^\W\d_]{2,}")
NAMES = {
    *WORD.findall("""Ada Bea Cleo Dot Eli Elif Fay Gia Hal Anton Bela Cem Dan Emil Femi Gus Abel
Brook Costa Dahl Egger Faro Gold Holm Ito Juric""")
}
SPOKEN = {
    one: NAMES.union(*(WORD.findall(re.sub(r"{\w+}", " ", said)) for said in known.values()))
    for one in LANGUAGES[1:]
    if (known := words(one).sentences)
}
"""The words of each language's translations."""


class Shown(HTMLParser):
    """What a page of the lab says, in text and in labels, but for what is in English for good."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.texts += [given.get("aria-label") or "", given.get("data-text") or ""]
        if tag not in {"meta", "link", "input", "br"}:
            kept = tag in {"code", "script", "mi", "mo"} or ("lang" in given and tag != "html")
            self.inside.append("kept" if kept else tag)

    def handle_endtag(self, tag: str) -> None:
        self.inside.pop()

    def handle_data(self, data: str) -> None:
        if "kept" not in self.inside:
            self.texts.append(data)


def texts(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, one in value.items():
            if name != "name" or "label" not in value:
                yield from texts(one, name)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts(one, key)
    elif isinstance(value, str) and key not in {"code", "drag", "id", "mark"}:
        yield value


def left(language: str, said: list[str]) -> list[str]:
    """Return the texts with a word that no translation has, or with a number as in English."""
    wrong = re.compile("(?!)" if language == "ar" else r"\d\.\d{1,2}\b")
    return [one for one in said if {*WORD.findall(one)} - SPOKEN[language] or wrong.search(one)]


@pytest.mark.parametrize("slug", PAGES)
def test_nothing_of_a_page_stays_in_english(slug: str) -> None:
    page, client = PAGES[slug], create_lab_app().test_client()
    # In the order in which they come, each once.
    told = dict.fromkeys(texts([page.answer(page.read(given)) for given in corners(page)]))
    for language in LANGUAGES[1:]:
        said = [words(language).rendered(one) for one in told]
        shown = Shown(client.get(f"/lab/{slug}?language={language}").text).texts
        assert (language, left(language, said + shown)) == (language, [])


def test_a_page_keeps_its_language_and_settings() -> None:
    client = create_lab_app().test_client()
    german = client.get("/lab/harm?n=100&language=de").text
    assert '<html lang="de" dir="ltr">' in german
    assert "/lab/harm?language=en&amp;n=100" in german
    assert "/lab/coins?language=de" in client.get("/lab?language=de").text
    assert client.get("/lab/harm.json?language=de").text.count("Wann") == 2
    assert '<html lang="en" dir="ltr">' in client.get("/lab/harm?language=xx").text


def test_a_formula_runs_from_the_left_among_arabic_words() -> None:
    shown = create_lab_app().test_client().get("/lab/composition?language=ar").text
    assert "\u20660.1 × √(200 ln 1,000,000) + 10 × (e^0.1 − 1) = 5.26 + 1.05 = 6.31\u2069." in shown
    assert "\u2066" not in create_lab_app().test_client().get("/lab/composition?language=de").text
