"""Meetings, by SQL."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Final

from deniable.kind import Kind
from deniable.server.store.accounts import NOBODY
from deniable.server.store.meetings import Meeting, Meetings, is_join_code
from deniable.server.store.sql.accounts import find_user, has_users
from deniable.server.store.sql.database import Connections, Database

_WRITTEN: Final = "id, code, owner, ends, state"
_FIELDS: Final = f"{_WRITTEN}, joined"


class SqlMeetings(Meetings):
    """The part of `SqlStore` that is about meetings; it uses the connections of the store."""

    _connections: Connections

    def meetings(self, owner: str | None = None) -> list[Meeting]:
        condition = "" if owner is None else "WHERE owner = ?"
        with self._connections.lend() as db:
            rows = db.execute(
                f"SELECT {_FIELDS} FROM meetings {condition} ORDER BY id",  # noqa: S608
                () if owner is None else (owner,),
            ).fetchall()
        return [Meeting.read(*row) for row in rows]

    def meeting(self, id: str) -> Meeting:
        with self._connections.lend() as db:
            return _find(db, "id", id)

    def meeting_of_code(self, code: str) -> Meeting:
        if not is_join_code(code):  # what somebody typed may hold what no database can be asked for
            raise KeyError(code)
        with self._connections.lend() as db:
            return _find(db, "code", code)

    def keep_meeting(self, meeting: Meeting) -> None:
        row = (meeting.id, meeting.code, meeting.owner, meeting.ends, meeting.state)
        with self._connections.transaction() as db:
            if meeting.owner != NOBODY or has_users(db):
                find_user(db, meeting.owner)
            if db.execute(
                "SELECT 1 FROM meetings WHERE code = ? AND id <> ?", (meeting.code, meeting.id)
            ).fetchone():
                raise ValueError("this code leads to another meeting already")
            db.execute(
                f"INSERT INTO meetings ({_WRITTEN}) VALUES (?, ?, ?, ?, ?) "  # noqa: S608
                "ON CONFLICT (id) DO UPDATE SET code = excluded.code, owner = excluded.owner, "
                "ends = excluded.ends, state = excluded.state",
                row,
            )

    def count_in(self, code: str, phones: int) -> None:
        with self._connections.transaction() as db:
            db.execute("UPDATE meetings SET joined = joined + ? WHERE code = ?", (phones, code))

    def remove_meeting(self, id: str) -> bool:
        with self._connections.transaction() as db:
            found = _find(db, "id", id)
            self._delete_surveys(db, slugs_of(db, "meeting", found.code))
            db.execute("DELETE FROM meetings WHERE id = ?", (id,))
        return self.settle()

    @abstractmethod
    def _delete_surveys(self, db: Database, slugs: Sequence[str]) -> int:
        """Delete surveys with all that belongs to them; return how many there were."""

    @abstractmethod
    def settle(self, *, wait: bool = True) -> bool:
        """Leave no trace, as `Store.settle` does."""


def slugs_of(db: Database, kind: Kind, parent: str) -> list[str]:
    """Return the trial of a survey, or the questions of a meeting by its code."""
    rows = db.execute("SELECT slug FROM surveys WHERE kind = ? AND parent = ?", (kind, parent))
    return [slug for (slug,) in rows.fetchall()]


def _find(db: Database, column: str, value: str) -> Meeting:
    row = db.execute(
        f"SELECT {_FIELDS} FROM meetings WHERE {column} = ?",  # noqa: S608  a name of our own
        (value,),
    ).fetchone()
    if row is None:
        raise KeyError(value)
    return Meeting.read(*row)
