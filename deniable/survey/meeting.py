"""A question that a class answers together: a survey of one question.

Its batch is 1, as a class sees each noisy report when it comes. What is asked directly keeps a
batch, as nothing hides a direct answer but the number of others.

The adversary is a presenter who has the same question answered again and again, for fresh noise
each time. Devices read in the document which run it is; so they know what all reports of a meeting
reveal together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from deniable.survey import Survey
from deniable.survey.about import NOTHING
from deniable.survey.items import compile_items
from deniable.survey.kind import Asks, MeetingQuestion
from deniable.survey.questions import Answer, Protection, Question
from deniable.text.languages import QuestionTexts, Texts

GUESSES: Final = (1, 5, 10, 25, 50, 75, 90, 95, 99)
"""What can be answered to that: so many of 100 people."""

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
"""A text of a survey, and none of the pages' own: so it stands in its document."""

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
"""The titles, by which a device's list tells the three surveys of one question apart."""


def can_be_played(survey: Survey, question: Question) -> bool:
    """Return whether a class can answer a question by itself.

    It is randomised, has one item and few answers, and needs no other question or wave.
    """
    return (
        question.protection is Protection.RANDOMISED
        and survey.waves is None
        and not question.has_several_items
        and not question.is_number
    )


def played(survey: Survey, question: Question) -> Survey:
    """Return a survey of one question alone, one that `can_be_played`, and of no meeting yet."""
    (item,) = survey.items_of(question)
    return replace(
        survey,
        introduction="",
        epsilon_millionths=item.epsilon_millionths,
        # Whoever is in class is asked: no condition on another question, no draw.
        questions=(replace(question, ask_if=()),),
        items=(item,),
        ask=None,
        pages=None,
        shuffled=False,
        hides_branch=False,
        translations=tuple(_texts_of(texts, question) for texts in survey.translations),
        comprehension=False,
        is_named=False,
        batch=1,
        about=NOTHING,
    )


def in_meeting(survey: Survey, question: MeetingQuestion) -> Survey:
    """Return a survey that was `played`, as this question of a meeting."""
    return replace(survey, slug=question.slug, parent=question)


def asked_directly(survey: Survey, batch: int) -> Survey:
    """Return the same question sent as it is answered, and shown from `batch` people on."""
    (question,) = survey.questions
    direct = replace(question, protection=Protection.DIRECT, known=(), statements=())
    first, *others = survey.languages
    return replace(
        _beside(survey, "direct"),
        title=_ASKED_DIRECTLY[first].format(title=survey.title),
        epsilon_millionths=0,
        questions=(direct,),
        items=compile_items(direct, ()),
        translations=tuple(
            replace(
                texts,
                title=_ASKED_DIRECTLY[language].format(title=texts.title),
                questions=tuple(
                    (id, replace(those, statements=())) for id, those in texts.questions
                ),
            )
            for language, texts in zip(others, survey.translations, strict=True)
        ),
        batch=batch,
    )


def asked_for_a_guess(survey: Survey, focus: int, batch: int) -> Survey:
    """Return the question how many of 100 people would answer a question of a meeting in one way.

    `focus` is the place of that answer among the truths. Guesses are shown from `batch` people on.
    """
    (asked,) = survey.questions
    answer = survey.items[0].truths[focus]
    codes = tuple(f"{guess}" for guess in GUESSES)
    first, *others = survey.languages
    guess = Question(
        id="guess",
        text=_GUESS[first].format(answer=answer.text, question=asked.text),
        type=asked.type,  # one answer: no other question can be played
        answers=tuple(Answer(code, code) for code in codes),
        protection=Protection.DIRECT,
    )
    translations = []
    for language, texts in zip(others, survey.translations, strict=True):
        ((_, told),) = texts.questions
        name = dict(told.answers).get(answer.code, answer.text)
        text = _GUESS[language].format(answer=name, question=told.text)
        read = QuestionTexts(text, "", tuple((code, code) for code in codes), ())
        title = _GUESSED[language].format(title=texts.title)
        translations.append(replace(texts, title=title, questions=((guess.id, read),)))
    return replace(
        _beside(survey, "prior"),
        title=_GUESSED[first].format(title=survey.title),
        epsilon_millionths=0,
        questions=(guess,),
        items=compile_items(guess, ()),
        translations=tuple(translations),
        batch=batch,
    )


def _beside(survey: Survey, asks: Asks) -> Survey:
    if not isinstance(survey.parent, MeetingQuestion):
        raise ValueError(f"expected a question of a meeting, found {survey.slug!r}")
    return in_meeting(survey, survey.parent._replace(asks=asks))


def _texts_of(texts: Texts, question: Question) -> Texts:
    kept = tuple((id, those) for id, those in texts.questions if id == question.id)
    return replace(texts, introduction="", questions=kept, about=())
