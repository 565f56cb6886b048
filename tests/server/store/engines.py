"""The engines that the contract is held against, and how to do each of them harm.

To hold another engine to it, write a subclass of `Engine` and put it into `ENGINES`.
"""

import contextlib
import hashlib
import re
import sqlite3
import struct
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

import psycopg
import pytest

from deniable.report import Report
from deniable.server.store import Store, open_store
from deniable.server.store.postgres import schema as schema_of_postgres
from deniable.server.store.sql import tables
from deniable.server.store.upgrading import upgrade
from deniable.survey import Survey
from tests.server.store.cluster import CLUSTER
from tests.server.store.filled import fill


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
    def wait_for(self, milliseconds: int, patch: pytest.MonkeyPatch) -> None:
        """Let stores that are opened from now on wait for a lock that long."""

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
    def files(self, folder: Path) -> AbstractContextManager[list[Path]]:
        """Lend the files in which a store that is closed keeps its tables, to be damaged."""

    @abstractmethod
    def occupy(self, folder: Path) -> None:
        """Put another program's data where a store might be."""

    @abstractmethod
    def set_version(self, folder: Path, difference: int) -> None:
        """Write into a store that is closed that its version is so many later than this one."""

    def make_later(self, patch: pytest.MonkeyPatch) -> None:
        """Let this program be of the version after its own, whose stores have a table more."""
        table = "CREATE TABLE later (x integer PRIMARY KEY)"
        later = tables.VERSION + 1
        patch.setattr(tables, "VERSION", later)
        patch.setattr(tables, "TABLES", f"{tables.TABLES};\n{table}")
        patch.setattr(tables, "CHANGES", {**tables.CHANGES, later: ((table, "DROP TABLE later"),)})

    def write_before(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        """Fill a store, and let this program be of the version after it from then on."""
        with closing(open_store(self.url(folder))) as store:
            fill(store)
        self.make_later(patch)


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

    def wait_for(self, milliseconds: int, patch: pytest.MonkeyPatch) -> None:
        patch.setattr("deniable.server.store.sqlite.connections._BUSY_TIMEOUT", milliseconds)

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
        assert isinstance(store, Store)
        with store._engine.lend() as db:
            (pages,) = db.execute("PRAGMA page_count").fetchone()
            db.execute(f"PRAGMA max_page_count = {pages}").fetchone()
        yield
        with store._engine.lend() as db:
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

    @contextmanager
    def files(self, folder: Path) -> Iterator[list[Path]]:
        yield [folder / "store.db"]

    def occupy(self, folder: Path) -> None:
        with closing(sqlite3.connect(folder / "store.db")) as db:
            db.execute("CREATE TABLE theirs (x)")

    def set_version(self, folder: Path, difference: int) -> None:
        with closing(sqlite3.connect(folder / "store.db")) as db:
            db.execute(f"PRAGMA user_version = {tables.VERSION + difference}")


def brought_up_to_date(url: str, folder: Path) -> Path:
    """Upgrade an older store, and return the backup of it, in a folder."""
    with contextlib.chdir(folder):
        kept = upgrade(url)
    assert kept is not None
    return folder / kept


class _Postgres(Engine):
    """Each store is a schema of the tests' server, and belongs to a role without other rights."""

    name = "postgres"

    def url(self, folder: Path, name: str = "store") -> str:
        schema = self.schema(folder, name)
        _admin(
            f"CREATE SCHEMA IF NOT EXISTS {schema} AUTHORIZATION deniable; SELECT 1",
        )
        return CLUSTER.url("deniable", schema)

    @staticmethod
    def schema(folder: Path, name: str = "store") -> str:
        return f"s_{hashlib.sha256(f'{folder}/{name}'.encode()).hexdigest()[:16]}"

    def image(self, folder: Path, name: str = "store") -> bytes:
        rows = CLUSTER.admin().execute(
            "SELECT relkind, get_raw_page(c.oid::regclass::text, 'main', block::integer) "
            "FROM pg_class AS c, generate_series(0, pg_relation_size(c.oid) / 8192 - 1) AS block "
            "WHERE relnamespace = to_regnamespace(%s) AND relkind IN ('r', 'i') "
            "ORDER BY relname, block",
            (self.schema(folder, name),),
            binary=True,
        )
        return _told([(kind == "r", bytearray(page)) for kind, page in rows])

    def wait_for(self, milliseconds: int, patch: pytest.MonkeyPatch) -> None:
        patch.setattr("deniable.server.store.postgres.connections._BUSY_TIMEOUT", milliseconds)

    @contextmanager
    def locked(self, store: Store) -> Iterator[None]:
        with store._engine.transaction():
            yield

    @contextmanager
    def read(self, store: Store) -> Iterator[None]:
        with psycopg.connect(store.name) as db:
            db.execute("SELECT count(*) FROM surveys, reports")
            yield

    @contextmanager
    def full(self, store: Store) -> Iterator[None]:
        # The server's own error, from a trigger: a disk that is full would stop the other tests.
        schema = _schema_of(store)
        _admin(
            f"CREATE FUNCTION {schema}.full() RETURNS trigger LANGUAGE plpgsql AS "
            "'BEGIN RAISE EXCEPTION USING ERRCODE = ''53100''; END'; "
            f"CREATE TRIGGER t BEFORE INSERT ON {schema}.reports "
            f"FOR EACH ROW EXECUTE FUNCTION {schema}.full()"
        )
        yield
        _admin(f"DROP FUNCTION {schema}.full CASCADE")

    @contextmanager
    def moved(self, store: Store) -> Iterator[None]:
        schema = _schema_of(store)
        _admin(f"ALTER SCHEMA {schema} RENAME TO {schema}_away")
        yield
        _admin(f"ALTER SCHEMA {schema}_away RENAME TO {schema}")

    @contextmanager
    def replaced(self, store: Store) -> Iterator[None]:
        schema = _schema_of(store)
        with self.moved(store):
            _admin(
                f"CREATE SCHEMA {schema} AUTHORIZATION deniable; SET ROLE deniable; "
                f"SET search_path = {schema}; {';'.join(schema_of_postgres.statements())};"
                f"INSERT INTO surveys SELECT * FROM {schema}_away.surveys; "
                f"INSERT INTO revisions SELECT * FROM {schema}_away.revisions; "
                "RESET search_path; RESET ROLE"
            )
            yield
            _admin(f"DROP SCHEMA {schema} CASCADE")

    def destroy(self, folder: Path) -> None:
        _admin(f"DROP SCHEMA {self.schema(folder)} CASCADE")

    @contextmanager
    def files(self, folder: Path) -> Iterator[list[Path]]:
        found = CLUSTER.admin().execute(
            "SELECT pg_relation_filepath(oid) FROM pg_class "
            "WHERE relnamespace = to_regnamespace(%s) AND relkind = 'r'",
            (self.schema(folder),),
        )
        paths = [CLUSTER.data / path for (path,) in found]
        _admin("CHECKPOINT")  # what is in the log would be written over the damage
        CLUSTER.stop()
        yield paths
        CLUSTER.start()

    def occupy(self, folder: Path) -> None:
        self.url(folder)
        _admin(f"CREATE TABLE {self.schema(folder)}.theirs (x integer)")

    def set_version(self, folder: Path, difference: int) -> None:
        version = tables.VERSION + difference
        _admin(f"UPDATE {self.schema(folder)}.store SET version = {version}")


def sent_both_ways(
    engine: Engine, folder: Path, survey: Survey, sent: list[Report]
) -> Iterator[tuple[str, Store]]:
    """Send the same reports to two stores in opposite orders, and lend each with its name."""
    for name, order in (("a", sent), ("b", sent[::-1])):
        with closing(open_store(engine.url(folder, name))) as store:
            store.register(survey)
            for one in order:
                store.insert_reports([one])
            yield name, store


def inside(store: Store) -> Any:
    """Return what a store stands on, with all that only this engine has."""
    return store._engine


def _admin(statements: str) -> None:
    CLUSTER.admin().execute(statements.encode())


def _schema_of(store: Store) -> str:
    found = re.search(r"s_[0-9a-f]{16}", store.name)
    assert found is not None
    return found[0]


def _told(pages: list[tuple[bool, bytearray]]) -> bytes:
    """Return what pages of PostgreSQL tell: all but counts of bytes logged and of transactions.

    Transactions stay in their order, by which a thief could tell who came first.
    """
    tuples = []
    for is_heap, page in pages:
        # Where the log stood, the checksum, what all may see, and which transaction deleted.
        lower = struct.unpack_from("<H", page, 12)[0]
        page[0:12] = bytes(12)
        page[20:24] = bytes(4)
        for at in range(24, lower, 4) if is_heap else ():
            (line,) = struct.unpack_from("<I", page, at)
            if line >> 17:
                tuples.append((page, line & 0x7FFF))
    _rank([(page, at + field) for page, at in tuples for field in (0, 4)])
    # By which of its commands a transaction wrote a row: this depends on what the connection did
    # before, so only the order in a page is compared.
    for _, those in groupby(tuples, key=lambda found: id(found[0])):
        _rank([(page, at + 8) for page, at in those])
    for page, at in tuples:
        (mask,) = struct.unpack_from("<H", page, at + 20)
        struct.pack_into("<H", page, at + 20, mask & 0xF0FF)  # whether somebody has looked already
    return b"".join(page for _, page in pages)


def _rank(places: list[tuple[bytearray, int]]) -> None:
    """Put in the place of each number how many smaller ones there are."""
    numbers = [struct.unpack_from("<I", page, at)[0] for page, at in places]
    rank = {number: smaller for smaller, number in enumerate(sorted({0, *numbers}))}
    for (page, at), number in zip(places, numbers, strict=True):
        struct.pack_into("<I", page, at, rank[number])


SQLITE = _Sqlite()

POSTGRES = _Postgres()

ENGINES: list[Engine] = [SQLITE, POSTGRES]
