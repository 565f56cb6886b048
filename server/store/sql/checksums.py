"""The checksums of each revision's reports and of its tallies, by which damage is noticed.

A tally shows only damaged answers, and nothing about held-back reports; and pages that show the
tallies read no report. So each revision keeps a sum over its reports and a sum over its tallies.
The sums do not depend on the order in which reports came, nor on their table. They detect accidents
only: an attacker who can write to the store can fix them.
"""

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias
from zlib import crc32

from deniable.server.store.sql.database import Database, Unreadable

MODULUS: Final = 2**62
"""Both engines add two numbers below it without an overflow."""

Tallied: TypeAlias = tuple[int, int, int, int]
"""A wave, a place, a byte, and how often it came there."""


def checksum_of(records: Iterable[bytes]) -> int:
    """Return the checksum of reports, each of which is its id followed by its row."""
    return sum(map(crc32, records))


def checksum_of_tallies(tallies: Iterable[Tallied]) -> int:
    """Return the checksum of tallies."""
    # Proportional to each count: a count can grow without being read.
    return sum(
        crc32(b"%d %d %d" % (wave, place, report)) * times for wave, place, report, times in tallies
    )


def add_to_checksums(db: Database, number: int, *, reports: int = 0, tallies: int = 0) -> None:
    """Add the checksums of new reports to a revision, or of new counts, to its own."""
    db.execute(
        f"UPDATE checksums SET reports = (reports + ?) % {MODULUS}, "  # noqa: S608  a constant
        f"tallies = (tallies + ?) % {MODULUS} WHERE revision = ?",
        (reports % MODULUS, tallies % MODULUS, number),
    )


def check_reports(db: Database, number: int, checksum: int) -> None:
    """Raise `Unreadable` unless this is the checksum of all reports to a revision."""
    _check(db, number, "reports", checksum)


def check_tallies(db: Database, number: int, tallies: Sequence[Tallied]) -> None:
    """Raise `Unreadable` unless these are the tallies of a revision."""
    # Damage may leave anything, such as a text.
    are_numbers = all(isinstance(cell, int) for row in tallies for cell in row)
    _check(db, number, "tallies", checksum_of_tallies(tallies) if are_numbers else -1)


def _check(db: Database, number: int, column: str, checksum: int) -> None:
    kept = db.execute(f"SELECT {column} FROM checksums WHERE revision = ?", (number,)).fetchone()  # noqa: S608
    if kept != (checksum % MODULUS,):
        raise Unreadable(
            f"survey {survey_of(db, number)!r}: the {column} do not give the sum that was kept "
            "with them"
        )


def survey_of(db: Database, number: int) -> str:
    """Return the slug of a revision's survey."""
    row = db.execute("SELECT survey FROM revisions WHERE number = ?", (number,)).fetchone()
    return str(row[0])
