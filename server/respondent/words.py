"""The pages' own words in each language, from the catalogues in `templates/locale/`.

Pages never depend on who asks for them, so no header of a request is read to choose a language:
whoever renders a page for a survey is given its views, one for each of its languages, and the page
holds them all (see `templates/respondent_base.html`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Final

from babel import Locale
from babel.dates import format_date, format_time
from babel.messages.pofile import read_po
from babel.numbers import format_decimal
from markupsafe import Markup, escape

import deniable.templates
from deniable.languages import LANGUAGES
from deniable.moments import zone_at
from deniable.survey import Survey
from deniable.translation import in_language

FOLDER: Final = Path(deniable.templates.__file__).parent / "locale"
"""Where the catalogues are."""

_ISOLATED: Final = "\N{FIRST STRONG ISOLATE}{}\N{POP DIRECTIONAL ISOLATE}"
"""A value among words that run from right to left, which must not turn it round."""

_UNGROUPED: Final = 10_000
"""Spanish writes whole numbers below it without a separator, as browsers do."""


@dataclass(frozen=True)
class Words:
    """The pages' own words in one language.

    Parameters
    ----------
    language : str
    sentences : dict
        Translations by the English sentence.
    places : dict
        The files in which each sentence stands, by the sentence.
    """

    language: str
    sentences: dict[str, str] = field(repr=False)
    places: dict[str, frozenset[str]] = field(repr=False)

    @property
    def name(self) -> str:
        """What the language calls itself, as a heading would."""
        name = Locale(self.language).get_display_name(self.language) or self.language
        return name[0].upper() + name[1:]

    @property
    def direction(self) -> str:
        """``"ltr"`` or ``"rtl"``."""
        return Locale(self.language).text_direction

    def say(self, sentence: str, /, **values: object) -> str:
        """Say a sentence, with values in place of its ``{names}``."""
        return self.sentences.get(sentence, sentence).format(**self._isolated(values, _ISOLATED))

    def html(self, sentence: str, /, **values: object) -> Markup:
        """Say a sentence on a page, where values may be markup and everything else is text."""
        text = escape(self.sentences.get(sentence, sentence))
        return text.format(**self._isolated(values, Markup(_ISOLATED)))  # noqa: S704

    def number(self, value: float) -> str:
        """Write a number as the language does, always in the digits 0 to 9."""
        text: str = format_decimal(
            value,
            format="#,##0.######",
            locale=self.language,
            numbering_system="latn",
            group_separator=not (self.language == "es" and abs(value) < _UNGROUPED),
        )
        return text

    def moment(self, seconds: int) -> dict[str, str]:
        """Return the date, the time and the time zone of a moment, by this machine's clock."""
        there = datetime.fromtimestamp(seconds).astimezone()
        return {
            "date": format_date(there, "full", locale=self.language),
            "time": format_time(there, "short", locale=self.language),
            "zone": zone_at(seconds),
        }

    def spoken_by(self, modules: Collection[str]) -> list[str]:
        """Return those English sentences that some modules of the browser's program say."""
        files = {f"client/browser/{name}" for name in modules}
        return [one for one in self.sentences if not files.isdisjoint(self.places[one])]

    def _isolated(self, values: dict[str, object], around: str) -> dict[str, object]:
        if self.direction == "ltr":
            return values
        return {name: around.format(value) for name, value in values.items()}


@cache
def words(language: str) -> Words:
    """Return the words of a language, one of `deniable.languages.LANGUAGES`."""
    if language == LANGUAGES[0]:
        return Words(language, {}, {})
    with (FOLDER / language / "LC_MESSAGES" / "deniable.po").open("rb") as file:
        messages = [message for message in read_po(file, locale=language) if message.id]
    return Words(
        language,
        {str(message.id): str(message.string) for message in messages if message.string},
        {
            str(message.id): frozenset(place for place, _ in message.locations)
            for message in messages
        },
    )


@dataclass(frozen=True)
class View:
    """What a page says in one language.

    Parameters
    ----------
    words : Words
    survey : Survey or None
        As it reads in that language; None on pages that know none.
    about : object
        What else the page says of the survey.
    several : bool
        Whether the page says it in other languages too.
    """

    words: Words
    survey: Survey | None
    about: object
    several: bool

    @property
    def fragment(self) -> str:
        """What an address ends with to be shown in this language."""
        return f"#lang={self.words.language}" if self.several else ""

    @property
    def suffix(self) -> str:
        """What ids end with, each of which stands on the page once."""
        return f"-{self.words.language}" if self.several else ""


def views(
    survey: Survey | None,
    about: Callable[[Survey, Words], object] | None = None,
    language: str | None = None,
) -> tuple[View, ...]:
    """Return what a page says in each of its languages.

    Parameters
    ----------
    survey : Survey or None
        None for a page that knows none, and therefore has to hold all languages.
    about : callable, optional
        Returns what else the page says of the survey.
    language : str, optional
        The only one that the page is in.
    """
    if language is not None:
        languages: tuple[str, ...] = (language,)
    else:
        languages = LANGUAGES if survey is None else survey.languages
    made = []
    for one in languages:
        said = words(one)
        read = None if survey is None else in_language(survey, one, said.say)
        more = None if read is None or about is None else about(read, said)
        made.append(View(said, read, more, len(languages) > 1))
    return tuple(made)


def shown(views: tuple[View, ...]) -> dict[str, object]:
    """Return the variables of a template that shows these views; its head is in the first."""
    first = views[0]
    return {"views": views, "view": first, "survey": first.survey, "_": first.words.html}


def spoken(views: tuple[View, ...], modules: Collection[str]) -> Markup | None:
    """Return what the program on a page says in its languages, as data within the page.

    Parameters
    ----------
    views : tuple of View
    modules : collection of str
        The names of the modules that it consists of.

    Returns
    -------
    Markup or None
        JSON: the English sentences, and their translations in the same order by language. None if
        it speaks English only, or not at all.
    """
    others = [view.words for view in views if view.words.language != LANGUAGES[0]]
    if not others:
        return None
    sentences = others[0].spoken_by(modules)
    if not sentences:
        return None
    found = {"en": sentences} | {
        words.language: [words.sentences[sentence] for sentence in sentences] for words in others
    }
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    # No "<" can end the element early; the translations are ours.
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704
