"""The tables of a store, and how an older store becomes a newer one.

There is no column about a respondent: no address, no browser, no time and no sequence. A test holds
the list of columns, so that adding one is a decision and not an accident.
"""

from __future__ import annotations

from typing import Final

import sqlite_utils

APPLICATION_ID: Final = int.from_bytes(b"dnbl")
"""Marks a SQLite file as a store of this project (``PRAGMA application_id``)."""

# Each entry takes a store from the version before it to its own; the version is their number. They
# are never edited once released. (The migrations of sqlite-utils keep a log with the time of each;
# a number in the file's header is all that is needed.)
MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (
    (
        # The current revision of each survey, and whether it takes reports.
        """
        CREATE TABLE surveys (
            slug TEXT PRIMARY KEY,
            revision TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('open', 'closed'))
        ) STRICT, WITHOUT ROWID
        """,
        # Every revision that was ever served, so that a page opened before a change loses nothing.
        """
        CREATE TABLE revisions (
            number INTEGER PRIMARY KEY,
            revision TEXT NOT NULL UNIQUE,
            survey TEXT NOT NULL,
            document TEXT NOT NULL
        ) STRICT
        """,
        # WITHOUT ROWID: a rowid counts up, and would number respondents in order of arrival. The
        # key is random bytes drawn by the device.
        """
        CREATE TABLE reports (
            revision INTEGER NOT NULL,
            id BLOB NOT NULL,
            answers BLOB NOT NULL,
            PRIMARY KEY (revision, id)
        ) STRICT, WITHOUT ROWID
        """,
        # The researcher's one-time links: the hash only, so that a stolen store opens no desk.
        """
        CREATE TABLE sign_ins (
            token_hash BLOB PRIMARY KEY,
            expires INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
    ),
    (
        # Which wave of a survey that is asked over time is on. It says of all reports of a wave the
        # same, and each of them says it too: nothing of who sent one.
        "ALTER TABLE surveys ADD COLUMN wave INTEGER NOT NULL DEFAULT 1",
        # How many waves a revision has, the last byte of whose reports then says which; 0 if none.
        "ALTER TABLE revisions ADD COLUMN waves INTEGER NOT NULL DEFAULT 0",
    ),
)

VERSION: Final = len(MIGRATIONS)
"""Version of the schema that this program reads and writes (``PRAGMA user_version``)."""


class SchemaMismatch(Exception):
    """The file holds something else than a store of a version up to this program's."""


def migrate(db: sqlite_utils.Database) -> None:
    """Bring a store to the current version, in one transaction.

    Parameters
    ----------
    db : sqlite_utils.Database
        A connection in autocommit mode; an empty database becomes a new store.

    Raises
    ------
    SchemaMismatch
        If it is another program's database, or a newer store. Nothing is changed then.
    sqlite3.DatabaseError
        If it is not a database at all.
    """
    if _version(db) == VERSION:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        # Read again under the lock: another process may have been faster.
        for number, statements in enumerate(MIGRATIONS[_version(db) :], start=_version(db) + 1):
            for statement in statements:
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {number}")
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("COMMIT")
    finally:
        db.rollback()


def _version(db: sqlite_utils.Database) -> int:
    """Return the version of a store, 0 for an empty database."""
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
