"""What a store tells of what it holds: states, outcomes, records and copies."""

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
"""For each item of a report, in order, how often each of its bytes came, not asked too."""


@dataclass(frozen=True)
class Snapshot:
    """All that the desk may know of a survey's reports: at one moment, the same for all who look.

    It takes in reports by whole batches (`deniable.server.store.sql.batches`), and is never counted
    anew: whoever writes reports keeps it.
    """

    # By revision and wave, those that have reports in it. The wave is 0 where there are none.
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
class RevisionCopy:
    """A revision with its reports, for another store."""

    survey: Survey
    # Id and answers of each report that is not in the snapshot yet, in the order of the ids
    held: tuple[tuple[bytes, bytes], ...]
    # The same of all others. To be read once, before those of the next revision.
    reports: Iterator[tuple[bytes, bytes]]
    source: str = ""  # the survey file, empty if it is not known


@dataclass(frozen=True)
class SurveyCopy:
    """All that a store holds of a survey."""

    slug: str
    revision: str  # the current one
    state: State  # what its owner set
    wave: int  # the one that is on; 1 if the survey has none
    schedule: Schedule
    revisions: tuple[RevisionCopy, ...]  # the oldest first
    codes: tuple[bytes, ...] = ()  # of each invitation the hash of its code
    # Of each that was spent the wave, the hash of the code, and the hash of what was signed
    spent: tuple[tuple[int, bytes, bytes], ...] = ()
    # How many reports in the snapshot came without a code, where there are codes
    without_code: int = 0
    # When a server last looked at it, and when its reports went, as
    # `deniable.server.store.sql.retention.Retention` has them
    days: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class TableCopy:
    """A table of a store; both engines have the same ones."""

    name: str
    columns: tuple[str, ...]
    # In the order of the columns. To be read once, before those of the next table.
    rows: Iterator[tuple[Any, ...]]


@dataclass(frozen=True)
class Age:
    """How old a store is."""

    name: str  # as `deniable.server.store.store.Store.name`
    # Its version, and this program's
    found: int
    expected: int
    unseen: str  # why a server that uses it might not be seen; empty if each would be
