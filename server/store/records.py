"""What a store tells of what it holds: states, outcomes, records and copies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, StrEnum, auto

from deniable.document import fingerprint_of
from deniable.survey import Survey


class State(StrEnum):
    """Whether a survey takes reports."""

    OPEN = "open"
    CLOSED = "closed"


class Outcome(Enum):
    """What became of a report."""

    STORED = auto()
    """It is new, and on disk."""
    REPEATED = auto()
    """The same id with the same bytes was on disk already; it is counted once."""
    CONFLICT = auto()
    """The same id with other bytes is on disk, and stays."""
    CLOSED = auto()
    """The survey takes no more reports."""
    OVER = auto()
    """It is of a wave that is over, or has not begun."""
    UNKNOWN = auto()
    """There is no such revision of such a survey."""


@dataclass(frozen=True)
class SurveyRecord:
    """A survey as it stands.

    Parameters
    ----------
    survey : Survey
        The current revision.
    state : State
    count : int
        Reports stored, over all revisions.
    """

    survey: Survey
    state: State
    count: int


@dataclass(frozen=True)
class RevisionRecord:
    """A revision that was served once, and how many reports it got."""

    revision: str
    count: int

    @property
    def fingerprint(self) -> str:
        """What people compare."""
        return fingerprint_of(self.revision)


@dataclass(frozen=True)
class RevisionCopy:
    """A revision with its reports, for another store.

    Parameters
    ----------
    survey : Survey
    reports : iterator of (bytes, bytes)
        Id and answers of each, in the order of the ids. To be read once, before those of the next
        revision.
    """

    survey: Survey
    reports: Iterator[tuple[bytes, bytes]]


@dataclass(frozen=True)
class SurveyCopy:
    """All that a store holds of a survey.

    Parameters
    ----------
    slug : str
    revision : str
        The current one.
    state : State
    wave : int
        The one that is on; 1 if the survey has none.
    revisions : tuple of RevisionCopy
        The oldest first.
    """

    slug: str
    revision: str
    state: State
    wave: int
    revisions: tuple[RevisionCopy, ...]
