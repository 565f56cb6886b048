"""The sentences of the pages and their catalogues.

``python -m tests.words`` (``make words``) finds every sentence that a respondent can read, in the
templates, in Python and in the browser's program, and writes it into the catalogue of each
language: new ones without a translation, those that nobody says any more left out. Catalogues
hold no line numbers and no dates, so that they change when a sentence does and never else.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

from deniable.text.languages import LANGUAGES

ROOT: Final = Path(__file__).parents[2]
LOCALE: Final = ROOT / "templates" / "locale"

SOURCES: Final = {
    "templates/*.html": "jinja2.ext:babel_extract",
    "deniable/**/*.py": "python",
    "server/**/*.py": "python",
    "client/browser/**/*.js": "javascript",
}
"""Where sentences stand, and Babel's extractor for each. The desk speaks English."""

KEYWORDS: Final = {"_": None, "say": None, "Refusal": None}

HEADER: Final = """\
# What deniable's pages say in "{language}". The English sentences are the ids; what stands in
# braces is filled in and stays as it is. `make words` brings in new sentences.
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Language: {language}\\n"

"""


def sentences() -> dict[str, list[str]]:
    """Return every sentence that is said, and the files in which it stands."""
    found: dict[str, set[str]] = {}
    for pattern, method in SOURCES.items():
        for path in sorted(ROOT.glob(pattern)):
            for _line, sentence, _comments, _context in extract_from_file(
                method, path, keywords=KEYWORDS
            ):
                assert isinstance(sentence, str)
                found.setdefault(sentence, set()).add(str(path.relative_to(ROOT)))
    return {sentence: sorted(found[sentence]) for sentence in sorted(found)}


def catalogue(language: str) -> Catalog:
    """Read the catalogue of a language; an empty one if there is none yet."""
    path = file_of(language)
    if not path.exists():
        return Catalog(locale=language)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def file_of(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "deniable.po"


def names(sentence: str) -> list[str]:
    """Return the names of the values of a sentence, in the order of the alphabet."""
    return sorted(re.findall(r"\{(\w*)\}", sentence))


def write(language: str, said: dict[str, list[str]], translations: dict[str, str]) -> None:
    """Write the catalogue of a language."""
    made = Catalog(locale=language)
    for sentence, files in said.items():
        made.add(sentence, translations.get(sentence, ""), locations=[(one, 0) for one in files])
    path = file_of(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(HEADER.format(language=language).encode())
        write_po(file, made, omit_header=True, width=0, sort_output=True, include_lineno=False)


def translations(language: str) -> dict[str, str]:
    """Return the translations of a language by the English sentence."""
    return {str(message.id): str(message.string) for message in catalogue(language) if message.id}


def update() -> None:
    """Bring all catalogues up to date."""
    said = sentences()
    for language in LANGUAGES[1:]:
        write(language, said, translations(language))
