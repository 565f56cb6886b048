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

from contextlib import AbstractContextManager
from importlib import import_module
from typing import TYPE_CHECKING, Any

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
    store: Store = _module("engine", url).open_database(url, create=create, read_only=read_only)
    return store


def age_of(url: str) -> Age:
    """Return a store's version and this program's, as in `deniable.server.store.opening`."""
    age: Age = _module("versions", url).age(url)
    return age


def alone(url: str) -> AbstractContextManager[Alone]:
    """Lend a store while nobody else has it open; as in `deniable.server.store.opening`."""
    lent: AbstractContextManager[Alone] = _module("versions", url).alone(url)
    return lent


def _module(name: str, url: str) -> Any:
    """Load a module of this package, after a check of the address; say if psycopg is missing."""
    check_address(url)
    try:
        return import_module(f"{__name__}.{name}")
    except ImportError:
        what = f"{name_of(url)}: a store in PostgreSQL needs the package psycopg"
        raise StoreError(str(MissingExtra(what, "postgres"))) from None


def files_of(url: str) -> list[str]:
    """Return an empty list: the database server keeps the files."""
    check_address(url)
    return []
