"""Surveys that people write at the desk, in SQLite."""

from __future__ import annotations

from contextlib import suppress

from deniable.server.store.accounts import NOBODY
from deniable.server.store.drafts import Draft, Drafts
from deniable.server.store.sqlite.accounts import find_user, has_users
from deniable.server.store.sqlite.connections import Busy, Connections, checkpoint


class SqliteDrafts(Drafts):
    """The part of `SqliteStore` that is about drafts; it uses the connections of the store."""

    _connections: Connections

    def drafts(self, owner: str | None = None) -> list[Draft]:
        with self._connections.lend() as db:
            rows = db.execute(
                "SELECT id, text, owner, survey FROM drafts "
                "WHERE :owner IS NULL OR owner = :owner ORDER BY id",
                {"owner": owner},
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
                "INSERT OR REPLACE INTO drafts (id, text, owner, survey) VALUES (?, ?, ?, ?)",
                (draft.id, draft.text, draft.owner, draft.survey),
            )

    def remove_draft(self, id: str) -> None:
        with self._connections.transaction() as db:
            removed = db.execute("DELETE FROM drafts WHERE id = ?", (id,)).rowcount
        if not removed:
            raise KeyError(id)
        # The row was overwritten; the log may hold it, from when it was written.
        with suppress(Busy), self._connections.lend() as db:
            checkpoint(db)
