"""The store: every report that was acknowledged, and nothing about who sent it.

SQLite through sqlite-utils. Three adversaries shape it. *A crash*: write-ahead log with
``synchronous=FULL``, so that what is committed is on disk. *A thief of the files*: they hold only
noise under random keys, they are readable by their owner alone, and what is deleted is overwritten.
*A reader of the order of arrival*: see `Store.settle`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import sqlite_utils

from deniable.report import ID_BYTES, Report
from deniable.server import schema
from deniable.server.connections import Connections, checkpoint
from deniable.server.insertion import NotAllNew, insert_any, insert_new, standing
from deniable.server.records import Outcome, RevisionRecord, State, SurveyRecord
from deniable.survey import Survey

_SCHEME: Final = "sqlite:///"

_CHUNK_BYTES: Final = 2**22
"""About how many bytes of answers are read at once, far below SQLite's limit of 10^9."""

_AFTER_ALL_IDS: Final = b"\xff" * (ID_BYTES + 1)


class StoreError(Exception):
    """A store that cannot be used; says what was found, what was expected and what to do."""


def open_store(url: str, *, create: bool = True) -> Store:
    """Open a store, bringing its tables up to date.

    Parameters
    ----------
    url : str
        ``sqlite:///relative.db`` or ``sqlite:////absolute/path.db``.
    create : bool
        Whether a file that does not exist is made; otherwise it is an error.

    Returns
    -------
    Store

    Raises
    ------
    StoreError
        If the URL has another scheme, or the file cannot be opened, is not a store, or was written
        by a newer version.
    """
    path = url.removeprefix(_SCHEME)
    if path in (url, "", ":memory:"):
        raise StoreError(
            f"found the store {url!r}, expected sqlite:///PATH "
            "(such as sqlite:///deniable.db, or sqlite:////var/lib/deniable.db)"
        )
    return Store(Path(path), create=create)


class Store:
    """Surveys, their reports and the researcher's sign-in links, in one SQLite file.

    Safe to use from many threads: each use takes a connection of its own from a pool.

    Parameters
    ----------
    path : Path
        The database; its write-ahead log lies beside it.
    create : bool
        Whether to make a file that does not exist.

    Raises
    ------
    StoreError
        As in `open_store`.
    """

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self.path = path
        self._connections = Connections(path)
        try:
            if create:
                # Made by hand, so that on a shared machine nobody else can read it; SQLite gives
                # the write-ahead log the same permissions.
                path.touch(mode=0o600)
            with self._connections.lend() as db:
                schema.migrate(db)
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
        except sqlite3.Error as error:
            self.close()
            raise StoreError(
                f"{path}: expected a deniable store, but SQLite says: {error}; "
                "give the path of a store, or of a file that does not exist yet"
            ) from None

    def close(self) -> None:
        """Close every idle connection; those in use are closed as soon as they are given back."""
        self._connections.close()

    # ------------------------------------------------------------------ surveys

    def register(self, survey: Survey) -> None:
        """Make this the current revision of its survey; a new survey is open.

        Reports to older revisions stay, and so do state and wave: serving a closed survey again
        does not open it.

        Raises
        ------
        StoreError
            If a wave is on that this revision does not have.
        """
        document = json.dumps(survey.document, ensure_ascii=False)
        with self._connections.transaction() as db:
            row = db.execute("SELECT wave FROM surveys WHERE slug = ?", (survey.slug,)).fetchone()
            if survey.waves is not None and row is not None and row[0] > survey.waves:
                raise StoreError(
                    f"{self.path}: wave {row[0]} of {survey.slug!r} is on, expected a survey of at "
                    f"least as many waves, found {survey.waves}"
                )
            db.execute(
                "INSERT INTO revisions (revision, survey, document, waves) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (revision) DO NOTHING",
                (survey.revision, survey.slug, document, survey.waves or 0),
            )
            db.execute(
                "INSERT INTO surveys (slug, revision, state) VALUES (?, ?, ?) "
                "ON CONFLICT (slug) DO UPDATE SET revision = excluded.revision",
                (survey.slug, survey.revision, State.OPEN),
            )

    def surveys(self) -> list[SurveyRecord]:
        """Return every survey, by slug."""
        with self._connections.lend() as db:
            slugs = [slug for (slug,) in db.execute("SELECT slug FROM surveys ORDER BY slug")]
        return [
            SurveyRecord(self.survey(slug), self.state(slug), self.count(slug)) for slug in slugs
        ]

    def survey(self, slug: str) -> Survey:
        """Return the current revision of a survey.

        Raises
        ------
        KeyError
            If there is no such survey.
        """
        return self.revision(slug, self.current_revision(slug))

    def current_revision(self, slug: str) -> str:
        """Return the hash of a survey's current revision.

        Raises
        ------
        KeyError
            If there is no such survey.
        """
        return self._current(slug)[0]

    def revision(self, slug: str, revision: str) -> Survey:
        """Return a revision of a survey, current or not.

        Raises
        ------
        KeyError
            If there is no such revision of that survey.
        """
        with self._connections.lend() as db:
            row = db.execute(
                "SELECT document FROM revisions WHERE number = ?",
                (_number(db, slug, revision),),
            ).fetchone()
        return Survey.from_document(json.loads(row[0]))

    def revisions(self, slug: str) -> list[RevisionRecord]:
        """Return every revision of a survey, the newest first.

        Raises
        ------
        KeyError
            If there is no such survey.
        """
        self.current_revision(slug)
        with self._connections.lend() as db:
            rows = db.execute(
                "SELECT revision, (SELECT count(*) FROM reports WHERE revision = number) "
                "FROM revisions WHERE survey = ? ORDER BY number DESC",
                (slug,),
            ).fetchall()
        return [RevisionRecord(revision, count) for revision, count in rows]

    def state(self, slug: str) -> State:
        """Return whether a survey takes reports.

        Raises
        ------
        KeyError
            If there is no such survey.
        """
        return self._current(slug)[1]

    def set_state(self, slug: str, state: State) -> None:
        """Open or close a survey, and `settle` what came in until now.

        Raises
        ------
        KeyError
            If there is no such survey.
        """
        with self._connections.transaction() as db:
            changed = db.execute("UPDATE surveys SET state = ? WHERE slug = ?", (state, slug))
        if not changed.rowcount:
            raise KeyError(slug)
        self.settle()

    def wave(self, slug: str) -> int:
        """Return which wave of a survey is on; 1 if it has none.

        Raises
        ------
        KeyError
            If there is no such survey.
        """
        return self._current(slug)[2]

    def begin_wave(self, slug: str, wave: int) -> None:
        """End the wave that is on and begin a later one, and `settle` what came in until now.

        Only forwards: a device that has answered a wave sends nothing to it, or to one before it.

        Raises
        ------
        KeyError
            If there is no such survey.
        ValueError
            If the survey has no such wave, or it is not a later one.
        """
        last = self.survey(slug).waves
        if last is None:
            raise ValueError(f"the survey {slug!r} has no waves")
        if wave > last:
            raise ValueError(f"expected a wave up to {last}, the last of {slug!r}, found {wave}")
        with self._connections.transaction() as db:
            changed = db.execute(
                "UPDATE surveys SET wave = ? WHERE slug = ? AND wave < ?", (wave, slug, wave)
            )
        if not changed.rowcount:
            on = self.wave(slug)
            raise ValueError(f"expected a wave after {on}, which is on, found {wave}")
        self.settle()

    # ------------------------------------------------------------------ reports

    def count(self, slug: str, revision: str | None = None) -> int:
        """Return how many reports a survey has, or one revision of it.

        Raises
        ------
        KeyError
            If there is no such survey, or no such revision.
        """
        if revision is None:
            return sum(record.count for record in self.revisions(slug))
        with self._connections.lend() as db:
            (count,) = db.execute(
                "SELECT count(*) FROM reports WHERE revision = ?", (_number(db, slug, revision),)
            ).fetchone()
        return int(count)

    def count_of_wave(self, slug: str, wave: int) -> int:
        """Return how many reports of a wave there are, to all revisions; 0 if there are no waves.

        Every report is looked at: nothing but its last byte says of which wave it is.

        Raises
        ------
        KeyError
            If there is no such survey.
        """
        self.current_revision(slug)
        with self._connections.lend() as db:
            (count,) = db.execute(
                "SELECT count(*) FROM reports JOIN revisions ON number = reports.revision "
                "WHERE survey = ? AND waves > 0 AND substr(answers, -1) = ?",
                (slug, bytes([wave - 1])),
            ).fetchone()
        return int(count)

    def answers(self, slug: str, revision: str) -> Iterator[bytes]:
        """Read the answers of every report to a revision.

        Parameters
        ----------
        slug, revision : str

        Yields
        ------
        bytes
            The answers of some thousand whole reports, one after the other, in the order of their
            random keys. Each report comes once. Of those that arrive during the reading, the keys
            decide which are seen, so the ones seen are a random sample of them.

        Raises
        ------
        KeyError
            If there is no such revision of that survey.
        """
        with self._connections.lend() as db:
            number = _number(db, slug, revision)
            (longest,) = db.execute(
                "SELECT length(answers) FROM reports WHERE revision = ? LIMIT 1", (number,)
            ).fetchone() or (1,)
        reports = max(1, _CHUNK_BYTES // max(1, longest))
        start: bytes | None = b""
        while start is not None:
            # Each chunk is a range of keys whose answers SQLite joins, many times faster than a row
            # a report in Python. The range is found by counting, because respondents choose their
            # keys: a crowd of them under one prefix must not make a chunk too large.
            with self._connections.lend() as db:
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

    def insert_batch(self, reports: Sequence[Report]) -> list[Outcome]:
        """Store reports in one durable transaction.

        Parameters
        ----------
        reports : sequence of Report
            Checked already: each fits the revision that it names.

        Returns
        -------
        list of Outcome
            One for each, in the same order. When this returns, what it says is on disk.

        Raises
        ------
        sqlite3.Error
            If the database is locked, full or broken; nothing of the batch is stored then, or at
            least nothing may be acknowledged.
        """
        try:
            with self._connections.transaction() as db:
                return insert_new(db, reports)
        except NotAllNew:  # rolled back: now one by one, to tell which is which
            with self._connections.transaction() as db:
                return insert_any(db, reports)

    # ------------------------------------------------------------------ order

    def settle(self) -> bool:
        """Leave no trace on disk of the order in which reports arrived.

        Random keys give no order from page to page, but *within* a page SQLite lays records down
        as they come, and the write-ahead log keeps the pages commit by commit. A thief of the
        files could tell from them who of a small group answered when. ``VACUUM`` writes all
        reports anew in the order of their keys, and truncating the log removes what it held.

        Returns
        -------
        bool
            False if another process or a reader was in the way: try again later.

        Raises
        ------
        sqlite3.Error
            If the disk is full or the database broken; nothing is lost then.
        """
        try:
            with self._connections.lend() as db:
                # Before as well: the log starts anew, so that the index beside it (-shm), which
                # lists pages as they were written, is overwritten too.
                if checkpoint(db):
                    db.execute("VACUUM")
                    return checkpoint(db)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise
        return False

    def truncate_log(self) -> bool:
        """Empty the write-ahead log, the cheap half of `settle`, for use under load.

        Returns
        -------
        bool
            False if a reader was in the way.
        """
        with self._connections.lend() as db:
            return checkpoint(db)

    # ------------------------------------------------------------------ sign-in links

    def add_sign_in(self, token_hash: bytes, expires: int, now: int) -> None:
        """Remember a one-time link by its hash, and forget those that have expired.

        Parameters
        ----------
        token_hash : bytes
        expires, now : int
            Seconds since the epoch.
        """
        with self._connections.transaction() as db:
            db.execute("DELETE FROM sign_ins WHERE expires <= ?", (now,))
            db.execute("INSERT INTO sign_ins VALUES (?, ?)", (token_hash, expires))

    def take_sign_in(self, token_hash: bytes, now: int) -> bool:
        """Use up a one-time link; False if there is none of that hash, or it has expired."""
        with self._connections.transaction() as db:
            taken = db.execute(
                "DELETE FROM sign_ins WHERE token_hash = ? RETURNING expires", (token_hash,)
            ).fetchone()
        return taken is not None and now < taken[0]

    def _current(self, slug: str) -> tuple[str, State, int]:
        """Return the current revision, the state and the wave of a survey."""
        with self._connections.lend() as db:
            row = db.execute(
                "SELECT revision, state, wave FROM surveys WHERE slug = ?", (slug,)
            ).fetchone()
        if row is None:
            raise KeyError(slug)
        return row[0], State(row[1]), int(row[2])


def _number(db: sqlite_utils.Database, slug: str, revision: str) -> int:
    """Return the number of a revision, which stands for it in the key of its reports."""
    found = standing(db, slug, revision)
    if found is None:
        raise KeyError(revision)
    return found.number
