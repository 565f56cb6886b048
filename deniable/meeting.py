"""A question that a class answers together: a survey of one question, under a name of its meeting.

The name begins with `PREFIX`, which no survey's own name may do. So what is played in a class is a
survey of its own, with a revision of its own: nothing can pool its reports with those of a study.
Its batch is 1, as a class sees each noisy report when it comes. What is asked directly keeps a
batch, as nothing hides a direct answer but the number of others.

The adversary is a presenter who has the same question answered again and again, for fresh noise
each time. Each run has a name of its own, which devices read in the document; so they know what all
reports of a meeting reveal together.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from deniable.about import NOTHING
from deniable.items import compile_items
from deniable.questions import Answer, Protection, Question
from deniable.text.languages import QuestionTexts

if TYPE_CHECKING:
    from deniable.survey import Survey
    from deniable.text.languages import Texts

PREFIX: Final = "meeting-"
"""What the name of each question of a meeting begins with, and that of no other survey."""

DIRECT: Final = "-direct"
"""What the name of a question ends with that is asked directly, to compare."""

PRIOR: Final = "-prior"
"""What the name ends with of the question what the class believes before any report."""

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

_NAME: Final = re.compile(rf"{PREFIX}([a-z0-9]+)-(\d+)-(\d+)(?:{DIRECT}|{PRIOR})?")


def is_meeting(slug: str) -> bool:
    """Return whether this is the name of a meeting's question.

    Examples
    --------
    >>> is_meeting("meeting-k7m4rx-1-1"), is_meeting("meeting"), is_meeting("a-meeting-1")
    (True, False, False)
    """
    return slug.startswith(PREFIX)


def meeting_slug(
    code: str, number: int, run: int = 1, *, direct: bool = False, prior: bool = False
) -> str:
    """Return the name of a question of a meeting.

    Parameters
    ----------
    code : str
        What people type to join it.
    number, run : int
        Which question it is, and how often it was started anew, both from 1.
    direct, prior : bool
        Whether it is the one that is asked directly, or the one what the class believes.

    Examples
    --------
    >>> meeting_slug("K7M4RX", 2), meeting_slug("K7M4RX", 2, 3, direct=True)
    ('meeting-k7m4rx-2-1', 'meeting-k7m4rx-2-3-direct')
    """
    ending = DIRECT if direct else PRIOR if prior else ""
    return f"{meetings_slugs(code)}{number}-{run}{ending}"


def meetings_slugs(code: str) -> str:
    """Return what the names of all questions of a meeting begin with, and those of no other."""
    return f"{PREFIX}{code.lower()}-"


def code_in(slug: str) -> str:
    """Return the code of the meeting that a question belongs to; empty if it belongs to none.

    Examples
    --------
    >>> code_in("meeting-k7m4rx-2-3-direct"), code_in("nurses")
    ('K7M4RX', '')
    """
    found = _NAME.fullmatch(slug)
    return "" if found is None else found[1].upper()


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


def played(survey: Survey, question: Question, slug: str) -> Survey:
    """Return a survey of one question alone, whose reports a class sees as they come.

    Parameters
    ----------
    survey : Survey
    question : Question
        Of it, one that `can_be_played`.
    slug : str
        As `meeting_slug` makes it.
    """
    (item,) = survey.items_of(question)
    return replace(
        survey,
        slug=slug,
        introduction="",
        epsilon_millionths=item.epsilon_millionths,
        # Whoever is in class is asked: no condition on another question, no draw.
        questions=(replace(question, ask_if=()),),
        items=(item,),
        ask=None,
        pages=None,
        shuffled=False,
        translations=tuple(_texts_of(texts, question) for texts in survey.translations),
        comprehension=False,
        batch=1,
        about=NOTHING,
        # What a class sends is deleted after a day.
        board_key=None,
    )


def asked_directly(survey: Survey, slug: str, batch: int) -> Survey:
    """Return the same question of a meeting, sent as it is answered.

    Parameters
    ----------
    survey : Survey
        As `played` makes it.
    slug : str
        As `meeting_slug` makes it.
    batch : int
        The fewest people whose answers are shown.
    """
    (question,) = survey.questions
    direct = replace(question, protection=Protection.DIRECT, known=(), statements=())
    first, *others = survey.languages
    return replace(
        survey,
        slug=slug,
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


def asked_for_a_guess(survey: Survey, slug: str, focus: int, batch: int) -> Survey:
    """Return the question how many of 100 people would answer a question of a meeting in one way.

    Parameters
    ----------
    survey : Survey
        As `played` makes it.
    slug : str
        As `meeting_slug` makes it.
    focus : int
        The place of that answer among the truths.
    batch : int
        The fewest people whose guesses are shown.
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
        survey,
        slug=slug,
        title=_GUESSED[first].format(title=survey.title),
        epsilon_millionths=0,
        questions=(guess,),
        items=compile_items(guess, ()),
        translations=tuple(translations),
        batch=batch,
    )


def _texts_of(texts: Texts, question: Question) -> Texts:
    kept = tuple((id, those) for id, those in texts.questions if id == question.id)
    return replace(texts, introduction="", questions=kept, about=())
