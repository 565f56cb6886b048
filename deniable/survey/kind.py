"""The kind of a survey: a survey of its own, the trial of one, or a question of a meeting.

Trials and questions of meetings are surveys with revisions of their own, so nothing can pool their
reports with the reports of a study. The hashed document names the kind, and the address does not
show it. No survey file can use a slug with a dot, as theirs have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["survey", "trial", "meeting"]

Asks: TypeAlias = Literal["randomised", "direct", "prior"]
"""How a class is asked a question: with noise, without noise, or for a guess of the result."""

ASKS: Final[tuple[Asks, ...]] = ("randomised", "direct", "prior")

_CODE: Final = re.compile(r"[A-Z0-9]+")


class MeetingQuestion(NamedTuple):
    """The meeting and the question that a survey is.

    `code`: the code by which people join the meeting. `number`, `run`: the number of the question,
    and of its run, both from 1.
    """

    code: str
    number: int
    run: int = 1
    asks: Asks = "randomised"

    @property
    def slug(self) -> str:
        """The slug of the survey."""
        ending = "" if self.asks == "randomised" else f"-{self.asks}"
        return f"meeting.{self.code.lower()}-{self.number}-{self.run}{ending}"


Parent: TypeAlias = str | MeetingQuestion | None
"""For a trial the slug of its survey; for a question of a meeting, which one; None for a survey."""


def kind_of(parent: Parent) -> Kind:
    """Return the kind of a survey with this parent."""
    return "survey" if parent is None else "trial" if isinstance(parent, str) else "meeting"


def parent_name(parent: Parent) -> str:
    """Return the key by which a store finds all trials of a survey, or a meeting; empty if none."""
    return parent.code if isinstance(parent, MeetingQuestion) else parent or ""


def trial_slug(slug: str, draft: str = "") -> str:
    """Return the slug of a survey's trial, or of a draft's trial; `draft` is an unguessable id.

    >>> trial_slug("nurses")
    'trial.nurses'
    """
    return f"trial.{slug}{draft and f'.{draft}'}"


def survey_tried(slug: str, parent: Parent) -> str:
    """Return the slug of the survey of a trial; empty for a draft's trial and for other surveys."""
    return parent if isinstance(parent, str) and slug == trial_slug(parent) else ""


def read_parent(entry: str | Mapping[str, Any] | None) -> Parent:
    """Read the parent in a protocol document."""
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
    """Write kind and parent for a protocol document."""
    entry = parent if isinstance(parent, str) else parent._asdict()
    return {"kind": kind_of(parent), "parent": entry}
