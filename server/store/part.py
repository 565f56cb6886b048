"""What each part of a store is made of."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from deniable.server.store.schedule import State
from deniable.server.store.sql.database import Database, Engine


class Part:
    """A part of a store, over the engine that all parts of it share."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def name(self) -> str:
        """What messages call the store: its address without anything secret."""
        return self._engine.name

    def current_revision(self, slug: str) -> str:
        """Return the hash of a survey's current revision."""
        return self._standing(slug)[0]

    def erase_order(self, *, wait: bool = True) -> bool:
        """Leave no trace on disk of the order of arrival; False if somebody was in the way."""
        # A thief of the disk could tell from it who of a small group answered when. Random keys do
        # not hide it: engines lay records down as they come, and keep a log of what they write.
        # Whoever has reports to store meanwhile does not wait: a reader may take all day.
        start = time.monotonic()
        for done in self.erase_order_in_parts(wait=wait):
            if not done:
                return False
            # Those who waited get more than one turn: else they become ever more.
            time.sleep(self._engine.COURTESY * (time.monotonic() - start))
            start = time.monotonic()
        return True

    def erase_order_in_parts(self, *, wait: bool = True) -> Iterator[bool]:
        """Do the same part by part, each done or not: reports may be stored between two of them."""
        return self._engine.erase_order_in_parts(wait=wait)

    def empty_log(self) -> bool:
        """Empty the log of recent writes, the cheap half of `erase_order`, without waiting."""
        return self._engine.empty_log()

    def _standing(self, slug: str) -> tuple[str, State, int, str, str]:
        """Return the same as `standing_of`."""
        with self._found_in_its_place(), self._engine.lend() as db:
            return standing_of(db, slug)

    @contextmanager
    def _found_in_its_place(self) -> Iterator[None]:
        """Say that something is not there only where the store is the one that was opened."""
        # Whoever asks for a report refuses it for good then.
        try:
            yield
        except KeyError:
            self._engine.check_place()
            raise


def current(db: Database, slug: str) -> tuple[str, State, int, str, str] | None:
    """Return a survey's revision, what was set, wave, kind and parent; None if none is there."""
    row = db.execute(
        "SELECT revision, state, wave, kind, parent FROM surveys WHERE slug = ?", (slug,)
    ).fetchone()
    return None if row is None else (row[0], State(row[1]), int(row[2]), row[3], row[4])


def standing_of(db: Database, slug: str) -> tuple[str, State, int, str, str]:
    """Return the same as `current`, or KeyError."""
    row = current(db, slug)
    if row is None:
        raise KeyError(slug)
    return row
