"""All that a store does, in SQLite.

What makes good the promises of `deniable.server.store`: the write-ahead log with
``synchronous=FULL`` (a crash), keys that the devices drew in tables without row numbers,
``secure_delete`` and a file that its owner alone can read (a thief), ``VACUUM`` (the order).

Statements that every start or every report needs are plain SQL, in `deniable.server.store.sql`;
what is written seldom is in `writing`, through sqlite-utils.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from deniable.server.store.errors import StoreNotFound, StoreOutdated
from deniable.server.store.records import SurveyCopy
from deniable.server.store.sql import tables
from deniable.server.store.sql.database import Busy, Database
from deniable.server.store.sql.engine import SqlStore
from deniable.server.store.sqlite import schema
from deniable.server.store.sqlite.connections import (
    Connection,
    SqliteConnections,
    checkpoint,
    small_memory,
)
from deniable.server.store.sqlite.examining import faults
from deniable.server.store.sqlite.versions import columns_of, told, version_of
from deniable.survey import Survey


class SqliteStore(SqlStore):
    """A store in one SQLite file.

    Each use takes a connection of its own from a pool.

    Parameters
    ----------
    path : Path
        The database; its write-ahead log lies beside it.
    create : bool
        Whether to make a store where there is none.
    read_only : bool
        Whether nothing shall be written.

    Raises
    ------
    StoreError
        As in `deniable.server.store.open_store`.
    """

    # group_concat calls its result text but copies the bytes as they are, NUL included, and takes
    # them in the order of the key.
    JOINED: ClassVar = "CAST(group_concat(answers, '') AS BLOB)"

    _connections: SqliteConnections

    def __init__(self, path: Path, *, create: bool = True, read_only: bool = False) -> None:
        self.name = str(path)
        self._path = path
        # Looked at before anything is written: it may be no store, or another version's.
        self._connections = SqliteConnections(path, tables.VERSION, read_only=True)
        try:
            found = version_of(self._connections, path)
        except StoreNotFound:
            self.close()
            if not create:
                raise
            found = 0
        except BaseException:
            self.close()
            raise
        if 0 < found < tables.VERSION:
            self.close()
            raise StoreOutdated(self.name, found, tables.VERSION)
        if not read_only:
            self.close()
            self._connections = SqliteConnections(path, tables.VERSION)
            self._begin_to_write(is_new=found == 0)

    def _begin_to_write(self, *, is_new: bool) -> None:
        try:
            with told(self._path):
                if is_new:
                    # Made by hand, so that on a shared machine nobody else can read it; SQLite
                    # gives the write-ahead log the same permissions.
                    self._path.touch(mode=0o600)
                with self._connections.lend() as db:
                    if is_new:
                        schema.make(db)
        except BaseException:
            self.close()
            raise

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
        return columns_of(db)

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
