"""The version of a store in a file, and exclusive access to a file."""

import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

from deniable.server.store.errors import HOW_TO_MEND, StoreError, StoreNotFound, StoreUnavailable
from deniable.server.store.records import Age
from deniable.server.store.sql import tables
from deniable.server.store.sql.database import Alone, Busy, Database, Unreadable
from deniable.server.store.sql.migration import SchemaMismatch
from deniable.server.store.sqlite import schema
from deniable.server.store.sqlite.address import path_of
from deniable.server.store.sqlite.connections import Connection, SqliteConnections, code_of
from deniable.server.store.sqlite.examining import is_over_network

BACKUP_MARK: Final = b"deniable backup\n"

BACKUP_END: Final = len(BACKUP_MARK) + hashlib.sha256().digest_size
"""Bytes at the end of a backup: the mark, and the hash of all bytes before."""

_LEAST_PAGE: Final = 512
"""Every SQLite page has a multiple of these bytes."""

_SAYS_NOTHING_OF_THE_FILE: Final = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY)
"""Errors that an undamaged store can give."""


def age_of(url: str) -> Age:
    """Return a store's version and this program's; errors as in `version_of`."""
    path = path_of(url)
    with closing(SqliteConnections(path, tables.VERSION, read_only=True)) as connections:
        found = version_of(connections, path)
    unseen = ""
    if is_over_network(path):
        unseen = "on a network file system, a server on another machine is not seen"
    return Age(str(path), found, tables.VERSION, unseen)


def version_of(connections: SqliteConnections, path: Path) -> int:
    """Return the version of an existing store."""
    with told(path):
        if not path.exists():
            raise StoreNotFound(f"{path}: there is no store here")
        _check_kind(path)
        with connections.lend() as db:
            found = schema.version_of(db)
    if found == 0:
        raise _is_empty(path)
    return found


def _is_empty(path: Path) -> StoreNotFound:
    return StoreNotFound(f"{path}: there is no store here, the file is empty")


def _check_kind(path: Path) -> None:
    """Refuse a folder, a backup, or a file that may not be read; SQLite's errors do not differ."""
    if path.is_dir():
        raise StoreError(f"{path}: expected the file of a store, found a folder")
    if not os.access(path, os.R_OK, effective_ids=os.access in os.supports_effective_ids):
        with suppress(KeyError):  # a user that no longer has a name
            raise StoreError(
                f"{path}: belongs to {path.owner()}, and you may not read it; run this command as "
                "that user"
            )
    # A store has whole pages. Do not open one here: closing any file at its path drops the locks
    # that SQLite holds on it in this process.
    size = path.stat().st_size
    if size % _LEAST_PAGE != BACKUP_END:
        return
    with path.open("rb") as file:
        file.seek(size - BACKUP_END)
        if file.read().startswith(BACKUP_MARK):
            raise StoreError(
                f"{path}: is a backup; 'deniable restore FILE STORE' makes a store of it"
            )


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn the errors of opening a file into a store's errors."""
    try:
        yield
    except SchemaMismatch as mismatch:
        raise StoreError(f"{path}: {mismatch}, or give the path of another store") from None
    except FileNotFoundError:
        raise StoreError(
            f"{path}: found no folder {path.parent.parent}; make it, or give another path"
        ) from None
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be opened ({error.strerror}); give a path that can be written"
        ) from None
    except StoreUnavailable as unavailable:
        cause = unavailable.__cause__
        # It may still be a store: locked, on a full disk, or read-only.
        if isinstance(unavailable, Busy) or code_of(cause) in _SAYS_NOTHING_OF_THE_FILE:
            raise
        is_undecodable = isinstance(cause, UnicodeDecodeError | Unreadable)
        if is_undecodable or code_of(cause) == sqlite3.SQLITE_CORRUPT:
            raise StoreError(f"{unavailable}; {HOW_TO_MEND}") from None
        log = Path(f"{path}-wal")
        if code_of(cause) == sqlite3.SQLITE_CANTOPEN and log.exists():
            raise StoreError(
                f"{path}: was not closed, so it is read together with {log.name}, for which its "
                "folder has to be writable; copy both files into a folder of your own"
            ) from None
        raise StoreError(
            f"{path}: expected a deniable store, but SQLite says: {cause}; "
            "give the path of a store, or of a file that does not exist yet"
        ) from None


@contextmanager
def alone(url: str) -> Iterator[Alone]:
    """Lend a store while nobody else has it open; see `deniable.server.store.opening.alone`."""
    path = path_of(url)
    _check_locks(path.absolute().parent)
    with ExitStack() as stack:
        connections = stack.enter_context(closing(SqliteConnections(path, tables.VERSION)))
        with told(path):
            db = stack.enter_context(connections.alone())
            version = schema.version_of(db)
        if version == 0:
            raise _is_empty(path)
        yield Alone(str(path), db, version, columns_of(db), path, partial(schema.migrate, db))


@contextmanager
def new(path: Path, version: int) -> Iterator[Connection]:
    """Make a store of a version in an empty file, and lend it in the transaction that makes it."""
    with (
        closing(SqliteConnections(path, version)) as connections,
        connections.alone() as db,
    ):
        schema.make_tables(db, version)
        yield db


def columns_of(db: Database) -> Mapping[str, tuple[str, ...]]:
    """Return the columns of each table."""
    # Imported here, because it loads pandas if that is installed.
    import sqlite_utils  # noqa: PLC0415

    assert isinstance(db, sqlite3.Connection)  # noqa: S101  for mypy: this engine lends no other
    # No plugins: no installed package may get a connection to the store.
    found = sqlite_utils.Database(db, execute_plugins=False)
    if not all(isinstance(name, str) for name in found.table_names()):
        raise Unreadable("the name of a table is no text")
    return {table.name: tuple(column.name for column in table.columns) for table in found.tables}


def _check_locks(folder: Path) -> None:
    """Refuse a file system without locks, on which other servers would not be seen."""
    import fcntl  # noqa: PLC0415  Windows has none, and imports this module

    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise StoreError(
            f"{folder}: no file can be locked here ({error.strerror}), so a server that uses the "
            "store would not be seen; expected a folder that can be written, on a file system with "
            "locks, such as a disk of this machine"
        ) from None
