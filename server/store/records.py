"""What a store tells of what it holds: states, outcomes, records and copies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeAlias

from deniable.server.store.schedule import Schedule, State
from deniable.survey import Survey


class Outcome(Enum):
    """What became of a report."""

    # One is looked up for each report, and the hash of a name takes longer than that of an object.
    __hash__ = object.__hash__

    STORED = auto()
    """It is new, and on disk."""
    REPEATED = auto()
    """The same id with the same bytes was on disk already; it is counted once."""
    CONFLICT = auto()
    """The same id with other bytes is on disk, and stays."""
    CLOSED = auto()
    """The survey takes no more reports."""
    FULL = auto()
    """The survey has as many as it takes; the last of them came before this one."""
    PLANNED = auto()
    """The survey opens later."""
    PAUSED = auto()
    """The survey takes none until its owner opens it again."""
    UNINVITED = auto()
    """The survey is by invitation, and no token or code of its own came with it."""
    SPENT = auto()
    """The code was spent before, for something else."""
    OVER = auto()
    """It is of a wave that is over, or has not begun."""
    UNKNOWN = auto()
    """There is no such revision of such a survey."""


Counts: TypeAlias = tuple[Mapping[int, int], ...]
"""For each item of a report, in order, how often each of its bytes came; 255 is "not asked"."""


@dataclass(frozen=True)
class Snapshot:
    """All that the desk may know of a survey's reports: at one moment, the same for all who look.

    It takes in reports by whole batches (`deniable.server.store.sql.batches`), and is never counted
    anew: whoever writes reports keeps it.

    Parameters
    ----------
    tallies : dict of (str: dict of (int: Counts))
        By revision and wave, those that have reports in it. The wave is 0 where there are none.
    """

    tallies: Mapping[str, Mapping[int, Counts]]

    def count(self, revision: str | None = None, wave: int | None = None) -> int:
        """Return how many reports it has: all, or those of a revision, a wave or both."""
        return sum(
            sum(counts[0].values())
            for of, waves in self.tallies.items()
            for number, counts in waves.items()
            if revision in (None, of) and wave in (None, number)
        )


@dataclass(frozen=True)
class SurveyRecord:
    """A survey as it stands: its current revision, and its state."""

    survey: Survey
    state: State


@dataclass(frozen=True)
class BoardCopy:
    """A board as it was published.

    Parameters
    ----------
    written, signature : bytes
    reports : int
        How many are on it.
    closed : bool
        Whether it says that the survey was closed.
    """

    written: bytes
    signature: bytes
    reports: int
    closed: bool


@dataclass(frozen=True)
class RevisionCopy:
    """A revision with its reports, for another store.

    Parameters
    ----------
    survey : Survey
    held : tuple of (bytes, bytes)
        Id and answers of each report that is not in the snapshot yet, in the order of the ids.
    reports : iterator of (bytes, bytes)
        The same of all others. To be read once, before those of the next revision.
    source : str
        The survey file, empty if it is not known.
    tokens : tuple of (bytes, bytes)
        Id and token of each report that came with one, where reports are published.
    """

    survey: Survey
    held: tuple[tuple[bytes, bytes], ...]
    reports: Iterator[tuple[bytes, bytes]]
    source: str = ""
    tokens: tuple[tuple[bytes, bytes], ...] = ()


@dataclass(frozen=True)
class SurveyCopy:
    """All that a store holds of a survey.

    Parameters
    ----------
    slug : str
    revision : str
        The current one.
    state : State
        What its owner set.
    wave : int
        The one that is on; 1 if the survey has none.
    schedule : Schedule
    revisions : tuple of RevisionCopy
        The oldest first.
    paper_key : bytes
        Under which sheets of paper are known again; empty if none were entered.
    paper_batches : tuple of bytes
        The hash of each batch of them.
    codes : tuple of bytes
        Of each invitation the hash of its code.
    spent : tuple of (int, bytes, bytes)
        Of each that was spent the wave, the hash of the code, and the hash of what was signed.
    without_code : int
        How many reports in the snapshot came without a code, where there are codes.
    boards : tuple of BoardCopy
        What was published of it, the first first.
    days : tuple of (str, str)
        When a server last looked at it, and when its reports went, as
        `deniable.server.store.sql.retention.Retention` has them.
    """

    slug: str
    revision: str
    state: State
    wave: int
    schedule: Schedule
    revisions: tuple[RevisionCopy, ...]
    paper_key: bytes = b""
    paper_batches: tuple[bytes, ...] = ()
    codes: tuple[bytes, ...] = ()
    spent: tuple[tuple[int, bytes, bytes], ...] = ()
    without_code: int = 0
    boards: tuple[BoardCopy, ...] = ()
    days: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class TableCopy:
    """A table of a store; both engines have the same ones.

    Parameters
    ----------
    name : str
    columns : tuple of str
    rows : iterator of tuple
        In the order of the columns. To be read once, before those of the next table.
    """

    name: str
    columns: tuple[str, ...]
    rows: Iterator[tuple[Any, ...]]


@dataclass(frozen=True)
class Age:
    """How old a store is.

    Parameters
    ----------
    name : str
        As `deniable.server.store.store.Store.name`.
    found, expected : int
        Its version, and this program's.
    unseen : str
        Why a server that uses it might not be seen; empty if each would be.
    """

    name: str
    found: int
    expected: int
    unseen: str
