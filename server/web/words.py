"""The pages' own words in each language, from the catalogues in `templates/locale/`."""

from __future__ import annotations

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
from deniable.text.languages import LANGUAGES
from deniable.text.timestamps import zone_at

FOLDER: Final = Path(deniable.templates.__file__).parent / "locale"
"""Where the catalogues are."""

_ISOLATED: Final = "\N{FIRST STRONG ISOLATE}{}\N{POP DIRECTIONAL ISOLATE}"
"""A value among words that run from right to left, which must not turn it round."""

_UNGROUPED: Final = 10_000
"""Spanish writes whole numbers below it without a separator, as browsers do."""


@dataclass(frozen=True)
class Words:
    """The pages' own words in one language."""

    language: str
    sentences: dict[str, str] = field(repr=False)  # translations by the English sentence
    # The files in which each sentence stands, by the sentence.
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
        """Say a sentence, with values in place of its ``{names}``; see `number` for a `float`."""
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

    def _isolated(self, values: dict[str, object], around: str) -> dict[str, object]:
        values = {
            name: self.number(value) if isinstance(value, float) else value
            for name, value in values.items()
        }
        if self.direction == "ltr":
            return values
        return {name: around.format(value) for name, value in values.items()}


@cache
def words(language: str) -> Words:
    """Return the words of a language, one of `deniable.text.languages.LANGUAGES`."""
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
