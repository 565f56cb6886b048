"""The detection of damage: a checksum of a survey's reports, and recounting a store.

The tally shows only damaged answers, and nothing about held-back reports. So each survey keeps the
sum of its reports' checksums. The sum does not depend on the order in which they came, nor on their
table. It detects accidents only: an attacker who can write to the store can fix the sum.
"""

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, TypeAlias
from zlib import crc32

from deniable.server.store.sql.database import Database, StoredReport
from deniable.server.store.sql.snapshot import by_wave, count
from deniable.survey.document import revision_of
from deniable.survey.wordings import chain

_AT_ONCE: Final = 2**15
"""Reports that are read at once."""

_Tallies: TypeAlias = dict[tuple[int, int, int, int], int]
"""How often each byte came: by revision, wave, place and byte."""


def checksum_of(reports: Iterable[StoredReport]) -> int:
    """Return the sum of the checksums of reports."""
    return sum(map(crc32, map(b"".join, reports)))


def add_to_checksum(db: Database, slug: str, difference: int) -> None:
    """Add a difference to the checksum of a survey."""
    db.execute("UPDATE surveys SET seal = seal + ? WHERE slug = ?", (difference, slug))


def checksum_revision(db: Database, slug: str, number: int) -> None:
    """Add all reports to a revision to the checksum of its survey."""
    for table in ("reports", "held"):
        for part in parts_of(db, table, number):
            add_to_checksum(db, slug, checksum_of(part))


def parts_of(db: Database, table: str, number: int) -> Iterator[list[StoredReport]]:
    """Yield the reports to a revision, in parts that fit into memory."""
    reports = iter(
        db.stream(f"SELECT id, answers FROM {table} WHERE revision = ?", (number,))  # noqa: S608
    )
    while part := list(islice(reports, _AT_ONCE)):
        yield part


def count_anew(db: Database, *, end: float = math.inf) -> tuple[int, list[str]]:
    """Recount the reports; return their number, and how they differ from the stored sums."""
    total, faults = 0, list[str]()
    kept_of = db.execute(
        "SELECT slug, seal, revision, check_number FROM surveys ORDER BY slug"
    ).fetchall()
    for slug, kept, current, number_kept in kept_of:
        revisions = db.execute(
            "SELECT number, revision, document, waves FROM revisions WHERE survey = ?", (slug,)
        ).fetchall()
        checksum, whole = 0, True
        for number, revision, document, waves in revisions:
            lines = document.split("\n")
            is_last = len(lines) == 1 or revision != current or chain(lines)[-1] == number_kept
            if revision_of(lines[0].encode()) != revision or not is_last:
                faults.append(f"survey {slug!r}: the text of a revision was changed")
            one = _Revision(number, waves)
            for table in ("reports", "held"):
                whole = whole and one.read(db, table, end)
            checksum += one.checksum
            total += one.total
            if one.has_misfits or (whole and one.tallies != _stored_tallies(db, number)):
                faults.append(
                    f"survey {slug!r}: the reports do not give the tallies that were kept with them"
                )
        if whole and checksum != kept:
            faults.append(
                f"survey {slug!r}: the reports do not give the sum that was kept with them"
            )
    return total, faults


class _Revision:
    """The sums of the reports to one revision."""

    def __init__(self, number: int, waves: int) -> None:
        self._number = number
        self._waves = waves
        self.tallies: _Tallies = {}
        self.checksum = 0
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

    def _add(self, reports: Sequence[StoredReport], *, tallied: bool) -> None:
        self.total += len(reports)
        self.checksum += checksum_of(reports)
        for wave, those in by_wave(reports, self._waves) if tallied else ():
            for place, counts in enumerate(count([row for _, row in those], self._waves)):
                for report, times in counts.items():
                    key = (self._number, wave, place, report)
                    self.tallies[key] = self.tallies.get(key, 0) + times


def _fit(reports: Sequence[StoredReport]) -> bool:
    """Return whether all have the form of reports to one revision; damage may leave anything."""
    if not all(isinstance(cell, bytes) for report in reports for cell in report):
        return False
    widths = {len(row) for _, row in reports}
    return len(widths) == 1 and widths != {0}


def _stored_tallies(db: Database, number: int) -> _Tallies:
    rows: Iterator[tuple[int, int, int, int, int]] = iter(
        db.execute(
            "SELECT revision, wave, place, report, count FROM tallies WHERE revision = ?", (number,)
        )
    )
    return {row[:4]: row[4] for row in rows}
