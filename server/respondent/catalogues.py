"""What the browser's program says in each language, as scripts that a page loads before it."""

import json
from collections.abc import Mapping
from functools import reduce
from pathlib import Path

from deniable.server.respondent.joining import contents
from deniable.server.web.words import words
from deniable.text.languages import LANGUAGES


def spoken(folder: Path) -> dict[str, str]:
    """Write what the program says: a script for each language, and one for each part that speaks.

    Whoever reads a survey loads all its languages, so that nobody learns which was read.
    """
    said = _sentences(folder)
    scripts = {}
    for language in LANGUAGES:
        one = words(language)
        found = {
            "name": one.name,
            "direction": one.direction,
            "sentences": _in(language, said["main.js"]),
        }
        made = "const WORDS = {};\n" if language == LANGUAGES[0] else ""
        scripts[f"words-{language}.js"] = f"{made}WORDS.{language} = {_json(found)};\n"
    for part in [one for one in said if one != "main.js"]:
        more = _json({language: _in(language, said[part]) for language in LANGUAGES})
        scripts[f"words-{part}"] = (
            f"for (const [language, sentences] of Object.entries({more}))\n"
            "  WORDS[language]?.sentences.push(...sentences);\n"
        )
    return {name: f'"use strict";\n{text}' for name, text in scripts.items()}


def _sentences(folder: Path) -> dict[str, list[str]]:
    """Return the English sentences that each part alone says; all others are those of main.js."""
    parts = {
        f"client/browser/{module}": "main.js" if file in ("leave.js", "language.js") else file
        for file, modules in contents(folder).items()
        for module in modules
    }
    said: dict[str, list[str]] = {"main.js": []}
    for sentence, places in words(LANGUAGES[1]).places.items():
        found = {parts[place] for place in places & parts.keys()}
        if found:
            part = found.pop() if len(found) == 1 else "main.js"
            said.setdefault(part, []).append(sentence)
    return said


def _in(language: str, sentences: list[str]) -> list[str]:
    """Return what they are in a language; in English, which the program holds, only their keys."""
    translations = words(language).sentences
    return [translations.get(sentence) or key_of(sentence) for sentence in sentences]


def key_of(sentence: str) -> str:
    """Return what stands for an English sentence, as ``page/language.js`` computes it."""
    return f"{reduce(lambda key, letter: (key * 31 + ord(letter)) % 0xFFFFFD, sentence, 0):x}"


def _json(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
