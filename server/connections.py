"""Connections to a store's file, with the settings that its promises rest on."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import sqlite_utils

_BUSY_TIMEOUT: Final = 5_000
"""Milliseconds to wait for another process's lock before giving up."""

_PAGE_BYTES: Final = 1024
"""A new store's page size. Random keys put every report of a batch on a page of its own, each of
which is written whole, twice; a quarter of the usual size makes a durable batch several times
faster, and reading a fifth slower."""

_LOG_BYTES: Final = 2**22
"""Size of the write-ahead log at which SQLite copies it into the database."""

_CACHE_BYTES: Final = 2**24
"""Memory for pages, of each connection."""


class Connections:
    """A pool of connections to one SQLite file, safe to use from many threads.

    Parameters
    ----------
    path : Path
        The file, which must exist when the first one is lent.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._idle: list[sqlite_utils.Database] = []
        self._lock = threading.Lock()
        self._closed = False

    def close(self) -> None:
        """Close every idle connection; those in use are closed as soon as they are given back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for db in idle:
            db.close()

    @contextmanager
    def lend(self) -> Iterator[sqlite_utils.Database]:
        """Lend a connection, in autocommit mode."""
        with self._lock:
            db = self._idle.pop() if self._idle else None
        db = db or _connect(self._path)
        try:
            yield db
        finally:
            with self._lock:
                keep = not self._closed
                if keep:
                    self._idle.append(db)
            if not keep:
                db.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite_utils.Database]:
        """Lend a connection inside a transaction that may write, and commit it durably."""
        with self.lend() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            finally:
                db.rollback()


def checkpoint(db: sqlite_utils.Database) -> bool:
    """Copy the write-ahead log into the database and cut it to nothing; False if not all of it."""
    busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def _connect(path: Path) -> sqlite_utils.Database:
    """Open a connection with the settings that the promises rest on."""
    # mode=rw: a missing file is an error here and never a new, empty, world-readable store.
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=_BUSY_TIMEOUT / 1000,
        isolation_level=None,
        check_same_thread=False,  # the pool lends a connection to one thread at a time
    )
    # No plugins: nothing that happens to be installed gets a hand on a connection to the store.
    db = sqlite_utils.Database(connection, execute_plugins=False)
    try:
        db.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        db.execute("PRAGMA journal_mode = WAL").fetchone()
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA secure_delete = ON").fetchone()
        db.execute(f"PRAGMA wal_autocheckpoint = {_LOG_BYTES // _PAGE_BYTES}").fetchone()
        db.execute(f"PRAGMA cache_size = -{_CACHE_BYTES // 1024}")
    except sqlite3.Error:
        db.close()
        raise
    return db
