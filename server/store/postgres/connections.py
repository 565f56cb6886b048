"""Connections to a store's database, with the settings that the store's promises need."""

import re
import select
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from itertools import count
from typing import Any, ClassVar, Final, NamedTuple

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from deniable.server.store.errors import StoreError, StoreUnavailable, other_version
from deniable.server.store.postgres.address import ADDRESS, name_of
from deniable.server.store.sql.database import (
    AlreadyThere,
    Busy,
    Cursor,
    Damaged,
    StoredReport,
    Unreadable,
)
from deniable.server.store.sql.snapshot import parts

_BUSY_TIMEOUT: Final = 5_000
"""Milliseconds to wait for another process's lock before giving up."""

_MOMENT: Final = 200
"""Milliseconds that housekeeping waits for another writer."""

_TURN: Final = int.from_bytes(b"dnbl")
"""First half of the writer's advisory lock; the second half is the store's schema. Row locks would
keep on disk which transaction locked them; this lock does not."""

_HERE: Final = _TURN + 1
"""First half of the lock that all processes with the store open share."""

_TRIES: Final = 20
_PAUSE: Final = 0.05
"""How often to check whether others have left, and the seconds between."""

_BREATH: Final = 0.25
"""Seconds without another try after a refused connection. A database that recovers from a crash
waits until nobody tries, and gives up after some seconds."""

_DEFAULTS: Final[dict[str, str | int]] = {
    "application_name": "deniable",
    "connect_timeout": 5,
    # A lost host does not answer: notice that after seconds, not hours.
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 2,
}
"""Default settings of a connection; the address can override them."""

_BUSY: Final = ("55P03", "40P01", "40001", "57014")
"""Locks, deadlocks and cancelled statements."""

_DAMAGED: Final = ("XX001", "XX002")

_KINDS: Final = {
    **dict.fromkeys(_BUSY, Busy),
    "23505": AlreadyThere,
    **dict.fromkeys(_DAMAGED, Damaged),
}
"""Errors that the store itself distinguishes."""

_GONE: Final = ("42P01", "3F000")
"""A missing table or schema."""

_REFUSAL: Final = re.compile(r"FATAL: +(?!the database system)(.*)")
"""A server's message when it refuses a connection: a wrong password, no such database. It comes
without a code, and holds no data."""

_TROUBLES: Final = {
    "08": "the database cannot be reached",
    "22": "the database refuses a value",
    "25": "the database can only be read, as a standby server is",
    "42": "the role lacks a right; expected one that owns the database's tables",
    "53": "the database has no memory or connection left",
    "53100": "the disk is full",
    "54": "a limit of the database is reached",
    "57": "the database is starting or stopping",
    "58": "the disk cannot be read or written",
    "XX": "the database has an error of its own",
    "XX001": "the database is damaged",
    "XX002": "an index of the database is damaged",
}
"""Messages for PostgreSQL's codes, by their longest known beginning."""


class Place(NamedTuple):
    """The identity of a store's tables, whatever their names."""

    system: int  # the database server's random id
    database: int
    schema: int | None
    store: int | None  # the table `store`; None if there is none


class Connection:
    """A connection with the methods that `deniable.server.store.sql` needs."""

    JOINED: ClassVar = "string_agg(id || answers, ''::bytea ORDER BY id)"

    _names = count()

    def __init__(self, raw: psycopg.Connection, place: Place) -> None:
        self.raw = raw
        self.place = place

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Cursor:
        """Run a statement."""
        if any(isinstance(value, str) and "\0" in value for value in values):
            raise KeyError("NUL")  # PostgreSQL cannot store it, so no row has it
        cursor = self.raw.cursor(binary=True)
        if values:
            return cursor.execute(_with_placeholders(sql), values)
        return cursor.execute(sql.encode())

    def locate(self) -> Place:
        """Return which store it leads to now."""
        return _locate(self.raw)

    def run(self, *statements: str) -> None:
        """Run statements without values, in one message."""
        self.raw.execute("; ".join(statements).encode())

    def stream(self, sql: str, values: Sequence[Any], /) -> Iterable[Any]:
        """Read rows on demand, some thousand at once."""
        name = f"reading_{next(self._names)}"
        with self.raw.cursor(name=name, binary=True) as cursor:
            cursor.itersize = 5_000
            yield from cursor.execute(_with_placeholders(sql), values)

    def add_rows(self, table: str, revision: int, reports: Sequence[StoredReport], /) -> None:
        """Insert reports, sorted by id."""
        sql = f"INSERT INTO {table} SELECT %s, * FROM unnest(%b::bytea[], %b::bytea[])"  # noqa: S608
        for part in parts(reports):
            ids, rows = map(list, zip(*part, strict=True))
            self.raw.execute(sql.encode(), (revision, ids, rows))

    def has_any(self, table: str, revision: int, ids: Sequence[bytes], /) -> bool:
        """Return whether the table holds any of these reports."""
        if not ids:
            return False
        # A subquery that gives a value is run for each id, by the key. With a list of ids or a
        # join, the planner would read all reports to the revision: it has no statistics of ids.
        there = f"SELECT true FROM {table} AS t WHERE revision = %s AND t.id = given.id"  # noqa: S608
        sql = f"SELECT 1 FROM unnest(%b::bytea[]) AS given (id) WHERE ({there}) LIMIT 1"  # noqa: S608
        return self.raw.execute(sql.encode(), ([*ids], revision)).fetchone() is not None

    def remove_rows(self, table: str, revision: int, ids: Sequence[bytes], /) -> None:
        """Remove reports."""
        if ids:
            sql = f"DELETE FROM {table} WHERE revision = %s AND id = ANY(%b::bytea[])"  # noqa: S608
            self.raw.execute(sql.encode(), (revision, [*ids]))


class PostgresConnections:
    """A pool of connections to one schema of a database, safe to use from many threads.

    The pool holds idle connections only. A connection that the server has closed is dropped, and
    another one opened. So a database that comes back is used at once.
    """

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        self.name = name_of(url)
        self._read_only = read_only
        try:
            given = conninfo_to_dict(url)
        except psycopg.Error:  # whose message repeats the address
            raise StoreError(f"{self.name}: found a faulty address, expected {ADDRESS}") from None
        self._settings = make_conninfo("", **{**_DEFAULTS, **given})
        self._place: Place | None = None
        self._version = 0
        self._tables = ""
        self._idle: list[Connection] = []
        self._refused: tuple[float, str] | None = None
        self._lock = threading.Lock()
        self._closed = False

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for db in idle:
            db.raw.close()

    def remember(self, place: Place, version: int, tables: Sequence[str]) -> None:
        """Accept no other store from now on, and lock these tables in each snapshot."""
        self._place = place
        self._version = version
        self._tables = ", ".join(tables)

    @contextmanager
    def lend(self) -> Iterator[Connection]:
        with self.explained():
            db = self._take() or self._open()
        try:
            with self.explained():
                yield db
        finally:
            self._give_back(db)

    @contextmanager
    def transaction(self, *, ahead: bool = False, wait: bool = True) -> Iterator[Connection]:
        """Lend a connection to the only writer, and commit durably."""
        with self.lend() as db:
            if ahead:
                with db.raw.pipeline():
                    there = self._ask_for_turn(db)
                    yield db
                    self._compare(there.fetchone())
                    db.run("COMMIT")
            else:
                self._take_turn(db, wait=wait)
                yield db
                db.run("COMMIT")

    def try_writing(self) -> None:
        with self.transaction() as db:
            # Fails if the role may not write. It deletes nothing.
            db.execute("DELETE FROM surveys WHERE false")
            # Writes to the WAL alone, which the commit flushes to the disk.
            db.execute("SELECT pg_logical_emit_message(true, 'deniable', '')")

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        with self.lend() as db:
            # The locks come before the first statement, which fixes the moment of the snapshot: a
            # table that was rewritten after that moment would seem to be empty.
            db.run(
                "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",
                f"LOCK TABLE {self._tables} IN ACCESS SHARE MODE",
            )
            yield db

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """Lend a connection in a transaction, while nobody else has the store open or can open it.

        Every connection shares a lock as long as it lives. This one, outside the pool, takes it
        exclusively.
        """
        with self.explained():
            raw = self._connect()
            with closing(raw):
                raw.execute(f"SET lock_timeout = {_BUSY_TIMEOUT}".encode())
                db = Connection(raw, self._find(raw))
                here = f"SELECT pg_advisory_lock({_HERE}, {_signed_oid(db.place.schema or 0)})"
                raw.execute(here.encode())
                self._take_turn(db, wait=True)
                yield db
                db.run("COMMIT")

    def check_place(self) -> None:
        with self.lend() as db:
            self._compare(db.execute(self._standing()).fetchone())

    def are_used_elsewhere(self) -> bool:
        with self._lock:
            idle, self._idle = self._idle, []
        for db in idle:
            db.raw.close()
        with self.lend() as db:
            # A connection that was just closed may still be ending.
            for _ in range(_TRIES):
                (others,) = db.execute(
                    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted "
                    "AND database = ? AND classid = ? AND objid = ? AND pid <> pg_backend_pid()",
                    (db.place.database, _HERE, db.place.schema),
                ).fetchone()
                if not others:
                    return False
                time.sleep(_PAUSE)
        return True

    @contextmanager
    def explained(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            state = error.sqlstate or "08"
            if state in _GONE:
                raise self._not_in_its_place() from error
            trouble = next(
                (_TROUBLES[state[:n]] for n in (5, 2) if state[:n] in _TROUBLES),
                "it cannot be used now",
            )
            if state in _BUSY:
                trouble = "another process is using it; try again"
            elif error.sqlstate is None and (said := _REFUSAL.search(str(error))):
                trouble = f"the database refuses: {said[1]}"
            kind = _KINDS.get(state, StoreUnavailable)
            raise kind(f"{self.name}: {trouble} ({type(error).__name__})") from error
        except Unreadable as error:
            raise Damaged(f"{self.name}: it is damaged ({error})") from error

    def _take(self) -> Connection | None:
        """Return an idle connection that the server has not closed; None if there is none."""
        while True:
            with self._lock:
                db = self._idle.pop() if self._idle else None
            if db is None or _is_quiet(db.raw):
                return db
            db.raw.close()

    def _give_back(self, db: Connection) -> None:
        try:
            db.raw.rollback()  # a transaction that a block left open must not reach the next one
        except psycopg.Error:
            db.raw.close()
        with self._lock:
            keep = not (self._closed or db.raw.closed)
            if keep:
                self._idle.append(db)
        if not keep:
            db.raw.close()

    def _open(self) -> Connection:
        """Open one more connection, and check that it leads to the same store."""
        raw = self._connect()
        try:
            raw.execute(f"SET lock_timeout = {_BUSY_TIMEOUT}".encode())
            # Held reports come and go. Only a plain index scan marks dead entries; with bitmap
            # scans each commit would read all entries since the table was rewritten.
            raw.execute("SET enable_bitmapscan = off")
            # A role or a database may turn it off, but every acknowledged report must be on disk.
            raw.execute(
                "SELECT set_config('synchronous_commit', 'on', false) "
                "WHERE current_setting('synchronous_commit') = 'off'"
            )
            if self._read_only:
                raw.execute("SET default_transaction_read_only = on")
            place = self._find(raw)
            here = f"SELECT pg_advisory_lock_shared({_HERE}, {_signed_oid(place.schema or 0)})"
            raw.execute(here.encode())
            if self._place is not None:
                # Under the lock, so that nobody can change its version from here on.
                self._compare(raw.execute(self._standing().encode(), binary=True).fetchone())
        except BaseException:
            raw.close()
            raise
        return Connection(raw, place)

    def _find(self, raw: psycopg.Connection) -> Place:
        """Return which store a connection leads to; raise if it is another one."""
        place = _locate(raw)
        if self._place not in (None, place):
            raise self._not_in_its_place()
        if place.schema is None:
            raise StoreError(
                f"{self.name}: found no schema; make it, or give the role the right to use it"
            )
        return place

    def _connect(self) -> psycopg.Connection:
        """Connect, or raise again the error of a moment ago."""
        refused = self._refused
        if refused is not None and time.monotonic() < refused[0] + _BREATH:
            raise psycopg.OperationalError(refused[1])
        try:
            raw = psycopg.connect(self._settings, autocommit=True)
        except psycopg.OperationalError as error:
            self._refused = time.monotonic(), str(error)
            raise
        self._refused = None
        return raw

    def _take_turn(self, db: Connection, *, wait: bool) -> None:
        """Begin a transaction as the only writer, in one message."""
        key = f"{_TURN}, {_signed_oid(db.place.schema or 0)}"
        # Separate statements, because only statements after the lock see the last writer's commit.
        # A writer is soon done, but a reader may take all day.
        answers = db.raw.execute(
            f"BEGIN; SET LOCAL lock_timeout = {_BUSY_TIMEOUT if wait else _MOMENT}; "
            f"SELECT pg_advisory_xact_lock({key}); "
            f"SET LOCAL lock_timeout = {_BUSY_TIMEOUT if wait else 1}; "
            f"{self._standing()}".encode()
        )
        while answers.nextset():
            pass
        self._compare(answers.fetchone())

    def _ask_for_turn(self, db: Connection) -> Cursor:
        """Begin a transaction as the only writer, without waiting; return the answer's cursor."""
        db.run("BEGIN")
        # The server waits for it as long as for any lock of the connection.
        db.run(f"SELECT pg_advisory_xact_lock({_TURN}, {_signed_oid(db.place.schema or 0)})")
        return db.execute(self._standing())

    def _standing(self) -> str:
        # Before the first `remember`, there may be no such table yet.
        return _STANDING if self._place is not None else "SELECT 0, 0"

    def _compare(self, row: tuple[int | None, int] | None) -> None:
        if self._place is None:
            return
        if row is None or row[0] != self._place.store:
            raise self._not_in_its_place()
        if row[1] != self._version:
            raise StoreUnavailable(other_version(self.name, row[1], self._version))

    def _not_in_its_place(self) -> StoreUnavailable:
        return StoreUnavailable(
            f"{self.name}: its tables were deleted, moved or replaced while they were in use; put "
            "them back, or stop the server and start it again"
        )


_STORE: Final = "to_regclass(quote_ident(current_schema()) || '.store')::oid::bigint"

_STANDING: Final = f"SELECT {_STORE}, (SELECT version FROM store)"  # noqa: S608  a constant
"""The table `store`, and the version in it."""

_WHERE: Final = f"""
SELECT
    (SELECT system_identifier FROM pg_control_system()),
    (SELECT oid::bigint FROM pg_database WHERE datname = current_database()),
    (SELECT oid::bigint FROM pg_namespace WHERE nspname = current_schema()),
    {_STORE}
""".encode()  # noqa: S608  a constant
"""Which store a connection leads to."""


@lru_cache(1000)
def _with_placeholders(sql: str) -> bytes:
    return sql.replace("%", "%%").replace("?", "%s").encode()


def _locate(raw: psycopg.Connection) -> Place:
    ((system, database, schema, store),) = raw.execute(_WHERE).fetchall()
    return Place(system, database, schema, store)


def _is_quiet(raw: psycopg.Connection) -> bool:
    """Return whether an idle connection is open: a server that ends one sends a message."""
    if raw.closed:
        return False
    poll = select.poll()
    poll.register(raw.fileno(), select.POLLIN)
    return not poll.poll(0)


def _signed_oid(oid: int) -> int:
    # Advisory locks take signed numbers.
    return oid - 2**32 if oid >= 2**31 else oid
