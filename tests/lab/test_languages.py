"""The lab in other languages: a page is translated wholly, or it says that it is not."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from deniable.lab.pages import PAGES
from deniable.server.desk.lab import languages, spoken_on
from deniable.server.lab_program import create_lab_app
from deniable.server.web.words import words

ENGLISH = re.compile(r"\b(the|is|of|and|to|than|with|are|share|report|people)\b")

TRANSLATED = [
    (one.language, slug) for one in languages()[1:] for slug in PAGES if spoken_on(slug, one) is one
]


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


def test_german_has_whole_pages() -> None:
    assert {slug for language, slug in TRANSLATED if language == "de"} >= {"coins", "estimator"}


@pytest.mark.parametrize(("language", "slug"), TRANSLATED)
def test_nothing_of_a_translated_page_stays_in_english(language: str, slug: str) -> None:
    page = PAGES[slug]
    for exercise in page.exercises:
        answer = page.answer(page.read(exercise.settings))
        said = words(language).rendered_all(answer)
        assert [one for one in texts(said) if ENGLISH.search(one)] == []


def test_a_page_keeps_its_language_and_settings_and_says_what_is_not_translated() -> None:
    client = create_lab_app().test_client()
    german = client.get("/lab/harm?n=100&language=de").text
    assert '<html lang="de" dir="ltr">' in german
    assert "/lab/harm?language=en&amp;n=100" in german
    assert "/lab/coins?language=de" in client.get("/lab?language=de").text
    assert client.get("/lab/harm.json?language=de").text.count("Wann") == 2
    missing = next(slug for slug in PAGES if ("de", slug) not in TRANSLATED)
    english = client.get(f"/lab/{missing}?language=de").text
    assert '<html lang="en" dir="ltr">' in english
    assert "Diese Seite gibt es bisher nur auf Englisch." in english
