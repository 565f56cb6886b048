"""Codes for one report each, and how often each was used: once, in each wave.

With a code a device has the survey's key sign its report's id, without anybody seeing the id
(`crypto.blind`). So the store knows which codes were used, and no report came with any. A code is
so long that nobody finds one by trying: a plain hash is enough, and a thief can use none of them.

The adversary has a copy of the store, and the list of codes beside it: it went out to people. They
learn which codes were used, and no more. Of what was signed there is a hash, so that a device whose
answer was lost gets the same one again. What was blinded looks the same whichever report it is for.
"""

import hashlib
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from deniable.server.store.part import Part
from deniable.server.store.records import Outcome
from deniable.server.store.schedule import State
from deniable.server.store.sql.database import Database, found_row
from deniable.server.store.sql.revisions import following, survey_in, write_survey
from deniable.server.store.sql.snapshot import parts
from deniable.survey import Survey
from deniable.survey.address import LETTERS

LENGTH: Final = 20
"""Letters of a code: together more than 80 bits."""

GROUP: Final = 4
"""Letters between two hyphens, so that people can type them."""

MOST: Final = 200_000
"""How many codes are made at once."""


@dataclass(frozen=True)
class Invited:
    """How many codes a survey has."""

    made: int
    # How many reports in the snapshot came with a token, of all waves. What came before there
    # were codes but was still held back counts as if it had come with one.
    spent: int


class Invitations(Part):
    """Codes for one report each."""

    def invite(self, slug: str, codes: Sequence[str], keys: Sequence[str]) -> None:
        """Add codes to a survey. From the first ones on it is by invitation, and has keys."""
        hashes = sorted(hash_of(code) for code in codes)
        with self._engine.transaction() as db:
            survey, source = _current(db, slug)
            if survey.kind == "trial":
                raise ValueError("a trial needs no codes: its answers are made up")
            if not survey.is_by_invitation:
                write_survey(db, replace(survey, token_keys=tuple(keys)), source)
                _set_without_code(db, slug, count_shown_of(db, slug))
            _add_codes(db, slug, hashes)

    def spend(self, slug: str, key: str, code: str, asked: bytes) -> Outcome:
        """Spend a code for the signature under something, durably."""
        code_hash = hash_of(code)
        with self._engine.transaction() as db:
            state, closes, wave = found_row(
                db, "SELECT state, closes, wave FROM surveys WHERE slug = ?", slug
            )
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
        """Return how many codes a survey has; None if it needs none."""
        # It changes with the snapshot, and never with a single report.
        with self._engine.snapshot() as db:
            return invited_of(db, slug)

    def end_invitations(self, slug: str) -> None:
        """Remove all codes and keys of a survey: whoever has its link may answer then."""
        with self._engine.transaction() as db:
            survey, source = _current(db, slug)
            for table in ("invitations", "issued"):
                db.execute(f"DELETE FROM {table} WHERE survey = ?", (slug,))  # noqa: S608
            if survey.is_by_invitation:
                write_survey(db, following(db, replace(survey, token_keys=())), source)
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
    """Return a survey as it is to be registered: what is by invitation stays so, with its keys."""
    try:
        current, _ = _current(db, survey.slug)
    except KeyError:
        return survey
    kept = survey.as_kept(current)
    # A law that holds its texts stays as it is, while nothing of it changes.
    return current if kept.document == current.document else kept


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
    _add_codes(db, slug, codes)
    for row in spent:
        db.execute("INSERT INTO issued VALUES (?, ?, ?, ?)", (slug, *row))


def _add_codes(db: Database, slug: str, hashes: Sequence[bytes]) -> None:
    # Many in a statement: nobody can report while these are written, and there may be 200,000.
    for part in parts(hashes):
        sql = "INSERT INTO invitations VALUES (?, ?)" + ", (?, ?)" * (len(part) - 1)
        db.execute(sql, [*chain.from_iterable((slug, one) for one in part)])


def _current(db: Database, slug: str) -> tuple[Survey, str]:
    """Return the current revision of a survey, and the file that it was compiled from."""
    row = found_row(
        db,
        "SELECT document, source FROM revisions "
        "JOIN surveys ON revisions.revision = surveys.revision WHERE slug = ?",
        slug,
    )
    return survey_in(row[0]), str(row[1])


def _set_without_code(db: Database, slug: str, number: int) -> None:
    """Note how many reports in the snapshot came without a code."""
    db.execute("UPDATE surveys SET without_code = ? WHERE slug = ?", (number, slug))


def _without_code(db: Database, slug: str) -> int:
    return int(found_row(db, "SELECT without_code FROM surveys WHERE slug = ?", slug)[0])


def count_shown_of(db: Database, slug: str) -> int:
    """Return how many reports of a survey are in the snapshot."""
    (count,) = db.execute(
        "SELECT coalesce(sum(count), 0) FROM tallies JOIN revisions "
        "ON number = tallies.revision WHERE survey = ? AND place = 0",
        (slug,),
    ).fetchone()
    return int(count)


def new_codes(number: int) -> list[str]:
    """Draw codes as they are handed out, such as ``BCDF-GHJK-MNPR-STVW-XYZB``."""
    return [_new_code() for _ in range(number)]


def _new_code() -> str:
    # One number for all letters: to ask for each of them takes 20 times as long.
    number, letters = secrets.randbelow(len(LETTERS) ** LENGTH), ""
    for _ in range(LENGTH):
        number, place = divmod(number, len(LETTERS))
        letters += LETTERS[place]
    return "-".join(letters[start : start + GROUP] for start in range(0, LENGTH, GROUP))


def hash_of(typed: str) -> bytes:
    """Return the hash of a code, however it was typed: hyphens, blanks, small letters."""
    clean = "".join(letter for letter in typed.upper() if letter in LETTERS)
    return hashlib.sha256(clean.encode()).digest()
