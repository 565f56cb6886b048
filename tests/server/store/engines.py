"""The engines that the contract is held against, and how to do each of them harm.

To hold another engine to it, write a subclass of `Engine` and put it into `ENGINES`.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest

from deniable.server.store import Store
from deniable.server.store.sqlite import schema
from deniable.server.store.sqlite.engine import SqliteStore
from deniable.survey import Survey


class Engine(ABC):
    """What the contract needs of an engine beside the store itself."""

    name: str

    @abstractmethod
    def url(self, folder: Path, name: str = "store") -> str:
        """Return the address of a store that does not exist yet."""

    @abstractmethod
    def image(self, folder: Path, name: str = "store") -> bytes:
        """Return all that a thief of the disk finds in a store, beside counts of transactions."""

    @abstractmethod
    def hasten(self, patch: pytest.MonkeyPatch) -> None:
        """Let stores that are opened from now on wait for a lock a moment only."""

    @abstractmethod
    def locked(self, store: Store) -> AbstractContextManager[None]:
        """Write to a store from elsewhere, so that nobody else can."""

    @abstractmethod
    def read(self, store: Store) -> AbstractContextManager[None]:
        """Read a store from elsewhere, in one transaction for the whole block."""

    @abstractmethod
    def full(self, store: Store) -> AbstractContextManager[None]:
        """Leave a store, which nobody uses now, no room."""

    @abstractmethod
    def moved(self, store: Store) -> AbstractContextManager[None]:
        """Take a store away that is open, and put it back."""

    @abstractmethod
    def replaced(self, store: Store) -> AbstractContextManager[None]:
        """Put a copy of it in the place of a store that is open, and put the store back."""

    @abstractmethod
    def destroy(self, folder: Path) -> None:
        """Spoil a store that is open."""

    @abstractmethod
    def occupy(self, folder: Path) -> None:
        """Put another program's data where a store might be."""

    @abstractmethod
    def set_version(self, folder: Path, difference: int) -> None:
        """Write into a store that is closed that its version is so many later than this one."""

    @abstractmethod
    def write_first_version(self, folder: Path, survey: Survey) -> None:
        """Write a store as the first version did.

        With a survey that is closed, and a report to it: id and answers are zeros.
        """


class _Sqlite(Engine):
    name = "sqlite"

    def url(self, folder: Path, name: str = "store") -> str:
        return f"sqlite:///{folder}/{name}.db"

    def image(self, folder: Path, name: str = "store") -> bytes:
        parts = []
        # The headers hold the number of transactions, and random numbers.
        for ending, header in ((".db", 100), (".db-wal", 0), (".db-shm", 136)):
            file = folder / f"{name}{ending}"
            parts.append(file.read_bytes()[header:] if file.exists() else b"")
        return b"".join(parts)

    def hasten(self, patch: pytest.MonkeyPatch) -> None:
        patch.setattr("deniable.server.store.sqlite.connections._BUSY_TIMEOUT", 100)

    @contextmanager
    def locked(self, store: Store) -> Iterator[None]:
        with closing(sqlite3.connect(store.name, isolation_level=None)) as db:
            db.execute("BEGIN IMMEDIATE")
            yield
            db.execute("ROLLBACK")

    @contextmanager
    def read(self, store: Store) -> Iterator[None]:
        with closing(sqlite3.connect(store.name, isolation_level=None)) as db:
            db.execute("BEGIN")
            db.execute("SELECT count(*) FROM reports").fetchone()
            yield
            db.execute("COMMIT")

    @contextmanager
    def full(self, store: Store) -> Iterator[None]:
        # The limit is the connection's: the one that the store will use.
        assert isinstance(store, SqliteStore)
        with store._connections.lend() as db:
            (pages,) = db.execute("PRAGMA page_count").fetchone()
            db.execute(f"PRAGMA max_page_count = {pages}").fetchone()
        yield
        with store._connections.lend() as db:
            db.execute("PRAGMA max_page_count = 1000000").fetchone()

    @contextmanager
    def moved(self, store: Store) -> Iterator[None]:
        path = Path(store.name)
        away = path.rename(path.with_name("away"))
        yield
        away.rename(path)

    @contextmanager
    def replaced(self, store: Store) -> Iterator[None]:
        with self.moved(store):
            path = Path(store.name)
            path.write_bytes(path.with_name("away").read_bytes())
            yield
            path.unlink()

    def destroy(self, folder: Path) -> None:
        for file in folder.glob("store.db*"):
            file.write_bytes(b"no database " * 1000)

    def occupy(self, folder: Path) -> None:
        with closing(sqlite3.connect(folder / "store.db")) as db:
            db.execute("CREATE TABLE theirs (x)")

    def set_version(self, folder: Path, difference: int) -> None:
        with closing(sqlite3.connect(folder / "store.db")) as db:
            db.execute(f"PRAGMA user_version = {schema.VERSION + difference}")

    def write_first_version(self, folder: Path, survey: Survey) -> None:
        with closing(sqlite3.connect(folder / "store.db")) as db:
            db.executescript(_FIRST_VERSION)
            revision, document = named_in_itself(survey)
            db.execute(
                "INSERT INTO revisions (revision, survey, document) VALUES (?, ?, ?)",
                (revision, survey.slug, document),
            )
            current = (survey.slug, revision)
            db.execute("INSERT INTO surveys VALUES (?, ?, 'closed')", current)
            zeros = (bytes(16), bytes(len(survey.items)))
            db.execute("INSERT INTO reports VALUES (1, ?, ?)", zeros)
            db.commit()


def named_in_itself(survey: Survey) -> tuple[str, str]:
    """Return a revision and its document as stores of the versions 1 and 2 kept them."""
    written = json.dumps(
        survey.document, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    ).encode()
    revision = hashlib.sha256(written).hexdigest()[:32]
    return revision, json.dumps({**survey.document, "revision": revision}, ensure_ascii=False)


_FIRST_VERSION = """\
CREATE TABLE surveys (
    slug TEXT PRIMARY KEY,
    revision TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'closed'))
) STRICT, WITHOUT ROWID;
CREATE TABLE revisions (
    number INTEGER PRIMARY KEY,
    revision TEXT NOT NULL UNIQUE,
    survey TEXT NOT NULL,
    document TEXT NOT NULL
) STRICT;
CREATE TABLE reports (
    revision INTEGER NOT NULL,
    id BLOB NOT NULL,
    answers BLOB NOT NULL,
    PRIMARY KEY (revision, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE sign_ins (
    token_hash BLOB PRIMARY KEY,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
PRAGMA application_id = 1684955756;
PRAGMA user_version = 1;
"""
"""As version 1 wrote it, word for word, so that its stores are brought up to date forever."""

SQLITE = _Sqlite()

ENGINES: list[Engine] = [SQLITE]
