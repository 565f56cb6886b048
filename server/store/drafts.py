"""Drafts: the survey files that people write at the desk, before they are published.

The adversary has a copy of the store, perhaps of a later day: no removed draft is in it.
"""

from dataclasses import dataclass, field
from time import time
from typing import Final

from deniable.server.store.accounts import NOBODY, check_person
from deniable.server.store.part import Part
from deniable.server.store.sql.database import found_row

_FIELDS: Final = "id, text, owner, survey, saved"


@dataclass(frozen=True)
class Draft:
    """A survey file in the editor."""

    id: str  # random, so that it says nothing about other drafts
    text: str  # as typed, with its mistakes
    owner: str = NOBODY  # account name, or `NOBODY` while there is no account
    # Slug of the survey that it was published as, or begun from; or empty
    survey: str = ""
    # Seconds since 1970, when the store last wrote it
    saved: int = field(default=0, compare=False)


class Drafts(Part):
    """The survey files that people write at the desk."""

    def drafts(self, owner: str | None = None) -> list[Draft]:
        """Return all drafts, or an owner's, in the order of their random ids."""
        return [Draft(*row) for row in self._owned(_FIELDS, "drafts", owner)]

    def draft(self, id: str) -> Draft:
        """Return a draft."""
        with self._engine.lend() as db:
            row = found_row(db, f"SELECT {_FIELDS} FROM drafts WHERE id = ?", id)  # noqa: S608
        return Draft(*row)

    def keep_draft(self, draft: Draft) -> None:
        """Write a draft; replace the draft with the same id."""
        with self._engine.transaction() as db:
            check_person(db, draft.owner)
            db.execute(
                f"INSERT INTO drafts ({_FIELDS}) VALUES (?, ?, ?, ?, ?) "  # noqa: S608
                "ON CONFLICT (id) DO UPDATE SET text = excluded.text, owner = excluded.owner, "
                "survey = excluded.survey, saved = excluded.saved",
                (draft.id, draft.text, draft.owner, draft.survey, int(time())),
            )

    def remove_draft(self, id: str) -> None:
        """Remove a draft, and leave nothing of it on disk."""
        with self._engine.transaction() as db:
            removed = db.execute("DELETE FROM drafts WHERE id = ?", (id,)).rowcount
        if not removed:
            raise KeyError(id)
        # The row was overwritten; the write-ahead log may still hold it.
        self.empty_log()
