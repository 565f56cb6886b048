"""A connection to a database and a pool of them, as statements need them and no engine names them.

Statements mark values by ``?``. Names that SQL has for itself stand in quotes, as ``"user"`` does.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

from deniable.server.store.errors import StoreUnavailable

Row: TypeAlias = tuple[bytes, bytes]
"""Id and answers of a report."""


class Busy(StoreUnavailable):
    """Another process or a reader was in the way."""


class AlreadyThere(StoreUnavailable):
    """A row with the same key as a new one is there."""


class Damaged(StoreUnavailable):
    """What was read is not what was written."""


class Unreadable(Exception):
    """What was read is nothing that a store writes; `Engine.explained` says it as `Damaged`."""


class Cursor(Protocol):
    """What a statement returns."""

    @property
    def rowcount(self) -> int:
        """How many rows were written."""

    def fetchone(self) -> Any:
        """Return the next row, or None."""

    def fetchall(self) -> list[Any]:
        """Return all rows that are left."""

    def __iter__(self) -> Iterator[Any]: ...


class Database(Protocol):
    """A connection."""

    def execute(self, sql: str, values: Sequence[Any] = ..., /) -> Cursor:
        """Run a statement."""

    def stream(self, sql: str, values: Sequence[Any], /) -> Iterable[Any]:
        """Read the rows of a statement, inside a transaction, as they are asked for."""

    def add_rows(self, table: str, revision: int, rows: Sequence[Row], /) -> None:
        """Insert reports, sorted by id; `AlreadyThere` if one is."""

    def has_any(self, table: str, revision: int, ids: Sequence[bytes], /) -> bool:
        """Return whether any of these reports is there."""

    def remove_rows(self, table: str, revision: int, ids: Sequence[bytes], /) -> None:
        """Remove reports."""


def found_row(db: Database, sql: str, *values: Any) -> Any:
    """Return the row that a statement finds, or a KeyError of the last value."""
    row = db.execute(sql, values).fetchone()
    if row is None:
        raise KeyError(values[-1])
    return row


class Engine(Protocol):
    """What only an engine can say, over a pool of connections that many threads may share.

    Each block raises `StoreUnavailable` for every error of the database's, and `Busy` if somebody
    was in the way.
    """

    JOINED: ClassVar[str]
    """The expression that joins the column ``answers`` of many rows, in the order of their ids."""

    COURTESY: ClassVar[float]
    """How long others may write after each part of erasing the order, by how long that took."""

    name: str
    """What messages call the store: its address without anything secret."""

    def close(self) -> None:
        """Close every idle connection; those in use are closed as soon as they are given back."""

    def check_place(self) -> None:
        """Check that the store is where its address says, and of this program's version."""

    def try_writing(self) -> None:
        """Try a write, as far as to the disk, and take it back."""

    def lend(self) -> AbstractContextManager[Database]:
        """Lend a connection, in autocommit mode."""

    def transaction(self, *, ahead: bool = False) -> AbstractContextManager[Database]:
        """Lend a connection to the one writer of now, in any process, and commit durably.

        With ``ahead``, statements may be sent before those before them are answered. An error then
        comes with the next answer, and how many rows a statement wrote is not known.
        """

    def snapshot(self) -> AbstractContextManager[Database]:
        """Lend a connection that sees the store as it is now, whatever is written meanwhile."""

    def are_used_elsewhere(self) -> bool:
        """Return whether anything beside this pool has the store open."""

    def explained(self) -> AbstractContextManager[None]:
        """Turn the database's errors into a store's, without a message that might carry data."""

    def faults(self) -> list[str]:
        """Say what of the place breaks the store's promises, in a sentence each."""

    def columns(self, db: Database) -> Mapping[str, tuple[str, ...]]:
        """Return the columns of each table."""

    def misbuilt(self, db: Database, table: str) -> list[str]:
        """Return what the engine itself finds wrong with how a table lies on the disk."""

    def go_on_counting(self, db: Database) -> None:
        """Give the next revision the number after those that came from another store."""

    def erase_order_in_parts(self, *, wait: bool) -> Iterator[bool]:
        """Rewrite what tells the order of arrival, part by part; see `Part.erase_order`."""

    def empty_log(self) -> bool:
        """Empty the log of recent writes without waiting; False if somebody was in the way."""


class Alone(NamedTuple):
    """A store inside a transaction, which nobody else can open until it ends."""

    name: str  # as `deniable.server.store.store.Store.name`
    db: Database
    version: int
    tables: Mapping[str, tuple[str, ...]]  # the columns of each table
    place: Path  # what a copy of it is named after
    migrate: Callable[[], None]  # brings it to this program's version
