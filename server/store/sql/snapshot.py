"""The snapshot that the desk may see, updated inside a transaction that the caller commits.

The snapshot is the table of reports and its tally. Held-back reports have a table of their own with
the same columns: a report does not name its batch, and leaves nothing behind when it moves.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, TypeVar

from deniable.server.store.records import Counts, Snapshot
from deniable.server.store.sql.batches import moving
from deniable.server.store.sql.checksums import (
    Tallied,
    add_to_checksums,
    check_tallies,
    checksum_of_tallies,
)
from deniable.server.store.sql.database import Database, StoredReport, Unreadable
from deniable.server.store.sql.revisions import was_changed

ROWS: Final = 1000
"""Rows in one statement; far below both engines' limit of values."""

_Value = TypeVar("_Value")


def read_snapshot(db: Database, slug: str) -> Snapshot:
    """Read the tallies of a survey, and check them; no report is read."""
    revisions = db.execute(
        "SELECT number, revision, document FROM revisions WHERE survey = ? ORDER BY number", (slug,)
    ).fetchall()
    if any(was_changed(document, revision) for _, revision, document in revisions):
        raise Unreadable(f"survey {slug!r}: the text of a revision was changed")
    return Snapshot(
        {
            revision: {wave: tuple(counts) for wave, counts in waves.items()}
            for number, revision, _ in revisions
            if (waves := _tallies_of(db, number))
        }
    )


def _tallies_of(db: Database, number: int) -> dict[int, list[dict[int, int]]]:
    """Return the tallies of a revision, by wave and place; raise `Unreadable` if damaged."""
    rows: list[Tallied] = db.execute(
        "SELECT wave, place, report, count FROM tallies WHERE revision = ? "
        "ORDER BY wave, place, report",
        (number,),
    ).fetchall()
    check_tallies(db, number, rows)
    tallies: dict[int, list[dict[int, int]]] = {}
    for wave, place, report, times in rows:
        counts = tallies.setdefault(wave, [])
        if place == len(counts):
            counts.append({})
        counts[place][report] = times
    return tallies


def held_reports(db: Database, revision: int) -> list[StoredReport]:
    """Return the held-back reports to a revision, of all waves, by id."""
    held = "SELECT id, answers FROM held WHERE revision = ? ORDER BY id"
    return db.execute(held, (revision,)).fetchall()


def publish_held(db: Database, slug: str) -> None:
    """Let the snapshot take in the held-back reports of a closing survey or an ended wave."""
    revisions = db.execute("SELECT number, batch, waves FROM revisions WHERE survey = ?", (slug,))
    for number, batch, waves in revisions.fetchall():
        for wave, reports in by_wave(held_reports(db, number), waves):
            if moving(len(reports), batch, over=True):
                db.add_rows("reports", number, reports)
                db.remove_rows("held", number, [id for id, _ in reports])
                add_to_tally(db, number, wave, [row for _, row in reports], waves)


def by_wave(
    reports: Iterable[StoredReport], waves: int
) -> Iterator[tuple[int, list[StoredReport]]]:
    """Yield reports to a revision by their wave, the last byte of a row where there are several."""
    found: dict[int, list[StoredReport]] = {}
    for id, row in reports:
        found.setdefault(row[-1] + 1 if waves > 1 else 1, []).append((id, row))
    yield from sorted(found.items())


def add_to_tally(db: Database, revision: int, wave: int, rows: Sequence[bytes], waves: int) -> None:
    """Add the rows of reports to the tally of a revision, which has so many waves, and wave."""
    counted = [
        (wave, place, report, times)
        for place, counts in enumerate(count(rows, waves))
        for report, times in sorted(counts.items())
    ]
    for part in parts([(revision, *one) for one in counted]):
        db.execute(
            "INSERT INTO tallies VALUES (?, ?, ?, ?, ?)"
            + ", (?, ?, ?, ?, ?)" * (len(part) - 1)
            + " ON CONFLICT (revision, wave, place, report) "
            "DO UPDATE SET count = tallies.count + excluded.count",
            [*chain.from_iterable(part)],
        )
    if counted:
        add_to_checksums(db, revision, tallies=checksum_of_tallies(counted))


def count(rows: Sequence[bytes], waves: int) -> Counts:
    """Count how often each byte occurs at each item's place, in rows of one wave of so many."""
    joined, length = b"".join(rows), len(rows[0]) if rows else 0
    items = length - (waves > 1)
    return tuple(Counter(joined[place::length]) for place in range(items))


def parts(rows: Sequence[_Value]) -> Iterator[Sequence[_Value]]:
    """Yield rows in parts for one statement each."""
    for start in range(0, len(rows), ROWS):
        yield rows[start : start + ROWS]
