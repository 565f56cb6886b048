"""The base class of each part of a store."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from deniable.server.store.clock import Clock, Moment, utc_day
from deniable.server.store.schedule import State
from deniable.server.store.sql.database import Database, Engine, found_row
from deniable.server.store.sql.schedule import last_seen


class Part:
    """A part of a store, over the engine that all parts share."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.clock = Clock()

    @property
    def name(self) -> str:
        """Return the store's name in messages: its address without secrets."""
        return self._engine.name

    def current_revision(self, slug: str) -> str:
        """Return the hash of a survey's current revision."""
        return self._standing(slug)[0]

    def erase_order(self, *, wait: bool = True) -> bool:
        """Leave no trace of the order of arrival on disk; return False if the lock was held."""
        # From it a thief of the disk could tell who of a small group answered when. Random keys do
        # not hide it: engines write records as they come, and keep a log of writes.
        # It must not hold up writers of reports: a reader may take all day, so it gives up then.
        start = time.monotonic()
        for done in self.erase_order_in_parts(wait=wait):
            if not done:
                return False
            # Give waiting writers more than one turn, or their number would grow.
            time.sleep(self._engine.COURTESY * (time.monotonic() - start))
            start = time.monotonic()
        return True

    def erase_order_in_parts(self, *, wait: bool = True) -> Iterator[bool]:
        """Erase it part by part, and yield whether each was done; reports may come in between."""
        return self._engine.erase_order_in_parts(wait=wait)

    def empty_log(self) -> bool:
        """Empty the log of recent writes, the cheap half of `erase_order`, without waiting."""
        return self._engine.empty_log()

    def _moment(self, db: Database) -> Moment:
        """Return what time it is, and what it would be if the clock had not jumped."""
        if not self.clock.has_begun:
            self.clock.begin(last_seen(db))
        moment = self.clock.moment()
        if moment.is_doubted and last_seen(db) == utc_day(moment.now) != utc_day(moment.latest):
            self.clock.believe()  # as another process of this store does
            return self.clock.moment()
        return moment

    def _rows(self, sql: str, *values: Any) -> list[Any]:
        with self._engine.lend() as db:
            return db.execute(sql, values).fetchall()

    def _owned(self, columns: str, table: str, owner: str | None) -> list[Any]:
        """Return the rows of a table, or those of an owner, in the order of their random ids."""
        whose, values = ("", ()) if owner is None else ("WHERE owner = ?", (owner,))
        return self._rows(f"SELECT {columns} FROM {table} {whose} ORDER BY id", *values)  # noqa: S608

    def _standing(self, slug: str) -> tuple[str, State, int, str, str]:
        with self._found_in_its_place(), self._engine.lend() as db:
            return standing_of(db, slug)

    @contextmanager
    def _found_in_its_place(self) -> Iterator[None]:
        """On KeyError, check that the store was not deleted, moved or replaced."""
        # Without the check, the intake would refuse a report for good.
        try:
            yield
        except KeyError:
            self._engine.check_place()
            raise


def current(db: Database, slug: str) -> tuple[str, State, int, str, str] | None:
    """Return a survey's revision, stored state, wave, kind and parent; None if there is none."""
    row = db.execute(
        "SELECT revision, state, wave, kind, parent FROM surveys WHERE slug = ?", (slug,)
    ).fetchone()
    return None if row is None else (row[0], State(row[1]), int(row[2]), row[3], row[4])


def standing_of(db: Database, slug: str) -> tuple[str, State, int, str, str]:
    """Return the standing of a survey, as `current`; raise KeyError if there is none."""
    row = current(db, slug)
    if row is None:
        raise KeyError(slug)
    return row


def left_of(db: Database, slug: str) -> tuple[str, int]:
    """Return the direct columns that left already, and below how many people were hidden."""
    query = "SELECT columns_left, hidden_below FROM surveys WHERE slug = ?"
    columns, below = found_row(db, query, slug)
    return str(columns), int(below)
