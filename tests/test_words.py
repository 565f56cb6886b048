"""Every sentence of the pages is in every catalogue, once, with the values that it has."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from deniable import templates
from deniable.survey.questions import FIXED
from deniable.text.languages import LANGUAGES
from tests import words

pytestmark = pytest.mark.promise("everyone")

OTHERS = LANGUAGES[1:]


def problems(catalogue: Catalog, said: dict[str, list[str]]) -> list[str]:
    """Return what is wrong with a catalogue."""
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
def test_a_catalogue_says_what_the_pages_say_and_nothing_else(
    language: str, said: dict[str, list[str]]
) -> None:
    assert problems(words.catalogue(language), said) == []


@pytest.mark.parametrize(
    ("language", "word"), [("de", "treffen"), ("fr", "séance"), ("es", "sesi"), ("ar", "لقاء")]
)
def test_a_meeting_is_called_the_same_wherever_it_is_named(language: str, word: str) -> None:
    named = [one for one in words.catalogue(language) if "meeting" in str(one.id).casefold()]
    assert len(named) > 10
    assert [one.string for one in named if word not in str(one.string).casefold()] == []


def test_answers_of_every_survey_read_as_corrections_may_not() -> None:
    catalogues = [words.catalogue(one) for one in OTHERS]
    for text, *translated in FIXED.values():
        assert {*translated} == {known[text].string for known in catalogues}


def test_there_is_a_catalogue_for_each_language_and_no_other() -> None:
    folders = {path.name for path in words.LOCALE.iterdir()}
    assert folders == set(OTHERS)


def _drop(catalogue: Catalog) -> None:
    catalogue.delete("Ready to send?")


def _rename(catalogue: Catalog) -> None:
    catalogue["Question {place} of {of}"].string = "Frage {platz} von {of}"


def _forget(catalogue: Catalog) -> None:
    catalogue["Back"].string = ""


def _guess(catalogue: Catalog) -> None:
    catalogue["Back"].flags.add("fuzzy")


def _add(catalogue: Catalog) -> None:
    catalogue.add("Nobody says this.", "Das sagt niemand.")


def _cut(catalogue: Catalog) -> None:
    catalogue["Tick one box."].string = "Kreuzen Sie"


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (_drop, "missing: Ready to send?"),
        (_rename, "other values: Question {place} of {of}"),
        (_forget, "not translated: Back"),
        (_guess, "fuzzy: Back"),
        (_add, "nobody says: Nobody says this."),
        (_cut, "does not end as it should: Tick one box."),
    ],
)
def test_a_spoilt_catalogue_is_found_out(
    spoil: Callable[[Catalog], None], problem: str, said: dict[str, list[str]]
) -> None:
    catalogue = words.catalogue("de")
    spoil(catalogue)
    assert problem in problems(catalogue, said)


@pytest.mark.parametrize("language", OTHERS)
def test_bringing_a_catalogue_up_to_date_changes_nothing_in_one_that_is(
    language: str, said: dict[str, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = words.file_of(language).read_text()
    known = words.catalogue(language)
    monkeypatch.setattr(words, "LOCALE", tmp_path)
    words.write(language, said, known)
    assert words.file_of(language).read_text() == before


OLD, NEW = "Ready to send?", "Are you ready to send?"


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, list[str]]:
    """Change a sentence, in a copy of the catalogues."""
    shutil.copytree(words.LOCALE, tmp_path / "locale")
    shutil.copy(words.LOOKED_AT, tmp_path)
    monkeypatch.setattr(words, "LOCALE", tmp_path / "locale")
    monkeypatch.setattr(words, "LOOKED_AT", tmp_path / words.LOOKED_AT.name)
    said = words.sentences()
    said[NEW] = said.pop(OLD)
    monkeypatch.setattr(words, "sentences", lambda: said)
    return said


@pytest.mark.parametrize("by_hand", [False, True])
def test_a_changed_sentence_waits_until_its_translations_were_looked_at(
    by_hand: bool, changed: dict[str, list[str]]
) -> None:
    """Whether it was changed in the source alone, or in the catalogue with the old translation."""
    path = words.file_of("de")
    if by_hand:
        path.write_text(path.read_text().replace(f'msgid "{OLD}"', f'msgid "{NEW}"'))
    assert words.unseen("de") == [NEW]
    words.update()
    assert f"fuzzy: {NEW}" in problems(words.catalogue("de"), changed)
    words.update()
    assert words.unseen("de") == [NEW]
    path.write_text(path.read_text().replace("#, fuzzy\n", ""))
    words.update()
    assert words.unseen("de") == []
    assert problems(words.catalogue("de"), changed) == []


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


def test_no_sentence_of_a_template_stands_outside_of_a_catalogue() -> None:
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
