"""The engine of a store in SQLite.

It keeps the promises of `deniable.server.store` by the write-ahead log with ``synchronous=FULL`` (a
crash); random keys from the devices in tables without row numbers, ``secure_delete`` and a file
that only its owner can read (a thief); and ``VACUUM`` (the order of arrival).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import ClassVar

from deniable.server.store.errors import StoreNotFound, StoreOutdated
from deniable.server.store.sql import tables
from deniable.server.store.sql.database import Busy, Database
from deniable.server.store.sqlite import schema
from deniable.server.store.sqlite.address import path_of
from deniable.server.store.sqlite.connections import SqliteConnections, checkpoint, small_memory
from deniable.server.store.sqlite.examining import faults
from deniable.server.store.sqlite.versions import columns_of, told, version_of
from deniable.server.store.store import Store


def open_store(url: str, *, create: bool = True, read_only: bool = False) -> Store:
    """Open the store in a SQLite file; errors as in `deniable.server.store.open_store`."""
    path = path_of(url)
    with ExitStack() as on_error:
        # Read it before writing anything: it may not be a store, or be one of another version.
        engine = SqliteEngine(path, tables.VERSION, read_only=True)
        on_error.callback(engine.close)
        try:
            found = version_of(engine, path)
        except StoreNotFound:
            if not create:
                raise
            found = 0
        if 0 < found < tables.VERSION:
            raise StoreOutdated(engine.name, found, tables.VERSION)
        if not read_only:
            engine.close()
            engine = SqliteEngine(path, tables.VERSION)
            on_error.callback(engine.close)
            _begin_to_write(engine, path, is_new=found == 0)
        on_error.pop_all()
    return Store(engine)


def _begin_to_write(engine: SqliteEngine, path: Path, *, is_new: bool) -> None:
    with told(path):
        if is_new:
            # Make both here, so that on a shared machine nobody else can read the file, or see when
            # it changes; SQLite gives the write-ahead log the same permissions.
            with suppress(FileExistsError):
                path.parent.mkdir(mode=0o700)
            path.touch(mode=0o600)
        with engine.lend() as db:
            if is_new:
                schema.make(db)


class SqliteEngine(SqliteConnections):
    """A store in one SQLite file."""

    COURTESY: ClassVar = 0.0  # a file is one part

    def faults(self) -> list[str]:
        self.check_place()
        return list(faults(self._path))

    columns = staticmethod(columns_of)

    def misbuilt(self, db: Database, table: str) -> list[str]:
        told = [said for (said,) in db.execute(f"PRAGMA integrity_check({table})")]
        return [] if told == ["ok"] else told

    def go_on_counting(self, db: Database) -> None:
        pass  # SQLite does it by itself

    def erase_order_in_parts(self, *, wait: bool) -> Iterator[bool]:
        yield self._rewrite(wait=wait)  # a file is one part

    def _rewrite(self, *, wait: bool) -> bool:
        # Random keys give no order from page to page, but *within* a page SQLite writes records as
        # they come, and the write-ahead log keeps the pages commit by commit. VACUUM rewrites all
        # reports in the order of their keys; truncating the log removes its contents.
        lend = self.lend if wait else self.lend_without_waiting
        try:
            with lend() as db:
                # Truncate the log before as well, so that its index (-shm), which lists pages in
                # the order of writing, is overwritten too.
                if checkpoint(db):
                    with small_memory(db):
                        db.execute("VACUUM")
                    return checkpoint(db)
        except Busy:
            pass
        return False

    def empty_log(self) -> bool:
        try:
            with self.lend_without_waiting() as db:
                return checkpoint(db)
        except Busy:
            return False
