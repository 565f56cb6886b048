"""The sentences of the pages and their catalogues.

``python -m tools.words`` (``make words``) finds every sentence that a respondent can read, in the
templates, in Python and in the browser's program, and writes it into the catalogue of each
language: new sentences without a translation, and no unused sentence. Catalogues hold no line
numbers and no dates, so that they change only when a sentence does.

A changed sentence keeps its translation, marked ``fuzzy``, until a translator has checked it and
removes the mark; also if the English was changed in the catalogue itself. `LOOKED_AT` tells: it has
a line with short hashes of each sentence and its checked translation, sorted.
"""

import difflib
import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

from deniable.text.languages import LANGUAGES

ROOT: Final = Path(__file__).parents[2]
LOCALE: Final = ROOT / "templates" / "locale"
LOOKED_AT: Final = Path(__file__).with_name("looked_at.sha256")

SOURCES: Final = {
    "templates/*.html": "jinja2.ext:babel_extract",
    "templates/desk/ethics*.html": "jinja2.ext:babel_extract",
    "templates/desk/preregistration.html": "jinja2.ext:babel_extract",
    **{
        f"templates/desk/{one}.html": "jinja2.ext:babel_extract"
        for one in ("base", "login_link", "meeting*", "projector", "sign_in")
    },
    "lab/said.py": "tools.words.computed:extract",
    "classroom/[dps]*.py": "tools.words.computed:extract",
    "analysis/planning/*.py": "python",
    "publication/**/*.py": "python",
    "deniable/**/*.py": "python",
    "server/**/*.py": "python",
    "client/browser/**/*.js": "javascript",
}
"""The files that contain sentences, and Babel's extractor for each.

The lab and the desk's pages of surveys are in English alone.
"""

KEYWORDS: Final = {"_": None, "say": None, "Refusal": None}

HEADER: Final = """\
# What deniable's pages say in "{language}". The English sentences are the ids; what stands in
# braces is filled in and stays as it is. `make words` brings in new sentences.
# One word for one thing: {glossary}.
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Language: {language}\\n"

"""


GLOSSARY: Final = {
    "de": "answer Antwort, chance Zufall, device Gerät, draw losen, leave quickly Schnell "
    "verlassen, limit Grenze, meeting Treffen, randomise mit Zufall mischen, receipt Quittung, "
    "report Meldung, survey Umfrage, survey check number Prüfnummer der Umfrage, wave Welle",
    "fr": "answer réponse, chance hasard, device appareil, draw tirage au sort, leave quickly "
    "Quitter vite, limit limite, meeting séance, randomise mêler de hasard, receipt reçu, "
    "report envoi, survey enquête, survey check number numéro de contrôle de l’enquête, wave vague",
    "es": "answer respuesta, chance azar, device dispositivo, draw sorteo, leave quickly Salir "
    "rápido, limit límite, meeting sesión, randomise mezclar con azar, receipt comprobante, "
    "report envío, survey encuesta, survey check number número de control de la encuesta, wave ola",
    "ar": "answer إجابة, chance عشوائية, device جهاز, draw سحب عشوائي, leave quickly خروج سريع, "
    "limit حدّ, meeting لقاء, randomise مزج بالعشوائية, receipt إيصال, report تقرير, "
    "survey استبيان, survey check number رقم التحقق من الاستبيان, wave موجة",
}
"""The translators' glossary, printed at the head of each catalogue."""


@cache
def sentences() -> dict[str, list[str]]:
    """Return every sentence of the pages, with the files that contain it."""
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
    """Read the catalogue of a language; empty if its file does not exist yet."""
    path = file_of(language)
    if not path.exists():
        return Catalog(locale=language)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def file_of(language: str) -> Path:
    """Return the path of a language's catalogue."""
    return LOCALE / language / "LC_MESSAGES" / "deniable.po"


def names(sentence: str) -> list[str]:
    """Return the names of a sentence's values, sorted."""
    return sorted(re.findall(r"\{(\w*)\}", sentence))


def write(language: str, said: dict[str, list[str]], known: Catalog) -> None:
    """Write the catalogue of a language: sentences from `said`, translations from `known`."""
    made = Catalog(locale=language)
    carried = carried_over(language, known)
    gone = [str(one.id) for one in known if one.id and one.id not in said and one.string]
    for sentence, files in said.items():
        message = known.get(sentence)
        locations = [(one, 0) for one in files]
        if message is not None and message.string:
            flags = message.flags & {"fuzzy"}
            if sentence in carried:
                flags = {"fuzzy"}
            made.add(sentence, message.string, locations, flags, previous_id=message.previous_id)
        elif close := difflib.get_close_matches(sentence, gone, 1):
            old = known[close[0]]
            made.add(sentence, old.string, locations, {"fuzzy"}, previous_id=(close[0],))
        else:
            made.add(sentence, "", locations)
    path = file_of(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(HEADER.format(language=language, glossary=GLOSSARY[language]).encode())
        write_po(
            file,
            made,
            omit_header=True,
            width=0,
            sort_output=True,
            include_lineno=False,
            include_previous=True,
        )


def _hash(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:10]


def _looked_at() -> dict[tuple[str, str], str]:
    """Return the hash of each checked translation, by language and the sentence's hash."""
    lines = (line.split() for line in LOOKED_AT.read_text().splitlines())
    return {(language, sentence): translation for sentence, language, translation in lines}


def carried_over(language: str, known: Catalog) -> set[str]:
    """Return the sentences whose translation was last checked for another sentence."""
    seen = {sentence: text for (one, sentence), text in _looked_at().items() if one == language}
    return {
        str(one.id)
        for one in known
        if one.id and _hash(str(one.id)) not in seen and _hash(str(one.string)) in seen.values()
    }


def unseen(language: str) -> list[str]:
    """Return the sentences whose translation is missing or must be checked."""
    known = catalogue(language)
    carried = carried_over(language, known)
    # Including sentences that are not in the catalogue yet.
    missing = [one for one in sentences() if not (there := known.get(one)) or not there.string]
    return missing + [str(one.id) for one in known if one.id and (one.fuzzy or one.id in carried)]


def update() -> None:
    """Bring all catalogues up to date, and record every translation in `LOOKED_AT`."""
    said = sentences()
    lines = []
    for language in LANGUAGES[1:]:
        write(language, said, catalogue(language))
        lines += [
            f"{_hash(str(one.id))} {language} {_hash(str(one.string))}\n"
            for one in catalogue(language)
            if one.id and one.string
        ]
    LOOKED_AT.write_text("".join(sorted(lines)))
