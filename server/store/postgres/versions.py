"""The version of a store in PostgreSQL, and exclusive access to a store."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path

from deniable.server.store.errors import StoreError, StoreNotFound
from deniable.server.store.postgres import schema
from deniable.server.store.postgres.address import name_of
from deniable.server.store.postgres.connections import PostgresConnections
from deniable.server.store.records import Age
from deniable.server.store.sql import tables
from deniable.server.store.sql.database import Alone, Database
from deniable.server.store.sql.migration import SchemaMismatch


def age(url: str) -> Age:
    """Return a store's version and this program's; errors as in `version_of`."""
    with closing(PostgresConnections(url, read_only=True)) as connections:
        found = version_of(connections, name_of(url))
    # All connections share a lock, so every server is seen.
    return Age(name_of(url), found, tables.VERSION, unseen="")


def version_of(connections: PostgresConnections, name: str) -> int:
    """Return the version of an existing store."""
    with told(name), connections.lend() as db:
        found = schema.version_of(db)
    if found == 0:
        raise StoreNotFound(f"{name}: there is no store here")
    return found


@contextmanager
def told(name: str) -> Iterator[None]:
    """Turn a `SchemaMismatch` into a `StoreError`."""
    try:
        yield
    except SchemaMismatch as mismatch:
        raise StoreError(f"{name}: {mismatch}, or give another database") from None


@contextmanager
def alone(url: str) -> Iterator[Alone]:
    """Lend a store while nobody else has it open; see `deniable.server.store.opening.alone`."""
    name = name_of(url)
    with ExitStack() as stack:
        connections = stack.enter_context(closing(PostgresConnections(url)))
        with told(name):
            db = stack.enter_context(connections.alone())
            version = schema.version_of(db)
        if version == 0:
            raise StoreNotFound(f"{name}: there is no store here")
        (database,) = db.execute("SELECT current_database()::text").fetchone()
        migrate = partial(schema.migrate, db)
        yield Alone(name, db, version, columns_of(db), Path(database), migrate)


def columns_of(db: Database) -> Mapping[str, tuple[str, ...]]:
    """Return the columns of each table."""
    found: dict[str, tuple[str, ...]] = {}
    for table, column in db.execute(
        "SELECT relname, attname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid "
        "WHERE relnamespace = to_regnamespace(quote_ident(current_schema())) "
        "AND relkind IN ('r', 'p') AND NOT relispartition AND attnum > 0 AND NOT attisdropped "
        "ORDER BY relname, attnum"
    ):
        found[table] = (*found.get(table, ()), column)
    return found
