"""What a person reads: questions, their answers, and which of them are asked of whom."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from deniable.survey.waves import COLUMN, code_of

PREFER_NOT_TO_SAY: Final = "prefer_not_to_say"
"""Code of the answer that declines, an ordinary answer inside the randomised domain."""

DOES_NOT_APPLY: Final = "does_not_apply"
"""Code of the answer that is true of a question which is skipped, an ordinary answer as well."""

FIXED: Final = {
    PREFER_NOT_TO_SAY: (
        "Prefer not to say",
        "أفضّل عدم الإجابة",
        "Möchte ich nicht sagen",
        "Prefiero no responder",
        "Je préfère ne pas répondre",
    ),
    DOES_NOT_APPLY: ("Does not apply", "لا ينطبق", "Trifft nicht zu", "No procede", "Sans objet"),
}
"""By the code, how such an answer reads in every survey: in English, and as it is translated."""

NO_NUMBERS: Final = frozenset(FIXED)
"""Codes of answers to a question about a number that are not numbers."""


class QuestionType(StrEnum):
    """What kind of answer a question takes.

    Nearly all that depends on it asks one of three things of a `Question`: `is_number`,
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
    """Whether an answer is randomised before it leaves the browser, or sent as it is given."""

    RANDOMISED = "randomised"
    DIRECT = "direct"


class Pages(StrEnum):
    """Whether all questions stand on one page, or each on a page of its own."""

    ONE = "one"
    EACH = "each"


@dataclass(frozen=True)
class Answer:
    """One answer, or one row of a grid: the code that is exported and the text that is read."""

    code: str
    text: str


@dataclass(frozen=True)
class Condition:
    """What somebody must have answered before, for a question to apply to them.

    `item`: the id of an item of an earlier question. `answers`: codes of answers that can be given
    to it, one of which must have been.
    """

    item: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Question:
    """What a person reads.

    `id`: unique in the survey. `text`: the question, plain text. `answers`: the answers of a
    `single` or `grid`, the options of a `many`, the levels of a `number`; without "prefer not to
    say". `rows`: the rows of a `grid`, otherwise empty. `prefer_not_to_say`: whether declining is
    one more answer. `hint`: a line of help below the question, or nothing. `ask`: of a randomised
    `many` or `grid`: how many of its items each respondent is asked, drawn at random, fewer than it
    has. None if all are asked. `shuffled`: whether its answers, options or rows stand in an order
    drawn at random. Declining stays last, and the report keeps its order. `ask_if`: the question
    applies to those for whom all of them hold; to everybody if there are none. A condition on a
    question that was itself skipped does not hold. `statements`: of a question in Warner's own
    form: for each of its two answers, what somebody says of whom it is true. A spinner points to
    one of the two, and only whether that one is true is asked. Empty for all other questions.
    `known`: of a control question: the share of each truth among all people, in millionths, as it
    is known from elsewhere. Results tell by it how many followed the instructions; what is asked
    and sent does not depend on it. Empty for all other questions. `yes`: the code of the answer
    that is the yes of the design, where the survey file says so; see `deniable.roles.yes_of`.
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
    def offered(self) -> tuple[Answer, ...]:
        """What can be answered to each of its items, declining last."""
        if self.offers_yes_no:
            answers: tuple[Answer, ...] = (Answer("no", "No"), Answer("yes", "Yes"))
        else:
            answers = self.answers
        if self.prefer_not_to_say:
            answers += (Answer(PREFER_NOT_TO_SAY, FIXED[PREFER_NOT_TO_SAY][0]),)
        return answers

    @property
    def truths(self) -> tuple[Answer, ...]:
        """What the truth of each of its items can be: what is offered, and last what is not.

        That is that the question does not apply, where it may be skipped. A researcher who offers
        an answer of this very code has said already what it is called.
        """
        if not self.ask_if or any(answer.code == DOES_NOT_APPLY for answer in self.offered):
            return self.offered
        return (*self.offered, Answer(DOES_NOT_APPLY, FIXED[DOES_NOT_APPLY][0]))

    @property
    def skipped(self) -> int:
        """Which truth is that of all its items where it is skipped."""
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
    """That each respondent is asked some of several units, drawn at random.

    `count`: at least 1 and fewer than there are. `units`: the ids of items of a `many` or `grid`,
    and of questions, each with all that it is `draws.linked` to; all randomised. `chances`: see
    `draws.Draw`. All that is in no unit is always asked.
    """

    count: int
    units: tuple[str, ...]
    chances: tuple[int, ...] = ()

    def document(self) -> dict[str, Any]:
        """Return it as the protocol document has it."""
        content: dict[str, Any] = {"count": self.count, "questions": list(self.units)}
        return content | ({"chances": list(self.chances)} if self.chances else {})


def wave_column(count: int) -> Question:
    """Describe the column of the wave in a file of reports, as if it were a direct question."""
    waves = tuple(Answer(code_of(wave), f"Wave {wave}") for wave in range(1, count + 1))
    text = "Which wave this is"
    return Question(COLUMN, text, QuestionType.SINGLE, waves, protection=Protection.DIRECT)
