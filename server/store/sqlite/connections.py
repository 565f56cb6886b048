"""Connections to a store's file, with the settings that the store's promises need."""

import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias

from deniable.server.store.errors import StoreUnavailable, other_version
from deniable.server.store.sql.database import AlreadyThere, Busy, Damaged, StoredReport, Unreadable
from deniable.server.store.sql.snapshot import parts

_BUSY_TIMEOUT: Final = 5_000
"""Milliseconds to wait for another process's lock before giving up."""

_PAGE_BYTES: Final = 1024
"""A new store's page size. Random keys put every report of a commit on a page of its own, and each
page is written whole, twice; a quarter of the usual size makes a durable commit several times
faster, and reading a fifth slower."""

_LOG_BYTES: Final = 2**22
"""Size of the write-ahead log at which SQLite copies it into the database."""

_CACHE_BYTES: Final = 2**24
"""Memory for the pages of each connection."""

_TRIED_BYTES: Final = 2**15
"""Bytes that are written to test the disk."""

_File: TypeAlias = tuple[int, int]
"""A file's identity, whatever its name: the device and the inode (POSIX)."""

_TROUBLES: Final = {
    sqlite3.SQLITE_BUSY: "another process is using it; try again",
    sqlite3.SQLITE_LOCKED: "another process is using it; try again",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk cannot be read or written",
    sqlite3.SQLITE_READONLY: "it cannot be written; expected permission to write the file and its "
    "folder, where the log lies",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened",
    sqlite3.SQLITE_CORRUPT: "the file is damaged",
    sqlite3.SQLITE_NOTADB: "the file is no database any more",
    sqlite3.SQLITE_ERROR: "the file is damaged, or not built as a store is",
    sqlite3.SQLITE_MISMATCH: "the file is damaged",
}
"""Messages for SQLite's primary result codes."""

_KINDS: Final = {
    sqlite3.SQLITE_BUSY: Busy,
    sqlite3.SQLITE_LOCKED: Busy,
    sqlite3.SQLITE_CONSTRAINT: AlreadyThere,
    sqlite3.SQLITE_CORRUPT: Damaged,
    sqlite3.SQLITE_NOTADB: Damaged,
    # All statements are this program's own: they fail only if names in the file were changed, or
    # a text in it is not UTF-8 (an error of the Python module, without a code).
    sqlite3.SQLITE_ERROR: Damaged,
    sqlite3.SQLITE_MISMATCH: Damaged,
}
"""Errors that the store itself distinguishes."""


class Connection(sqlite3.Connection):
    """A connection with the methods that `deniable.server.store.sql` needs."""

    # || and group_concat call their result text but copy the bytes unchanged, NUL included, in the
    # order of the key.
    JOINED: ClassVar = "CAST(group_concat(id || answers, '') AS BLOB)"

    def stream(self, sql: str, values: Sequence[Any], /) -> Iterable[Any]:
        """Read rows on demand, as SQLite always does."""
        return self.execute(sql, values)

    def add_rows(self, table: str, revision: int, reports: Sequence[StoredReport], /) -> None:
        """Insert reports, sorted by id.

        One statement for many releases the interpreter's lock once, and not once for each report
        while requests wait for it.
        """
        for part in parts(reports):
            sql = f"INSERT INTO {table} VALUES (?, ?, ?)" + ", (?, ?, ?)" * (len(part) - 1)  # noqa: S608
            self.execute(sql, [*chain.from_iterable((revision, *report) for report in part)])

    def has_any(self, table: str, revision: int, ids: Sequence[bytes], /) -> bool:
        """Return whether the table holds any of these reports."""
        for part in parts(ids):
            sql = f"SELECT 1 FROM {table} {_where_ids(part)} LIMIT 1"  # noqa: S608  names of our own
            if self.execute(sql, (revision, *part)).fetchone():
                return True
        return False

    def remove_rows(self, table: str, revision: int, ids: Sequence[bytes], /) -> None:
        """Remove reports."""
        for part in parts(ids):
            self.execute(f"DELETE FROM {table} {_where_ids(part)}", (revision, *part))  # noqa: S608


def _where_ids(ids: Sequence[bytes]) -> str:
    return f"WHERE revision = ? AND id IN ({', '.join('?' * len(ids))})"


class SqliteConnections:
    """A pool of connections to one SQLite file, safe to use from many threads.

    The file must exist when the first one is lent. Tables of another version are not written.
    """

    def __init__(self, path: Path, version: int, *, read_only: bool = False) -> None:
        self.name = str(path)
        self._path = path
        self._version = version
        self._read_only = read_only
        self._file: _File | None = None
        self._idle: list[Connection] = []
        self._lock = threading.Lock()
        self._closed = False

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for db in idle:
            db.close()

    @contextmanager
    def lend(self) -> Iterator[Connection]:
        with self._lock:
            db = self._idle.pop() if self._idle else None
        with self.explained():
            db = db or self._open()
        try:
            with self.explained():
                yield db
        finally:
            db.rollback()  # a transaction that a block left open must not reach the next one
            with self._lock:
                keep = not self._closed
                if keep:
                    self._idle.append(db)
            if not keep:
                db.close()

    @contextmanager
    def lend_without_waiting(self) -> Iterator[Connection]:
        """Lend a connection that raises `Busy` at once if a lock is held."""
        with self.lend() as db:
            db.execute("PRAGMA busy_timeout = 0")
            try:
                yield db
            finally:
                db.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT}")

    @contextmanager
    def transaction(self, *, ahead: bool = False) -> Iterator[Connection]:  # noqa: ARG002
        """Lend a connection inside a transaction that may write, and commit it durably."""
        self._check_file()
        with self.lend() as db:
            db.execute("BEGIN IMMEDIATE")
            self._check_version(db)
            yield db
            db.execute("COMMIT")
        # Again: SQLite goes on writing into a file that was deleted meanwhile, without an error.
        self._check_file()

    def try_writing(self) -> None:
        self._check_file()
        with self.lend() as db:
            # Without memory for pages, they are written to the log at once and not at the commit.
            # The rolled-back pages there are overwritten by the next commit.
            db.execute("PRAGMA cache_size = 0")
            try:
                db.execute("BEGIN IMMEDIATE")
                self._check_version(db)
                db.execute("CREATE TABLE tried (bytes)")
                db.execute("INSERT INTO tried VALUES (zeroblob(?))", (_TRIED_BYTES,))
            finally:
                db.rollback()
                db.execute(f"PRAGMA cache_size = -{_CACHE_BYTES // 1024}")

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        with self.lend() as db:
            db.execute("BEGIN")
            yield db

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """Lend a connection in a transaction, while nobody else has the store open or can open it.

        Every connection holds SQLite's shared lock of the file until it is closed, and every server
        keeps a connection: so the exclusive lock proves that no server runs.
        """
        with self.explained():
            db = _connect(self._path, locking="EXCLUSIVE")
        try:
            with self.explained():
                db.execute("BEGIN IMMEDIATE")
                yield db
                db.execute("COMMIT")
        finally:
            db.close()

    def check_place(self) -> None:
        """Check that the open file is still the one at the path, and of this version."""
        self._check_file()
        with self.lend() as db:
            self._check_version(db)

    def _check_version(self, db: Connection) -> None:
        (found,) = db.execute("PRAGMA user_version").fetchone()
        if found != self._version:
            raise StoreUnavailable(other_version(self._path, found, self._version))

    def _check_file(self) -> None:
        if self._file is not None and _file_at(self._path) != self._file:
            raise StoreUnavailable(
                f"{self._path}: the file was deleted, moved or replaced while it was in use; put "
                "it back, or stop the server and restore a backup there ('deniable restore')"
            )

    def are_used_elsewhere(self) -> bool:
        with self._lock:
            idle, self._idle = self._idle, []
        for db in idle:
            db.close()
        # SQLite does not leave WAL mode as long as any other process has the file open.
        with self.lend_without_waiting() as db:
            try:
                (mode,) = db.execute("PRAGMA journal_mode = DELETE").fetchone()
            except sqlite3.OperationalError as error:
                if code_of(error) not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                    raise
                return True
            finally:
                db.execute("PRAGMA journal_mode = WAL").fetchone()
        return str(mode) == "wal"

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn SQLite's errors into a store's, without the message, which might carry data."""
        try:
            yield
        except sqlite3.Error as error:
            code = code_of(error)
            name = getattr(error, "sqlite_errorname", type(error).__name__)
            trouble = _TROUBLES.get(code, "it cannot be used now")
            raise _KINDS.get(code, StoreUnavailable)(f"{self._path}: {trouble} ({name})") from error
        except (UnicodeDecodeError, Unreadable) as error:
            # UnicodeDecodeError: SQLite's message repeats damaged bytes.
            what = error if isinstance(error, Unreadable) else type(error).__name__
            trouble = _TROUBLES[sqlite3.SQLITE_CORRUPT]
            raise Damaged(f"{self._path}: {trouble} ({what})") from error

    def _open(self) -> Connection:
        """Open one more connection, to the same file as the others."""
        self._check_file()
        db = _connect_to_read(self._path) if self._read_only else _connect(self._path)
        self._file = self._file or _file_at(self._path)
        return db


def _file_at(path: Path) -> _File | None:
    """Return the identity of the file at a path; None if it cannot be reached."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def code_of(error: BaseException | None) -> int:
    """Return the primary code of an SQLite error."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def checkpoint(db: sqlite3.Connection) -> bool:
    """Copy the write-ahead log into the database and truncate it; False if not all of it."""
    busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


@contextmanager
def small_memory(db: sqlite3.Connection) -> Iterator[None]:
    """Keep few pages in memory during work that reads each once: memory is never given back."""
    db.execute(f"PRAGMA cache_size = -{_CACHE_BYTES // 16 // 1024}")
    db.execute("PRAGMA shrink_memory")
    try:
        yield
    finally:
        db.execute(f"PRAGMA cache_size = -{_CACHE_BYTES // 1024}")


def _connect_to_read(path: Path) -> Connection:
    """Open a connection that writes nothing of its own.

    SQLite keeps two files beside a database in use, and cannot read it if it can neither find nor
    make them. If it cannot make them and there is no log of writes, nobody uses the database: so it
    is opened as immutable. If they can be made, SQLite also deletes them.
    """
    is_ours = all(
        os.access(place, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
        for place in (path, path.absolute().parent)
    )
    is_at_rest = not is_ours and not Path(f"{path}-wal").exists()
    db = _open_file(path, "&immutable=1" * is_at_rest)
    try:
        db.execute("PRAGMA query_only = ON")
        db.execute(f"PRAGMA cache_size = -{_CACHE_BYTES // 1024}")
    except sqlite3.Error:
        db.close()
        raise
    return db


def _connect(path: Path, *, locking: str = "NORMAL") -> Connection:
    """Open a connection with the settings that the promises need."""
    db = _open_file(path)
    try:
        # Before the file is read: SQLite takes the lock with its first read.
        db.execute(f"PRAGMA locking_mode = {locking}").fetchone()
        db.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        _write_ahead(db)
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA fullfsync = ON")  # for macOS, as `durable.sync`
        db.execute("PRAGMA secure_delete = ON").fetchone()
        db.execute(f"PRAGMA wal_autocheckpoint = {_LOG_BYTES // _PAGE_BYTES}").fetchone()
        db.execute(f"PRAGMA cache_size = -{_CACHE_BYTES // 1024}")
    except sqlite3.Error:
        db.close()
        raise
    return db


def _write_ahead(db: Connection) -> None:
    """Switch to WAL mode; try again while another process does, as SQLite does not wait then."""
    end = time.monotonic() + _BUSY_TIMEOUT / 1000
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            if code_of(error) != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return


def _open_file(path: Path, settings: str = "") -> Connection:
    # mode=rw: a missing file is an error here and never a new, empty, world-readable store.
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw{settings}",
        uri=True,
        timeout=_BUSY_TIMEOUT / 1000,
        isolation_level=None,
        factory=Connection,
        check_same_thread=False,  # the pool lends a connection to one thread at a time
    )
