"""The printable sheet of a survey, for collection with paper and coins.

The same page is served, and written to a file.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from deniable import coins, disc, paper
from deniable.channel import ROW_SUM
from deniable.coins import Procedure
from deniable.paper import Asking
from deniable.server.respondent.drawing import on_disc, sector
from deniable.server.respondent.label import ENGLISH, on_paper
from deniable.server.respondent.program import BROWSER_FOLDER, LEAVE, load
from deniable.server.respondent.views import shown, views
from deniable.server.web.words import Words
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Question
from deniable.templates import PAGES
from deniable.text.sureness import Told, sureness_on_sheet
from deniable.text.wording import needs


@dataclass(frozen=True)
class SheetQuestion:
    """A question on a sheet."""

    question: Question
    procedure: Procedure | None  # how coins or dice randomise it; None if they do not
    # The items, each with an answer of its own; empty if the question has one answer.
    rows: tuple[str, ...]
    answers: tuple[str, ...]  # what can be ticked
    # The ends of a number that is written down; empty for all other questions.
    least: str
    most: str
    # The earlier answers that make it apply; empty if it applies to everybody.
    needs: tuple[str, ...] = ()
    otherwise: str = ""  # the answer of people to whom it does not apply
    # The statements in the two parts of a disc, if the question has statements.
    statements: tuple[str, ...] = ()
    # The outline of each grey part of a disc, and the point of its number: the part forces an
    # answer, or shows the first statement.
    parts: tuple[tuple[str, float, float], ...] = ()
    # For a number by a disc: the thresholds that the parts after the first two ask about.
    steps: tuple[str, ...] = ()
    others: tuple[str, ...] = ()  # the other questions of its group: one tick answers all


@dataclass(frozen=True)
class Sheet:
    """The content of a sheet."""

    survey: Survey
    questions: tuple[SheetQuestion, ...]
    tools: tuple[str, ...]  # such as coins, dice or a pencil
    implication: tuple[Told, ...]  # how sure anybody can get; empty if nothing is randomised
    not_makeable: tuple[str, ...]  # questions left out because no hand can randomise them
    drawn: tuple[str, ...]  # questions left out because they are drawn
    by_chance: bool  # whether other sheets ask other questions
    on_others: str  # where drawn questions are asked; empty on a sheet that has them


def lay_out(survey: Survey, words: Words = ENGLISH, asked: frozenset[int] | None = None) -> Sheet:
    """Lay a survey out as a sheet, in the language of the survey and the words.

    `asked`: the places of the items drawn for this sheet (`deniable.paper.draw_sheet`). By default
    it asks the items of every sheet.
    """
    here = paper.places_of_all(survey) if asked is None else asked
    how = [(question, paper.asking(survey, question)) for question in survey.questions]
    own = {one.id: here.intersection(survey.places[one.id]) for one in survey.questions}
    with_first = {id for group in survey.groups for id in group.questions[1:]}
    questions = tuple(
        _lay_out(survey, one, own[one.id], words)
        for one, _ in how
        if own[one.id] and one.id not in with_first
    )
    found = sureness_on_sheet(survey)
    used = {one.procedure.tool for one in questions if one.procedure is not None}
    tools = [tool.said(words.say) for tool in coins.Tool if tool in used]
    if any(one.parts for one in questions):
        tools.append(words.say("a pencil and a paper clip"))
    return Sheet(
        survey=survey,
        questions=questions,
        tools=tuple(tools),
        implication=() if found is None else found.lines(words.say),
        not_makeable=tuple(one.text for one, asking in how if asking is Asking.NOT_MAKEABLE),
        drawn=tuple(
            one.text
            for one, asking in how
            if asking is Asking.DRAWN or (asked is None and asking.on_sheet and not own[one.id])
        ),
        by_chance=asked is not None,
        on_others=on_paper(words.say) if asked is None and paper.draws_on_sheet(survey) else "",
    )


def sheet_page(
    survey: Survey,
    *,
    standalone: bool = False,
    language: str | None = None,
    drawn: Sequence[frozenset[int] | None] = (None,),
) -> str:
    """Write a survey's sheet as a page, or one sheet for each set of `drawn` items."""
    program = load(BROWSER_FOLDER)

    def sheets(survey: Survey, words: Words) -> list[Sheet]:
        return [lay_out(survey, words, asked) for asked in drawn]

    return PAGES.get_template("sheet.html").render(
        **shown(views(survey, sheets, language)),
        standalone=standalone,
        program=program.hashes,
        styles=program.styles,
        scripts=[] if standalone else [LEAVE],
    )


def _lay_out(
    survey: Survey, question: Question, asked: Collection[int], words: Words
) -> SheetQuestion:
    items = [survey.items[place] for place in sorted(asked)]
    by_hand = paper.asking(survey, question) is Asking.BY_HAND
    is_number = question.is_number and not by_hand
    has_statements = bool(question.statements)
    procedure = coins.procedure_of(items[0]) if by_hand and not has_statements else None
    forced = () if not by_hand or procedure else disc.disc_for(items[0])
    in_group = [] if items[0].group is None else [*map(survey.question, items[0].group.questions)]
    truths = tuple(one.text for one in items[0].truths)
    steps = truths[1:] if forced and disc.has_steps(items[0]) else ()
    if has_statements:
        forced = (Fraction(items[0].channel.weights[1][0], ROW_SUM),)
    return SheetQuestion(
        question=question,
        procedure=procedure,
        rows=tuple(item.text for item in items) if question.has_several_items else (),
        answers=_tick_labels(items[0], in_group) or truths,
        least=question.answers[0].text if is_number else "",
        most=question.answers[-1].text if is_number else "",
        needs=() if in_group else needs(survey, question, words.say),
        otherwise=truths[question.skipped] if question.ask_if else "",
        statements=tuple(statement.text for statement in question.statements),
        parts=tuple(_parts(forced)),
        steps=steps,
        others=tuple(one.text for one in in_group[1:]),
    )


def _tick_labels(item: Item, in_group: Sequence[Question]) -> tuple[str, ...]:
    """Return the labels to tick: of a disc, or of the cells of questions randomised together."""
    if item.group is None:
        return disc.ticks(item)
    return tuple(
        " – ".join(one.truths[at].text for one, at in zip(in_group, cell, strict=True))
        for cell in item.group.cells
    )


def _parts(shares: Iterable[Fraction]) -> Iterator[tuple[str, float, float]]:
    """Yield the outline of each part of a disc, and the point of its number."""
    start = 0.0
    for share in map(float, shares):
        yield sector(share, start), *on_disc(start + share / 2, 36)
        start += share
