"""Every sentence of the pages is in every catalogue, once, with the values that it has."""

import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from deniable import templates
from deniable.survey.questions import FIXED
from deniable.text.languages import LANGUAGES
from tools import words

pytestmark = pytest.mark.promise("everyone")

OTHERS = LANGUAGES[1:]


def problems(catalogue: Catalog, said: dict[str, list[str]]) -> list[str]:
    known = {str(one.id): one for one in catalogue if one.id}
    found = [f"missing: {one}" for one in said.keys() - known.keys()]
    found += [f"nobody says: {one}" for one in known.keys() - said.keys()]
    found += [f"obsolete: {one}" for one in catalogue.obsolete]
    for sentence, message in known.items():
        translation = str(message.string)
        if not translation.strip():
            found.append(f"not translated: {sentence}")
        elif words.names(translation) != words.names(sentence):
            found.append(f"other values: {sentence}")
        elif sentence[-1:] in ".:?" and translation[-1:] not in ".:?؟":
            found.append(f"does not end as it should: {sentence}")
        if message.fuzzy:
            found.append(f"fuzzy: {sentence}")
        if [place for place, _ in message.locations] != said.get(sentence, []):
            found.append(f"elsewhere: {sentence}")
    return found


@pytest.fixture(scope="module")
def said() -> dict[str, list[str]]:
    return words.sentences()


@pytest.mark.parametrize("language", OTHERS)
def test_catalogues_hold_the_pages_words(language: str, said: dict[str, list[str]]) -> None:
    assert problems(words.catalogue(language), said) == []


def test_answers_read_as_corrections_may_not() -> None:
    catalogues = [words.catalogue(one) for one in OTHERS]
    for text, *translated in FIXED.values():
        assert {*translated} == {known[text].string for known in catalogues}


def test_catalogues_are_one_a_language() -> None:
    folders = {path.name for path in words.LOCALE.iterdir()}
    assert folders == set(OTHERS)


@pytest.mark.parametrize("language", OTHERS)
def test_every_translation_was_looked_at(language: str) -> None:
    assert words.unseen(language) == []


@pytest.mark.parametrize("language", OTHERS)
def test_no_sentence_is_left_in_english(language: str) -> None:
    """A few are the same in both, as names and numbers are."""
    same = {
        str(one.id)
        for one in words.catalogue(language)
        if one.id
        and one.id == one.string
        and re.search(r"[a-z]{4}", re.sub(r"{\w+}", "", str(one.id)))
    }
    alike = {
        "Byte",
        "Error {code}",
        "Error: ",
        "Question",
        "Questions",
        "Mechanism",
        "Person {person}",
    }
    alike |= {"Questions", "{text} point", "{text} points"}
    alike |= {"Central", "central", "Local", "local", "Pages", "Sources"}
    assert same <= {*alike, "Introduction", "Question {number}"}


def test_no_template_sentence_is_outside_a_catalogue() -> None:
    """What is left of one without its tags and expressions is names, signs and attributes."""
    folder = Path(templates.__file__).parent
    for path in folder.glob("*.html"):
        # The block that names a page holds a word for programs, not for people.
        text = re.sub(r"\{% block page %\}\w+\{% endblock %\}", " ", path.read_text())
        text = re.sub(r"\{[{%#].*?[}%#]\}|<[^>]*>", " ", text, flags=re.DOTALL)
        assert set(re.findall(r"[A-Za-z]{2,}", text)) <= {
            "deniable",
            "verify",
            "lang",
            "dir",
            "rtl",
        }, path


COUNTED = re.compile(r"\{(?:count|direct|mixed)\} (\w+)")

PARTITIVE = {"von", "der", "de", "des", "sur", "من"}
"""What stands between a part and the whole."""


@pytest.mark.parametrize("language", OTHERS)
def test_one_of_several_reads_right(language: str, said: dict[str, list[str]]) -> None:
    """Of "1 of 3 questions" no noun in the plural follows the 1."""
    known = words.catalogue(language)
    parts = [one for one in said if "{all}" in one and COUNTED.search(one)]
    assert len(parts) > 9
    found = {(one, word) for one in parts for word in COUNTED.findall(str(known[one].string))}
    assert not {(one, word) for one, word in found if word not in PARTITIVE}
