"""The sentences of the browser's program in each language, as scripts that a page loads first."""

import json
from collections.abc import Mapping
from functools import reduce
from pathlib import Path

from deniable.server.respondent.joining import contents
from deniable.server.web.words import words
from deniable.text.languages import LANGUAGES


def spoken(folder: Path) -> dict[str, str]:
    """Return a script of sentences for each language, and one for each part of the program.

    A reader of a survey loads all its languages, so the requests do not show which one was read.
    """
    said = _sentences(folder)
    scripts = {}
    for language in LANGUAGES:
        one = words(language)
        found = {
            "name": one.name,
            "direction": one.direction,
            "sentences": _translations(language, said["main.js"]),
        }
        made = "const WORDS = {};\n" if language == LANGUAGES[0] else ""
        scripts[f"words-{language}.js"] = f"{made}WORDS.{language} = {_json(found)};\n"
    for part in [one for one in said if one != "main.js"]:
        more = _json({language: _translations(language, said[part]) for language in LANGUAGES})
        scripts[f"words-{part}"] = (
            f"for (const [language, sentences] of Object.entries({more}))\n"
            "  WORDS[language]?.sentences.push(...sentences);\n"
        )
    return {name: f'"use strict";\n{text}' for name, text in scripts.items()}


def _sentences(folder: Path) -> dict[str, list[str]]:
    """Return the English sentences of each part; those of several parts belong to main.js."""
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


def _translations(language: str, sentences: list[str]) -> list[str]:
    """Return the sentences in a language; in English, only their keys: the program has the text."""
    translations = words(language).sentences
    return [translations.get(sentence) or key_of(sentence) for sentence in sentences]


def key_of(sentence: str) -> str:
    """Return the key of an English sentence, as ``page/language.js`` computes it."""
    return f"{reduce(lambda key, letter: (key * 31 + ord(letter)) % 0xFFFFFD, sentence, 0):x}"


def _json(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
