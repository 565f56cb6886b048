"""Whether a file is a store, and of which version; an older one becomes one of this program's."""

from __future__ import annotations

import sqlite3
from typing import Final

from deniable.server.store.sqlite.connections import Connection

APPLICATION_ID: Final = int.from_bytes(b"dnbl")
"""Marks a SQLite file as a store of this project (``PRAGMA application_id``)."""

VERSION: Final = 15
"""Version of the tables that this program reads and writes (``PRAGMA user_version``)."""


class SchemaMismatch(Exception):
    """The file holds something else than a store of a version up to this program's."""


def bring_up_to_date(db: Connection) -> None:
    """Bring a store to the current version, in one transaction.

    Parameters
    ----------
    db : Connection
        In autocommit mode; an empty database becomes a new store.

    Raises
    ------
    SchemaMismatch
        If it is another program's database, or a newer store. Nothing is changed then.
    sqlite3.DatabaseError
        If it is not a database at all.
    """
    if version_of(db) == VERSION:
        return
    # Late, for it loads sqlite-utils, which a server with a store of this version never needs.
    from deniable.server.store.sqlite.migrations import MIGRATIONS  # noqa: PLC0415

    db.execute("BEGIN IMMEDIATE")
    try:
        # Read again under the lock: another process may have been faster.
        for number, migrate in enumerate(MIGRATIONS[version_of(db) :], start=version_of(db) + 1):
            migrate(db)
            db.execute(f"PRAGMA user_version = {number}")
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("COMMIT")
    finally:
        db.rollback()


def version_of(db: sqlite3.Connection) -> int:
    """Return the version of a store, 0 for an empty database; errors as in `bring_up_to_date`."""
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application != APPLICATION_ID and (application or version or tables):
        raise SchemaMismatch("found another program's SQLite database, expected a deniable store")
    if version > VERSION:
        raise SchemaMismatch(
            f"found a store of version {version}, expected at most version {VERSION}: "
            "it was written by a newer deniable; update this one"
        )
    return int(version)
