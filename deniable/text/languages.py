"""The languages in which a survey can be asked, and its texts in each of them.

The pages' own sentences are written in English, and the English sentence is the key of its
translations. A function that writes for people takes a `Say`, and calls it with the sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final, Protocol, TypeVar

_Value = TypeVar("_Value")

LANGUAGES: Final = ("en", "de", "fr", "es", "ar")
"""The languages of the pages' own words: the languages of a survey are some of these."""


class Say(Protocol):
    """A translator into one language, which fills values into the ``{names}`` of a sentence."""

    def __call__(self, sentence: str, /, **values: object) -> str:
        """Say the sentence; a `float` is written as the language writes numbers."""


def in_english(sentence: str, /, **values: object) -> str:
    """Fill values into a sentence without translating it."""
    numbers = {name: number(one) for name, one in values.items() if isinstance(one, float)}
    return sentence.format(**{**values, **numbers})


def number(value: float) -> str:
    """Write a number in English, with up to six decimals.

    >>> number(1000), number(6.20)
    ('1,000', '6.2')
    """
    return f"{value:,.6f}".rstrip("0").rstrip(".")


@dataclass(frozen=True)
class QuestionTexts:
    """The texts of a question in one language.

    `answers`, `rows`, `statements`: text by code, in the order of the codes; none for the values of
    a number, which are the same in every language.
    """

    text: str
    hint: str
    answers: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, str], ...]
    statements: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        # Sorted, because a document is hashed: it has one order.
        object.__setattr__(self, "answers", _sort_by_name(self.answers))
        object.__setattr__(self, "rows", _sort_by_name(self.rows))
        object.__setattr__(self, "statements", _sort_by_name(self.statements))


@dataclass(frozen=True)
class Texts:
    """The texts of a survey in one language.

    `questions`: by the question's id, in the order of the ids. `about`: the texts about the survey,
    by the names of `deniable.survey.about.TEXTS`.
    """

    title: str
    introduction: str
    questions: tuple[tuple[str, QuestionTexts], ...]
    about: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        # Sorted, because a document is hashed: it has one order.
        object.__setattr__(self, "questions", _sort_by_name(self.questions))
        object.__setattr__(self, "about", _sort_by_name(self.about))

    def document(self) -> dict[str, Any]:
        """Return them as JSON-ready values."""
        content: dict[str, Any] = {
            "title": self.title,
            "introduction": self.introduction,
            "questions": {
                id: {
                    "text": texts.text,
                    "hint": texts.hint,
                    "answers": dict(texts.answers),
                    "rows": dict(texts.rows),
                    # Only if there are any, as in the document of a question.
                    **({"statements": dict(texts.statements)} if texts.statements else {}),
                }
                for id, texts in self.questions
            },
        }
        if self.about:
            content["about"] = dict(self.about)
        return content

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Texts:
        """Read the result of `document`."""
        return cls(
            document["title"],
            document["introduction"],
            tuple(
                (
                    id,
                    QuestionTexts(
                        texts["text"],
                        texts["hint"],
                        tuple(texts["answers"].items()),
                        tuple(texts["rows"].items()),
                        tuple(texts.get("statements", {}).items()),
                    ),
                )
                for id, texts in document["questions"].items()
            ),
            tuple(document.get("about", {}).items()),
        )


def _sort_by_name(pairs: Sequence[tuple[str, _Value]]) -> tuple[tuple[str, _Value], ...]:
    return tuple(sorted(pairs, key=itemgetter(0)))
