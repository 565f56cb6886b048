"""Invitation codes: each is good for one report, in each wave that the same people answer.

For a code, the survey's key signs a report's blinded id (`crypto.blind`). So the store knows which
codes were used, and no report comes with a code. Codes are too long to guess: a plain hash is
enough, and a thief of the store can use none.

The adversary has a copy of the store, and the list of codes, which went out to people. They learn
which codes were used, and no more. The store keeps a hash of each signed number, so that a device
that lost the answer gets the same signature again. A blinded number does not depend on the report.
"""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from deniable.server.store.part import Part
from deniable.server.store.records import Outcome
from deniable.server.store.schedule import State
from deniable.server.store.sql.database import Database, found_row
from deniable.server.store.sql.revisions import following, survey_in, write_survey
from deniable.server.store.sql.schedule import state_now
from deniable.server.store.sql.snapshot import parts
from deniable.survey import Survey
from deniable.survey.address import LETTERS

LENGTH: Final = 20
"""Letters of a code: together more than 80 bits."""

GROUP: Final = 4
"""Letters between two hyphens, so that people can type a code."""

MOST: Final = 200_000
"""Codes that can be made at once."""


@dataclass(frozen=True)
class Invited:
    """The number of a survey's codes, and of their uses."""

    made: int
    # How many reports in the snapshot came with a token, in all waves. Reports that were held back
    # when the first codes were made count as if they had come with a token.
    spent: int


class Invitations(Part):
    """Invitation codes."""

    def invite(self, slug: str, codes: Sequence[str], keys: Sequence[str]) -> None:
        """Add codes to a survey. The first ones make it a survey by invitation, with keys."""
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
        """Spend a code durably, for the signature of one blinded number; `asked` is its hash."""
        code_hash = hash_of(code)
        with self._engine.transaction() as db:
            (wave,) = found_row(db, "SELECT wave FROM surveys WHERE slug = ?", slug)
            state, _ = state_now(db, slug, self._moment(db))
            wanted = key_of_wave(keys_of(db, slug), wave)
            if not wanted:
                return Outcome.UNKNOWN
            if state is State.CLOSED:
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
            if before is not None or _was_spent(db, slug, wave, code_hash):
                is_same = before is not None and bytes(before[0]) == asked
                return Outcome.REPEATED if is_same else Outcome.SPENT
            # Else its owner may end it: then the code would be lost.
            if state.takes_reports:
                db.execute("INSERT INTO issued VALUES (?, ?, ?, ?)", (slug, wave, code_hash, asked))
        return Outcome.STORED if state.takes_reports else Outcome[state.name]

    def invited(self, slug: str) -> Invited | None:
        """Return the numbers of a survey's codes; None if it needs none."""
        # They change with the snapshot, and never with a single report.
        with self._engine.snapshot() as db:
            (made,) = db.execute(
                "SELECT count(*) FROM invitations WHERE survey = ?", (slug,)
            ).fetchone()
            # Not how many codes were spent: repeated requests would show when each was.
            spent = count_shown_of(db, slug) - _without_code(db, slug)
            keys = keys_of(db, slug)
        return Invited(made, min(max(spent, 0), made * len(keys))) if keys else None

    def end_invitations(self, slug: str) -> None:
        """Remove all codes and keys of a survey: then anybody with its link may answer."""
        with self._engine.transaction() as db:
            survey, source = _current(db, slug)
            for table in ("invitations", "issued"):
                db.execute(f"DELETE FROM {table} WHERE survey = ?", (slug,))  # noqa: S608
            if survey.is_by_invitation:
                write_survey(db, following(db, replace(survey, token_keys=())), source)
            _set_without_code(db, slug, 0)


def with_keys(db: Database, survey: Survey) -> Survey:
    """Return a survey to register: if it is by invitation, it keeps its keys."""
    try:
        current, _ = _current(db, survey.slug)
    except KeyError:
        return survey
    kept = survey.as_kept(current)
    # If nothing changes, keep the current survey, with all its wordings.
    return current if kept.document == current.document else kept


def _was_spent(db: Database, slug: str, wave: int, code_hash: bytes) -> bool:
    """Return whether an earlier wave spent a code of a survey that asks other people in each."""
    earlier = "SELECT 1 FROM issued WHERE survey = ? AND wave < ? AND code_hash = ?"
    if db.execute(earlier, (slug, wave, code_hash)).fetchone() is None:
        return False
    return not _current(db, slug)[0].same_people


def keys_of(db: Database, slug: str) -> list[str]:
    """Return the marks of a survey's current keys, one for each wave."""
    row = db.execute(
        "SELECT token_keys FROM revisions JOIN surveys ON surveys.revision = revisions.revision "
        "WHERE slug = ?",
        (slug,),
    ).fetchone()
    return [] if row is None else str(row[0]).split()


def key_of_wave(keys: Sequence[str], wave: int) -> str:
    """Return the mark of a wave's key; empty if no token is needed."""
    # Of the current revision, which has at least as many waves as have begun.
    return keys[wave - 1] if keys else ""


def codes_of(
    db: Database, slug: str
) -> tuple[int, tuple[bytes, ...], tuple[tuple[int, bytes, bytes], ...]]:
    """Return how many reports came without a code, the hashes of the codes, and the spent ones."""
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
    """Write the values from `codes_of`."""
    _set_without_code(db, slug, without_code)
    _add_codes(db, slug, codes)
    for row in spent:
        db.execute("INSERT INTO issued VALUES (?, ?, ?, ?)", (slug, *row))


def _add_codes(db: Database, slug: str, hashes: Sequence[bytes]) -> None:
    # Many in one statement: reports wait meanwhile, and there may be 200,000 codes.
    for part in parts(hashes):
        sql = "INSERT INTO invitations VALUES (?, ?)" + ", (?, ?)" * (len(part) - 1)
        db.execute(sql, [*chain.from_iterable((slug, one) for one in part)])


def _current(db: Database, slug: str) -> tuple[Survey, str]:
    row = found_row(
        db,
        "SELECT document, source FROM revisions "
        "JOIN surveys ON revisions.revision = surveys.revision WHERE slug = ?",
        slug,
    )
    return survey_in(row[0]), str(row[1])


def _set_without_code(db: Database, slug: str, number: int) -> None:
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
    """Draw codes, such as ``BCDF-GHJK-MNPR-STVW-XYZB``."""
    return [_new_code() for _ in range(number)]


def _new_code() -> str:
    # One random number for all letters: a number for each takes 20 times as long.
    number, letters = secrets.randbelow(len(LETTERS) ** LENGTH), ""
    for _ in range(LENGTH):
        number, place = divmod(number, len(LETTERS))
        letters += LETTERS[place]
    return "-".join(letters[start : start + GROUP] for start in range(0, LENGTH, GROUP))


def hash_of(typed: str) -> bytes:
    """Return the hash of a code, however it was typed: hyphens, blanks, small letters."""
    clean = "".join(letter for letter in typed.upper() if letter in LETTERS)
    return hashlib.sha256(clean.encode()).digest()
