"""The store, as every room knows it; `tests/server/store` holds its promises for each engine."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from deniable.server.store.accounts import Accounts
from deniable.server.store.copies import Copies
from deniable.server.store.drafts import Drafts
from deniable.server.store.errors import HOW_TO_MEND, StoreError
from deniable.server.store.invitations import Invitations
from deniable.server.store.meetings import Meetings
from deniable.server.store.reports import Reports
from deniable.server.store.sql.addresses import listed
from deniable.server.store.sql.checksums import count_anew
from deniable.server.store.sql.database import Damaged
from deniable.server.store.sql.tables import NAMES

AT_START: Final = 2.0
"""Seconds to look for damage before a server starts, or reports are counted: enough for about a
million of them."""

_OF_DAMAGE: Final = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)
"""What comes of reading damaged values; any of them can be something else."""


class Store(Reports, Copies, Accounts, Drafts, Invitations, Meetings):
    """Surveys, reports and people, over an engine; threads and processes may share it.

    Each method may raise `StoreUnavailable`, and a ``KeyError`` where there is no such thing.
    """

    def close(self) -> None:
        """Give back what it holds; what is in use is given back as soon as that ends."""
        self._engine.close()

    def check_place(self) -> None:
        """Check that the store is still where its address says, and of this program's version."""
        # What is written to one that was deleted, moved or replaced is lost, or lies where nobody
        # looks for it; what a program writes into tables of another version, nobody understands. So
        # every method that writes checks this too, before it says that it has.
        self._engine.check_place()

    def try_writing(self) -> None:
        """Try a write, as far as to the disk, and take it back: no table is changed."""
        self._engine.try_writing()

    def faults(self) -> list[str]:
        """Say what of the place where the store lies breaks its promises, in a sentence each."""
        # Who may read it, whether writes are durable, what is logged, whether there is room.
        return self._engine.faults()

    def is_used_elsewhere(self) -> bool:
        """Return whether something else has the store open, such as a server."""
        return self._engine.are_used_elsewhere()

    def check(self, *, seconds: float | None = None) -> list[str]:
        """Look for damage: what lies on the disk is not what was written."""
        # All tables are read. The reports are counted anew, and compared with their tallies and
        # with the sum of their checksums.
        end = math.inf if seconds is None else time.monotonic() + seconds
        try:
            with self._engine.lend() as db:
                tables = [*self._engine.columns(db)]
        except Damaged as error:
            return [str(error)]
        faults = [
            f"{self.name}: the table {one!r} is missing" for one in NAMES if one not in tables
        ]
        faults += [fault for name in tables for fault in self._faults_of(name, end)]
        if faults:
            return faults  # what cannot be read need not be counted
        try:
            with self._engine.snapshot() as db:
                faults = [f"{self.name}: {fault}" for fault in count_anew(db, end=end)[1]]
        except Damaged as error:
            return [f"{error}: the table 'reports' cannot be read"]
        return faults or [*self.unreadable()]

    def make_sure(self, *, seconds: float | None = None, how: str = HOW_TO_MEND) -> None:
        """Raise an error that names what is damaged, and never count it in silence; as `check`."""
        faults = self.check(seconds=seconds)
        if faults:
            raise StoreError(f"{'; '.join(faults)}. What to do: {how}")

    def unreadable(self) -> Iterator[str]:
        """Say of which surveys, and of which accounts, there are values that nothing ever wrote."""
        try:
            self.users()
            self.retentions()
            with self._engine.lend() as db:
                slugs = [slug for slug, _ in listed(db)]
        except (Damaged, *_OF_DAMAGE):
            yield f"{self.name}: what is kept of accounts and surveys is damaged"
            return
        for slug in slugs:
            try:
                self.survey(slug)
                self.state(slug)
                self.source(slug, self.current_revision(slug))
            except (Damaged, *_OF_DAMAGE):
                yield f"{self.name}: what is kept of survey {slug!r} is damaged"

    @contextmanager
    def told(self) -> Iterator[None]:
        """Say what to do where damage was met, or made something of the caller's fail."""
        try:
            yield
        except Damaged as error:
            self.make_sure(seconds=AT_START)
            raise StoreError(f"{error}. What to do: {HOW_TO_MEND}") from error
        except _OF_DAMAGE:
            self.make_sure(seconds=AT_START)
            raise

    def _faults_of(self, table: str, end: float) -> list[str]:
        """Say what is damaged of a table: how it is built, and all rows but the reports'."""
        faults: list[str] = []
        try:
            with self._engine.snapshot() as db:
                if table != "reports" or end == math.inf:
                    faults += self._engine.misbuilt(db, table)
                if table != "reports":
                    for _ in db.stream(f"SELECT * FROM {table}", ()):  # noqa: S608  our own names
                        if time.monotonic() > end:
                            break
        except Damaged as error:
            return [f"{error}: the table {table!r} cannot be read"]
        return [f"{self.name}: the table {table!r} is damaged: {fault}" for fault in faults[:1]]
