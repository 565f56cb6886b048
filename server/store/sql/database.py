"""The interfaces that both engines implement: a connection, and a pool of connections.

Statements mark values by ``?``. Reserved names are quoted, such as ``"user"``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

from deniable.server.store.errors import StoreUnavailable

StoredReport: TypeAlias = tuple[bytes, bytes]
"""The id of a report, and its `Report.row`."""


class Busy(StoreUnavailable):
    """Another process or a reader held a lock."""


class AlreadyThere(StoreUnavailable):
    """A row with the same key as a new one exists."""


class Damaged(StoreUnavailable):
    """The data on disk are not the data that were written."""


class Unreadable(Exception):
    """Data that no store writes; `Engine.explained` turns it into `Damaged`."""


class Cursor(Protocol):
    """The result of a statement."""

    @property
    def rowcount(self) -> int:
        """Return how many rows were written."""

    def fetchone(self) -> Any:
        """Return the next row, or None."""

    def fetchall(self) -> list[Any]:
        """Return all rows that are left."""

    def __iter__(self) -> Iterator[Any]: ...


class Database(Protocol):
    """A connection."""

    JOINED: ClassVar[str]
    """The expression that joins id and `Report.row` of many reports, in the order of their ids."""

    def execute(self, sql: str, values: Sequence[Any] = ..., /) -> Cursor:
        """Run a statement."""

    def stream(self, sql: str, values: Sequence[Any], /) -> Iterable[Any]:
        """Read the rows of a statement on demand, inside a transaction."""

    def add_rows(self, table: str, revision: int, reports: Sequence[StoredReport], /) -> None:
        """Insert reports, sorted by id; raise `AlreadyThere` if an id exists."""

    def has_any(self, table: str, revision: int, ids: Sequence[bytes], /) -> bool:
        """Return whether the table holds any of these reports."""

    def remove_rows(self, table: str, revision: int, ids: Sequence[bytes], /) -> None:
        """Remove reports."""


def found_row(db: Database, sql: str, *values: Any) -> Any:
    """Return the row that a statement finds; raise KeyError with the last value if none."""
    row = db.execute(sql, values).fetchone()
    if row is None:
        raise KeyError(values[-1])
    return row


class Engine(Protocol):
    """The operations of an engine, over a pool of connections that many threads may share.

    Each block raises `StoreUnavailable` for every error of the database, and `Busy` if a lock was
    held.
    """

    COURTESY: ClassVar[float]
    """Time for other writers after a part of erasing the order, as a multiple of its duration."""

    name: str
    """The store's name in messages: its address without secrets."""

    def close(self) -> None:
        """Close every idle connection now, and each connection in use when it is given back."""

    def check_place(self) -> None:
        """Check that the store is where its address says, and has this program's version."""

    def try_writing(self) -> None:
        """Try a write, as far as to the disk, and take it back."""

    def lend(self) -> AbstractContextManager[Database]:
        """Lend a connection, in autocommit mode."""

    def transaction(self, *, ahead: bool = False) -> AbstractContextManager[Database]:
        """Lend a connection to the only writer, in any process, and commit durably.

        With ``ahead``, statements may be sent before earlier ones are answered. An error then comes
        with a later answer, and the number of written rows is not known.
        """

    def snapshot(self) -> AbstractContextManager[Database]:
        """Lend a connection that sees the store as of now, whatever is written meanwhile."""

    def are_used_elsewhere(self) -> bool:
        """Return whether anything besides this pool has the store open."""

    def explained(self) -> AbstractContextManager[None]:
        """Turn the database's errors into a store's, without a message that might carry data."""

    def faults(self) -> list[str]:
        """Return a sentence for each fault of the store's place that breaks its promises."""

    def columns(self, db: Database) -> Mapping[str, tuple[str, ...]]:
        """Return the columns of each table."""

    def misbuilt(self, db: Database, table: str) -> list[str]:
        """Return the faults that the engine itself finds in a table's structure on disk."""

    def go_on_counting(self, db: Database) -> None:
        """Give the next revision a number after the ones that came from another store."""

    def erase_order_in_parts(self, *, wait: bool) -> Iterator[bool]:
        """Rewrite the data that show the order of arrival, in parts; see `Part.erase_order`."""

    def empty_log(self) -> bool:
        """Empty the log of recent writes without waiting; return False if a lock was held."""


class Alone(NamedTuple):
    """A store inside a transaction; nobody else can open it until that ends."""

    name: str  # as `deniable.server.store.store.Store.name`
    db: Database
    version: int
    tables: Mapping[str, tuple[str, ...]]  # the columns of each table
    place: Path  # gives a copy its name
    migrate: Callable[[], None]  # brings it to this program's version
