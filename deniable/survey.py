"""A survey: what is asked, compiled into the items that are randomised.

A researcher writes questions; a browser randomises *items*. `single` and `number` questions are
one item, `many` is an item per option and `grid` an item per row. `Survey.document` is the protocol
document that server, browser and headless respondent share; its hash is the revision.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

from deniable import exact
from deniable.channel import Channel, identity

PREFER_NOT_TO_SAY: Final = "prefer_not_to_say"
"""Code of the answer that declines, an ordinary answer inside the randomised domain."""

NOISY: Final = "_noisy"
"""How the columns of randomised items end in an export, so that nobody tabulates them as truth."""

REVISION_DIGITS: Final = 32
"""Hex digits of a revision: the first 128 bits of a SHA-256."""


class QuestionType(StrEnum):
    """What kind of answer a question takes."""

    SINGLE = "single"
    MANY = "many"
    NUMBER = "number"
    GRID = "grid"


class Protection(StrEnum):
    """Whether an answer is randomised before it leaves the browser, or sent as it is given."""

    RANDOMISED = "randomised"
    DIRECT = "direct"


@dataclass(frozen=True)
class Answer:
    """One answer, or one row of a grid: the code that is exported and the text that is read."""

    code: str
    text: str


@dataclass(frozen=True)
class Question:
    """What a person reads.

    Parameters
    ----------
    id : str
        Unique in the survey.
    text : str
        The question, plain text.
    type : QuestionType
    answers : tuple of Answer
        The answers of a `single` or `grid`, the options of a `many`, the levels of a `number`;
        without "prefer not to say".
    rows : tuple of Answer
        The rows of a `grid`, otherwise empty.
    protection : Protection
    prefer_not_to_say : bool
        Whether declining is one more answer.
    hint : str
        A line of help below the question, or nothing.
    """

    id: str
    text: str
    type: QuestionType
    answers: tuple[Answer, ...]
    rows: tuple[Answer, ...] = ()
    protection: Protection = Protection.RANDOMISED
    prefer_not_to_say: bool = False
    hint: str = ""

    @property
    def truths(self) -> tuple[Answer, ...]:
        """What the truth of each of its items can be, declining last."""
        if self.type is QuestionType.MANY:
            answers: tuple[Answer, ...] = (Answer("no", "No"), Answer("yes", "Yes"))
        else:
            answers = self.answers
        if self.prefer_not_to_say:
            answers += (Answer(PREFER_NOT_TO_SAY, "Prefer not to say"),)
        return answers

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """The id and text of each of its items."""
        if self.type is QuestionType.MANY:
            return tuple((f"{self.id}.{option.code}", option.text) for option in self.answers)
        if self.type is QuestionType.GRID:
            return tuple((f"{self.id}.{row.code}", row.text) for row in self.rows)
        return ((self.id, self.text),)


@dataclass(frozen=True)
class Item:
    """What is randomised: one channel, one byte of a report.

    Parameters
    ----------
    id : str
        The question's id, followed by ``.code`` of the option or row where there are several.
    question : str
        The question's id.
    text : str
        What is asked: the text of the question, option or row.
    truths, reports : tuple of Answer
        What the rows and columns of the channel are called.
    channel : Channel
        The identity for a direct item.
    protection : Protection
    """

    id: str
    question: str
    text: str
    truths: tuple[Answer, ...]
    reports: tuple[Answer, ...]
    channel: Channel
    protection: Protection

    @property
    def epsilon(self) -> float | None:
        """Privacy loss of one report of this item; None if it is sent as it is given."""
        return None if self.protection is Protection.DIRECT else self.channel.epsilon

    @property
    def flips(self) -> tuple[float, ...] | None:
        """For each truth, the chance that the report is not the truth.

        None if it is asked directly, or its reports are not named after its truths.
        """
        if self.protection is Protection.DIRECT or self.reports != self.truths:
            return None
        return tuple(float(1 - kept) for kept in self.channel.probabilities.diagonal())

    @property
    def epsilon_millionths(self) -> int:
        """Privacy loss in millionths, 0 for a direct item, which no budget covers."""
        if self.protection is Protection.DIRECT:
            return 0
        millionths = self.channel.epsilon_millionths
        if millionths is None:
            raise ValueError(f"item {self.id!r}: expected a bounded epsilon, found infinity")
        return millionths


@dataclass(frozen=True)
class Survey:
    """Questions, their items and the promise that covers them.

    Parameters
    ----------
    slug : str
        The survey's name in its address.
    title, introduction : str
        Plain text.
    epsilon_millionths : int
        The most that answering everything reveals, in millionths.
    questions : tuple of Question
    items : tuple of Item
        In the order of the questions.

    Raises
    ------
    ValueError
        If the items' ε add up to more than is promised.
    """

    slug: str
    title: str
    introduction: str
    epsilon_millionths: int
    questions: tuple[Question, ...]
    items: tuple[Item, ...]

    def __post_init__(self) -> None:
        """Hold the promise: integers add exactly, so nothing is lost in the sum."""
        if self.spent_millionths > self.epsilon_millionths:
            raise ValueError(
                f"the items' epsilon add up to {self.spent_millionths / exact.MILLION}, "
                f"more than the {self.epsilon_millionths / exact.MILLION} promised"
            )

    @property
    def epsilon(self) -> float:
        """The most that answering everything reveals."""
        return self.epsilon_millionths / exact.MILLION

    @property
    def spent_millionths(self) -> int:
        """What the items really cost together, in millionths: at most what is promised."""
        return sum(item.epsilon_millionths for item in self.items)

    @cached_property
    def report_counts(self) -> tuple[int, ...]:
        """How many reports the channel of each item has."""
        return tuple(item.channel.reports for item in self.items)

    @cached_property
    def revision(self) -> str:
        """Hash of everything that is asked and promised, 32 hex digits."""
        return hashlib.sha256(canonical_json(self._content())).hexdigest()[:REVISION_DIGITS]

    @cached_property
    def document(self) -> dict[str, Any]:
        """The protocol document, as JSON-ready values."""
        return {**self._content(), "revision": self.revision}

    def question(self, id: str) -> Question:
        """Return the question of that id.

        Raises
        ------
        KeyError
            If there is none.
        """
        for question in self.questions:
            if question.id == id:
                return question
        raise KeyError(id)

    def items_of(self, question: Question) -> tuple[Item, ...]:
        """Return the items of a question, in order."""
        return tuple(item for item in self.items if item.question == question.id)

    def epsilon_of(self, question: Question) -> float:
        """Return the privacy loss of a whole question, 0 if it is asked directly."""
        millionths = sum(item.epsilon_millionths for item in self.items_of(question))
        return millionths / exact.MILLION

    def _content(self) -> dict[str, Any]:
        return {
            "survey": self.slug,
            "title": self.title,
            "introduction": self.introduction,
            "epsilon": self.epsilon,
            "questions": [_question_document(question) for question in self.questions],
            "items": [_item_document(item) for item in self.items],
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Survey:
        """Read a protocol document, and check what it promises.

        Parameters
        ----------
        document : mapping
            What `document` gave, perhaps by way of JSON.

        Returns
        -------
        Survey

        Raises
        ------
        ValueError
            If it is not such a document, if its revision or an ε is not what its content says, or
            if its items reveal more than it promises. A server that serves a false label is found
            out here by the headless respondent, as it is in the browser.
        """
        try:
            questions = tuple(_read_question(entry) for entry in document["questions"])
            protections = {question.id: question.protection for question in questions}
            survey = cls(
                slug=document["survey"],
                title=document["title"],
                introduction=document["introduction"],
                epsilon_millionths=round(document["epsilon"] * exact.MILLION),
                questions=questions,
                items=tuple(
                    _read_item(entry, protections[entry["question"]]) for entry in document["items"]
                ),
            )
        except (KeyError, TypeError, AttributeError, OverflowError) as mistake:
            raise ValueError(f"expected a protocol document, found a bad part: {mistake}") from None
        if survey.document != document:
            raise ValueError(
                "the protocol document does not agree with itself: its revision, or the epsilon of "
                "one of its items, is not what its weights say"
            )
        return survey


def compile_items(question: Question, channels: Sequence[Channel]) -> tuple[Item, ...]:
    """Compile a question into its items.

    Parameters
    ----------
    question : Question
    channels : sequence of Channel
        One for each of `question.parts`; ignored (the identity is used) if it is asked directly.

    Returns
    -------
    tuple of Item
    """
    if question.protection is Protection.DIRECT:
        channels = [identity(len(question.truths))] * len(question.parts)
    return tuple(
        Item(
            id=id,
            question=question.id,
            text=text,
            truths=question.truths,
            reports=name_reports(question.truths, channel),
            channel=channel,
            protection=question.protection,
        )
        for (id, text), channel in zip(question.parts, channels, strict=True)
    )


def name_reports(truths: tuple[Answer, ...], channel: Channel) -> tuple[Answer, ...]:
    """Name a channel's reports: after the truths where there are as many, else by number."""
    if channel.reports == len(truths):
        return truths
    return tuple(
        Answer(f"report_{number}", f"Report {number}") for number in range(1, channel.reports + 1)
    )


def canonical_json(value: object) -> bytes:
    """Write a value as JSON in the one form that is hashed: sorted keys, no spaces, UTF-8."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def _question_document(question: Question) -> dict[str, Any]:
    return {
        "id": question.id,
        "text": question.text,
        "hint": question.hint,
        "type": question.type.value,
        "protection": question.protection.value,
        "prefer_not_to_say": question.prefer_not_to_say,
        "answers": _answers_document(question.answers),
        "rows": _answers_document(question.rows),
    }


def _item_document(item: Item) -> dict[str, Any]:
    return {
        "id": item.id,
        "question": item.question,
        "text": item.text,
        "truths": _answers_document(item.truths),
        "reports": _answers_document(item.reports),
        "epsilon": item.epsilon,
        "weights": [list(row) for row in item.channel.weights],
    }


def _answers_document(answers: tuple[Answer, ...]) -> list[dict[str, str]]:
    return [{"code": answer.code, "text": answer.text} for answer in answers]


def _read_question(entry: Mapping[str, Any]) -> Question:
    return Question(
        id=entry["id"],
        text=entry["text"],
        hint=entry["hint"],
        type=QuestionType(entry["type"]),
        protection=Protection(entry["protection"]),
        prefer_not_to_say=entry["prefer_not_to_say"],
        answers=_read_answers(entry["answers"]),
        rows=_read_answers(entry["rows"]),
    )


def _read_item(entry: Mapping[str, Any], protection: Protection) -> Item:
    return Item(
        id=entry["id"],
        question=entry["question"],
        text=entry["text"],
        truths=_read_answers(entry["truths"]),
        reports=_read_answers(entry["reports"]),
        channel=Channel(entry["weights"]),
        protection=protection,
    )


def _read_answers(entries: Sequence[Mapping[str, str]]) -> tuple[Answer, ...]:
    return tuple(Answer(entry["code"], entry["text"]) for entry in entries)
