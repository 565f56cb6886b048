"""All that a store does, in SQLite.

What makes good the promises of `deniable.server.store`: the write-ahead log with
``synchronous=FULL`` (a crash), keys that the devices drew in tables without row numbers,
``secure_delete`` and a file that its owner alone can read (a thief), ``VACUUM`` (the order).

Statements that every start or every report needs are plain SQL here and in `insertion`; what is
written seldom is in `writing` and `migrations`, through sqlite-utils.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from deniable.report import ID_BYTES, Report
from deniable.server.store.errors import StoreError, StoreNotFound, StoreUnavailable
from deniable.server.store.protocol import Store
from deniable.server.store.records import (
    Outcome,
    RevisionCopy,
    Snapshot,
    State,
    SurveyCopy,
    SurveyRecord,
)
from deniable.server.store.sqlite import schema
from deniable.server.store.sqlite.accounts import SqliteAccounts
from deniable.server.store.sqlite.connections import (
    Busy,
    Connections,
    checkpoint,
    code_of,
    explained,
)
from deniable.server.store.sqlite.drafts import SqliteDrafts
from deniable.server.store.sqlite.insertion import NotAllNew, insert_any, insert_new, standing
from deniable.server.store.sqlite.invitations import (
    SqliteInvitations,
    codes_of,
    is_by_invitation,
)
from deniable.server.store.sqlite.piles import SqlitePiles
from deniable.server.store.sqlite.snapshot import (
    count_held,
    count_shown,
    held_back,
    read_snapshot,
    release,
)
from deniable.server.store.sqlite.terms import (
    close_survey,
    count_taken,
    due,
    read_terms,
    with_code,
    write_terms,
)
from deniable.server.store.terms import NO_TERMS, Terms, is_code
from deniable.survey import Survey
from deniable.trial import trial_slug

_CHUNK_BYTES: Final = 2**22
"""About how many bytes of answers are read at once, far below SQLite's limit of 10^9."""

_SAYS_NOTHING_OF_THE_FILE: Final = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY)
"""Errors that a good store can give."""

_AFTER_ALL_IDS: Final = b"\xff" * (ID_BYTES + 1)


class SqliteStore(SqliteAccounts, SqliteDrafts, SqliteInvitations, SqlitePiles, Store):
    """A store in one SQLite file.

    Each use takes a connection of its own from a pool.

    Parameters
    ----------
    path : Path
        The database; its write-ahead log lies beside it.
    create : bool
        Whether to make a file that does not exist.

    Raises
    ------
    StoreError
        As in `deniable.server.store.open_store`.
    """

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self.name = str(path)
        self._path = path
        self._connections = Connections(path)
        try:
            if create:
                # Made by hand, so that on a shared machine nobody else can read it; SQLite gives
                # the write-ahead log the same permissions.
                path.touch(mode=0o600)
            elif not path.exists():
                raise StoreNotFound(f"{path}: there is no store here")
            with self._connections.lend() as db:
                schema.bring_up_to_date(db)
        except schema.SchemaMismatch as mismatch:
            self.close()
            raise StoreError(f"{path}: {mismatch}, or give the path of another store") from None
        except FileNotFoundError:
            raise StoreError(
                f"{path}: found no folder {path.parent}; make it, or give another path"
            ) from None
        except OSError as error:
            raise StoreError(
                f"{path}: cannot be opened ({error.strerror}); give a path that can be written"
            ) from None
        except StoreUnavailable as unavailable:
            self.close()
            cause = unavailable.__cause__
            # It may be a store all the same: locked, on a full disk, or not to be written.
            if isinstance(unavailable, Busy) or code_of(cause) in _SAYS_NOTHING_OF_THE_FILE:
                raise
            raise StoreError(
                f"{path}: expected a deniable store, but SQLite says: {cause}; "
                "give the path of a store, or of a file that does not exist yet"
            ) from None

    def close(self) -> None:
        self._connections.close()

    def check_place(self) -> None:
        self._connections.check_place()

    # ------------------------------------------------------------------ surveys

    def register(self, survey: Survey, source: str = "") -> None:
        with self._connections.lend() as db:
            known = _current(db, survey.slug)
            kept = _source(db, survey.slug, survey.revision)
        if known is not None and known[0] == survey.revision and (source or kept) == kept:
            return  # as at most starts of a server, which then need not load sqlite-utils
        from deniable.server.store.sqlite.writing import write_survey  # noqa: PLC0415  loads it

        with self._connections.transaction() as db:
            known = _current(db, survey.slug)
            if survey.waves is not None and known is not None and known[2] > survey.waves:
                raise StoreError(
                    f"{self.name}: wave {known[2]} of {survey.slug!r} is on, expected a survey of "
                    f"at least as many waves, found {survey.waves}"
                )
            if survey.waves is not None and is_by_invitation(db, survey.slug):
                raise StoreError(
                    f"{self.name}: {survey.slug!r} is by invitation, expected a survey without "
                    "waves: a code is for one report, and each person sends one in every wave"
                )
            write_survey(db, survey, source)

    def surveys(self) -> list[SurveyRecord]:
        with self._connections.lend() as db:
            slugs = [slug for (slug,) in db.execute("SELECT slug FROM surveys ORDER BY slug")]
        return [SurveyRecord(self.survey(slug), self.state(slug)) for slug in slugs]

    def survey(self, slug: str) -> Survey:
        return self.revision(slug, self.current_revision(slug))

    def current_revision(self, slug: str) -> str:
        return self._standing(slug)[0]

    def revision(self, slug: str, revision: str) -> Survey:
        with self._connections.lend() as db:
            row = db.execute(
                "SELECT document FROM revisions WHERE number = ?",
                (_number(db, slug, revision),),
            ).fetchone()
        return Survey.from_json(row[0].encode())

    def revisions(self, slug: str) -> list[str]:
        self.current_revision(slug)
        with self._connections.lend() as db:
            rows = db.execute(
                "SELECT revision FROM revisions WHERE survey = ? ORDER BY number DESC", (slug,)
            ).fetchall()
        return [revision for (revision,) in rows]

    def source(self, slug: str, revision: str) -> str:
        with self._connections.lend() as db:
            _number(db, slug, revision)
            return _source(db, slug, revision)

    def state(self, slug: str) -> State:
        return self._standing(slug)[1]

    def set_state(self, slug: str, state: State) -> None:
        with self._connections.transaction() as db:
            if state is State.OPEN:
                _check_may_open(db, slug)
            changed = db.execute("UPDATE surveys SET state = ? WHERE slug = ?", (state, slug))
            if state is State.CLOSED:
                release(db, slug)
        if not changed.rowcount:
            raise KeyError(slug)
        self.settle()

    def terms(self, slug: str) -> Terms:
        with self._connections.lend() as db:
            terms = read_terms(db, slug)
        if terms is None:
            raise KeyError(slug)
        return terms

    def set_terms(self, slug: str, terms: Terms) -> None:
        terms.check_batch(self.survey(slug).batch)
        with self._connections.transaction() as db:
            if terms.code and with_code(db, terms.code) not in (None, slug):
                raise ValueError("this code leads to another survey already")
            write_terms(db, slug, terms)
            if terms.is_over(time.time()) or _is_full(db, slug, terms):
                close_survey(db, slug)
        self.settle()

    def survey_of_code(self, code: str) -> str:
        if is_code(code):  # what somebody typed may hold what no database can be asked for
            with self._connections.lend() as db:
                slug = with_code(db, code)
            if slug is not None:
                return slug
        raise KeyError(code)

    def close_due(self) -> list[str]:
        with self._connections.lend() as db:
            if not due(db, time.time()):
                return []
        with self._connections.transaction() as db:
            slugs = due(db, time.time())  # again, under the lock: it may have more time now
            for slug in slugs:
                close_survey(db, slug)
        return slugs

    def is_public(self, slug: str) -> bool:
        with self._connections.lend() as db:
            row = db.execute("SELECT public FROM surveys WHERE slug = ?", (slug,)).fetchone()
        if row is None:
            raise KeyError(slug)
        return bool(row[0])

    def set_public(self, slug: str, *, public: bool) -> None:
        with self._connections.transaction() as db:
            changed = db.execute(
                "UPDATE surveys SET public = ? WHERE slug = ?", (int(public), slug)
            )
        if not changed.rowcount:
            raise KeyError(slug)

    def wave(self, slug: str) -> int:
        return self._standing(slug)[2]

    def begin_wave(self, slug: str, wave: int) -> None:
        last = self.survey(slug).waves
        if last is None:
            raise ValueError(f"the survey {slug!r} has no waves")
        if wave > last:
            raise ValueError(f"expected a wave up to {last}, the last of {slug!r}, found {wave}")
        with self._connections.transaction() as db:
            changed = db.execute(
                "UPDATE surveys SET wave = ? WHERE slug = ? AND wave < ?", (wave, slug, wave)
            )
            if changed.rowcount:
                release(db, slug)
        if not changed.rowcount:
            on = self.wave(slug)
            raise ValueError(f"expected a wave after {on}, which is on, found {wave}")
        self.settle()

    def delete(self, slug: str) -> bool:
        slugs = (slug, trial_slug(slug))
        with self._connections.transaction() as db:
            for table in ("reports", "held", "tallies"):
                db.execute(
                    f"DELETE FROM {table} WHERE revision IN "  # noqa: S608  a name from above
                    "(SELECT number FROM revisions WHERE survey IN (?, ?))",
                    slugs,
                )
            for table in ("revisions", "shares", "piles", "invitations"):
                db.execute(f"DELETE FROM {table} WHERE survey IN (?, ?)", slugs)  # noqa: S608
            deleted = db.execute("DELETE FROM surveys WHERE slug IN (?, ?)", slugs)
        if not deleted.rowcount:
            raise KeyError(slug)
        return self.settle()

    # ------------------------------------------------------------------ the snapshot

    def snapshot(self, slug: str) -> Snapshot:
        self.current_revision(slug)
        with self._connections.lend() as db:
            return read_snapshot(db, slug)

    def snapshot_answers(self, slug: str, revision: str) -> Iterator[bytes]:
        with self._connections.snapshot() as db:
            yield from self._answers(db, _number(db, slug, revision))

    # ------------------------------------------------------------------ reports

    def count(self, slug: str, revision: str | None = None) -> int:
        revisions = self.revisions(slug) if revision is None else [revision]
        with self._connections.snapshot() as db:
            numbers = [_number(db, slug, one) for one in revisions]
            return sum(count_shown(db, number) + count_held(db, number) for number in numbers)

    def count_of_wave(self, slug: str, wave: int) -> int:
        self.current_revision(slug)
        with self._connections.lend() as db:
            (count,) = db.execute(
                "SELECT coalesce(sum(count), 0) + (SELECT count(*) FROM held JOIN revisions "
                "ON number = held.revision "
                "WHERE survey = :slug AND waves > 0 AND substr(answers, -1) = :byte) "
                "FROM tallies JOIN revisions ON number = tallies.revision "
                "WHERE survey = :slug AND wave = :wave AND place = 0",
                {"slug": slug, "wave": wave, "byte": bytes([wave - 1])},
            ).fetchone()
        return int(count)

    def answers(self, slug: str, revision: str) -> Iterator[bytes]:
        with self._connections.snapshot() as db:
            number = _number(db, slug, revision)
            yield from self._answers(db, number)
            held = held_back(db, number, None)
        if held:
            yield b"".join(answers for _, answers in held)

    def _answers(self, db: sqlite3.Connection, number: int) -> Iterator[bytes]:
        (longest,) = db.execute(
            "SELECT length(answers) FROM reports WHERE revision = ? LIMIT 1", (number,)
        ).fetchone() or (1,)
        reports = max(1, _CHUNK_BYTES // max(1, longest))
        start: bytes | None = b""
        while start is not None:
            # Each chunk is a range of keys whose answers SQLite joins, many times faster than a row
            # a report in Python. The range is found by counting, because respondents choose their
            # keys: a crowd of them under one prefix must not make a chunk too large.
            (end,) = db.execute(
                "SELECT id FROM reports WHERE revision = ? AND id >= ? ORDER BY id "
                "LIMIT 1 OFFSET ?",
                (number, start, reports),
            ).fetchone() or (None,)
            # group_concat calls its result text but copies the bytes as they are, NUL included.
            (chunk,) = db.execute(
                "SELECT CAST(group_concat(answers, '') AS BLOB) FROM reports "
                "WHERE revision = ? AND id >= ? AND id < ?",
                (number, start, end or _AFTER_ALL_IDS),
            ).fetchone()
            if chunk:
                yield chunk
            start = end

    def insert_batch(
        self, reports: Sequence[Report], codes: Sequence[str | None] | None = None
    ) -> list[Outcome]:
        given = [None] * len(reports) if codes is None else codes
        try:
            with self._connections.transaction() as db:
                return insert_new(db, reports, given)
        except NotAllNew:  # rolled back: now one by one, to tell which is which
            with self._connections.transaction() as db:
                return insert_any(db, reports, given)

    # ------------------------------------------------------------------ copies

    @contextmanager
    def copying(self, slug: str) -> Iterator[SurveyCopy]:
        with self._connections.snapshot() as db:
            current = _current(db, slug)
            if current is None:
                raise KeyError(slug)
            rows = db.execute(
                "SELECT number, document, source FROM revisions WHERE survey = ? ORDER BY number",
                (slug,),
            ).fetchall()
            (key,) = db.execute("SELECT pile_key FROM surveys WHERE slug = ?", (slug,)).fetchone()
            macs = db.execute("SELECT mac FROM piles WHERE survey = ? ORDER BY mac", (slug,))
            without_code, codes = codes_of(db, slug)
            yield SurveyCopy(
                slug,
                *current,
                terms=read_terms(db, slug) or NO_TERMS,
                pile_key=bytes(key),
                piles=tuple(bytes(mac) for (mac,) in macs.fetchall()),
                codes=codes,
                without_code=without_code,
                revisions=tuple(
                    RevisionCopy(
                        Survey.from_json(document.encode()),
                        tuple(held_back(db, number, None)),
                        self._reports(db, number),
                        source,
                    )
                    for number, document, source in rows
                ),
            )

    def adopt(self, copy: SurveyCopy) -> int:
        from deniable.server.store.sqlite.writing import write_copy  # noqa: PLC0415  sqlite-utils

        with self._connections.transaction() as db:
            if _current(db, copy.slug) is not None:
                raise StoreError(
                    f"{self.name}: holds the survey {copy.slug!r} already; give another store"
                )
            if copy.terms.code and (other := with_code(db, copy.terms.code)):
                raise StoreError(
                    f"{self.name}: the short code of {copy.slug!r} leads to {other!r} here; take "
                    "it away from one of them first"
                )
            count = write_copy(db, copy)
        self.settle()
        return count

    # ------------------------------------------------------------------ order

    def settle(self, *, wait: bool = True) -> bool:
        # Random keys give no order from page to page, but *within* a page SQLite lays records down
        # as they come, and the write-ahead log keeps the pages commit by commit. VACUUM writes all
        # reports anew in the order of their keys; truncating the log removes what it held.
        lend = self._connections.lend if wait else self._connections.lend_without_waiting
        try:
            with lend() as db:
                # Before as well: the log starts anew, so that the index beside it (-shm), which
                # lists pages as they were written, is overwritten too.
                if checkpoint(db):
                    db.execute("VACUUM")
                    return checkpoint(db)
        except Busy:
            pass
        return False

    def empty_log(self) -> bool:
        try:
            with self._connections.lend_without_waiting() as db:
                return checkpoint(db)
        except Busy:
            return False

    def _standing(self, slug: str) -> tuple[str, State, int]:
        """Return the current revision, the state and the wave of a survey."""
        with self._connections.lend() as db:
            row = _current(db, slug)
        if row is None:
            raise KeyError(slug)
        return row

    def _reports(self, db: sqlite3.Connection, revision: int) -> Iterator[tuple[bytes, bytes]]:
        with explained(self._path):  # the reader's transaction is not this store's
            yield from db.execute(
                "SELECT id, answers FROM reports WHERE revision = ? ORDER BY id", (revision,)
            )


def _current(db: sqlite3.Connection, slug: str) -> tuple[str, State, int] | None:
    """Return the current revision, the state and the wave of a survey; None if there is none."""
    row = db.execute("SELECT revision, state, wave FROM surveys WHERE slug = ?", (slug,)).fetchone()
    return None if row is None else (row[0], State(row[1]), int(row[2]))


def _source(db: sqlite3.Connection, slug: str, revision: str) -> str:
    """Return the survey file of a revision, empty if it or the revision is not known."""
    row = db.execute(
        "SELECT source FROM revisions WHERE survey = ? AND revision = ?", (slug, revision)
    ).fetchone()
    return "" if row is None else str(row[0])


def _is_full(db: sqlite3.Connection, slug: str, terms: Terms) -> bool:
    return terms.cap is not None and count_taken(db, slug) >= terms.cap


def _check_may_open(db: sqlite3.Connection, slug: str) -> None:
    """Refuse to open a survey that would close again at once."""
    terms = read_terms(db, slug)
    if terms is None:
        raise KeyError(slug)
    if terms.is_over(time.time()):
        raise ValueError("its time to close is over: set another one first, or none")
    if _is_full(db, slug, terms):
        raise ValueError(f"it has {terms.cap:,} reports, its cap: set a higher one first, or none")


def _number(db: sqlite3.Connection, slug: str, revision: str) -> int:
    """Return the number of a revision, which stands for it in the key of its reports."""
    found = standing(db, slug, revision)
    if found is None:
        raise KeyError(revision)
    return found.number
