"""All that a store does, in SQLite.

What makes good the promises of `deniable.server.store`: the write-ahead log with
``synchronous=FULL`` (a crash), keys that the devices drew in tables without row numbers,
``secure_delete`` and a file that its owner alone can read (a thief), ``VACUUM`` (the order).

Statements that every start or every report needs are plain SQL, in `deniable.server.store.sql`;
what is written seldom is in `writing` and `migrations`, through sqlite-utils.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Final

from deniable.server.store.errors import (
    HOW_TO_MEND,
    StoreError,
    StoreNotFound,
    StoreUnavailable,
)
from deniable.server.store.records import SurveyCopy
from deniable.server.store.sql.database import Busy, Database
from deniable.server.store.sql.engine import SqlStore
from deniable.server.store.sqlite import schema
from deniable.server.store.sqlite.connections import (
    Connection,
    SqliteConnections,
    checkpoint,
    code_of,
    small_memory,
)
from deniable.server.store.sqlite.examining import faults
from deniable.survey import Survey

_SAYS_NOTHING_OF_THE_FILE: Final = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY)
"""Errors that a good store can give."""


class SqliteStore(SqlStore):
    """A store in one SQLite file.

    Each use takes a connection of its own from a pool.

    Parameters
    ----------
    path : Path
        The database; its write-ahead log lies beside it.
    create : bool
        Whether to make a file that does not exist.

    Raises
    ------
    StoreError
        As in `deniable.server.store.open_store`.
    """

    # group_concat calls its result text but copies the bytes as they are, NUL included, and takes
    # them in the order of the key.
    JOINED: ClassVar = "CAST(group_concat(answers, '') AS BLOB)"

    _connections: SqliteConnections

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self.name = str(path)
        self._path = path
        self._connections = SqliteConnections(path)
        try:
            if create:
                # Made by hand, so that on a shared machine nobody else can read it; SQLite gives
                # the write-ahead log the same permissions.
                path.touch(mode=0o600)
            elif not path.exists():
                raise StoreNotFound(f"{path}: there is no store here")
            with self._connections.lend() as db:
                schema.bring_up_to_date(db)
        except schema.SchemaMismatch as mismatch:
            self.close()
            raise StoreError(f"{path}: {mismatch}, or give the path of another store") from None
        except FileNotFoundError:
            raise StoreError(
                f"{path}: found no folder {path.parent}; make it, or give another path"
            ) from None
        except OSError as error:
            raise StoreError(
                f"{path}: cannot be opened ({error.strerror}); give a path that can be written"
            ) from None
        except StoreUnavailable as unavailable:
            self.close()
            cause = unavailable.__cause__
            # It may be a store all the same: locked, on a full disk, or not to be written.
            if isinstance(unavailable, Busy) or code_of(cause) in _SAYS_NOTHING_OF_THE_FILE:
                raise
            if code_of(cause) == sqlite3.SQLITE_CORRUPT:
                raise StoreError(f"{unavailable}; {HOW_TO_MEND}") from None
            raise StoreError(
                f"{path}: expected a deniable store, but SQLite says: {cause}; "
                "give the path of a store, or of a file that does not exist yet"
            ) from None

    def faults(self) -> list[str]:
        self.check_place()
        return list(faults(self._path))

    def _write_survey(self, db: Database, survey: Survey, source: str) -> None:
        from deniable.server.store.sqlite.writing import write_survey  # noqa: PLC0415  sqlite-utils

        assert isinstance(db, Connection)  # noqa: S101  for mypy: lent by ours
        write_survey(db, survey, source)

    def _write_copy(self, db: Database, copy: SurveyCopy) -> int:
        from deniable.server.store.sqlite.writing import write_copy  # noqa: PLC0415  sqlite-utils

        assert isinstance(db, Connection)  # noqa: S101  for mypy: lent by ours
        return write_copy(db, copy)

    def _tables(self, db: Database) -> Mapping[str, tuple[str, ...]]:
        names = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        return {
            name: tuple(row[1] for row in db.execute(f"PRAGMA table_info({name})"))
            for (name,) in names
        }

    def _misbuilt(self, db: Database, table: str) -> list[str]:
        told = [said for (said,) in db.execute(f"PRAGMA integrity_check({table})")]
        return [] if told == ["ok"] else told

    def _go_on_counting(self, db: Database) -> None:
        pass  # as SQLite does by itself

    # ------------------------------------------------------------------ order

    def settling(self, *, wait: bool = True) -> Iterator[bool]:
        yield self._rewrite(wait=wait)  # a file is one part

    def _rewrite(self, *, wait: bool) -> bool:
        # Random keys give no order from page to page, but *within* a page SQLite lays records down
        # as they come, and the write-ahead log keeps the pages commit by commit. VACUUM writes all
        # reports anew in the order of their keys; truncating the log removes what it held.
        lend = self._connections.lend if wait else self._connections.lend_without_waiting
        try:
            with lend() as db:
                # Before as well: the log starts anew, so that the index beside it (-shm), which
                # lists pages as they were written, is overwritten too.
                if checkpoint(db):
                    with small_memory(db):
                        db.execute("VACUUM")
                    return checkpoint(db)
        except Busy:
            pass
        return False

    def empty_log(self) -> bool:
        try:
            with self._connections.lend_without_waiting() as db:
                return checkpoint(db)
        except Busy:
            return False
