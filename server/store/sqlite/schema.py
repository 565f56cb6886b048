"""Whether a file is a store, and of which version; how it is made, and an older one a newer one."""

from __future__ import annotations

import sqlite3
from typing import Final

from deniable.server.store.sqlite.connections import Connection

APPLICATION_ID: Final = int.from_bytes(b"dnbl")
"""Marks a SQLite file as a store of this project (``PRAGMA application_id``)."""

VERSION: Final = 16
"""Version of the tables that this program reads and writes (``PRAGMA user_version``)."""


class SchemaMismatch(Exception):
    """The file holds something else than a store of a version up to this program's."""


def make(db: Connection) -> None:
    """Make a store of an empty database, in one transaction; one that is there stays.

    Parameters
    ----------
    db : Connection
        In autocommit mode.

    Raises
    ------
    SchemaMismatch
        If it is another program's database, or a newer store. Nothing is changed then.
    sqlite3.DatabaseError
        If it is not a database at all.
    """
    db.execute("BEGIN IMMEDIATE")
    try:
        # Read again under the lock: another process may have been faster.
        if version_of(db) == 0:
            migrate(db, VERSION)
        db.execute("COMMIT")
    finally:
        db.rollback()


def migrate(db: Connection, version: int) -> None:
    """Bring a store to a version, inside a transaction; errors as in `make`."""
    # Late, for it loads sqlite-utils, which a server with a store of this version never needs.
    from deniable.server.store.sqlite.migrations import MIGRATIONS  # noqa: PLC0415

    for step in MIGRATIONS[version_of(db) : version]:
        step(db)
    db.execute(f"PRAGMA user_version = {version}")
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def version_of(db: sqlite3.Connection) -> int:
    """Return the version of a store, 0 for an empty database; errors as in `make`."""
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
