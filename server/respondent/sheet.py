"""The printable sheet of a survey, for collection with paper and coins.

The same page is served and written to a file. A file has to look right by itself, so its style is
in it; the served page links to it, as the policy of every page here allows no other.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader

import deniable.templates
from deniable import coins, paper
from deniable.channel import ROW_SUM
from deniable.coins import Procedure
from deniable.paper import Asking
from deniable.server.respondent.drawing import sector
from deniable.server.respondent.label import ENGLISH
from deniable.server.respondent.program import BROWSER_FOLDER, LEAVE, load
from deniable.server.respondent.views import shown, views
from deniable.server.web.words import Words
from deniable.survey import Survey
from deniable.survey.questions import Question
from deniable.text.wording import needs, sureness_on_sheet

_TEMPLATES: Final = Environment(
    loader=FileSystemLoader(Path(deniable.templates.__file__).parent), autoescape=True
)


@dataclass(frozen=True)
class SheetQuestion:
    """A question as a sheet asks it."""

    question: Question
    procedure: Procedure | None  # how it is randomised by hand; None if it is answered as it is
    # What is answered line by line, anew for each; empty if there is one answer only.
    rows: tuple[str, ...]
    answers: tuple[str, ...]  # what can be ticked
    # The ends of a number, which is written down in place of an answer; empty for all others.
    least: str
    most: str
    # Which earlier answers are needed for it to apply; empty if it applies to everybody.
    needs: tuple[str, ...] = ()
    otherwise: str = ""  # the answer of those to whom it does not
    # Of a question that is asked by them: what stands in the two parts of a disc.
    statements: tuple[str, ...] = ()
    sector: str = ""  # the outline of the first part, in a box of 100 by 100


@dataclass(frozen=True)
class Sheet:
    """All that is on a sheet."""

    survey: Survey
    questions: tuple[SheetQuestion, ...]
    tools: tuple[str, ...]  # what one has to have at hand
    implication: str  # how sure somebody can get of its randomised answers; empty if it has none
    tier: str  # that of all of them together; empty if it has none
    not_makeable: tuple[str, ...]  # the questions that are left out, by the reason
    drawn: tuple[str, ...]


def lay_out(survey: Survey, words: Words = ENGLISH) -> Sheet:
    """Lay a survey out as a sheet, in the language in which it reads and the words are."""
    how = [(question, paper.asking(survey, question)) for question in survey.questions]
    questions = tuple(_lay_out(survey, question) for question, asking in how if asking.on_sheet)
    found = sureness_on_sheet(survey)
    used = {one.procedure.tool for one in questions if one.procedure is not None}
    tools = [tool.said(words.say) for tool in coins.Tool if tool in used]
    if any(one.statements for one in questions):
        tools.append(words.say("a pencil and a paper clip"))
    return Sheet(
        survey=survey,
        questions=questions,
        tools=tuple(tools),
        implication="" if found is None else " ".join(found.sentences(words.say)),
        tier="" if found is None else found.tier.value,
        not_makeable=tuple(one.text for one, asking in how if asking is Asking.NOT_MAKEABLE),
        drawn=tuple(one.text for one, asking in how if asking is Asking.DRAWN),
    )


def sheet_page(survey: Survey, *, standalone: bool = False, language: str | None = None) -> str:
    """Write the sheet as a page."""
    program = load(BROWSER_FOLDER)
    return _TEMPLATES.get_template("sheet.html").render(
        **shown(views(survey, lay_out, language)),
        standalone=standalone,
        program=program.hashes,
        styles=program.styles,
        scripts=[] if standalone else [LEAVE],
    )


def _lay_out(survey: Survey, question: Question) -> SheetQuestion:
    items = survey.items_of(question)
    by_hand = paper.asking(survey, question) is Asking.BY_HAND
    is_number = question.is_number and not by_hand
    has_disc = bool(question.statements)
    written = items[0].reports if has_disc else items[0].truths
    return SheetQuestion(
        question=question,
        procedure=coins.procedure_for(items[0].channel) if by_hand and not has_disc else None,
        rows=tuple(item.text for item in items) if question.has_several_items else (),
        answers=tuple(answer.text for answer in written),
        least=question.answers[0].text if is_number else "",
        most=question.answers[-1].text if is_number else "",
        needs=needs(survey, question),
        otherwise=items[0].truths[question.skipped].text if question.ask_if else "",
        statements=tuple(statement.text for statement in question.statements),
        sector=sector(items[0].channel.weights[1][0] / ROW_SUM) if has_disc else "",
    )
