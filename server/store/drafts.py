"""What a store keeps of the surveys that people write at the desk, before these are published.

The adversary has a copy of it all, perhaps of a later day: what was removed is not in it.
"""

from dataclasses import dataclass

from deniable.server.store.accounts import NOBODY, check_person
from deniable.server.store.part import Part
from deniable.server.store.sql.database import found_row


@dataclass(frozen=True)
class Draft:
    """A survey file that somebody writes."""

    id: str  # random, so that it says nothing of other drafts
    text: str  # as it was typed, with all its mistakes
    owner: str = NOBODY  # the name of an account, or `NOBODY` where there is none
    # Slug of the survey that it was published as, or begun from; empty if there is none
    survey: str = ""


class Drafts(Part):
    """The survey files that people write at the desk."""

    def drafts(self, owner: str | None = None) -> list[Draft]:
        """Return all drafts, or those of somebody, in the order of their random ids."""
        condition = "" if owner is None else "WHERE owner = ?"
        with self._engine.lend() as db:
            rows = db.execute(
                f"SELECT id, text, owner, survey FROM drafts {condition} ORDER BY id",  # noqa: S608
                () if owner is None else (owner,),
            ).fetchall()
        return [Draft(*row) for row in rows]

    def draft(self, id: str) -> Draft:
        """Return a draft."""
        with self._engine.lend() as db:
            row = found_row(db, "SELECT id, text, owner, survey FROM drafts WHERE id = ?", id)
        return Draft(*row)

    def keep_draft(self, draft: Draft) -> None:
        """Write a draft, in the place of the one that has its id."""
        with self._engine.transaction() as db:
            check_person(db, draft.owner)
            db.execute(
                "INSERT INTO drafts (id, text, owner, survey) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (id) DO UPDATE SET text = excluded.text, owner = excluded.owner, "
                "survey = excluded.survey",
                (draft.id, draft.text, draft.owner, draft.survey),
            )

    def remove_draft(self, id: str) -> None:
        """Remove a draft, and leave nothing of it on disk."""
        with self._engine.transaction() as db:
            removed = db.execute("DELETE FROM drafts WHERE id = ?", (id,)).rowcount
        if not removed:
            raise KeyError(id)
        # The row was overwritten; the log may hold it, from when it was written.
        self.empty_log()
