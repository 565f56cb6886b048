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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from deniable.server.store.part import Part
from deniable.server.store.records import Outcome, arrived
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
class ResponseRate:
    """How many of the people who were invited answered, as far as the snapshot tells."""

    wave: int | None  # in which they answered; None: in any
    answered: int
    invited: int
    share: float | None  # of those invited; None if nobody was


@dataclass(frozen=True)
class Invited:
    """The number of a survey's codes, and of the people who answered with one."""

    made: int
    # By wave, in which a person reports once. From the snapshot: reports that were held back when
    # the first codes were made count as if they had come with a token.
    answered: Mapping[int, int]

    def rate(self, survey: Survey, wave: int) -> ResponseRate:
        """Return the response rate of a wave; of all waves if each code is good for one of them.

        Nobody knows for which wave such a code was given out.
        """
        if survey.is_repeated and not survey.same_people:
            return self._rate(None, sum(self.answered.values()))
        return self._rate(wave, self.answered.get(wave, 0))

    def told(self, survey: Survey, wave: int, *, on: int = 0) -> str:
        """Say the response rate: "wave 1: 590 of 900 invited, 66 %"; `on`: this wave is on."""
        found = self.rate(survey, wave)
        when = "this wave" if wave == on else f"wave {wave}"
        label = survey.in_waves("all waves: " if found.wave is None else f"{when}: ")
        said = f"{label}{arrived(found.answered, survey)} of {found.invited:,} invited"
        if not found.answered or found.share is None:
            return said
        return f"{said}, {100 * found.share:.0f} %"

    def told_of_paper(self, survey: Survey) -> str:
        """Say the response rates of all waves with reports, in a sentence for a paper."""
        waves = sorted(self.answered) or [1]
        each = dict.fromkeys(self.told(survey, wave) for wave in waves)
        return (
            f"Response rate, of the reports that the desk showed when this was written: "
            f"{'; '.join(each)}."
        )

    def _rate(self, wave: int | None, answered: int) -> ResponseRate:
        known = min(answered, self.made)
        return ResponseRate(wave, known, self.made, known / self.made if self.made else None)


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
                _set_without_code(db, slug, sum(_shown_of(db, slug).values()))
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
            is_earlier = _was_spent(db, slug, wave, code_hash)
            is_over = is_earlier and not _current(db, slug)[0].same_people
            if before is not None or is_over:
                repeated = Outcome.AGAIN if is_earlier else Outcome.REPEATED
                is_same = before is not None and bytes(before[0]) == asked
                return repeated if is_same else Outcome.SPENT
            # Else its owner may end it: then the code would be lost.
            if state.takes_reports:
                db.execute("INSERT INTO issued VALUES (?, ?, ?, ?)", (slug, wave, code_hash, asked))
        taken = Outcome.AGAIN if is_earlier else Outcome.STORED
        return taken if state.takes_reports else Outcome[state.name]

    def invited(self, slug: str) -> Invited | None:
        """Return the numbers of a survey's codes; None if it needs none."""
        # They change with the snapshot, and never with a single report.
        with self._engine.snapshot() as db:
            (made,) = db.execute(
                "SELECT count(*) FROM invitations WHERE survey = ?", (slug,)
            ).fetchone()
            # Not how many codes were spent: repeated requests would show when each was.
            shown, without = _shown_of(db, slug), _without_code(db, slug)
            keys = keys_of(db, slug)
        answered = {}
        for wave, reports in shown.items():
            # What was shown when the first codes were made is of the first waves.
            answered[wave] = max(0, reports - without)
            without = max(0, without - reports)
        return Invited(made, {one: n for one, n in answered.items() if n}) if keys else None

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
    """Return whether an earlier wave spent a code."""
    earlier = "SELECT 1 FROM issued WHERE survey = ? AND wave < ? AND code_hash = ?"
    return db.execute(earlier, (slug, wave, code_hash)).fetchone() is not None


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


def _shown_of(db: Database, slug: str) -> dict[int, int]:
    """Return how many reports of each wave of a survey are in the snapshot."""
    rows = db.execute(
        "SELECT wave, sum(count) FROM tallies JOIN revisions ON number = tallies.revision "
        "WHERE survey = ? AND place = 0 GROUP BY wave ORDER BY wave",
        (slug,),
    ).fetchall()
    return {int(wave): int(reports) for wave, reports in rows}


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
