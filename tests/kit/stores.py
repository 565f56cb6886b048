"""What lies in a store, asked of it as another store would."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from deniable.server.store import Store


def reports_in(store: Store, slug: str = "doping") -> dict[bytes, bytes]:
    """Return the answers of every report to a survey, by its id; each id must be there once."""
    with store.copying(slug) as copy:
        rows = [row for one in copy.revisions for part in (one.reports, one.held) for row in part]
    reports = dict(rows)
    assert len(reports) == len(rows)
    return reports


def adopt(second: Store, store: Store, slug: str = "doping") -> int:
    """Copy a survey into another store, and return how many reports it has."""
    with store.copying(slug) as copy:
        return second.adopt(copy)


def disk_of(store: Store) -> bytes:
    """Return all that a thief of the disk finds of a store in a file."""
    path = Path(store.name)
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(f"{path.name}*")))


def tables_in(store: Store, *, backed_up: bool = False) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of every table that has some, but for people who are signed in.

    With `backed_up`, return them as they are after its backup was restored.
    """
    with store.copying_for_backup() if backed_up else store.copying_all() as tables:
        rows = {table.name: [*table.rows] for table in tables}
    return {name: found for name, found in rows.items() if found}


def empty(path: Path) -> None:
    """Take every survey, report and account out of a store, which no command does."""
    with closing(sqlite3.connect(path, timeout=20)) as db, db:
        tables = "reports held tallies users shares sessions sign_ins "
        tables += "drafts invitations issued meetings"
        for table in tables.split():
            db.execute(f"DELETE FROM {table}")  # noqa: S608  a name from above
        db.execute("DELETE FROM surveys")
        db.execute("UPDATE checksums SET reports = 0, tallies = 0")


def has_access_word(path: Path) -> bool:
    """Return whether a survey of a store has a word that respondents type."""
    with closing(sqlite3.connect(path, timeout=20)) as db:
        return db.execute("SELECT 1 FROM surveys WHERE pin != ''").fetchone() is not None
