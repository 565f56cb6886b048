"""Surveys that people write at the desk, by SQL."""

from __future__ import annotations

from abc import abstractmethod

from deniable.server.store.accounts import NOBODY
from deniable.server.store.drafts import Draft, Drafts
from deniable.server.store.sql.accounts import find_user, has_users
from deniable.server.store.sql.database import Connections


class SqlDrafts(Drafts):
    """The part of `SqlStore` that is about drafts; it uses the connections of the store."""

    _connections: Connections

    def drafts(self, owner: str | None = None) -> list[Draft]:
        condition = "" if owner is None else "WHERE owner = ?"
        with self._connections.lend() as db:
            rows = db.execute(
                f"SELECT id, text, owner, survey FROM drafts {condition} ORDER BY id",  # noqa: S608
                () if owner is None else (owner,),
            ).fetchall()
        return [Draft(*row) for row in rows]

    def draft(self, id: str) -> Draft:
        with self._connections.lend() as db:
            row = db.execute(
                "SELECT id, text, owner, survey FROM drafts WHERE id = ?", (id,)
            ).fetchone()
        if row is None:
            raise KeyError(id)
        return Draft(*row)

    def keep_draft(self, draft: Draft) -> None:
        with self._connections.transaction() as db:
            if draft.owner != NOBODY or has_users(db):
                find_user(db, draft.owner)
            db.execute(
                "INSERT INTO drafts (id, text, owner, survey) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (id) DO UPDATE SET text = excluded.text, owner = excluded.owner, "
                "survey = excluded.survey",
                (draft.id, draft.text, draft.owner, draft.survey),
            )

    def remove_draft(self, id: str) -> None:
        with self._connections.transaction() as db:
            removed = db.execute("DELETE FROM drafts WHERE id = ?", (id,)).rowcount
        if not removed:
            raise KeyError(id)
        # The row was overwritten; the log may hold it, from when it was written.
        self.empty_log()

    @abstractmethod
    def empty_log(self) -> bool:
        """Empty the log, as `Store.empty_log` does."""
