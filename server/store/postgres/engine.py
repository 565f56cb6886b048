"""All that a store does, in PostgreSQL.

What makes good the promises of `deniable.server.store`: ``synchronous_commit`` and a server that
uses ``fsync`` (a crash), keys that the devices drew and tables that are rewritten in their order (a
thief, the order of arrival), and one lock for whoever writes, so that any number of processes and
hosts keep one snapshot.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from deniable.server.store.errors import StoreError, StoreNotFound, StoreOutdated
from deniable.server.store.postgres import order, schema
from deniable.server.store.postgres.address import name_of
from deniable.server.store.postgres.connections import PostgresConnections
from deniable.server.store.postgres.examining import faults
from deniable.server.store.postgres.versions import columns_of, told, version_of
from deniable.server.store.postgres.writing import write_copy, write_survey
from deniable.server.store.records import SurveyCopy
from deniable.server.store.sql import tables
from deniable.server.store.sql.database import Busy, Database
from deniable.server.store.sql.engine import SqlStore
from deniable.survey import Survey

_COURTESY: Final = 0.25
"""How long others may write after each part of settling, by how long that took."""

_AMCHECK: Final = """
SELECT quote_ident(nspname), bool_and(has_function_privilege(p.oid, 'EXECUTE'))
FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = extnamespace
JOIN pg_proc AS p ON pronamespace = n.oid AND proname IN ('verify_heapam', 'bt_index_check')
WHERE extname = 'amcheck' GROUP BY nspname
"""
"""Where PostgreSQL's own check lies, if it was installed, and whether this role may call it."""

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


class PostgresStore(SqlStore):
    """A store in a PostgreSQL database, in the first schema that the connection looks in.

    Parameters
    ----------
    url : str
        The address, as PostgreSQL's own programs take it.
    create : bool
        Whether to make the tables where there are none. The database must be there.
    read_only : bool
        Whether nothing shall be written.

    Raises
    ------
    StoreError
        As in `deniable.server.store.open_store`.
    """

    JOINED: ClassVar = "string_agg(answers, ''::bytea ORDER BY id)"

    _connections: PostgresConnections

    def __init__(self, url: str, *, create: bool = True, read_only: bool = False) -> None:
        self.name = name_of(url)
        self._connections = PostgresConnections(url, read_only=read_only)
        try:
            self._check_durability()
            self._find(create=create)
        except BaseException:
            self.close()
            raise

    def _find(self, *, create: bool) -> None:
        """Check that the store is of this version, and remember where it is."""
        expected = tables.VERSION
        try:
            found = version_of(self._connections, self.name)
        except StoreNotFound:
            if not create:
                raise
            with told(self.name):
                schema.make(self._connections)
            found = expected
        if found < expected:
            raise StoreOutdated(self.name, found, expected)
        with self._connections.lend() as db:
            self._connections.remember(db.locate(), found, schema.tables_of(db))

    def _check_durability(self) -> None:
        with self._connections.lend() as db:
            (fsync,) = db.execute("SELECT current_setting('fsync')").fetchone()
        if fsync != "on":
            raise StoreError(
                f"{self.name}: found a server with fsync = off, which would lose reports that were "
                "acknowledged; expected fsync = on in postgresql.conf"
            )

    def faults(self) -> list[str]:
        with self._connections.lend() as db:
            return list(faults(db, self.name))

    def _write_survey(self, db: Database, survey: Survey, source: str) -> None:
        write_survey(db, survey, source)

    def _write_copy(self, db: Database, copy: SurveyCopy) -> int:
        return write_copy(db, copy)

    def _tables(self, db: Database) -> Mapping[str, tuple[str, ...]]:
        return columns_of(db)

    def _misbuilt(self, db: Database, table: str) -> list[str]:
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

    def _go_on_counting(self, db: Database) -> None:
        db.execute(
            "SELECT setval(pg_get_serial_sequence('revisions', 'number'), max(number)) "
            "FROM revisions"
        )

    # ------------------------------------------------------------------ order

    def settle(self, *, wait: bool = True) -> bool:
        start = time.monotonic()
        for done in self.settling(wait=wait):
            if not done:
                return False
            # Those who waited get more than one turn: else they become ever more.
            time.sleep(_COURTESY * (time.monotonic() - start))
            start = time.monotonic()
        return True

    def settling(self, *, wait: bool = True) -> Iterator[bool]:
        return self._rewrite(slices=True, wait=wait)

    def empty_log(self) -> bool:
        # What the small tables held says what the last reports were, and those that moved.
        return all(self._rewrite(slices=False, wait=False))

    def _rewrite(self, *, slices: bool, wait: bool) -> Iterator[bool]:
        try:
            with self._connections.lend() as db:
                groups = list(order.groups(db, slices=slices))
            for group in groups:
                with self._connections.transaction(wait=wait) as db:
                    order.rewrite(db, group)
                yield True
            with self._connections.lend() as db:
                order.begin_new_log(db)
        except Busy:
            yield False
