"""What a store keeps of sheets of paper that were entered, beside their reports.

The adversary has a copy of it all, and wants to know which reports came on paper together, or one
of them. So no report says it. Of each batch there is a hash under a key of the survey, by which the
same batch is known when it comes again. Which reports are of a batch only whoever entered it knows.
"""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from typing import Final

from deniable.report import Report
from deniable.server.store.invitations import add_without_code
from deniable.server.store.part import Part
from deniable.server.store.records import Outcome
from deniable.server.store.sql.checksums import add_to_checksum, checksum_of
from deniable.server.store.sql.database import AlreadyThere, Database
from deniable.server.store.sql.insertion import NotAllNew, insert_any, insert_new, standing
from deniable.server.store.sql.snapshot import forget_shown, take_from_tally

_KEY_BYTES: Final = 32


class PaperBatches(Part):
    """Sheets of paper: known again, and taken back."""

    def is_entered(self, slug: str, batch: bytes) -> bool:
        """Return whether this very batch was entered, and not taken back."""
        with self._engine.lend() as db:
            key = _key(db, slug)
            if key is None:
                raise KeyError(slug)
            found = db.execute(
                "SELECT 1 FROM piles WHERE survey = ? AND mac = ?", (slug, _mac(key, batch))
            ).fetchone()
        return bool(key) and found is not None

    def enter(self, reports: Sequence[Report], batch: bytes) -> list[Outcome]:
        """Store the reports of a batch in one durable transaction, and know the batch again."""
        # The snapshot takes them in now: whoever enters them knows them. They would fill the batch
        # in which a stranger's report is to hide.
        try:
            with self._engine.transaction() as db:
                outcomes = insert_new(db, reports, None)
                _remember(db, reports[0].survey, batch, len(reports))
        except (NotAllNew, AlreadyThere):  # rolled back: now to tell why
            with self._engine.transaction() as db:
                outcomes = insert_any(db, reports, None)
                if {*outcomes} == {Outcome.STORED}:
                    _remember(db, reports[0].survey, batch, len(reports))
        return outcomes

    def take_back(self, reports: Sequence[Report], batch: bytes) -> bool:
        """Remove the reports of a batch and forget it, in one durable transaction."""
        slug = reports[0].survey
        rows = [(one.id, one.row) for one in reports]
        try:
            with self._engine.transaction() as db:
                found = standing(db, slug, reports[0].revision)
                if found is None:
                    raise _NotThereError
                if forget_shown(db, found.number, rows) < len(rows):
                    raise _NotThereError
                take_from_tally(db, found.number, rows, has_waves=found.wave is not None)
                add_without_code(db, slug, -len(rows))
                add_to_checksum(db, slug, -checksum_of(rows))
                key = _key(db, slug) or b""
                db.execute(
                    "DELETE FROM piles WHERE survey = ? AND mac = ?", (slug, _mac(key, batch))
                )
        except _NotThereError:  # rolled back
            return False
        return True


class _NotThereError(Exception):
    """Reports that are to be taken back, but are not all there."""


def _remember(db: Database, slug: str, batch: bytes, count: int) -> None:
    key = _key(db, slug)
    if not key:
        key = secrets.token_bytes(_KEY_BYTES)
        db.execute("UPDATE surveys SET pile_key = ? WHERE slug = ?", (key, slug))
    db.execute("INSERT INTO piles VALUES (?, ?) ON CONFLICT DO NOTHING", (slug, _mac(key, batch)))
    add_without_code(db, slug, count)


def _key(db: Database, slug: str) -> bytes | None:
    """Return the key of a survey's batches, empty if it has none; None if there is no survey."""
    row = db.execute("SELECT pile_key FROM surveys WHERE slug = ?", (slug,)).fetchone()
    return None if row is None else bytes(row[0])


def _mac(key: bytes, batch: bytes) -> bytes:
    return hmac.new(key, batch, hashlib.sha256).digest()
