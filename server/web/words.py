"""The pages' own words in each language, from the catalogues in `templates/locale/`."""

import re
from collections.abc import Collection
from dataclasses import asdict, dataclass, field, is_dataclass
from datetime import datetime
from functools import cache, cached_property
from typing import Any, Final

from babel import Locale
from babel.dates import format_date, format_time
from babel.messages.pofile import read_po
from babel.numbers import format_decimal
from markupsafe import Markup, escape

from deniable import templates
from deniable.text.languages import LANGUAGES
from deniable.text.timestamps import zone_at

FOLDER: Final = templates.FOLDER / "locale"
"""The folder of the catalogues."""

_ISOLATED: Final = "\N{FIRST STRONG ISOLATE}{}\N{POP DIRECTIONAL ISOLATE}"
"""Isolates a value from right-to-left text around it, which must not reverse it."""

_COMPUTED: Final = ("classroom/", "lab/said.py", "server/desk/live/")
"""Code whose sentences are computed in English, with values, and translated when shown."""

_LATIN: Final = re.compile(r"(?<!<)(?:[.,](?=\w)|[^\u0600-\u06ff«»<>.,:;\n])+")
_OPERATOR: Final = re.compile(r"^[^\w\n]*+\w.*[=+×÷/^≤≥≈]|√\w|\w −|− \w", re.MULTILINE)
_FROM_THE_LEFT: Final = "\N{LEFT-TO-RIGHT ISOLATE}{}\N{POP DIRECTIONAL ISOLATE}"
"""Isolates a formula from right-to-left text around it."""

_NUMBER: Final = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+)(?![\w,]*\d)")

_PERCENT: Final = re.compile(r"(?<=\d) (?=[%٪])")
"""The space between a number and its percent sign."""

_BETWEEN: Final = " · "
"""Separator of texts in a row."""

_SHORT: Final = 16
"""Letters of a sentence without its values, below which it could match inside longer ones."""

_PLAIN: Final = frozenset({"id", "kind", "step", "tone"})
"""Keys whose values are for programs, and never translated."""

_UNGROUPED: Final = 10_000
"""Spanish writes numbers below this without a separator, as browsers do."""


@dataclass(frozen=True)
class Words:
    """The pages' own words in one language."""

    language: str
    sentences: dict[str, str] = field(repr=False)  # translations by the English sentence
    # The files that contain each sentence, by the sentence.
    places: dict[str, frozenset[str]] = field(repr=False)

    @property
    def name(self) -> str:
        """Return the language's own name, capitalised."""
        name = Locale(self.language).get_display_name(self.language) or self.language
        return name[0].upper() + name[1:]

    @property
    def direction(self) -> str:
        """Return ``"ltr"`` or ``"rtl"``."""
        return Locale(self.language).text_direction

    def say(self, sentence: str, /, **values: object) -> str:
        """Translate a sentence and fill in its ``{names}``; see `number` for a `float`."""
        return self.sentences.get(sentence, sentence).format(**self._isolated(values, _ISOLATED))

    def html(self, sentence: str, /, **values: object) -> Markup:
        """Translate a sentence for a page; values may be markup, everything else is escaped."""
        text = escape(self.sentences.get(sentence, sentence))
        return text.format(**self._isolated(values, Markup(_ISOLATED)))  # noqa: S704

    def rendered(self, text: str, kept: Collection[str] = ()) -> str:
        """Translate a text that was computed in English with its values; keep texts in `kept`.

        A no-break space keeps a number and its percent sign together.
        """
        return _PERCENT.sub("\N{NO-BREAK SPACE}", self._rendered(text, kept))

    def _rendered(self, text: str, kept: Collection[str]) -> str:
        if self.language == LANGUAGES[0] or text in kept:
            return text
        if text in self.sentences:
            return self.sentences[text]
        # A row may also be a value within a sentence.
        whole = (one for one, _, short in self._patterns if not short)
        if _BETWEEN in text and not any(one.fullmatch(text) for one in whole):
            return _BETWEEN.join(self._rendered(one, kept) for one in text.split(_BETWEEN))
        for pattern, sentence, short in self._patterns:
            if short and (said := self._behind_each_other(text, kept)):
                return said
            if found := pattern.fullmatch(text):
                values = {
                    name: self._rendered(one, kept) for name, one in found.groupdict().items()
                }
                return sentence.format(**self._isolated(dict(values), _ISOLATED))
        numbers = _NUMBER.sub(lambda one: self.number(float(one[0].replace(",", ""))), text)
        aside = self.direction == "rtl" and re.search(r"\d", text)
        return _ISOLATED.format(numbers) if aside else numbers

    def _behind_each_other(self, text: str, kept: Collection[str]) -> str:
        """Translate consecutive sentences; return "" if the first has no translation."""
        for at in re.finditer(r"(?<=[.!?]) (?=.)", text):
            head, tail = text[: at.end()], text[at.end() :]
            for one in (head, head[:-1]):
                if (said := self._rendered(one, kept)) != one:
                    return said + head[len(one) :] + self._rendered(tail, kept)
        return ""

    def rendered_all(self, value: Any, kept: Collection[str] = ()) -> Any:
        """Translate all texts of a JSON document; see `rendered`."""
        if isinstance(value, str):
            return self.rendered(value, kept)
        if is_dataclass(value) and not isinstance(value, type):
            value = asdict(value)
        if isinstance(value, dict):
            return {
                key: one if key in _PLAIN else self.rendered_all(one, kept)
                for key, one in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.rendered_all(one, kept) for one in value]
        return value

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], str, bool]]:
        """Return a pattern for each sentence with values, its translation, and if it is short.

        The sentences with the most text come first.
        """
        found = []
        for sentence, places in self.places.items():
            if (
                "{" in sentence
                and sentence in self.sentences
                and any(place.startswith(_COMPUTED) for place in places)
            ):
                text, *rest = re.split(r"\{(\w+)\}", sentence)
                names, words = rest[::2], rest[1::2]
                pattern = re.escape(text)
                for at, (name, word) in enumerate(zip(names, words, strict=True)):
                    again = name in names[:at]
                    pattern += (f"(?P={name})" if again else f"(?P<{name}>.+?)") + re.escape(word)
                found.append((len(text + "".join(words)), pattern, sentence))
        found.sort(reverse=True)
        return [
            (re.compile(one), self.sentences[said], length < _SHORT) for length, one, said in found
        ]

    def number(self, value: float) -> str:
        """Write a number in the language's format, always in the digits 0 to 9."""
        text: str = format_decimal(
            value,
            format="#,##0.######",
            locale=self.language,
            numbering_system="latn",
            group_separator=not (self.language == "es" and abs(value) < _UNGROUPED),
        )
        return text

    def moment(self, seconds: int) -> dict[str, str]:
        """Return the date, time and time zone of a moment, by this machine's clock."""
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


def _left_to_right(found: re.Match[str]) -> str:
    """Keep a formula running from left to right among right-to-left words."""
    inner = found[0].strip().removesuffix("(").rstrip()
    if (open_ := inner.count("(") - inner.count(")")) < 0 and inner.endswith(")"):
        inner = inner[:open_]
    elif open_ > 0 and inner.startswith("("):
        inner = inner[open_:]
    if not _OPERATOR.search(inner):
        return found[0]
    return found[0].replace(inner, _FROM_THE_LEFT.format(inner), 1)


@cache
def words(language: str) -> Words:
    """Return the words of a language, one of `deniable.text.languages.LANGUAGES`."""
    if language == LANGUAGES[0]:
        return Words(language, {}, {})
    with (FOLDER / language / "LC_MESSAGES" / "deniable.po").open("rb") as file:
        messages = [message for message in read_po(file, locale=language) if message.id]
    rtl = Locale(language).text_direction == "rtl"
    return Words(
        language,
        {
            str(one.id): _LATIN.sub(_left_to_right, str(one.string))
            if rtl and any(place.startswith(_COMPUTED) for place, _ in one.locations)
            else str(one.string)
            for one in messages
            if one.string
        },
        {
            str(message.id): frozenset(place for place, _ in message.locations)
            for message in messages
        },
    )
