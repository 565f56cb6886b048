"""The values that a store returns: outcomes, the snapshot, records and copies."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeAlias

from deniable.server.store.schedule import Schedule, State
from deniable.survey import Survey


class Outcome(Enum):
    """The result of storing a report, or of spending a code."""

    # An outcome is looked up for each report, and Enum's hash takes longer than an object's.
    __hash__ = object.__hash__

    STORED = auto()
    """The report is new, and on disk."""
    REPEATED = auto()
    """The same id with the same bytes was on disk already; it is counted once."""
    CONFLICT = auto()
    """The same id with other bytes is on disk, and stays."""
    CLOSED = auto()
    """The survey takes no more reports."""
    FULL = auto()
    """The survey has as many reports as its cap, until its owner raises or ends it."""
    PLANNED = auto()
    """The survey opens later."""
    PAUSED = auto()
    """The survey takes no reports until its owner opens it again."""
    WAITING = auto()
    """A date of the survey was crossed by a jump of the clock alone."""
    UNINVITED = auto()
    """The survey is by invitation, and no valid token or code came."""
    AGAIN = auto()
    """The code is spent for this number, as one that was spent in an earlier wave, too."""
    SPENT = auto()
    """The code was spent before, for another number."""
    OVER = auto()
    """The report's wave, or the token request's key, is not the current one."""
    UNKNOWN = auto()
    """There is no such revision; or the survey needs no code."""


Counts: TypeAlias = tuple[Mapping[int, int], ...]
"""For each item, in order, how often each byte came, including "not asked"."""


@dataclass(frozen=True)
class Snapshot:
    """All that the desk may know about a survey's reports, the same for everybody at one moment.

    It takes in reports by whole batches (`deniable.server.store.sql.batches`), and is not
    recounted: each writer of reports updates it.
    """

    # By revision and wave, if they have reports in it.
    tallies: Mapping[str, Mapping[int, Counts]]

    def count(self, revision: str | None = None, wave: int | None = None) -> int:
        """Return the number of reports: all, or of a revision, a wave or both."""
        return sum(
            sum(counts[0].values())
            for of, waves in self.tallies.items()
            for number, counts in waves.items()
            if revision in (None, of) and wave in (None, number)
        )


def arrived(reports: int, survey: Survey) -> str:
    """Say how many reports are known to have arrived; before the first batch, under two batches."""
    is_known = reports or survey.shown_batch == 1
    return f"{reports:,}" if is_known else f"fewer than {2 * survey.batch}"


@dataclass(frozen=True)
class SurveyRecord:
    """A survey's current revision and state."""

    survey: Survey
    state: State


@dataclass(frozen=True)
class RevisionCopy:
    """A revision with its reports, for another store."""

    survey: Survey
    # Id and `Report.row` of each held report, in the order of the ids
    held: tuple[tuple[bytes, bytes], ...]
    # The same of all others. Read them once, before the next revision's.
    reports: Iterator[tuple[bytes, bytes]]
    source: str = ""  # the survey file; empty if unknown


@dataclass(frozen=True)
class SurveyCopy:
    """A whole survey, for another store."""

    slug: str
    revision: str  # the current one
    state: State  # what its owner set
    wave: int  # the current one
    schedule: Schedule
    revisions: tuple[RevisionCopy, ...]  # the oldest first
    codes: tuple[bytes, ...] = ()  # hashes of the invitation codes
    # For each spent code: the wave, the code's hash, and the hash of the signed number
    spent: tuple[tuple[int, bytes, bytes], ...] = ()
    # How many reports in the snapshot came without a code, if there are codes
    without_code: int = 0
    # Its columns `seen`, `doubted` and `deleted`
    days: tuple[str, str, str] = ("", "", "")
    # Which direct columns left, and below how many people answers were hidden
    left: tuple[str, int] = ("", 0)


@dataclass(frozen=True)
class TableCopy:
    """A table of a store; both engines have the same ones."""

    name: str
    columns: tuple[str, ...]
    # In the order of the columns. Read them once, before the next table's.
    rows: Iterator[tuple[Any, ...]]


@dataclass(frozen=True)
class Age:
    """A store's version and this program's."""

    name: str  # as `deniable.server.store.store.Store.name`
    # Its version, and this program's
    found: int
    expected: int
    unseen: str  # why a server that uses it might not be seen; or empty
