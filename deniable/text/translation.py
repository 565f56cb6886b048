"""A survey as it reads in one of its languages.

Only the texts change: ids, codes, channels and the report are the same in every language, so that
no report or stored row tells a respondent's language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from deniable.survey import Survey
from deniable.survey.about import About
from deniable.survey.items import Item, replies
from deniable.survey.questions import DOES_NOT_APPLY, PREFER_NOT_TO_SAY, Answer, Question
from deniable.text.languages import QuestionTexts, Say


def in_language(survey: Survey, language: str, say: Say) -> Survey:
    """Return a survey as it reads in one of its languages.

    `language`: one of its languages. `say`: translates into it the words that the researcher did
    not write: "Yes", "Prefer not to say". Result: of the same revision, so that a page in any
    language shows the revision of the report.
    """
    place = survey.languages.index(language)
    questions = survey.questions
    if place == 0:
        title, introduction, about = survey.title, survey.introduction, survey.about
    else:
        texts = survey.translations[place - 1]
        title, introduction = texts.title, texts.introduction
        about = About(**{**survey.about.document(), **texts.about})
        questions = tuple(_question(one, texts.questions[one.id]) for one in questions)
    by_id = {question.id: question for question in questions}
    return replace(
        survey,
        title=title,
        introduction=introduction,
        about=about,
        questions=questions,
        items=tuple(_item(item, by_id[item.question], say) for item in survey.items),
        original=survey,
    )


def _question(question: Question, texts: QuestionTexts) -> Question:
    return replace(
        question,
        text=texts.text,
        hint=texts.hint,
        answers=_answers(question.answers, texts.answers),
        rows=_answers(question.rows, texts.rows),
        statements=_answers(question.statements, texts.statements),
    )


def _answers(answers: tuple[Answer, ...], texts: Mapping[str, str]) -> tuple[Answer, ...]:
    return tuple(Answer(one.code, texts.get(one.code, one.text)) for one in answers)


def _item(item: Item, question: Question, say: Say) -> Item:
    texts = {
        PREFER_NOT_TO_SAY: say("Skipped"),
        DOES_NOT_APPLY: say("Does not apply"),
    }
    if question.offers_yes_no:
        texts |= {"no": say("No"), "yes": say("Yes")}
    else:
        texts |= {answer.code: answer.text for answer in question.answers}
    truths = _answers(item.truths, texts)
    if item.has_spinner:
        codes = (report.code for report in item.reports)
        reports = tuple(map(Answer, codes, replies(say)))
    elif item.reports_name_truths:
        reports = truths
    else:
        reports = tuple(
            Answer(report.code, say("Report {number}", number=number))
            for number, report in enumerate(item.reports, start=1)
        )
    statements = tuple(statement.text for statement in question.statements)
    text = dict(question.parts)[item.id]
    return replace(item, text=text, truths=truths, reports=reports, statements=statements)
