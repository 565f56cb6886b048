"""Wiping out the order of arrival.

PostgreSQL writes rows as they come (``ctid``), stores the transaction of each (``xmin``), and
leaves deleted and changed rows in place. ``VACUUM FULL`` and ``CLUSTER`` keep ``xmin``. So a table
is rewritten: in one transaction its rows are copied aside, its file is dropped, and they are
inserted again in the order of their keys.

The log of writes (WAL) holds every row as it came, until the server no longer needs it. If the role
may, a new log file is begun and a checkpoint made, after which the server deletes the old files, or
overwrites them if ``wal_recycle`` is on.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from deniable.server.store.postgres.connections import Connection

_AT_ONCE: Final = 2**23
"""Bytes of tables that are rewritten in one transaction, while others wait: about a third of a
second. A larger table is rewritten by itself."""

_TABLES: Final = """
SELECT t.oid::regclass::text, pg_total_relation_size(t.oid), pg_relation_size(t.oid) > 0,
    t.relispartition,
    (
        SELECT string_agg(quote_ident(attname), ', ' ORDER BY place)
        FROM unnest(indkey) WITH ORDINALITY AS key (number, place)
        JOIN pg_attribute ON attrelid = t.oid AND attnum = number
    )
FROM pg_class AS t JOIN pg_index ON indrelid = t.oid AND indisprimary
WHERE relnamespace = ? AND relkind = 'r'
ORDER BY relispartition, relname
"""


class Table(NamedTuple):
    """A table of the store."""

    name: str
    size: int  # bytes
    has_rows: bool
    is_slice: bool  # whether it is a part of the reports
    key: str  # the columns by which its rows are sorted


def groups(db: Connection, *, slices: bool) -> Iterator[list[Table]]:
    """Yield groups of tables to rewrite together, without empty ones."""
    group: list[Table] = []
    for table in map(Table._make, db.execute(_TABLES, (db.place.schema,)).fetchall()):
        if table.has_rows and (slices or not table.is_slice):
            if group and sum(each.size for each in group) + table.size > _AT_ONCE:
                yield group
                group = []
            group.append(table)
    if group:
        yield group


def rewrite(db: Connection, tables: list[Table]) -> None:
    """Rewrite tables in the order of their keys, inside a transaction."""
    names = ", ".join(table.name for table in tables)
    db.run(f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE")
    for table in tables:
        db.run(
            f"CREATE TEMP TABLE sorting ON COMMIT DROP AS TABLE {table.name}",
            f"TRUNCATE {table.name}",
            f"INSERT INTO {table.name} SELECT * FROM sorting ORDER BY {table.key}",  # noqa: S608
            "DROP TABLE sorting",
        )


def begin_new_log(db: Connection) -> None:
    """Let the server drop its log of writes, as far as the role may ask for that."""
    (may_switch, may_checkpoint) = db.execute(
        "SELECT has_function_privilege('pg_switch_wal()', 'EXECUTE'), EXISTS "
        "(SELECT 1 FROM pg_roles WHERE rolname = 'pg_checkpoint' AND pg_has_role(oid, 'USAGE'))"
    ).fetchone()
    if may_switch and may_checkpoint:
        db.execute("SELECT pg_switch_wal()")
        db.execute("CHECKPOINT")
