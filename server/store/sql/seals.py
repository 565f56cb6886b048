"""A number over all reports of a survey, by which damage to any of them is noticed.

The tally tells only of damaged answers, and nothing of what is held back. So each survey keeps the
sum of a checksum of each of its reports. The sum is the same whatever order they came in, and moves
with them from table to table. Tokens that are kept with reports count as well. It is made for
accidents: whoever writes to the store can mend it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final
from zlib import crc32

from deniable.server.store.sql.database import Database, Row

_AT_ONCE: Final = 2**15
"""Reports that are read together."""


def seal_of(rows: Iterable[Row]) -> int:
    """Return the sum of the checksums of reports."""
    return sum(map(crc32, map(b"".join, rows)))


def add_to_seal(db: Database, slug: str, difference: int) -> None:
    """Count reports into the seal of a survey, or out of it."""
    db.execute("UPDATE surveys SET seal = seal + ? WHERE slug = ?", (difference, slug))


def seal_revision(db: Database, slug: str, number: int) -> None:
    """Count all reports to a revision, and their tokens, into the seal of its survey."""
    for table, said in (("reports", "answers"), ("held", "answers"), ("proofs", "token")):
        for part in parts_of(db, table, number, said):
            add_to_seal(db, slug, seal_of(part))


def parts_of(db: Database, table: str, number: int, said: str = "answers") -> Iterator[list[Row]]:
    """Yield ids and what they said of a revision, so many at a time as fit into memory."""
    rows = iter(
        db.stream(f"SELECT id, {said} FROM {table} WHERE revision = ?", (number,))  # noqa: S608
    )
    while part := list(islice(rows, _AT_ONCE)):
        yield part
