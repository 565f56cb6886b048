"""The engine of a store in PostgreSQL.

It keeps the promises of `deniable.server.store` by ``synchronous_commit`` and a server with
``fsync`` (a crash), random keys from the devices and tables that are rewritten in their order (a
thief, the order of arrival), and one lock for writers, so that any number of processes and hosts
keep one snapshot.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from deniable.server.store.errors import StoreError, StoreNotFound, StoreOutdated
from deniable.server.store.postgres import order, schema
from deniable.server.store.postgres.connections import PostgresConnections
from deniable.server.store.postgres.examining import faults
from deniable.server.store.postgres.versions import columns_of, told, version_of
from deniable.server.store.sql import tables
from deniable.server.store.sql.database import Busy, Database
from deniable.server.store.store import Store

_AMCHECK: Final = """
SELECT quote_ident(nspname), bool_and(has_function_privilege(p.oid, 'EXECUTE'))
FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = extnamespace
JOIN pg_proc AS p ON pronamespace = n.oid AND proname IN ('verify_heapam', 'bt_index_check')
WHERE extname = 'amcheck' GROUP BY nspname
"""
"""The schema of PostgreSQL's amcheck, if it is installed, and whether this role may call it."""

_PARTS: Final = """
SELECT part.oid::regclass::text, part.relkind = 'i'
FROM pg_class AS t
LEFT JOIN pg_partition_tree(t.oid) AS tree ON true
JOIN pg_class AS own ON own.oid = coalesce(tree.relid, t.oid)
LEFT JOIN pg_index ON indrelid = own.oid
JOIN pg_class AS part ON part.oid IN (own.oid, indexrelid) AND part.relkind IN ('r', 'i')
WHERE t.relname = ? AND t.relnamespace = to_regnamespace(quote_ident(current_schema()))
GROUP BY part.oid, part.relkind ORDER BY 2, 1
"""
"""The files of a table and of its indexes."""


def open_database(url: str, *, create: bool = True, read_only: bool = False) -> Store:
    """Open the store in the address's first schema; errors as in `open_store`."""
    engine = PostgresEngine(url, read_only=read_only)
    try:
        _check_durability(engine)
        _find(engine, create=create)
    except BaseException:
        engine.close()
        raise
    return Store(engine)


def _find(engine: PostgresEngine, *, create: bool) -> None:
    """Check that the store has this version, and remember its place; make it if needed."""
    try:
        found = version_of(engine, engine.name)
    except StoreNotFound:
        if not create:
            raise
        with told(engine.name):
            schema.make(engine)
        found = tables.VERSION
    if found < tables.VERSION:
        raise StoreOutdated(engine.name, found, tables.VERSION)
    with engine.lend() as db:
        engine.remember(db.locate(), found, schema.tables_of(db))


def _check_durability(engine: PostgresEngine) -> None:
    with engine.lend() as db:
        (fsync,) = db.execute("SELECT current_setting('fsync')").fetchone()
    if fsync != "on":
        raise StoreError(
            f"{engine.name}: found a server with fsync = off, which would lose reports that were "
            "acknowledged; expected fsync = on in postgresql.conf"
        )


class PostgresEngine(PostgresConnections):
    """A store in a PostgreSQL database."""

    COURTESY: ClassVar = 0.25

    def faults(self) -> list[str]:
        with self.lend() as db:
            return list(faults(db, self.name))

    columns = staticmethod(columns_of)

    def misbuilt(self, db: Database, table: str) -> list[str]:
        found = db.execute(_AMCHECK).fetchone()
        if found is None or not found[1]:
            return []
        told: list[str] = []
        for name, is_index in db.execute(_PARTS, (table,)).fetchall():
            if is_index:
                db.execute(f"SELECT {found[0]}.bt_index_check(?::regclass, true)", (name,))
            else:
                rows = db.execute(
                    f"SELECT 'block ' || blkno || ': ' || msg "  # noqa: S608  a quoted name
                    f"FROM {found[0]}.verify_heapam(?::regclass)",
                    (name,),
                )
                told += [f"{name}, {said}" for (said,) in rows.fetchall()]
        return told

    def go_on_counting(self, db: Database) -> None:
        db.execute(
            "SELECT setval(pg_get_serial_sequence('revisions', 'number'), max(number)) "
            "FROM revisions"
        )

    def erase_order_in_parts(self, *, wait: bool) -> Iterator[bool]:
        return self._rewrite(slices=True, wait=wait)

    def empty_log(self) -> bool:
        # The dead rows of the small tables show the last reports, and which ones moved.
        return all(self._rewrite(slices=False, wait=False))

    def _rewrite(self, *, slices: bool, wait: bool) -> Iterator[bool]:
        try:
            with self.lend() as db:
                groups = list(order.groups(db, slices=slices))
            for group in groups:
                with self.transaction(wait=wait) as db:
                    order.rewrite(db, group)
                yield True
            with self.lend() as db:
                order.begin_new_log(db)
        except Busy:
            yield False
