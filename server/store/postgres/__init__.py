"""A store in a PostgreSQL database, which several servers on several hosts can use at once.

==============  ============================================================================
`address`       ``postgresql://…``, and its form without passwords
`engine`        the engine of a `Store` in PostgreSQL
`connections`   connections with the settings that a store needs, and the writer's lock
`schema`        the tables in PostgreSQL, and their version
`versions`      the version of a store, and exclusive access to one
`examining`     whether the server's settings keep a store's promises
`order`         wiping out the order of arrival
==============  ============================================================================

psycopg is an extra (``postgres``), loaded with the first such store.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from deniable.extras import MissingExtra
from deniable.server.store.errors import StoreError
from deniable.server.store.postgres.address import ADDRESS, SCHEME, check_address, name_of
from deniable.server.store.records import Age
from deniable.server.store.sql.database import Alone

if TYPE_CHECKING:
    from deniable.server.store.store import Store

__all__ = ["ADDRESS", "SCHEME", "age_of", "alone", "files_of", "open_store"]


def open_store(url: str, *, create: bool = True, read_only: bool = False) -> Store:
    """Open the store at an address; parameters and errors as in `deniable.server.store`."""
    with _with_psycopg(url):
        from deniable.server.store.postgres.engine import open_database  # noqa: PLC0415  an extra
    return open_database(url, create=create, read_only=read_only)


def age_of(url: str) -> Age:
    """Return a store's version and this program's, as in `deniable.server.store.opening`."""
    with _with_psycopg(url):
        from deniable.server.store.postgres import versions  # noqa: PLC0415  an extra
    return versions.age(url)


def alone(url: str) -> AbstractContextManager[Alone]:
    """Lend a store while nobody else has it open; as in `deniable.server.store.opening`."""
    with _with_psycopg(url):
        from deniable.server.store.postgres import versions  # noqa: PLC0415  an extra
    return versions.alone(url)


@contextmanager
def _with_psycopg(url: str) -> Iterator[None]:
    """Check an address, and say what to install if psycopg is missing."""
    check_address(url)
    try:
        yield
    except ImportError:
        what = f"{name_of(url)}: a store in PostgreSQL needs the package psycopg"
        raise StoreError(str(MissingExtra(what, "postgres"))) from None


def files_of(url: str) -> list[str]:
    """Return an empty list: the database server keeps the files."""
    check_address(url)
    return []
