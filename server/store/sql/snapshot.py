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
from deniable.server.store.sql.database import Database, StoredReport

ROWS: Final = 1000
"""Rows in one statement; far below both engines' limit of values."""

_Value = TypeVar("_Value")


def read_snapshot(db: Database, slug: str) -> Snapshot:
    """Read the tally of a survey, in one statement and so at one moment."""
    tallies: dict[str, dict[int, list[dict[int, int]]]] = {}
    for revision, wave, place, report, times in db.execute(
        "SELECT revisions.revision, wave, place, report, count "
        "FROM tallies JOIN revisions ON number = tallies.revision WHERE survey = ? "
        "ORDER BY number, wave, place, report",
        (slug,),
    ):
        counts = tallies.setdefault(revision, {}).setdefault(wave, [])
        if place == len(counts):
            counts.append({})
        counts[place][report] = times
    return Snapshot(
        {
            revision: {wave: tuple(counts) for wave, counts in waves.items()}
            for revision, waves in tallies.items()
        }
    )


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
        (revision, wave, place, report, times)
        for place, counts in enumerate(count(rows, waves))
        for report, times in sorted(counts.items())
    ]
    for part in parts(counted):
        db.execute(
            "INSERT INTO tallies VALUES (?, ?, ?, ?, ?)"
            + ", (?, ?, ?, ?, ?)" * (len(part) - 1)
            + " ON CONFLICT (revision, wave, place, report) "
            "DO UPDATE SET count = tallies.count + excluded.count",
            [*chain.from_iterable(part)],
        )


def count(rows: Sequence[bytes], waves: int) -> Counts:
    """Count how often each byte occurs at each item's place, in rows of one wave of so many."""
    joined, length = b"".join(rows), len(rows[0]) if rows else 0
    items = length - (waves > 1)
    return tuple(Counter(joined[place::length]) for place in range(items))


def parts(rows: Sequence[_Value]) -> Iterator[Sequence[_Value]]:
    """Yield rows in parts for one statement each."""
    for start in range(0, len(rows), ROWS):
        yield rows[start : start + ROWS]
