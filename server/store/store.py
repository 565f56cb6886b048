"""The store, as other packages use it; `tests/server/store` checks its promises for each engine."""

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
from deniable.server.store.sql.database import Damaged
from deniable.server.store.sql.reading import count_anew
from deniable.server.store.sql.tables import NAMES

_OF_DAMAGE: Final = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)
"""Errors that damaged values can raise, though other causes can too."""


class Store(Reports, Copies, Accounts, Drafts, Invitations, Meetings):
    """Surveys, reports and accounts, over an engine; threads and processes may share it.

    Each method may raise `StoreUnavailable`, and ``KeyError`` if its survey, account or other
    object does not exist.
    """

    def close(self) -> None:
        """Close the connections: idle ones now, others when their work ends."""
        self._engine.close()

    def check_place(self) -> None:
        """Check that the store is still where its address says, and of this program's version."""
        # Data written to a store that was deleted, moved or replaced are lost, or lie where nobody
        # looks; and other programs cannot read data of this version in tables of another one. So
        # every method that writes checks this too, before it returns.
        self._engine.check_place()

    def try_writing(self) -> None:
        """Try a write, as far as to the disk, and take it back: no table changes."""
        self._engine.try_writing()

    def faults(self) -> list[str]:
        """Return a sentence for each fault of the store's place that breaks its promises."""
        # About readers of its files, durable writes, logs and free space.
        return self._engine.faults()

    def is_used_elsewhere(self) -> bool:
        """Return whether something else has the store open, such as a server."""
        return self._engine.are_used_elsewhere()

    def check(self) -> list[str]:
        """Return a sentence for each damage: data on disk that differ from the written data."""
        # All tables are read. The reports are recounted, and compared with their tallies and with
        # the sums of their checksums.
        try:
            with self._engine.lend() as db:
                tables = [*self._engine.columns(db)]
        except Damaged as error:
            return [str(error)]
        faults = [
            f"{self.name}: the table {one!r} is missing" for one in NAMES if one not in tables
        ]
        faults += [fault for name in tables for fault in self._faults_of(name)]
        if faults:
            return faults  # damaged tables need not be counted
        try:
            with self._engine.snapshot() as db:
                faults = [f"{self.name}: {fault}" for fault in count_anew(db)[1]]
        except Damaged as error:
            return [f"{error}: the table 'reports' cannot be read"]
        return faults or [*self.unreadable()]

    def make_sure(self, *, how: str = HOW_TO_MEND) -> None:
        """Raise an error that names all damage that `check` finds."""
        faults = self.check()
        if faults:
            raise StoreError(f"{'; '.join(faults)}. What to do: {how}")

    def unreadable(self) -> Iterator[str]:
        """Yield a sentence for each survey, or all accounts, with values that no program wrote."""
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
        """Check the store on damage inside the block, or on an error that damage may cause.

        Raises a `StoreError` that says what to do if the store is damaged, else the error itself.
        """
        try:
            yield
        except Damaged as error:
            self.make_sure()
            raise StoreError(f"{error}. What to do: {HOW_TO_MEND}") from error
        except _OF_DAMAGE:
            self.make_sure()
            raise

    def _faults_of(self, table: str) -> list[str]:
        """Return the damage of a table: its structure, and all rows except the reports'."""
        faults: list[str] = []
        try:
            with self._engine.snapshot() as db:
                faults += self._engine.misbuilt(db, table)
                if table != "reports":
                    for _ in db.stream(f"SELECT * FROM {table}", ()):  # noqa: S608  our own names
                        pass
        except Damaged as error:
            return [f"{error}: the table {table!r} cannot be read"]
        return [f"{self.name}: the table {table!r} is damaged: {fault}" for fault in faults[:1]]
