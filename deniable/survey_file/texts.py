"""Texts in several languages: the first goes on to be read as any text, the others are put aside.

Where a text is expected, a survey file with ``languages: [en, de]`` may have ``{en: …, de: …}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from deniable.survey.about import SITE, About
from deniable.survey.questions import Answer, Question
from deniable.survey_file.located import Complaints, Document, Path
from deniable.survey_file.values import describe
from deniable.text.languages import LANGUAGES, QuestionTexts, Texts

_PARAGRAPHS: Final = ("introduction", "consent")
_LINKED: Final = ("contact", "help")
_LINES: Final = ("title", "organisation", "purpose", "results", *_LINKED)
"""The texts of a survey itself."""

_MOST_LINES: Final = 10
"""That a note names one by one."""

_SENTENCES: Final = (*_PARAGRAPHS, "purpose", "organisation", "results", *_LINKED)
_ADDRESS: Final = re.compile(r"[a-z]+:\S|www\.", re.IGNORECASE)
_TRUTH_VALUES: Final = frozenset({"true", "false", "yes", "no", "on", "off"})
"""What says that there is a text, where the text itself is expected."""


def is_name(path: Path, text: str) -> bool:
    """Whether a text is the same in every language: who asks, and addresses without a word more."""
    return path[0] == "organisation" or (path[0] in ("contact", "results") and " " not in text)


@dataclass
class Written:
    """The texts of a survey file.

    `value`: what the file says, each of its texts in the first language only. `languages`: all that
    are asked in, the first first. `others`: by where a text stands: what it says in each of the
    other languages. `same`: the texts that stand there once, for all of several languages.
    """

    value: Any
    languages: tuple[str, ...]
    others: dict[Path, dict[str, str]] = field(default_factory=dict)
    same: list[Path] = field(default_factory=list)

    def translations(
        self,
        title: str,
        introduction: str,
        about: About,
        questions: list[tuple[Path, Question]],
        complaints: Complaints,
    ) -> tuple[Texts, ...]:
        """Return the texts of a survey in each of the other languages."""

        def question(path: Path, one: Question, language: str) -> QuestionTexts:
            answers = () if one.is_number else one.answers
            return QuestionTexts(
                self._text((*path, "text"), one.text, language),
                self._text((*path, "hint"), one.hint, language),
                self._choices((*path, "answers"), answers, language, complaints),
                self._choices((*path, "rows"), one.rows, language, complaints),
                self._choices((*path, "statements"), one.statements, language, complaints),
            )

        return tuple(
            Texts(
                self._text(("title",), title, language),
                self._text(("introduction",), introduction, language),
                tuple((one.id, question(path, one, language)) for path, one in questions),
                tuple((key, self._about(key, text, language)) for key, text in about.texts),
            )
            for language in self.languages[1:]
        )

    def _about(self, key: str, first: str, language: str) -> str:
        beside = (key, "text")
        return self._text(beside if beside in self.others else (key,), first, language)

    def _text(self, path: Path, first: str, language: str) -> str:
        return self.others.get(path, {}).get(language, first)

    def _choices(
        self, path: Path, choices: tuple[Answer, ...], language: str, complaints: Complaints
    ) -> tuple[tuple[str, str], ...]:
        """Return the text of each by its code; in a list they stand by their place."""
        seen: set[str] = set()
        texts = []
        for place, choice in enumerate(choices):
            where = next(
                (one for one in ((*path, choice.code), (*path, place)) if one in self.others), path
            )
            text = self._text(where, choice.text, language)
            if text in seen:
                complaints.at(*where, language).add(
                    f"expected every text once, found {text!r} again"
                )
            seen.add(text)
            texts.append((choice.code, text))
        return tuple(texts)


def note_the_same(written: Written, complaints: Complaints) -> None:
    """Note in one line which texts stand in the first of several languages alone."""
    if not written.same:
        return
    first = complaints.at(*written.same[0])
    main, *rest = written.languages
    others = " and ".join(rest)
    if len(written.same) == 1:
        first.note(f"this text is missing in {others}: people read it in {main}")
        return
    lines = sorted({complaints.at(*path).line for path in written.same})
    named = ", ".join(map(str, lines[:_MOST_LINES]))
    more = f" and {len(lines) - _MOST_LINES} more" if len(lines) > _MOST_LINES else ""
    first.note(
        f"{len(written.same)} texts are missing in {others}; people read them in {main}: lines "
        f"{named}{more}"
    )


def divide(document: Document, complaints: Complaints) -> Written:
    """Divide the texts of a survey file by language."""
    value = document.value
    if not isinstance(value, dict):
        return Written(value, ("en",))
    written = Written(value, _languages(value, complaints.at("languages")))
    # Where a language is misspelt, every text would be complained of as well.
    sure = len(written.languages) == len(value.get("languages") or "-")
    reading = _Reading(written, "languages" in value, sure, complaints)
    plain = {key: reading.linked(one, (key,)) for key, one in _some(value, *_PARAGRAPHS, *_LINES)}
    questions = value.get("questions")
    if isinstance(questions, list):
        plain["questions"] = [
            reading.question(one, ("questions", place)) if isinstance(one, dict) else one
            for place, one in enumerate(questions)
        ]
    written.value = {**value, **plain}
    return written


def _languages(value: dict[str, Any], complaints: Complaints) -> tuple[str, ...]:
    """Return the languages that are named and known, English if there are none."""
    named = value.get("languages", ["en"])
    known: list[str] = []
    expected = f"expected languages of {', '.join(LANGUAGES)}"
    if not isinstance(named, list) or not named:
        found = "none" if named == [] else describe(named)
        complaints.add(f"{expected} in a list, found {found}")
        return ("en",)
    for place, one in enumerate(named):
        if one in known:
            complaints.at(place).add(f"expected each language once, found {one!r} again")
        elif one in LANGUAGES:
            known.append(one)
        else:
            complaints.at(place).add(f"{expected}, found {describe(one)}")
    return tuple(known) or ("en",)


def _some(value: dict[str, Any], *keys: str) -> Iterator[tuple[str, Any]]:
    """Yield those of the keys that are there, with what they hold."""
    return ((key, value[key]) for key in keys if key in value)


@dataclass
class _Reading:
    """Takes the first language out of each text."""

    written: Written
    declared: bool
    sure: bool
    complaints: Complaints

    def linked(self, value: Any, path: Path) -> Any:
        """Read a text that may stand beside a link."""
        if not (isinstance(value, dict) and path[0] in _LINKED and {"text", "link"} & value.keys()):
            return self.text(value, path)
        return {**value, **{key: self.text(one, (*path, key)) for key, one in _some(value, "text")}}

    def question(self, value: dict[str, Any], path: Path) -> dict[str, Any]:
        """Read the texts of a question."""
        plain = {
            **{key: self.text(one, (*path, key)) for key, one in _some(value, "text", "hint")},
            **{
                key: self.choices(one, (*path, key))
                for key, one in _some(value, "answers", "rows", "statements")
            },
        }
        return {**value, **plain}

    def choices(self, value: Any, path: Path) -> Any:
        """Read the texts of answers or rows."""
        if isinstance(value, list):
            return [self.text(one, (*path, place)) for place, one in enumerate(value)]
        if isinstance(value, dict):
            self._check_codes(value, path)
            return {code: self.text(one, (*path, code)) for code, one in value.items()}
        return value

    def _check_codes(self, value: dict[str, Any], path: Path) -> None:
        """Complain of one list in each language: these are no answers, but languages."""
        languages = self.written.languages
        if len(languages) < 2 or not {*value} <= {*languages}:
            return
        if not any(isinstance(one, dict) for one in value.values()):
            each = ", ".join(f"{language}: …" for language in languages)
            self.complaints.at(*path).add(
                f"expected {path[-1]}, each in {' and '.join(languages)}, found texts under "
                f"{' and '.join(value)}, which would be the codes of {len(value)} {path[-1]}: "
                f"write [{{{each}}}, {{{each}}}]"
            )

    def text(self, value: Any, path: Path) -> Any:
        """Return a text in the first language, and put the others aside."""
        languages = self.written.languages
        if not isinstance(value, dict):
            self._check_sentence(value, path)
            if len(languages) > 1 and isinstance(value, str) and not is_name(path, value):
                self.written.same.append(path)
            return value
        texts = {}
        expected = ", ".join(languages)
        if not self.declared:
            self.complaints.at(*path).add(
                "expected a text, found keys and values: texts in several languages need the key "
                "'languages' of the survey, such as languages: [en, de]",
            )
        for key, text in value.items():
            if key not in languages and self.declared and self.sure:
                self.complaints.at(*path, key).add(
                    f"expected a text in {expected}, found one in {key!r}"
                )
            elif not isinstance(text, str) or not text.strip():
                self.complaints.at(*path, key).add(f"expected a text, found {describe(text)}")
            else:
                self._check_sentence(text, (*path, key))
                choice = not {"answers", "rows", "statements"}.isdisjoint(path)
                one_line = choice or path[0] in _LINES
                texts[key] = " ".join(text.strip().splitlines()) if one_line else text.strip()
        missing = [language for language in languages if language not in value]
        if missing and self.declared and self.sure:
            self.complaints.at(*path).add(
                f"expected a text in each of {expected}, found none in {', '.join(missing)}"
            )
        self.written.others[path] = texts
        # What is wrong is complained of already: any text of it will do to read on.
        return texts.get(languages[0]) or next(iter(texts.values()), f"? {path}")

    def _check_sentence(self, value: Any, path: Path) -> None:
        """Complain of a truth value where people will read what stands there."""
        if path[0] in _SENTENCES and str(value).strip().lower() in _TRUTH_VALUES:
            self.complaints.at(*path).add(
                f"expected the text that people read, found {value}: leave {path[0]!r} out if "
                "you need none"
            )
        if path[0] == "results" and _ADDRESS.match(str(value)) and not SITE.fullmatch(str(value)):
            self.complaints.at(*path).add(
                "expected a sentence, or an address such as https://example.org/results, found "
                f"{describe(value)}"
            )
