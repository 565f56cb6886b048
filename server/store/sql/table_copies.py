"""Copy a whole store from one database to another, inside the caller's transactions."""

from collections.abc import Iterator, Mapping
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Final

from deniable.server.store.errors import StoreError
from deniable.server.store.records import TableCopy
from deniable.server.store.sql.database import Database
from deniable.server.store.sql.snapshot import ROWS

_LEFT_BEHIND: Final = ("sessions", "sign_ins", "store")
"""Sessions and sign-in links; and the version, which each engine keeps itself."""

_TOGETHER: Final = 2**16
"""Reports that are written at once."""


def read_tables(db: Database, tables: Mapping[str, tuple[str, ...]]) -> Iterator[TableCopy]:
    """Yield tables, given by their columns, each in the order of its first two columns."""
    for name, columns in tables.items():
        if name not in _LEFT_BEHIND:
            order = ", ".join(str(place + 1) for place in range(min(2, len(columns))))
            sql = f"SELECT {_column_list(columns)} FROM {name} ORDER BY {order}"  # noqa: S608  our own
            yield TableCopy(name, columns, iter(db.stream(sql, ())))


def fill_tables(
    name: str, db: Database, tables: Mapping[str, tuple[str, ...]], copies: Iterator[TableCopy]
) -> None:
    """Write the tables from `read_tables` into empty tables, of any version."""
    for table in tables:
        if table not in _LEFT_BEHIND and db.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone():  # noqa: S608
            raise StoreError(f"{name}: it holds something already; give a new store")
    for copy in copies:
        if {*copy.columns} != {*tables.get(copy.name, ())}:
            raise StoreError(f"{name}: it has no table {copy.name!r} of these columns")
        write = _write_reports if copy.name in ("reports", "held") else _write_rows
        write(db, copy)


def _write_rows(db: Database, copy: TableCopy) -> None:
    marks = f"({', '.join('?' * len(copy.columns))})"
    while rows := list(islice(copy.rows, ROWS)):
        db.execute(
            f"INSERT INTO {copy.name} ({_column_list(copy.columns)}) "  # noqa: S608  names of our own
            f"VALUES {', '.join([marks] * len(rows))}",
            [*chain.from_iterable(rows)],
        )


def _write_reports(db: Database, copy: TableCopy) -> None:
    # `add_rows` is each engine's fastest way.
    for revision, rows in groupby(copy.rows, key=itemgetter(0)):
        while part := [(row[1], row[2]) for row in islice(rows, _TOGETHER)]:
            db.add_rows(copy.name, revision, part)


def _column_list(columns: tuple[str, ...]) -> str:
    return ", ".join(f'"{column}"' for column in columns)
