"""What a survey is: a survey of its own, the trial of one, or a question of a meeting.

Both are surveys with revisions of their own, so nothing can pool their reports with those of people
or of a study. The document says so, which is hashed, and the address says nothing. No survey file
can name an address with a dot in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["survey", "trial", "meeting"]

Asks: TypeAlias = Literal["randomised", "direct", "prior"]
"""How a class is asked a question: with noise, without, or what it believes before any report."""

ASKS: Final[tuple[Asks, ...]] = ("randomised", "direct", "prior")

_CODE: Final = re.compile(r"[A-Z0-9]+")


class MeetingQuestion(NamedTuple):
    """Which question of which meeting a survey is.

    `code`: what people type to join the meeting. `number`, `run`: which question it is, and how
    often it was started anew, both from 1.
    """

    code: str
    number: int
    run: int = 1
    asks: Asks = "randomised"

    @property
    def slug(self) -> str:
        """The address."""
        ending = "" if self.asks == "randomised" else f"-{self.asks}"
        return f"meeting.{self.code.lower()}-{self.number}-{self.run}{ending}"


Parent: TypeAlias = str | MeetingQuestion | None
"""The survey that a trial is of, by its address; the question of a meeting; None of a survey."""


def kind_of(parent: Parent) -> Kind:
    """Return what a survey with this parent is."""
    return "survey" if parent is None else "trial" if isinstance(parent, str) else "meeting"


def parent_name(parent: Parent) -> str:
    """Return by what a store finds all that belongs to a survey or a meeting; empty if none."""
    return parent.code if isinstance(parent, MeetingQuestion) else parent or ""


def trial_slug(slug: str, draft: str = "") -> str:
    """Return the name of a survey's trial, or of a draft's, whose id nobody else can guess.

    >>> trial_slug("nurses")
    'trial.nurses'
    """
    return f"trial.{slug}{draft and f'.{draft}'}"


def survey_tried(slug: str, parent: Parent) -> str:
    """Return the survey that this is the trial of; empty of a draft's trial and of all else."""
    return parent if isinstance(parent, str) and slug == trial_slug(parent) else ""


def read_parent(entry: str | Mapping[str, Any] | None) -> Parent:
    """Read the parent of a document."""
    if entry is None or isinstance(entry, str):
        return entry
    question = MeetingQuestion(**entry)
    numbers = (question.number, question.run)
    if (
        not _CODE.fullmatch(question.code)
        or any(type(one) is not int or one < 1 for one in numbers)
        or question.asks not in ASKS
    ):
        raise ValueError(f"expected a question of a meeting, found {entry}")
    return question


def parent_document(parent: str | MeetingQuestion) -> dict[str, Any]:
    """Write kind and parent for a document."""
    entry = parent if isinstance(parent, str) else parent._asdict()
    return {"kind": kind_of(parent), "parent": entry}
