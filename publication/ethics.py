"""The ethics packet and the preregistration: printable pages for a board or a registry."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from jinja2 import StrictUndefined
from markupsafe import Markup

from deniable import __version__
from deniable.analysis.planning.advice import (
    LEVEL,
    PLANNED,
    above_limit,
    aims_met,
    is_too_wide,
    to_panel,
    width_words,
)
from deniable.analysis.planning.budgets import Measure, Precision, precision, respondents_for
from deniable.analysis.privacy.disclosure import LEAST
from deniable.exact import fraction
from deniable.publication.board.blanks import BLANKS, filled, open_blanks
from deniable.publication.board.randomisation import quoted, randomisation
from deniable.survey import Survey
from deniable.survey.about import TEXTS
from deniable.survey.questions import PREFER_NOT_TO_SAY
from deniable.survey_file import PlanFields, plan_of
from deniable.survey_file.located import parse
from deniable.templates import PAGES
from deniable.text.sureness import at_most, sureness, sureness_of, told
from deniable.text.translation import in_language
from deniable.text.wording import loss, needs, seen_by_researchers, shares_words, time_tells

WANTED: Final = 5
"""A half-width that boards often ask for, in percentage points, or in percent of the range of a
number's answers."""

_TEMPLATES: Final = PAGES.overlay(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


@dataclass(frozen=True)
class Frame:
    """The desk's frame around a page of a study; it is not printed."""

    styles: Sequence[str]  # addresses of its own style and, for screens, those of the desk
    icon: str  # address of the icon
    header: Markup  # the desk's header
    study: Markup  # the name and the steps of the study
    kept: Mapping[str, str]  # parameters of the address, besides the number of people
    most: int  # the largest number of people that can be planned for
    other: str = ""  # address of the other page
    files: Sequence[tuple[str, str]] = ()  # downloads, by name
    keep: str = ""  # address that the blanks are sent to
    token: str = ""  # of that form; empty if the reader may not change the blanks
    saved: str = ""  # message after the blanks were sent


class Words(Protocol):
    """The pages' own words in a language, as `server.web.words` has them."""

    @property
    def name(self) -> str:
        """The language's own name."""

    @property
    def direction(self) -> str:
        """``"ltr"`` or ``"rtl"``."""

    def say(self, sentence: str, /, **values: object) -> str:
        """Return a sentence in the language, with its values filled in."""

    def html(self, sentence: str, /, **values: object) -> Markup:
        """Return a sentence for an HTML page, where values may be markup."""

    def number(self, value: float) -> str:
        """Write a number."""


@dataclass(frozen=True)
class Reading:
    """A survey in one of its languages."""

    language: str
    words: Words
    survey: Survey


def readings_of(survey: Survey, words: Callable[[str], Words]) -> tuple[Reading, ...]:
    """Return a survey in each of its languages."""
    return tuple(
        Reading(one, of, in_language(survey, one, of.say))
        for one in survey.languages
        for of in (words(one),)
    )


@dataclass(frozen=True)
class Submission:
    """A survey as a board or a registry gets it, in one of its languages.

    `text`: the survey file. `language`, `words`: see `readings_of`.
    """

    survey: Survey
    respondents: int = PLANNED
    text: str = ""
    language: str = ""
    words: Callable[[str], Words] = field(kw_only=True)
    frame: Frame | None = None

    def page(self, document: str) -> str:
        """Return the ``ethics`` packet or the ``preregistration`` as an HTML page."""
        survey, respondents, text = self.survey, self.respondents, self.text
        found, plan = sureness(survey), plan_of(text)
        readings = readings_of(survey, self.words)
        reading = next((one for one in readings if one.language == self.language), readings[0])
        said = reading.words
        wanted = float(plan.within or WANTED)
        file = parse(text, survey.slug).value if text else {"questions": []}
        written = {question["id"]: question for question in file["questions"]}
        return _TEMPLATES.get_template(f"desk/{document}.html").render(
            survey=survey,
            frame=self.frame,
            readings=readings,
            reading=reading,
            _=said.html,
            number=said.number,
            side_by_side=[*_side_by_side(readings)],
            quoted=quoted,
            blanks=BLANKS,
            filled=filled(text),
            open_blanks=open_blanks(text) if text else (),
            aims=aims_met(plan, survey, respondents, said.say),
            groups=[quoted(one.text) for one in reading.survey.asked_directly if not one.is_number],
            margins=[
                quoted(one.text)
                for one in reading.survey.asked_directly
                if one.id in plan.population
            ],
            drawn=shares_words(survey, number=said.number),
            declines=any(
                truth.code == PREFER_NOT_TO_SAY for item in survey.items for truth in item.truths
            ),
            least=max(LEAST, plan.hide_below or 0),
            about=reading.survey.about,
            version=__version__,
            respondents=respondents,
            level=LEVEL,
            wanted=wanted,
            epsilon=_epsilon(survey.epsilon, file.get("epsilon"), said),
            questions=tuple(_question_values(survey, reading, respondents, written, plan)),
            sureness=found,
            sentences=() if found is None else told(reading.survey, said.say),
            direct=reading.survey.asked_directly,
            time=time_tells(survey, said.say),
            seen=seen_by_researchers(survey.batch, said.say),
            above_limit=above_limit(survey, said.say),
            panel=to_panel(survey, said.say),
        )


def _side_by_side(readings: Sequence[Reading]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the name of each text, and the text in each language; empty texts are left out."""
    texts = ([*_texts(one.survey)] for one in readings)
    for of_each in zip(*texts, strict=True):
        if of_each[0][1]:
            yield of_each[0][0], tuple(text for _, text in of_each)


def _texts(survey: Survey) -> Iterator[tuple[str, str]]:
    yield "title", survey.title
    yield "introduction", survey.introduction
    yield from ((key, getattr(survey.about, key)) for key in TEXTS)
    for question in survey.questions:
        yield question.id, question.text
        yield f"{question.id}: hint", question.hint
        answers = () if question.is_number else question.answers
        for part in (answers, question.rows, question.statements):
            yield from ((f"{question.id}: {one.code}", one.text) for one in part)


def _question_values(
    survey: Survey,
    reading: Reading,
    respondents: int,
    written: Mapping[str, Mapping[str, str]],
    plan: PlanFields,
) -> Iterator[dict[str, object]]:
    """Yield the template's values of each question, in the language of `reading`."""
    read, say = reading.survey, reading.words.say
    measure = Measure(applies_of=plan.applied)
    widths: dict[str, list[Precision]] = {}
    for one in precision(survey, respondents, measure):
        widths.setdefault(one.item.question, []).append(one)
    for question in read.questions:
        # The widest relative to the range: 1 of a share, else that of a number's answers.
        widest = max(widths[question.id], key=lambda one: one.widest / (one.span or 1))
        place = survey.items.index(widest.item)
        item, wanted = read.items[place], float(plan.within or WANTED) / 100
        texts = {truth.code: truth.text for truth in item.truths}
        sure = sureness_of(survey, question)
        yield {
            "question": question,
            "needs": needs(read, question),
            "lines": tuple(
                item.text for item in read.items_of(question) if question.has_several_items
            ),
            "answers": tuple(texts.get(one.code, one.text) for one in question.offered),
            "statements": tuple(
                item.in_full(truth) for truth in item.truths if question.statements
            ),
            "randomisation": tuple(randomisation(read, question, say)),
            "cost": _cost(survey.epsilon_of(question), written.get(question.id, {}), reading.words),
            "sure": "" if sure is None else at_most(sure, say),
            "width": width_words(widest, say),
            "too_wide": is_too_wide(widest),
            "applies": 100 * widest.applies if widest.is_of_some else 0,
            "people": respondents_for(survey, place, wanted, measure),
        }


def _cost(epsilon: float | None, written: Mapping[str, str], said: Words) -> str:
    if epsilon is None:
        return ""
    flip = f"flip {written['flip']}, " if "flip" in written else ""
    return f"{flip}ε = {_epsilon(epsilon, written.get('epsilon'), said)}"


def _epsilon(epsilon: float, written: str | None, said: Words) -> str:
    """Return an ε as its author wrote it, if that equals the real one to four decimals."""
    found = loss(epsilon)
    if written and loss(float(fraction(written))) == found:
        found = written
    return found if "/" in found else said.number(float(found))
