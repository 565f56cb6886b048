"""The schema of a store: its version, how it is made, and its migration."""

import sqlite3
from typing import Final

from deniable.server.store.sql import migration, tables
from deniable.server.store.sql.migration import SchemaMismatch, check_version
from deniable.server.store.sqlite.connections import Connection

APPLICATION_ID: Final = int.from_bytes(b"dnbl")
"""Marks a SQLite file as a store of this project (``PRAGMA application_id``)."""

TYPES: Final = {
    **dict.fromkeys(("name", "text", "secret"), "TEXT NOT NULL"),
    **dict.fromkeys(("integer", "long"), "INTEGER NOT NULL"),
    "bytes": "BLOB NOT NULL",
    "number": "INTEGER PRIMARY KEY",
    "numbered": "STRICT",
    # A rowid counts up: it would number the reports in the order of arrival.
    **dict.fromkeys(("unnumbered", "sliced"), "STRICT, WITHOUT ROWID"),
}


def make(db: Connection) -> None:
    """Make a store in an empty database, in one transaction; keep an existing one."""
    db.execute("BEGIN IMMEDIATE")
    try:
        # Check again under the lock: another process may have been faster.
        if version_of(db) == 0:
            make_tables(db, tables.VERSION)
        db.execute("COMMIT")
    finally:
        db.rollback()


def make_tables(db: Connection, version: int) -> None:
    """Make the tables of this version or of an older one, inside a transaction."""
    for table in tables.statements(TYPES):
        db.execute(table)
    migration.undo(db, TYPES, version)
    _mark(db, version)


def migrate(db: Connection) -> None:
    """Bring a store to this version, inside a transaction."""
    migration.migrate(db, TYPES, version_of(db))
    _mark(db, tables.VERSION)


def _mark(db: Connection, version: int) -> None:
    db.execute(f"PRAGMA user_version = {version}")
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def version_of(db: sqlite3.Connection) -> int:
    """Return the version of a store, 0 for an empty database; errors as in `make`."""
    # In one statement, because another process may just be making the store.
    application, version, count = db.execute(
        "SELECT (SELECT application_id FROM pragma_application_id),"
        " (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)"
    ).fetchone()
    if application != APPLICATION_ID:
        if application or version or count:
            raise SchemaMismatch(
                "found another program's SQLite database, expected a deniable store"
            )
        return 0
    check_version(version)
    return int(version)
