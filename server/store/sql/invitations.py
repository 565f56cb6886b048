"""Invitations by SQL: codes that are made, and spent for a token."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from deniable.crypto.blind import mark_of
from deniable.server.store.errors import StoreError
from deniable.server.store.invitations import Invitations, Invited, hash_of
from deniable.server.store.records import Outcome
from deniable.server.store.sql.database import Connections, Database
from deniable.server.store.terms import State
from deniable.survey import Survey


class SqlInvitations(Invitations):
    """The part of `SqlStore` that is about invitations."""

    _connections: Connections

    @abstractmethod
    def _write_survey(self, db: Database, survey: Survey, source: str) -> None:
        """Make a revision the current one of its survey, which is open if it is new."""

    def invite(self, slug: str, codes: Sequence[str], keys: Sequence[str]) -> None:
        hashes = sorted(hash_of(code) for code in codes)
        with self._connections.transaction() as db:
            survey, source = _current(db, slug)
            if survey.kind == "trial":
                raise ValueError("a trial needs no codes: its answers are made up")
            if not survey.is_by_invitation:
                self._write_survey(db, replace(survey, token_keys=tuple(keys)), source)
                _set_without_code(db, slug, count_shown_of(db, slug))
            for code_hash in hashes:
                db.execute("INSERT INTO invitations VALUES (?, ?)", (slug, code_hash))

    def spend(self, slug: str, key: str, code: str, asked: bytes) -> Outcome:
        code_hash = hash_of(code)
        with self._connections.transaction() as db:
            row = db.execute(
                "SELECT state, closes, wave FROM surveys WHERE slug = ?", (slug,)
            ).fetchone()
            if row is None:
                raise KeyError(slug)
            state, closes, wave = row
            wanted = key_of_wave(keys_of(db, slug), wave)
            if not wanted:
                return Outcome.UNKNOWN
            if state == State.CLOSED or (closes and time.time() >= closes):
                return Outcome.CLOSED
            if key != wanted:
                return Outcome.OVER
            known = db.execute(
                "SELECT 1 FROM invitations WHERE survey = ? AND code_hash = ?", (slug, code_hash)
            )
            if known.fetchone() is None:
                return Outcome.UNINVITED
            before = db.execute(
                "SELECT asked FROM issued WHERE survey = ? AND wave = ? AND code_hash = ?",
                (slug, wave, code_hash),
            ).fetchone()
            if before is not None:
                return Outcome.REPEATED if bytes(before[0]) == asked else Outcome.SPENT
            db.execute("INSERT INTO issued VALUES (?, ?, ?, ?)", (slug, wave, code_hash, asked))
        return Outcome.STORED

    def invited(self, slug: str) -> Invited | None:
        with self._connections.snapshot() as db:
            return invited_of(db, slug)

    def end_invitations(self, slug: str) -> None:
        with self._connections.transaction() as db:
            survey, source = _current(db, slug)
            if survey.is_published and survey.is_by_invitation:
                raise StoreError(
                    f"{slug!r} publishes its reports: expected its codes to stay, for each board "
                    "counts them"
                )
            for table in ("invitations", "issued"):
                db.execute(f"DELETE FROM {table} WHERE survey = ?", (slug,))  # noqa: S608
            if survey.is_by_invitation:
                self._write_survey(db, replace(survey, token_keys=()), source)
            _set_without_code(db, slug, 0)


def invited_of(db: Database, slug: str) -> Invited | None:
    """Return how many codes a survey has; errors as of `SqlInvitations.invited`."""
    without = _without_code(db, slug)
    (made,) = db.execute("SELECT count(*) FROM invitations WHERE survey = ?", (slug,)).fetchone()
    # Not how many were spent: whoever asked again and again would learn when each was.
    spent = count_shown_of(db, slug) - without
    keys = keys_of(db, slug)
    return Invited(made, min(max(spent, 0), made * len(keys))) if keys else None


def with_keys(db: Database, survey: Survey) -> Survey:
    """Return a survey as it is to be registered: what is by invitation stays so, with its keys.

    Raises
    ------
    ValueError
        If it has another number of waves than there are keys.
    """
    try:
        current, _ = _current(db, survey.slug)
    except KeyError:
        return survey
    return survey.as_kept(current)


def mark_of_board(survey: Survey) -> str:
    """Return the mark of the key of a survey's boards; empty if it has none."""
    return mark_of(survey.board_key) if survey.board_key else ""


def marks_of(survey: Survey) -> str:
    """Return the marks of a survey's keys, as its revision names them in the store."""
    return " ".join(mark_of(key) for key in survey.token_keys)


def keys_of(db: Database, slug: str) -> list[str]:
    """Return the marks of the keys of a survey's current revision, one for each wave."""
    row = db.execute(
        "SELECT token_keys FROM revisions JOIN surveys ON surveys.revision = revisions.revision "
        "WHERE slug = ?",
        (slug,),
    ).fetchone()
    return [] if row is None else str(row[0]).split()


def key_of_wave(keys: Sequence[str], wave: int) -> str:
    """Return the mark of the key of a wave; empty if no token is needed."""
    return keys[wave - 1] if len(keys) > 1 else "".join(keys)


def add_without_code(db: Database, slug: str, number: int) -> None:
    """Note that sheets of paper came into the snapshot or left it, which need no code."""
    if keys_of(db, slug):
        _set_without_code(db, slug, _without_code(db, slug) + number)


def codes_of(
    db: Database, slug: str
) -> tuple[int, tuple[bytes, ...], tuple[tuple[int, bytes, bytes], ...]]:
    """Return how many reports came without a code, the hashes of the codes, and what was spent."""
    codes = db.execute(
        "SELECT code_hash FROM invitations WHERE survey = ? ORDER BY code_hash", (slug,)
    ).fetchall()
    spent = db.execute(
        "SELECT wave, code_hash, asked FROM issued WHERE survey = ? ORDER BY wave, code_hash",
        (slug,),
    )
    return (
        _without_code(db, slug),
        tuple(bytes(code) for (code,) in codes),
        tuple((int(wave), bytes(code), bytes(asked)) for wave, code, asked in spent),
    )


def write_codes(
    db: Database,
    slug: str,
    without_code: int,
    codes: Sequence[bytes],
    spent: Sequence[tuple[int, bytes, bytes]],
) -> None:
    """Write what `codes_of` returned."""
    _set_without_code(db, slug, without_code)
    for code in codes:
        db.execute("INSERT INTO invitations VALUES (?, ?)", (slug, code))
    for row in spent:
        db.execute("INSERT INTO issued VALUES (?, ?, ?, ?)", (slug, *row))


def _current(db: Database, slug: str) -> tuple[Survey, str]:
    """Return the current revision of a survey, and the file that it was compiled from."""
    row = db.execute(
        "SELECT document, source FROM revisions "
        "JOIN surveys ON revisions.revision = surveys.revision WHERE slug = ?",
        (slug,),
    ).fetchone()
    if row is None:
        raise KeyError(slug)
    return Survey.from_json(row[0].encode()), str(row[1])


def _set_without_code(db: Database, slug: str, number: int) -> None:
    """Note how many reports in the snapshot came without a code."""
    db.execute("UPDATE surveys SET without_code = ? WHERE slug = ?", (number, slug))


def _without_code(db: Database, slug: str) -> int:
    row = db.execute("SELECT without_code FROM surveys WHERE slug = ?", (slug,)).fetchone()
    if row is None:
        raise KeyError(slug)
    return int(row[0])


def count_shown_of(db: Database, slug: str) -> int:
    """Return how many reports of a survey are in the snapshot."""
    (count,) = db.execute(
        "SELECT coalesce(sum(count), 0) FROM tallies JOIN revisions "
        "ON number = tallies.revision WHERE survey = ? AND place = 0",
        (slug,),
    ).fetchone()
    return int(count)
