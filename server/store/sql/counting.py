"""Counting a store anew: do the reports give what was kept of them."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from deniable.server.store.sql.database import Database, Row
from deniable.server.store.sql.seals import parts_of, seal_of
from deniable.server.store.sql.snapshot import by_wave, count
from deniable.survey.document import revision_of

_Tallies: TypeAlias = dict[tuple[int, int, int, int], int]
"""How often each byte came: by revision, wave, place and byte."""


@dataclass
class Counted:
    """What the reports of a store give.

    Parameters
    ----------
    total : int
        How many there are.
    faults : list of str
        What differs from what was kept of them, in a sentence each.
    """

    total: int = 0
    faults: list[str] = field(default_factory=list)


def count_anew(db: Database, *, end: float = math.inf) -> Counted:
    """Count all reports, and compare them with the tallies and the seals."""
    found = Counted()
    for slug, seal in db.execute("SELECT slug, seal FROM surveys ORDER BY slug").fetchall():
        revisions = db.execute(
            "SELECT number, revision, document, waves FROM revisions WHERE survey = ?", (slug,)
        ).fetchall()
        sealed, whole = 0, True
        for number, revision, document, waves in revisions:
            if revision_of(document.encode()) != revision:
                found.faults.append(f"survey {slug!r}: the text of a revision was changed")
            one = _Revision(number, bool(waves))
            for table in ("reports", "held"):
                whole = whole and one.read(db, table, end)
            whole = whole and one.read_tokens(db, end)
            sealed += one.seal
            found.total += one.total
            if one.has_misfits or (whole and one.tallies != _kept(db, number)):
                found.faults.append(
                    f"survey {slug!r}: the reports do not give the tallies that were kept with them"
                )
        if whole and sealed != seal:
            found.faults.append(
                f"survey {slug!r}: the reports do not give the sum that was kept with them"
            )
    return found


class _Revision:
    """What the reports to one revision give."""

    def __init__(self, number: int, has_waves: bool) -> None:
        self._number = number
        self._has_waves = has_waves
        self.tallies: _Tallies = {}
        self.seal = 0
        self.total = 0
        self.has_misfits = False

    def read(self, db: Database, table: str, end: float) -> bool:
        """Read its reports in a table; return whether there was time for all of them."""
        for part in parts_of(db, table, self._number):
            if time.monotonic() > end:
                return False
            if _fit(part):
                self._add(part, tallied=table == "reports")
            else:
                self.has_misfits = True
        return True

    def read_tokens(self, db: Database, end: float) -> bool:
        """Read the tokens of its reports; return whether there was time for all of them."""
        for part in parts_of(db, "proofs", self._number, "token"):
            if time.monotonic() > end:
                return False
            if _fit(part):
                self.seal += seal_of(part)
            else:
                self.has_misfits = True
        return True

    def _add(self, rows: Sequence[Row], *, tallied: bool) -> None:
        self.total += len(rows)
        self.seal += seal_of(rows)
        for wave, those in by_wave(rows, has_waves=self._has_waves) if tallied else ():
            for place, counts in enumerate(count([row for _, row in those], wave)):
                for report, times in counts.items():
                    key = (self._number, wave, place, report)
                    self.tallies[key] = self.tallies.get(key, 0) + times


def _fit(rows: Sequence[Row]) -> bool:
    """Return whether these look like reports to one revision; damage may leave anything."""
    if not all(isinstance(cell, bytes) for row in rows for cell in row):
        return False
    widths = {len(answers) for _, answers in rows}
    return len(widths) == 1 and widths != {0}


def _kept(db: Database, number: int) -> _Tallies:
    rows: Iterator[tuple[int, int, int, int, int]] = iter(
        db.execute(
            "SELECT revision, wave, place, report, count FROM tallies WHERE revision = ?", (number,)
        )
    )
    return {row[:4]: row[4] for row in rows}
