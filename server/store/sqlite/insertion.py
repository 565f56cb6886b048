"""Putting reports into their table, inside a transaction that the caller commits."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from deniable.document import REVISION_DIGITS
from deniable.report import Report
from deniable.server.store.records import Outcome, State

_ROWS: Final = 1000
"""Rows of one statement, far below SQLite's limit of values in one."""

_INSERT: Final = "INSERT INTO reports VALUES (?, ?, ?)"
_OR_NOTHING: Final = " ON CONFLICT DO NOTHING"

_REVISION: Final = re.compile(rf"[0-9a-f]{{{REVISION_DIGITS}}}")


class NotAllNew(Exception):
    """A batch that holds something else than new reports to open surveys."""


@dataclass(frozen=True)
class Standing:
    """A revision, and which reports to it are taken now.

    Parameters
    ----------
    number : int
        Stands for the revision in the key of its reports.
    state : State
        Of the survey.
    wave : int or None
        The wave that is on; None if the revision has none.
    """

    number: int
    state: State
    wave: int | None

    def refusal(self, report: Report) -> Outcome | None:
        """Return what becomes of a new report that is not taken; None if it is."""
        if self.state is not State.OPEN:
            return Outcome.CLOSED
        # The last byte of a report says which wave it is of, counted from 0.
        if self.wave is not None and report.answers[-1] != self.wave - 1:
            return Outcome.OVER
        return None


def insert_new(db: sqlite3.Connection, reports: Sequence[Report]) -> list[Outcome]:
    """Store reports inside a transaction if they are new, as nearly all are.

    One statement for many rows: the interpreter is let go and taken back once, and not once a
    report while requests are waiting for it.
    """
    revisions = _revisions(db, reports)
    rows = []
    # By key, so that the log of writes does not show who of a batch came first.
    for report in sorted(reports, key=lambda report: report.id):
        found = revisions[report.survey, report.revision]
        if found is None or found.refusal(report) is not None:
            raise NotAllNew
        rows.append((found.number, report.id, report.answers))
    for start in range(0, len(rows), _ROWS):
        part = rows[start : start + _ROWS]
        inserted = db.execute(
            _INSERT + ", (?, ?, ?)" * (len(part) - 1) + _OR_NOTHING, [*chain(*part)]
        )
        if inserted.rowcount != len(part):
            raise NotAllNew
    return [Outcome.STORED] * len(reports)


def insert_any(db: sqlite3.Connection, reports: Sequence[Report]) -> list[Outcome]:
    """Store reports inside a transaction, each by itself."""
    revisions = _revisions(db, reports)
    outcomes = [Outcome.UNKNOWN] * len(reports)
    # The sort is stable: of two reports with one id, the first stays the first.
    for position in sorted(range(len(reports)), key=lambda at: reports[at].id):
        report = reports[position]
        found = revisions[report.survey, report.revision]
        if found is not None:
            outcomes[position] = _insert(db, found, report)
    return outcomes


def _revisions(
    db: sqlite3.Connection, reports: Sequence[Report]
) -> dict[tuple[str, str], Standing | None]:
    """Look up the revisions that reports name.

    State and wave are read under the same lock as the writing: what another process closes, and a
    wave that it ends, takes no report after that.
    """
    return {
        key: standing(db, *key) for key in {(report.survey, report.revision) for report in reports}
    }


def _insert(db: sqlite3.Connection, found: Standing, report: Report) -> Outcome:
    """Store one report inside a transaction."""
    refusal = found.refusal(report)
    if refusal is None:
        inserted = db.execute(_INSERT + _OR_NOTHING, (found.number, report.id, report.answers))
        if inserted.rowcount:
            return Outcome.STORED
    # Also when the survey is closed: a device whose acknowledgement was lost must learn that its
    # report counts.
    row = db.execute(
        "SELECT answers FROM reports WHERE revision = ? AND id = ?", (found.number, report.id)
    ).fetchone()
    if row is None:
        return refusal or Outcome.CLOSED
    return Outcome.REPEATED if row[0] == report.answers else Outcome.CONFLICT


def standing(db: sqlite3.Connection, slug: str, revision: str) -> Standing | None:
    """Return how a revision stands; None if there is no such one."""
    # What a client sent may hold characters that no database can be asked for.
    if not _REVISION.fullmatch(revision):
        return None
    row = db.execute(
        "SELECT number, state, wave, waves FROM revisions JOIN surveys ON slug = survey "
        "WHERE revisions.revision = ? AND slug = ?",
        (revision, slug),
    ).fetchone()
    if row is None:
        return None
    number, state, wave, waves = row
    return Standing(int(number), State(state), int(wave) if waves else None)
