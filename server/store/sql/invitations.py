"""Invitations by SQL: codes that are made, and spent in the transaction of their reports."""

from __future__ import annotations

from collections.abc import Sequence

from deniable.server.store.invitations import Invitations, Invited, hash_of
from deniable.server.store.records import Outcome
from deniable.server.store.sql.database import Connections, Database
from deniable.survey import Survey


class SqlInvitations(Invitations):
    """The part of `SqlStore` that is about invitations."""

    _connections: Connections

    def invite(self, slug: str, codes: Sequence[str]) -> None:
        hashes = sorted(hash_of(code) for code in codes)
        with self._connections.transaction() as db:
            _check_may_invite(db, slug)
            if not is_by_invitation(db, slug):
                set_without_code(db, slug, _count_shown(db, slug))
            for code_hash in hashes:
                db.execute("INSERT INTO invitations VALUES (?, ?, 0)", (slug, code_hash))

    def invited(self, slug: str) -> Invited | None:
        with self._connections.snapshot() as db:
            without = _without_code(db, slug)
            (made,) = db.execute(
                "SELECT count(*) FROM invitations WHERE survey = ?", (slug,)
            ).fetchone()
            # Not how many rows are spent: whoever asked again and again would learn when each
            # report came.
            spent = _count_shown(db, slug) - without
        return Invited(made, min(max(spent, 0), made)) if made else None

    def end_invitations(self, slug: str) -> None:
        with self._connections.transaction() as db:
            _without_code(db, slug)
            db.execute("DELETE FROM invitations WHERE survey = ?", (slug,))
            set_without_code(db, slug, 0)


class Spending:
    """The codes that the reports of a batch spend.

    Parameters
    ----------
    db : Database
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._taken: set[tuple[str, bytes]] = set()

    def refusal(self, slug: str, code: str | None) -> Outcome | None:
        """Return what becomes of a report with this code that is not taken; None if it is."""
        key = slug, hash_of(code or "")
        row = self._db.execute(
            "SELECT spent FROM invitations WHERE survey = ? AND code_hash = ?", key
        ).fetchone()
        if row is None:
            return Outcome.UNINVITED
        return Outcome.SPENT if row[0] or key in self._taken else None

    def take(self, slug: str, code: str | None) -> None:
        """Take a code that was not refused."""
        self._taken.add((slug, hash_of(code or "")))

    def spend(self) -> None:
        """Spend all that were taken.

        By their hashes, so that the log of writes does not show whose report came with which. A row
        is as long before as after: nothing on its page moves, and no page shows the order.
        """
        for taken in sorted(self._taken):
            self._db.execute(
                "UPDATE invitations SET spent = 1 WHERE survey = ? AND code_hash = ?", taken
            )


def is_by_invitation(db: Database, slug: str) -> bool:
    """Return whether a survey takes reports with a code only."""
    found = db.execute("SELECT 1 FROM invitations WHERE survey = ? LIMIT 1", (slug,))
    return found.fetchone() is not None


def add_without_code(db: Database, slug: str, number: int) -> None:
    """Note that sheets of paper came into the snapshot or left it, which need no code."""
    if is_by_invitation(db, slug):
        set_without_code(db, slug, _without_code(db, slug) + number)


def set_without_code(db: Database, slug: str, number: int) -> None:
    """Note how many reports in the snapshot came without a code."""
    db.execute("UPDATE surveys SET without_code = ? WHERE slug = ?", (number, slug))


def codes_of(db: Database, slug: str) -> tuple[int, tuple[tuple[bytes, bool], ...]]:
    """Return how many reports came without a code; each code's hash, and whether it is spent."""
    rows = db.execute(
        "SELECT code_hash, spent FROM invitations WHERE survey = ? ORDER BY code_hash", (slug,)
    )
    return _without_code(db, slug), tuple((bytes(code), bool(spent)) for code, spent in rows)


def write_codes(
    db: Database, slug: str, without_code: int, codes: Sequence[tuple[bytes, bool]]
) -> None:
    """Write what `codes_of` returned."""
    set_without_code(db, slug, without_code)
    for code, spent in codes:
        db.execute("INSERT INTO invitations VALUES (?, ?, ?)", (slug, code, int(spent)))


def _check_may_invite(db: Database, slug: str) -> None:
    row = db.execute(
        "SELECT document FROM revisions JOIN surveys ON revisions.revision = surveys.revision "
        "WHERE slug = ?",
        (slug,),
    ).fetchone()
    if row is None:
        raise KeyError(slug)
    survey = Survey.from_json(row[0].encode())
    if survey.waves is not None:
        raise ValueError(
            "a survey with waves cannot be by invitation: a code is for one report, and each "
            "person sends one in every wave"
        )
    if survey.is_trial:
        raise ValueError("a trial needs no codes: its answers are made up")


def _without_code(db: Database, slug: str) -> int:
    row = db.execute("SELECT without_code FROM surveys WHERE slug = ?", (slug,)).fetchone()
    if row is None:
        raise KeyError(slug)
    return int(row[0])


def _count_shown(db: Database, slug: str) -> int:
    """Return how many reports of a survey are in the snapshot."""
    (count,) = db.execute(
        "SELECT coalesce(sum(count), 0) FROM tallies JOIN revisions "
        "ON number = tallies.revision WHERE survey = ? AND place = 0",
        (slug,),
    ).fetchone()
    return int(count)
