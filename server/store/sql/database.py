"""A connection to a database and a pool of them, as statements need them and no engine names them.

Statements mark values by ``?``. Names that SQL has for itself stand in quotes, as ``"user"`` does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

from deniable.server.store.errors import StoreUnavailable

Row: TypeAlias = tuple[bytes, bytes]
"""Id and answers of a report."""


class Busy(StoreUnavailable):
    """Another process or a reader was in the way."""


class AlreadyThere(StoreUnavailable):
    """A row with the same key as a new one is there."""


class Damaged(StoreUnavailable):
    """What was read is not what was written."""


class Cursor(Protocol):
    """What a statement returns."""

    @property
    def rowcount(self) -> int:
        """How many rows were written."""

    def fetchone(self) -> Any:
        """Return the next row, or None."""

    def fetchall(self) -> list[Any]:
        """Return all rows that are left."""

    def fetchmany(self, size: int = ..., /) -> list[Any]:
        """Return so many rows at most."""

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


class Connections(ABC):
    """A pool of connections, safe to use from many threads.

    Each block raises `StoreUnavailable` for every error of the database's, and `Busy` if somebody
    was in the way.
    """

    @abstractmethod
    def close(self) -> None:
        """Close every idle connection; those in use are closed as soon as they are given back."""

    @abstractmethod
    def check_place(self) -> None:
        """Check that the store is where its address says; see `Store.check_place`."""

    @abstractmethod
    def try_writing(self) -> None:
        """Try a write, and take it back; see `Store.try_writing`."""

    @abstractmethod
    def lend(self) -> AbstractContextManager[Database]:
        """Lend a connection, in autocommit mode."""

    @abstractmethod
    def transaction(self, *, ahead: bool = False) -> AbstractContextManager[Database]:
        """Lend a connection to the one writer of now, and commit durably.

        Nobody else writes to the store meanwhile, in any process.

        Parameters
        ----------
        ahead : bool
            Whether statements may be sent before those before them are answered, which saves ways
            to the database. An error then comes with the next answer that is asked for, and how
            many rows a statement wrote is not known.
        """

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Database]:
        """Lend a connection that sees the store as it is now, whatever is written meanwhile."""

    @abstractmethod
    def are_used_elsewhere(self) -> bool:
        """Return whether anything beside this pool has the store open."""

    @abstractmethod
    def explained(self) -> AbstractContextManager[None]:
        """Turn the database's errors into a store's, without a message that might carry data."""
