"""The store: every report that was acknowledged, and nothing about who sent it.

SQLite through sqlite-utils. Three adversaries shape it. *A crash*: write-ahead log with
``synchronous=FULL``, so that what is committed is on disk. *A thief of the files*: they hold only
noise under random keys, they are readable by their owner alone, and what is deleted is overwritten.
*A reader of the order of arrival*: see `Store.settle`.
"""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from itertools import chain
from pathlib import Path
from typing import Final

import sqlite_utils

from deniable.report import ID_BYTES, Report
from deniable.server import schema
from deniable.survey import REVISION_DIGITS, Survey

_SCHEME: Final = "sqlite:///"

_BUSY_TIMEOUT: Final = 5_000
"""Milliseconds to wait for another process's lock before giving up."""

_CHUNK_BYTES: Final = 2**22
"""About how many bytes of answers are read at once, far below SQLite's limit of 10^9."""

_PAGE_BYTES: Final = 1024
"""A new store's page size. Random keys put every report of a batch on a page of its own, each of
which is written whole, twice; a quarter of the usual size makes a durable batch several times
faster, and reading a fifth slower."""

_LOG_BYTES: Final = 2**22
"""Size of the write-ahead log at which SQLite copies it into the database."""

_CACHE_BYTES: Final = 2**24
"""Memory for pages, of each connection."""

_ROWS: Final = 1000
"""Rows of one statement, far below SQLite's limit of values in one."""

_INSERT: Final = "INSERT INTO reports VALUES (?, ?, ?)"
_OR_NOTHING: Final = " ON CONFLICT DO NOTHING"

_AFTER_ALL_IDS: Final = b"\xff" * (ID_BYTES + 1)

_REVISION: Final = re.compile(rf"[0-9a-f]{{{REVISION_DIGITS}}}")


class StoreError(Exception):
    """A store that cannot be used; says what was found, what was expected and what to do."""


class State(StrEnum):
    """Whether a survey takes reports."""

    OPEN = "open"
    CLOSED = "closed"


class Outcome(Enum):
    """What became of a report."""

    STORED = auto()
    """It is new, and on disk."""
    REPEATED = auto()
    """The same id with the same bytes was on disk already; it is counted once."""
    CONFLICT = auto()
    """The same id with other bytes is on disk, and stays."""
    CLOSED = auto()
    """The survey takes no more reports."""
    UNKNOWN = auto()
    """There is no such revision of such a survey."""


@dataclass(frozen=True)
class SurveyRecord:
    """A survey as it stands.

    Parameters
    ----------
    survey : Survey
        The current revision.
    state : State
    count : int
        Reports stored, over all revisions.
    """

    survey: Survey
    state: State
    count: int


@dataclass(frozen=True)
class RevisionRecord:
    """A revision that was served once, and how many reports it got."""

    revision: str
    count: int


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
        self._idle: list[sqlite_utils.Database] = []
        self._lock = threading.Lock()
        self._closed = False
        try:
            if create:
                # Made by hand, so that on a shared machine nobody else can read it; SQLite gives
                # the write-ahead log the same permissions.
                path.touch(mode=0o600)
            with self._database() as db:
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
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for db in idle:
            db.close()

    # ------------------------------------------------------------------ surveys

    def register(self, survey: Survey) -> None:
        """Make this the current revision of its survey; a new survey is open.

        Reports to older revisions stay, and so does the state: serving a closed survey again does
        not open it.
        """
        document = json.dumps(survey.document, ensure_ascii=False)
        with self._transaction() as db:
            db.execute(
                "INSERT INTO revisions (revision, survey, document) VALUES (?, ?, ?) "
                "ON CONFLICT (revision) DO NOTHING",
                (survey.revision, survey.slug, document),
            )
            db.execute(
                "INSERT INTO surveys (slug, revision, state) VALUES (?, ?, ?) "
                "ON CONFLICT (slug) DO UPDATE SET revision = excluded.revision",
                (survey.slug, survey.revision, State.OPEN),
            )

    def surveys(self) -> list[SurveyRecord]:
        """Return every survey, by slug."""
        with self._database() as db:
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
        with self._database() as db:
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
        with self._database() as db:
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
        with self._transaction() as db:
            changed = db.execute("UPDATE surveys SET state = ? WHERE slug = ?", (state, slug))
        if not changed.rowcount:
            raise KeyError(slug)
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
        with self._database() as db:
            (count,) = db.execute(
                "SELECT count(*) FROM reports WHERE revision = ?", (_number(db, slug, revision),)
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
        with self._database() as db:
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
            with self._database() as db:
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
            with self._transaction() as db:
                return _insert_new(db, reports)
        except _NotAllNew:  # rolled back: now one by one, to tell which is which
            with self._transaction() as db:
                return _insert_any(db, reports)

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
            with self._database() as db:
                # Before as well: the log starts anew, so that the index beside it (-shm), which
                # lists pages as they were written, is overwritten too.
                if _checkpoint(db):
                    db.execute("VACUUM")
                    return _checkpoint(db)
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
        with self._database() as db:
            return _checkpoint(db)

    # ------------------------------------------------------------------ sign-in links

    def add_sign_in(self, token_hash: bytes, expires: int, now: int) -> None:
        """Remember a one-time link by its hash, and forget those that have expired.

        Parameters
        ----------
        token_hash : bytes
        expires, now : int
            Seconds since the epoch.
        """
        with self._transaction() as db:
            db.execute("DELETE FROM sign_ins WHERE expires <= ?", (now,))
            db.execute("INSERT INTO sign_ins VALUES (?, ?)", (token_hash, expires))

    def take_sign_in(self, token_hash: bytes, now: int) -> bool:
        """Use up a one-time link; False if there is none of that hash, or it has expired."""
        with self._transaction() as db:
            taken = db.execute(
                "DELETE FROM sign_ins WHERE token_hash = ? RETURNING expires", (token_hash,)
            ).fetchone()
        return taken is not None and now < taken[0]

    # ------------------------------------------------------------------ connections

    @contextmanager
    def _database(self) -> Iterator[sqlite_utils.Database]:
        """Lend a connection, in autocommit mode."""
        with self._lock:
            db = self._idle.pop() if self._idle else None
        db = db or _connect(self.path)
        try:
            yield db
        finally:
            with self._lock:
                keep = not self._closed
                if keep:
                    self._idle.append(db)
            if not keep:
                db.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite_utils.Database]:
        """Lend a connection inside a transaction that may write, and commit it durably."""
        with self._database() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            finally:
                db.rollback()

    def _current(self, slug: str) -> tuple[str, State]:
        """Return the current revision and the state of a survey."""
        with self._database() as db:
            row = db.execute(
                "SELECT revision, state FROM surveys WHERE slug = ?", (slug,)
            ).fetchone()
        if row is None:
            raise KeyError(slug)
        return row[0], State(row[1])


def _connect(path: Path) -> sqlite_utils.Database:
    """Open a connection with the settings that the promises rest on."""
    # mode=rw: a missing file is an error here and never a new, empty, world-readable store.
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=_BUSY_TIMEOUT / 1000,
        isolation_level=None,
        check_same_thread=False,  # the pool lends a connection to one thread at a time
    )
    # No plugins: nothing that happens to be installed gets a hand on a connection to the store.
    db = sqlite_utils.Database(connection, execute_plugins=False)
    try:
        db.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        db.execute("PRAGMA journal_mode = WAL").fetchone()
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA secure_delete = ON").fetchone()
        db.execute(f"PRAGMA wal_autocheckpoint = {_LOG_BYTES // _PAGE_BYTES}").fetchone()
        db.execute(f"PRAGMA cache_size = -{_CACHE_BYTES // 1024}")
    except sqlite3.Error:
        db.close()
        raise
    return db


def _number(db: sqlite_utils.Database, slug: str, revision: str) -> int:
    """Return the number of a revision, which stands for it in the key of its reports."""
    found = _number_and_state(db, slug, revision)
    if found is None:
        raise KeyError(revision)
    return found[0]


def _number_and_state(
    db: sqlite_utils.Database, slug: str, revision: str
) -> tuple[int, State] | None:
    # What a client sent may hold characters that no database can be asked for.
    if not _REVISION.fullmatch(revision):
        return None
    row = db.execute(
        "SELECT number, state FROM revisions JOIN surveys ON slug = survey "
        "WHERE revisions.revision = ? AND slug = ?",
        (revision, slug),
    ).fetchone()
    return None if row is None else (int(row[0]), State(row[1]))


class _NotAllNew(Exception):
    """A batch that holds something else than new reports to open surveys."""


def _insert_new(db: sqlite_utils.Database, reports: Sequence[Report]) -> list[Outcome]:
    """Store reports inside a transaction if they are new, as nearly all are.

    One statement for many rows: the interpreter is let go and taken back once, and not once a
    report while requests are waiting for it.
    """
    revisions = _revisions(db, reports)
    rows = []
    # By key, so that the log of writes does not show who of a batch came first.
    for report in sorted(reports, key=lambda report: report.id):
        number, state = revisions[report.survey, report.revision] or (0, State.CLOSED)
        if state is not State.OPEN:
            raise _NotAllNew
        rows.append((number, report.id, report.answers))
    for start in range(0, len(rows), _ROWS):
        part = rows[start : start + _ROWS]
        inserted = db.execute(
            _INSERT + ", (?, ?, ?)" * (len(part) - 1) + _OR_NOTHING, [*chain(*part)]
        )
        if inserted.rowcount != len(part):
            raise _NotAllNew
    return [Outcome.STORED] * len(reports)


def _insert_any(db: sqlite_utils.Database, reports: Sequence[Report]) -> list[Outcome]:
    """Store reports inside a transaction, each by itself."""
    revisions = _revisions(db, reports)
    outcomes = [Outcome.UNKNOWN] * len(reports)
    # The sort is stable: of two reports with one id, the first stays the first.
    for position in sorted(range(len(reports)), key=lambda at: reports[at].id):
        report = reports[position]
        found = revisions[report.survey, report.revision]
        if found is not None:
            outcomes[position] = _insert(db, *found, report)
    return outcomes


def _revisions(
    db: sqlite_utils.Database, reports: Sequence[Report]
) -> dict[tuple[str, str], tuple[int, State] | None]:
    """Look up the revisions that reports name.

    The state is read under the same lock as the writing: what another process closes takes no
    report after that.
    """
    return {
        key: _number_and_state(db, *key)
        for key in {(report.survey, report.revision) for report in reports}
    }


def _insert(db: sqlite_utils.Database, number: int, state: State, report: Report) -> Outcome:
    """Store one report inside a transaction."""
    if state is State.OPEN:
        inserted = db.execute(_INSERT + _OR_NOTHING, (number, report.id, report.answers))
        if inserted.rowcount:
            return Outcome.STORED
    # Also when the survey is closed: a device whose acknowledgement was lost must learn that its
    # report counts.
    row = db.execute(
        "SELECT answers FROM reports WHERE revision = ? AND id = ?", (number, report.id)
    ).fetchone()
    if row is None:
        return Outcome.CLOSED
    return Outcome.REPEATED if row[0] == report.answers else Outcome.CONFLICT


def _checkpoint(db: sqlite_utils.Database) -> bool:
    """Copy the write-ahead log into the database and cut it to nothing; False if not all of it."""
    busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy
