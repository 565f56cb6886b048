"""A question that a class answers together: a survey of one question.

Its batch is 1, because a class sees each noisy report on arrival. A direct question keeps a larger
batch, because only the number of other answers hides a direct answer.

The adversary is a presenter who repeats the same question, for fresh noise each time. Devices read
the number of the run in the document, so they know what all reports of a meeting reveal together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from deniable.survey import Survey
from deniable.survey.about import NOTHING
from deniable.survey.items import compile_items
from deniable.survey.kind import Asks, MeetingQuestion
from deniable.survey.questions import Answer, Protection, Question, QuestionType
from deniable.text.languages import QuestionTexts, Texts

_GUESS: Final = {
    "en": "“{question}” Guess: of 100 people here, how many would truly answer “{answer}”?",
    "de": "„{question}“ Was schätzen Sie: Wie viele von 100 Personen hier würden ehrlich "
    "„{answer}“ antworten?",
    "fr": "« {question} » À votre avis, sur 100 personnes ici, combien répondraient vraiment "
    "« {answer} » ?",
    "es": "«{question}» De cada 100 personas de aquí, ¿cuántas cree que responderían de verdad "
    "«{answer}»?",
    "ar": "«{question}» برأيك، كم من كل 100 شخص هنا سيجيبون بصدق «{answer}»؟",
}
"""A text of the survey and not of the pages: so it is part of the document."""

_ASKED_DIRECTLY: Final = {
    "en": "{title} (asked directly)",
    "de": "{title} (direkt gefragt)",
    "fr": "{title} (question directe)",
    "es": "{title} (pregunta directa)",
    "ar": "{title} (سؤال مباشر)",
}
_GUESSED: Final = {
    "en": "{title} (your guess)",
    "de": "{title} (Ihre Schätzung)",
    "fr": "{title} (votre estimation)",
    "es": "{title} (su estimación)",
    "ar": "{title} (تقديرك)",
}
"""Titles that distinguish the three surveys of one question in a device's list."""


def can_be_played(survey: Survey, question: Question) -> bool:
    """Return whether a class can answer a question by itself.

    It must be randomised, have one item, and be no number; the survey must have no waves.
    """
    return (
        question.protection is Protection.RANDOMISED
        and not survey.is_repeated
        and not question.has_several_items
        and not question.is_number
    )


def played(survey: Survey, question: Question) -> Survey:
    """Return a survey of one question that `can_be_played`, not yet in a meeting."""
    (item,) = survey.items_of(question)
    return replace(
        survey,
        introduction="",
        epsilon_millionths=item.epsilon_millionths,
        # Everybody in class is asked: no condition on another question, no draw.
        questions=(replace(question, ask_if=()),),
        items=(item,),
        ask=None,
        pages=None,
        shuffled=False,
        hides_branch=False,
        translations=tuple(_texts_of(texts, question) for texts in survey.translations),
        same_fact=(),
        comprehension=False,
        advance=False,
        is_named=False,
        batch=1,
        about=NOTHING,
    )


def in_meeting(survey: Survey, question: MeetingQuestion) -> Survey:
    """Return a survey made by `played` as a question of a meeting."""
    return replace(survey, slug=question.slug, parent=question)


def asked_directly(survey: Survey, batch: int) -> Survey:
    """Return a played survey without noise; results appear from `batch` people on."""
    (question,) = survey.questions
    direct = replace(question, protection=Protection.DIRECT, known=(), statements=())
    return _beside(
        survey,
        "direct",
        direct,
        batch,
        _ASKED_DIRECTLY,
        lambda _, told: replace(told, statements={}),
    )


def asked_for_a_guess(survey: Survey, focus: int, batch: int) -> Survey:
    """Return the question how many of 100 people would give an answer to a meeting's question.

    `focus`: the place of that answer among the truths. Guesses appear from `batch` people on.
    """
    (asked,) = survey.questions
    answer = survey.items[0].truths[focus]
    codes = tuple(f"{guess}" for guess in range(101))
    guess = Question(
        id="guess",
        text=_GUESS[survey.languages[0]].format(answer=answer.text, question=asked.text),
        type=QuestionType.NUMBER,
        answers=tuple(Answer(code, code) for code in codes),
        protection=Protection.DIRECT,
    )

    def texts_of(language: str, told: QuestionTexts) -> QuestionTexts:
        name = told.answers.get(answer.code, answer.text)
        text = _GUESS[language].format(answer=name, question=told.text)
        return QuestionTexts(text, "", {}, {})

    return _beside(survey, "prior", guess, batch, _GUESSED, texts_of)


def _beside(
    survey: Survey,
    asks: Asks,
    question: Question,
    batch: int,
    titles: Mapping[str, str],
    texts_of: Callable[[str, QuestionTexts], QuestionTexts],
) -> Survey:
    """Return the survey of a direct question beside a meeting's question."""
    if not isinstance(survey.parent, MeetingQuestion):
        raise ValueError(f"expected a question of a meeting, found {survey.slug!r}")
    first, *others = survey.languages
    return replace(
        in_meeting(survey, survey.parent._replace(asks=asks)),
        title=titles[first].format(title=survey.title),
        epsilon_millionths=0,
        questions=(question,),
        items=compile_items(question, ()),
        translations=tuple(
            replace(
                texts,
                title=titles[language].format(title=texts.title),
                questions={question.id: texts_of(language, *texts.questions.values())},
            )
            for language, texts in zip(others, survey.translations, strict=True)
        ),
        batch=batch,
    )


def _texts_of(texts: Texts, question: Question) -> Texts:
    kept = {question.id: texts.questions[question.id]}
    return replace(texts, introduction="", questions=kept, about={})
