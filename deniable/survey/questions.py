"""Questions, their answers, and the conditions and draws by which a respondent is asked them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, Final

from deniable.survey.waves import COLUMN, code_of

PREFER_NOT_TO_SAY: Final = "prefer_not_to_say"
"""Code of the answer that declines, an ordinary answer inside the randomised domain."""

DOES_NOT_APPLY: Final = "does_not_apply"
"""Code of the true answer to a skipped question, also inside the randomised domain."""

FIXED: Final = {
    PREFER_NOT_TO_SAY: (
        "Skipped",
        "تم تخطّيه",
        "Übersprungen",
        "Omitida",
        "Passée",
    ),
    DOES_NOT_APPLY: ("Does not apply", "لا ينطبق", "Trifft nicht zu", "No procede", "Sans objet"),
}
"""By code, the text of such an answer in every survey: in English, and in each translation."""

NO_NUMBERS: Final = frozenset(FIXED)
"""Codes of answers to a number question that are no numbers."""


class QuestionType(StrEnum):
    """The type of a question.

    Nearly all code that depends on it uses one of three properties of a `Question`: `is_number`,
    `has_several_items` and `offers_yes_no`. So few other modules name a type.
    """

    SINGLE = "single"
    MANY = "many"
    NUMBER = "number"
    GRID = "grid"

    @property
    def is_number(self) -> bool:
        """Whether its answers are numbers, which have a mean."""
        return self is QuestionType.NUMBER

    @property
    def has_several_items(self) -> bool:
        """Whether each of its options or rows is an item of its own."""
        return self in (QuestionType.MANY, QuestionType.GRID)

    @property
    def offers_yes_no(self) -> bool:
        """Whether each of its items is answered by yes or no, and its answers are the options."""
        return self is QuestionType.MANY


class Protection(StrEnum):
    """Whether an answer is randomised before it leaves the browser, or sent directly."""

    RANDOMISED = "randomised"
    DIRECT = "direct"


class Pages(StrEnum):
    """Whether all questions are on one page, or each on a page of its own."""

    ONE = "one"
    EACH = "each"


@dataclass(frozen=True)
class Answer:
    """An answer, or a row of a grid: the code for exports and the text for respondents."""

    code: str
    text: str


@dataclass(frozen=True)
class Condition:
    """A condition on an earlier answer, under which a question applies.

    `item`: the id of an item of an earlier question. `answers`: the codes that fit; the respondent
    must have given one of them.
    """

    item: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Question:
    """A question as a respondent reads it.

    `id`: unique in the survey. `text`: the question, plain text. `answers`: the answers of a
    `single` or `grid`, the options of a `many`, the levels of a `number`; without
    "skipped". `rows`: the rows of a `grid`, otherwise empty. `prefer_not_to_say`: whether skipping
    is one more answer. `hint`: a line of help below the question, or empty. `ask`: for a randomised
    `many` or `grid`, how many of its items each respondent is asked, drawn at random, fewer than it
    has. None if all are asked. `shuffled`: whether its answers, options or rows appear in random
    order. Skipping stays last, and the report keeps its order. `ask_if`: the question applies if
    all these conditions hold; to everybody if there are none. A condition on a question that was
    itself skipped does not hold. `statements`: for a question in Warner's own form, the statement
    of a respondent with each of its two answers. A spinner points to one of the two, and the
    respondent reports only whether that one is true. Empty for other questions. `known`: for a
    control question, the known share of each truth among all people, in millionths. Results use it
    to estimate how many followed the instructions; questions and reports do not depend on it. Empty
    for other questions. `yes`: the code of the answer that is the yes of the design, if the survey
    file has it; see `deniable.roles.yes_of`.
    """

    id: str
    text: str
    type: QuestionType
    answers: tuple[Answer, ...]
    rows: tuple[Answer, ...] = ()
    protection: Protection = Protection.RANDOMISED
    prefer_not_to_say: bool = False
    hint: str = ""
    ask: int | None = None
    shuffled: bool = False
    ask_if: tuple[Condition, ...] = ()
    statements: tuple[Answer, ...] = ()
    known: tuple[int, ...] = ()
    yes: str = ""

    @property
    def is_number(self) -> bool:
        """Whether its answers are the values of a number."""
        return self.type.is_number

    @property
    def has_several_items(self) -> bool:
        """Whether each of its options or rows is an item of its own, see `parts`."""
        return self.type.has_several_items

    @property
    def offers_yes_no(self) -> bool:
        """Whether each of its items is answered by yes or no, and its answers are the options."""
        return self.type.offers_yes_no

    @property
    def span(self) -> float | None:
        """The range of a number's values; None if the question is no number."""
        if not self.is_number:
            return None
        return float(Fraction(self.answers[-1].code) - Fraction(self.answers[0].code))

    @property
    def is_of_some(self) -> bool:
        """Whether its mean, or its shares, can be over only some of the people who answer."""
        return bool(self.ask_if) or (self.is_number and self.prefer_not_to_say)

    @property
    def offered(self) -> tuple[Answer, ...]:
        """The answers that each of its items offers, declining last."""
        if self.offers_yes_no:
            answers: tuple[Answer, ...] = (Answer("no", "No"), Answer("yes", "Yes"))
        else:
            answers = self.answers
        if self.prefer_not_to_say:
            answers += (Answer(PREFER_NOT_TO_SAY, FIXED[PREFER_NOT_TO_SAY][0]),)
        return answers

    @property
    def truths(self) -> tuple[Answer, ...]:
        """The possible truths of each of its items: the offered answers, and then "does not apply".

        The latter only if the question may be skipped. A researcher who offers an answer with the
        code `DOES_NOT_APPLY` has already given it a text.
        """
        if not self.ask_if or any(answer.code == DOES_NOT_APPLY for answer in self.offered):
            return self.offered
        return (*self.offered, Answer(DOES_NOT_APPLY, FIXED[DOES_NOT_APPLY][0]))

    @property
    def skipped(self) -> int:
        """The place of the truth of all its items if it is skipped."""
        if not self.ask_if:
            raise ValueError(f"question {self.id!r} is asked of everybody")
        return [truth.code for truth in self.truths].index(DOES_NOT_APPLY)

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """The id and text of each of its items."""
        if not self.has_several_items:
            return ((self.id, self.text),)
        listed = self.answers if self.offers_yes_no else self.rows
        return tuple((f"{self.id}.{part.code}", part.text) for part in listed)


@dataclass(frozen=True)
class Ask:
    """A draw of units for each respondent.

    `count`: how many units each respondent is asked, at least 1 and fewer than all. `units`: the
    ids of items of a `many` or `grid`, and of questions, each with all questions to which it is
    `draws.linked`; all randomised. `chances`: see `draws.Draw`. Items in no unit are always asked.
    """

    count: int
    units: tuple[str, ...]
    chances: tuple[int, ...] = ()

    def document(self) -> dict[str, Any]:
        """Return the entry in the protocol document."""
        content: dict[str, Any] = {"count": self.count, "questions": list(self.units)}
        return content | ({"chances": list(self.chances)} if self.chances else {})


def wave_column(count: int) -> Question:
    """Return the wave column of a file of reports as a direct question."""
    waves = tuple(Answer(code_of(wave), f"Wave {wave}") for wave in range(1, count + 1))
    text = "Which wave this is"
    return Question(COLUMN, text, QuestionType.SINGLE, waves, protection=Protection.DIRECT)
