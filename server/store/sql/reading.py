"""The reading of reports, each with its checksum, and the recount of a whole store."""

from collections import Counter
from collections.abc import Iterator
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.report import ID_BYTES
from deniable.server.store.sql.checksums import (
    Tallied,
    check_reports,
    check_tallies,
    checksum_of,
    survey_of,
)
from deniable.server.store.sql.database import Database, Unreadable
from deniable.server.store.sql.revisions import was_changed

_CHUNK_BYTES: Final = 2**22
"""About how many bytes are read at once; far below both engines' limit of a value."""

_AFTER_ALL_IDS: Final = b"\xff" * (ID_BYTES + 1)

Records: TypeAlias = npt.NDArray[np.uint8]
"""Reports to one revision, a row each: the id, then `Report.row`."""


def read_records(db: Database, number: int) -> Iterator[tuple[str, Records]]:
    """Yield all reports to a revision with their table, some thousand at a time, and check each.

    They come in the order of their random keys, then the held ones. After the last,
    `Unreadable` says that a report of either table is not what was written.
    """
    checksum = 0
    for table in ("reports", "held"):
        for records in _chunks(db, table, number):
            checksum += checksum_of(split(records))
            yield table, records
    check_reports(db, number, checksum)


def split(records: Records) -> list[bytes]:
    """Return each report as bytes."""
    return records.view(f"V{records.shape[1]}").ravel().tolist()


def rows_of(records: Records) -> bytes:
    """Return `Report.row` of each report, joined."""
    return records[:, ID_BYTES:].tobytes()


def _chunks(db: Database, table: str, number: int) -> Iterator[Records]:
    damaged = f"survey {survey_of(db, number)!r}: the reports to a revision are not in order"
    first = f"SELECT length(id) + length(answers) FROM {table} WHERE revision = ? LIMIT 1"  # noqa: S608
    length = (db.execute(first, (number,)).fetchone() or (1,))[0] or 1
    reports = max(1, _CHUNK_BYTES // length)
    start: bytes | None = b""
    while start is not None:
        # Each chunk is a range of keys whose rows the database joins, many times faster than
        # one row for each report. The range is found by counting, because respondents choose
        # their keys: many under one prefix must not make a chunk too large.
        (end,) = db.execute(
            f"SELECT id FROM {table} WHERE revision = ? AND id >= ? ORDER BY id LIMIT 1 OFFSET ?",  # noqa: S608
            (number, start, reports),
        ).fetchone() or (None,)
        if end is not None and not (isinstance(end, bytes) and end > start):
            raise Unreadable(damaged)  # else it would be read for ever
        (joined,) = db.execute(
            f"SELECT {db.JOINED} FROM {table} WHERE revision = ? AND id >= ? AND id < ?",  # noqa: S608
            (number, start, end or _AFTER_ALL_IDS),
        ).fetchone()
        if joined:
            if length <= ID_BYTES or len(joined) % length:
                raise Unreadable(damaged)
            yield np.frombuffer(joined, dtype=np.uint8).reshape(-1, length)
        start = end


def count_anew(db: Database) -> tuple[int, list[str]]:
    """Recount the reports; return their number, and how they differ from what was kept of them."""
    total, faults = 0, list[str]()
    kept_of = db.execute("SELECT slug, revision, check_number FROM surveys ORDER BY slug")
    for slug, current, check_number in kept_of.fetchall():
        revisions = db.execute(
            "SELECT number, revision, document, waves FROM revisions WHERE survey = ?", (slug,)
        ).fetchall()
        if current not in ("", *(revision for _, revision, *_ in revisions)):
            faults.append(f"survey {slug!r}: its current revision is missing")
        for number, revision, document, waves in revisions:
            if was_changed(document, revision, check_number if revision == current else ""):
                faults.append(f"survey {slug!r}: the text of a revision was changed")
            counted = _Recount(db, slug, number, waves)
            total += counted.total
            faults += counted.faults
    if not faults:  # else this may be the same damage
        lost = db.execute("SELECT survey FROM revisions EXCEPT SELECT slug FROM surveys")
        faults += [f"survey {slug!r}: its state is missing" for (slug,) in lost.fetchall()]
    return total, [*dict.fromkeys(faults)]


class _Recount:
    """The reports to one revision, counted: how many, and how they differ from what was kept."""

    def __init__(self, db: Database, slug: str, number: int, waves: int) -> None:
        self.total = 0
        self.faults: list[str] = []
        self._tallies: Counter[tuple[int, int, int]] = Counter()
        try:
            for table, records in read_records(db, number):
                self.total += len(records)
                if table == "reports":
                    self._add(records[:, ID_BYTES:], waves)
        except Unreadable as fault:
            self.faults.append(f"{fault}")
        kept: list[Tallied] = db.execute(
            "SELECT wave, place, report, count FROM tallies WHERE revision = ?", (number,)
        ).fetchall()
        if self._tallies != {(wave, place, byte): times for wave, place, byte, times in kept}:
            self.faults.append(
                f"survey {slug!r}: the reports do not give the tallies that were kept with them"
            )
        try:
            check_tallies(db, number, kept)
        except Unreadable as fault:
            self.faults.append(f"{fault}")

    def _add(self, rows: Records, waves: int) -> None:
        of_wave = rows[:, -1] + 1 if waves > 1 else np.ones(len(rows), dtype=np.uint8)
        items = rows[:, : rows.shape[1] - (waves > 1)]
        for wave in np.unique(of_wave).tolist():
            for place, column in enumerate(items[of_wave == wave].T):
                for byte, times in enumerate(np.bincount(column).tolist()):
                    if times:
                        self._tallies[wave, place, byte] += times
