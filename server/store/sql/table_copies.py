"""Copy a whole store from one database to another, inside the caller's transactions."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from heapq import merge
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Final

from deniable.server.store.errors import StoreError
from deniable.server.store.records import TableCopy
from deniable.server.store.sql.checksums import MODULUS, checksum_of_tallies
from deniable.server.store.sql.database import Database
from deniable.server.store.sql.snapshot import ROWS, by_wave, count, held_reports

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


def read_for_backup(db: Database, tables: Mapping[str, tuple[str, ...]]) -> Iterator[TableCopy]:
    """Yield the same as `read_tables`, but do not tell which reports are held back.

    The adversary has the backup, and the held reports are mostly the newest. So all reports to a
    revision in a wave are in one table: shown if the store shows some, else held back. A restored
    survey then shows as many as the store, or at least a batch more, because a store that shows
    some holds back at least a batch, unless the survey was opened again or restored just before.
    """
    shown = {*db.execute("SELECT DISTINCT revision, wave FROM tallies").fetchall()}
    revisions = db.execute("SELECT number, waves FROM revisions ORDER BY number").fetchall()
    moved: list[tuple[int, bytes, bytes]] = []
    tally: Counter[tuple[int, int, int, int]] = Counter()
    added: Counter[int] = Counter()  # to the checksum of each revision's tallies
    for number, waves in revisions:
        for wave, reports in by_wave(held_reports(db, number), waves):
            if (number, wave) in shown:
                moved += [(number, *report) for report in reports]
                for place, counts in enumerate(count([row for _, row in reports], waves)):
                    tally.update({(number, wave, place, byte): n for byte, n in counts.items()})
                    more = [(wave, place, byte, n) for byte, n in counts.items()]
                    added[number] += checksum_of_tallies(more)
    keys = {row[:2] for row in moved}
    for copy in read_tables(db, tables):
        rows = copy.rows
        if copy.name == "reports":
            rows = merge(rows, sorted(moved))
        elif copy.name == "held":
            rows = (row for row in copy.rows if row[:2] not in keys)
        elif copy.name == "tallies":
            tally.update({row[:4]: row[4] for row in copy.rows})
            rows = ((*key, times) for key, times in sorted(tally.items()))
        elif copy.name == "checksums":
            rows = (
                (number, reports, (tallies + added[number]) % MODULUS)
                for number, reports, tallies in copy.rows
            )
        yield replace(copy, rows=rows)


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
