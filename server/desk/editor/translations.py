"""The texts of a survey file by language: as a table, and as a CSV for a translator."""

import csv
import hashlib
import io
from collections import defaultdict
from collections.abc import Collection, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from flask import session

from deniable.results.files import csv_of
from deniable.server.desk.editor import fields
from deniable.server.desk.editor.edits import texts_of, translate
from deniable.server.desk.editor.spoken import languages_of, text_in
from deniable.server.web.words import words
from deniable.survey_file.located import Path, SurveyFileError, parse, value_of
from deniable.survey_file.patch import Editable, at
from deniable.survey_file.texts import is_name
from deniable.text.languages import LANGUAGES
from deniable.text.safety import from_inert

Row: TypeAlias = dict[str, Any]
"""``place``, ``where`` (its name in a CSV), ``named`` (its name on the page), and ``cells``:
``language``, ``text`` and ``mark``."""

_NO_ORIGINS: Final[Mapping[str, str]] = MappingProxyType({})

_RIGHT, _ORIGINS = "right", "origins"
_MOST_MARKS: Final = 50
"""Maximum number of translations whose mark is in the cookie, as right or as out of date: the last
ones."""

PLACE: Final = "place"
"""The first column of a CSV of texts."""


def where(value: Any, place: Path) -> str:
    """Return the name of a place in a CSV: the question's id, and elements counted from 1."""
    steps = [one + 1 if isinstance(one, int) else one for one in place]
    if place[0] == "questions":
        steps[:2] = [at(value, (*place[:2], "id")) or f"question {steps[1]}"]
    return ".".join(map(str, steps))


def table(
    text: str, base: str, right: Collection[str] = (), origins: Mapping[str, str] = _NO_ORIGINS
) -> list[Row]:
    """Return all texts of a survey file, each in all of its languages.

    `base`: an earlier version, such as the published one. A translation that belonged to another
    text there, or in a still earlier version by its `origins`, is out of date, unless it is marked
    as `right` all the same (`mark_of`).
    """
    value, made_of = parse(text, "").value, _translations(base)
    first, *others = languages_of(value)
    rows: list[Row] = []
    for place in texts_of(value):
        written = at(value, place)
        main = text_in(written, first)
        cells = [{"language": first, "text": main, "mark": ""}]
        for language in others:
            said = written.get(language, "") if isinstance(written, dict) else ""
            mark = "the same" if said == main else ""
            if not said:
                mark = ("the same" if is_name(place, main) else "missing") if main else ""
            elif origin := origins.get(mark_of(language, said)):
                mark = "" if origin == mark_of(main) else "out of date"
            elif main not in made_of.get((language, said), {main}):
                mark = "out of date"
            if mark == "out of date" and mark_of(language, main, said) in right:
                mark = ""
            cells.append({"language": language, "text": said, "mark": mark})
        high = max(1 + len(one["text"]) // 40 for one in cells)
        step, above = place[-1], at(value, place[:-1])
        # By its number, so that the field of an answer stays the same when the answer gets a code.
        last = [*above].index(step) if place[3:] and isinstance(above, dict) else step
        named = {"where": where(value, place), "named": fields.where(place)}
        named["key"] = "-".join(map(str, (*place[:-1], last)))
        rows.append({"place": [*place], **named, "cells": cells, "rows": high})
    return rows


def mark_of(*texts: str) -> str:
    """Return the mark of a language and texts, by which they are remembered."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]


def origins_of(rows: list[Row], base: str) -> dict[str, str]:
    """Return the mark of the text in `base` that each translation out of date was made of.

    By the mark of the language and the translation.
    """
    made_of = _translations(base)
    late = [cell for row in rows for cell in row["cells"] if cell["mark"] == "out of date"]
    pairs = [(one["language"], one["text"]) for one in late]
    return {mark_of(*pair): mark_of(*made_of[pair]) for pair in pairs if len(made_of[pair]) == 1}


def keep_right(text: str, edit: Mapping[str, Any]) -> None:
    """Remember in the session that a translation is right, though its text changed."""
    value, language = parse(text, "").value, edit["value"]
    main, said = (
        text_in(at(value, tuple(edit["place"])), one) for one in (languages_of(value)[0], language)
    )
    session[_RIGHT] = [*session.get(_RIGHT, []), mark_of(language, main, said)][-_MOST_MARKS:]


def texts_table(text: str, base: str) -> list[Row]:
    """Return all texts of a survey file, with what the session remembers of translations."""
    return table(text, base, session.get(_RIGHT, ()), session.get(_ORIGINS, {}))


def keep_origins(text: str, before: str) -> None:
    """Remember in the session of which texts the translations were made that are late now."""
    known = session.get(_ORIGINS, {})
    with suppress(SurveyFileError):
        late = origins_of(texts_table(text, before), before)
        # The first text that a translation was made of stays its origin.
        if new := {one: made for one, made in late.items() if one not in known}:
            session[_ORIGINS] = dict([*known.items(), *new.items()][-_MOST_MARKS:])


def left_to_translate(rows: list[Row]) -> dict[str, list[tuple[str, str]]]:
    """Return the names and fields of the texts that are missing or out of date, by language."""
    left: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        for number, cell in enumerate(row["cells"][1:], start=1):
            those = left.setdefault(cell["language"], [])
            if cell["mark"] in ("missing", "out of date"):
                those.append((row["named"], f"t-{number}-{row['key']}"))
    return left


def _translations(base: str) -> defaultdict[tuple[str, str], set[str]]:
    """Return the texts that each translation was made of, by language and translation."""
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    value = value_of(base)
    first = languages_of(value)[0]
    for place in texts_of(value) if isinstance(value, dict) else ():
        written = at(value, place)
        for language, said in written.items() if isinstance(written, dict) else ():
            found[language, str(said)].add(text_in(written, first))
    return found


def texts_csv(text: str) -> str:
    """Write all texts as a CSV: a row for each text, a column for each language."""
    languages = languages_of(parse(text, "").value)
    rows = ([row["where"], *(cell["text"] for cell in row["cells"])] for row in table(text, ""))
    # With a byte order mark, so that spreadsheets read it as UTF-8.
    return "\ufeff" + csv_of([[PLACE, *languages], *rows])


def with_csv(text: str, sheet: str) -> tuple[str, int, list[str]]:
    """Write the translations of a CSV into a survey file.

    Returns the text, the number of texts that changed, and the mistakes in the CSV, by line. If
    there is a mistake, nothing is written.
    """
    value = parse(text, "").value
    languages = languages_of(value)
    head = sheet.partition("\n")[0]
    dialect = ";" if head.count(";") > head.count(",") else ","
    reader = csv.reader(io.StringIO(sheet.removeprefix("\ufeff"), newline=""), delimiter=dialect)
    try:
        header, *lines = [(reader.line_num, row) for row in reader] or [(1, [])]
    except csv.Error as error:
        return text, 0, [f"Line {reader.line_num}: {error}"]
    columns = [one.strip() for one in header[1]]
    expected = f"expected the columns {PLACE}, {', '.join(languages)}"
    if columns[:1] != [PLACE] or {*columns[1:]} - {*languages} or languages[0] not in columns:
        return text, 0, [f"Line 1: {expected}, found {', '.join(columns) or 'nothing'}"]
    known = {where(value, place): place for place in texts_of(value)}
    changes: list[tuple[Path, str, str]] = []
    wrong = []
    for line, cells in lines:
        row = dict(zip(columns, map(from_inert, cells), strict=False))
        place = known.get(row.get(PLACE, "").strip())
        main = "" if place is None else text_in(at(value, place), languages[0])
        if not any(map(str.strip, cells)):
            continue
        if len(cells) != len(columns):
            wrong.append(f"Line {line}: expected {len(columns)} cells, found {len(cells)}")
        elif place is None:
            wrong.append(f"Line {line}: this survey has no text called {row[PLACE]!r}")
        elif row[languages[0]].split() != main.split():
            found = f"found {row[languages[0]]!r}"
            wrong.append(f"Line {line}: the text in {languages[0]} is now {main!r}, {found}")
        else:
            changes += [(place, one, row[one]) for one in columns[2:] if row[one].strip()]
    if wrong:
        return text, 0, wrong
    file, count = Editable(text), 0
    for place, language, said in changes:
        before = file.text
        translate(file, place, language, said)
        count += file.text != before
    return file.text, count, []


def names(languages: tuple[str, ...] | list[str] = LANGUAGES) -> dict[str, str]:
    """Return the languages' own names, by code."""
    return {one: words(one).name for one in languages}
