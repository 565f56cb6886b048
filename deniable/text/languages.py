"""The languages in which a survey can be asked, and its texts in each of them.

The pages' own sentences are written in English, and the English sentence is the key of its
translations. A function that writes for people takes a `Say`, and calls it with the sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Protocol

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
    answers: Mapping[str, str] = field(hash=False)
    rows: Mapping[str, str] = field(hash=False)
    statements: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        _sort(self, "answers", "rows", "statements")


@dataclass(frozen=True)
class Texts:
    """The texts of a survey in one language.

    `questions`: by the question's id, in the order of the ids. `about`: the texts about the survey,
    by the names of `deniable.survey.about.TEXTS`.
    """

    title: str
    introduction: str
    questions: Mapping[str, QuestionTexts] = field(hash=False)
    about: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        _sort(self, "questions", "about")

    def document(self) -> dict[str, Any]:
        """Return them as JSON-ready values."""
        content = asdict(self)
        for texts in content["questions"].values():
            if not texts["statements"]:  # as in the document of a question
                del texts["statements"]
        if not self.about:
            del content["about"]
        return content

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Texts:
        """Read the result of `document`."""
        questions = {
            id: QuestionTexts(
                texts["text"],
                texts["hint"],
                texts["answers"],
                texts["rows"],
                texts.get("statements", {}),
            )
            for id, texts in document["questions"].items()
        }
        return cls(
            document["title"], document["introduction"], questions, document.get("about", {})
        )


def _sort(texts: object, *names: str) -> None:
    # A document is hashed, so it has one order.
    for name in names:
        object.__setattr__(texts, name, dict(sorted(getattr(texts, name).items())))
