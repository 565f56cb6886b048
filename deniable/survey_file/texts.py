"""Texts in several languages: in a file with ``languages: [en, de]`` they are ``{en: …, de: …}``.

Such a file is read once in each of its languages: the whole file in the first, and only the texts
in each of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, Final

from deniable.survey import about
from deniable.survey.about import LINKED, About
from deniable.survey.questions import Answer, Question
from deniable.survey_file.located import Path, Wrong
from deniable.survey_file.schema import QuestionFields, SurveyFields
from deniable.survey_file.values import Choices, describe, is_linked
from deniable.text.languages import LANGUAGES, QuestionTexts, Texts

_TEXTS: Final = ("title", "introduction", *about.TEXTS)
"""The texts of a survey itself."""


def is_name(path: Path, text: str) -> bool:
    """Return whether a text is the same in every language: who asks, an address, a number."""
    is_address = path[0] in ("contact", "results") and " " not in text
    return path[0] == "organisation" or is_address or not any(map(str.isalpha, text))


def read_languages(named: Any) -> tuple[tuple[str, ...], list[Wrong]]:
    """Return the known languages of a list, English if there are none, and mistakes."""
    expected = f"expected languages of {', '.join(LANGUAGES)}"
    if not isinstance(named, list) or not named:
        found = "none" if named == [] else describe(named)
        return ("en",), [Wrong(("languages",), f"{expected} in a list, found {found}")]
    known: dict[str, None] = {}
    wrong = []
    for place, one in enumerate(named):
        said = f"{expected}, found {describe(one)}"
        if one in [*known]:
            said = f"expected each language once, found {one!r} again"
        elif one in LANGUAGES:
            known[one] = None
            continue
        wrong.append(Wrong(("languages", place), said))
    return tuple(known) or ("en",), wrong


def in_language(value: dict[str, Any], language: str) -> dict[str, Any]:
    """Return a survey file with each text in one language, or in any if that one is missing."""
    plain = deepcopy(value)
    for path, text in _texts(value):
        if isinstance(text, dict):
            holder: Any = plain
            for step in path[:-1]:
                holder = holder[step]
            others = iter(text.values())
            holder[path[-1]] = text[language] if language in text else next(others, "?")
    return plain


def in_its_language(wrong: Wrong, value: dict[str, Any], language: str) -> Wrong:
    """Return a mistake with the path of the text in one language."""
    is_text = any(wrong.path == path for path, text in _texts(value) if isinstance(text, dict))
    return replace(wrong, path=(*wrong.path, language)) if is_text else wrong


def check_translated(
    value: dict[str, Any], languages: Sequence[str], *, sure: bool
) -> Iterator[Wrong]:
    """Find texts that are missing in a language, and warn of texts in a single language.

    `sure`: whether all languages are known. A misspelt language would be a mistake in every text.
    """
    expected = f"expected a text in each of {', '.join(languages)}"
    same = []
    for path, text in _texts(value):
        if not isinstance(text, dict):
            if len(languages) > 1 and text and isinstance(text, str) and not is_name(path, text):
                same.append(path)
            continue
        for key in text if sure else ():
            if key not in languages:
                said = f"expected a text in {', '.join(languages)}, found one in {key!r}"
                yield Wrong((*path, key), said)
        missing = [language for language in languages if language not in text]
        if missing and sure:
            yield Wrong(path, f"{expected}, found none in {', '.join(missing)}")
    if len(languages) > 1:
        yield from _check_codes(value, languages)
    if same:
        main, *rest = languages
        others = " and ".join(rest)
        if len(same) == 1:
            said, beside = f"this text is missing in {others}: people read it in {main}", []
        else:
            said = f"{len(same)} texts are missing in {others}; people read them in {main}:"
            beside = same
        yield Wrong(same[0], said, is_note=True, beside=beside)


def _check_codes(value: dict[str, Any], languages: Sequence[str]) -> Iterator[Wrong]:
    # Lists by language, in place of texts by language: the keys would be codes of answers.
    for path, listed in _choices(value):
        if (
            isinstance(listed, dict)
            and {*listed} <= {*languages}
            and not any(isinstance(one, dict) for one in listed.values())
        ):
            each = ", ".join(f"{language}: …" for language in languages)
            yield Wrong(
                path,
                f"expected {path[-1]}, each in {' and '.join(languages)}, found texts under "
                f"{' and '.join(listed)}, which would be the codes of {len(listed)} {path[-1]}: "
                f"write [{{{each}}}, {{{each}}}]",
            )


def _questions(value: dict[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    listed = value.get("questions")
    for place, one in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(one, dict):
            yield ("questions", place), one


def _choices(value: dict[str, Any]) -> Iterator[tuple[Path, Any]]:
    for path, question in _questions(value):
        for key in ("answers", "rows", "statements"):
            if key in question:
                yield (*path, key), question[key]


def _texts(value: dict[str, Any]) -> Iterator[tuple[Path, Any]]:
    """Yield the path and value of each text, or of any value in its place."""
    for key in _TEXTS:
        text = value.get(key)
        if key in LINKED and isinstance(text, dict) and is_linked(text):
            if "text" in text:
                yield (key, "text"), text["text"]
        elif key in value:
            yield (key,), text
    for path, question in _questions(value):
        yield from (((*path, key), question[key]) for key in ("text", "hint") if key in question)
    for path, listed in _choices(value):
        if isinstance(listed, dict | list):
            pairs = listed.items() if isinstance(listed, dict) else enumerate(listed)
            yield from (((*path, step), text) for step, text in pairs)


def texts_of(
    fields: SurveyFields, about: About, questions: Sequence[Question], keys: Sequence[str]
) -> Texts:
    """Return the texts of a survey in a language other than its first.

    `about`: the texts about the survey in that language. `questions`: the questions in the first
    language. `keys`: the keys of the texts about the survey in the first language.
    """
    pairs = zip(questions, fields.questions or [], strict=True)
    return Texts(
        fields.title or "",
        fields.introduction or "",
        {question.id: _texts_of(question, own) for question, own in pairs},
        {key: getattr(about, key) for key in keys},
    )


def _texts_of(question: Question, fields: QuestionFields) -> QuestionTexts:
    return QuestionTexts(
        fields.text or "",
        fields.hint or "",
        _texts_by_code((() if question.is_number else question.answers), fields.answers),
        _texts_by_code(question.rows, fields.rows),
        _texts_by_code(question.statements, fields.statements),
    )


def _texts_by_code(choices: Sequence[Answer], texts: Choices | None) -> dict[str, str]:
    """Return the text of each choice by its code; in a list, texts belong to choices by place."""
    codes = [choice.code for choice in choices]
    if isinstance(texts, dict):
        return {code: texts[code] for code in codes}
    return dict(zip(codes, texts or (), strict=bool(choices)))
