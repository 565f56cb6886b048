"""What a store does by SQL alone, whichever engine runs it."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import ClassVar, Final

from deniable.kind import Kind, parent_name
from deniable.report import ID_BYTES, Report
from deniable.server.store.errors import StoreError
from deniable.server.store.protocol import Store
from deniable.server.store.records import (
    Outcome,
    RevisionCopy,
    Snapshot,
    SurveyCopy,
    SurveyRecord,
    TableCopy,
)
from deniable.server.store.retention import Retention
from deniable.server.store.sql.accounts import SqlAccounts
from deniable.server.store.sql.boards import (
    SqlBoards,
    boards_of,
    is_published,
    keep_tokens,
    tokens_of,
)
from deniable.server.store.sql.counting import count_anew
from deniable.server.store.sql.database import AlreadyThere, Connections, Damaged, Database
from deniable.server.store.sql.drafts import SqlDrafts
from deniable.server.store.sql.insertion import NotAllNew, insert_any, insert_new, standing
from deniable.server.store.sql.invitations import SqlInvitations, codes_of, with_keys
from deniable.server.store.sql.meetings import SqlMeetings, slugs_of
from deniable.server.store.sql.moving import NotTheSame, read_tables, write_tables
from deniable.server.store.sql.piles import SqlPiles
from deniable.server.store.sql.retention import (
    close_for_good,
    day_told,
    days_of,
    delete_reports,
    read_retentions,
)
from deniable.server.store.sql.snapshot import (
    count_held,
    count_shown,
    held_back,
    read_snapshot,
    release,
)
from deniable.server.store.sql.terms import (
    close_survey,
    count_taken,
    due,
    read_terms,
    with_code,
    write_terms,
)
from deniable.server.store.terms import NO_TERMS, State, Terms, is_code
from deniable.survey import Survey

_CHUNK_BYTES: Final = 2**22
"""About how many bytes of answers are read at once, far below every engine's limit of a value."""

_AFTER_ALL_IDS: Final = b"\xff" * (ID_BYTES + 1)


class SqlStore(SqlAccounts, SqlBoards, SqlDrafts, SqlInvitations, SqlMeetings, SqlPiles, Store):
    """A store in a database that speaks SQL; each use takes a connection of its own from a pool.

    Attributes
    ----------
    JOINED : str
        The expression that joins the column ``answers`` of many rows, in the order of their ids.
    """

    JOINED: ClassVar[str]

    _connections: Connections

    def close(self) -> None:
        self._connections.close()

    def check_place(self) -> None:
        self._connections.check_place()

    def try_writing(self) -> None:
        self._connections.try_writing()

    @abstractmethod
    def _write_copy(self, db: Database, copy: SurveyCopy) -> int:
        """Write a survey that is not there yet with its reports; return how many there are."""

    # ------------------------------------------------------------------ surveys

    def marks(self) -> list[str]:
        with self._connections.lend() as db:
            rows = db.execute(
                "SELECT token_keys, board_key FROM revisions "
                "JOIN surveys ON surveys.revision = revisions.revision "
                "AND surveys.slug = revisions.survey WHERE state <> ?",
                (State.CLOSED,),
            ).fetchall()
        return sorted({mark for row in rows for marks in row for mark in marks.split()})

    def register(self, survey: Survey, source: str = "") -> Survey:
        with self._connections.lend() as db:
            known, meant = _current(db, survey.slug), self._with_keys(db, survey)
            kept = _source(db, meant.slug, meant.revision)
        if known is not None and known[0] == meant.revision and (source or kept) == kept:
            return meant  # as at most starts of a server
        with self._connections.transaction() as db:
            known = _current(db, survey.slug)
            if survey.waves is not None and known is not None and known[2] > survey.waves:
                raise StoreError(
                    f"{self.name}: wave {known[2]} of {survey.slug!r} is on, expected a survey of "
                    f"at least as many waves, found {survey.waves}"
                )
            meant = self._with_keys(db, survey)
            if known is not None and _kind(db, meant.slug) != _kind_of(meant):
                raise StoreError(
                    f"{self.name}: {meant.slug!r} is the address of something else than this "
                    f"{meant.kind}; give it another name"
                )
            self._check_published(db, meant)
            self._check_told(db, meant)
            self._write_survey(db, meant, source)
            _write_kind(db, meant)
        return meant

    def _check_published(self, db: Database, survey: Survey) -> None:
        """Refuse to publish what people sent who were told otherwise, or no longer to."""
        changed = survey.is_published != is_published(db, survey.slug)
        if changed and count_taken(db, survey.slug):
            raise StoreError(
                f"{self.name}: {survey.slug!r} has reports, expected 'publish' as it was: those "
                "who answered were told whether their reports are published; give it another name"
            )

    def _check_told(self, db: Database, survey: Survey) -> None:
        """Refuse to keep the reports of people longer than they were told."""
        day, told = survey.about.delete_reports, day_told(db, survey.slug)
        if told and (not day or day > told):
            raise StoreError(
                f"{self.name}: {survey.slug!r} has reports, expected {told} as 'delete_reports', "
                f"or an earlier day, found {day or 'none'}: those who answered were told that day; "
                "give it another name"
            )

    def _with_keys(self, db: Database, survey: Survey) -> Survey:
        try:
            return with_keys(db, survey)
        except ValueError:
            raise StoreError(
                f"{self.name}: {survey.slug!r} is by invitation, expected as many waves as before: "
                "each has a key of its own; remove the codes first ('deniable invite --end')"
            ) from None

    def surveys(self) -> list[SurveyRecord]:
        with self._connections.lend() as db:
            slugs = [slug for (slug,) in db.execute("SELECT slug FROM surveys ORDER BY slug")]
        return [SurveyRecord(self.survey(slug), self.state(slug)) for slug in slugs]

    def survey(self, slug: str) -> Survey:
        return self.revision(slug, self.current_revision(slug))

    def current_revision(self, slug: str) -> str:
        return self._standing(slug)[0]

    def revision(self, slug: str, revision: str) -> Survey:
        with self._found_in_its_place(), self._connections.lend() as db:
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

    def kept_state(self, slug: str) -> State:
        return self._standing(slug)[1]

    def kind(self, slug: str) -> Kind:
        with self._found_in_its_place():
            with self._connections.lend() as db:
                found = _kind(db, slug)
            if found is None:
                raise KeyError(slug)
        return found[0]

    def set_state(self, slug: str, state: State) -> None:
        with self._connections.transaction() as db:
            current = _current(db, slug)
            if current is None:
                raise KeyError(slug)
            if state is State.OPEN:
                _check_may_open(db, slug)
            elif state is State.PAUSED and current[1] is State.CLOSED:
                raise ValueError("it has ended, so it cannot be paused")
            db.execute("UPDATE surveys SET state = ? WHERE slug = ?", (state, slug))
            if state is State.CLOSED:
                release(db, slug)
        self.settle()

    def terms(self, slug: str) -> Terms:
        with self._found_in_its_place():
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
        with self._connections.transaction() as db:
            deleted = self._delete_surveys(db, [slug, *slugs_of(db, "trial", slug)])
        if not deleted:
            raise KeyError(slug)
        return self.settle()

    def _delete_surveys(self, db: Database, slugs: Sequence[str]) -> int:
        if not slugs:
            return 0
        listed = f"({', '.join('?' * len(slugs))})"
        delete_reports(db, slugs)
        for table in ("revisions", "shares", "invitations", "issued", "boards"):
            db.execute(f"DELETE FROM {table} WHERE survey IN {listed}", slugs)  # noqa: S608
        return db.execute(f"DELETE FROM surveys WHERE slug IN {listed}", slugs).rowcount  # noqa: S608

    def retentions(self, *, held: bool = False) -> dict[str, Retention]:
        with self._connections.lend() as db:
            return read_retentions(db, held=held)

    def delete_due(self, today: str, *, believed: bool = False) -> bool:
        deleted = []
        with self._connections.transaction() as db:
            for slug, found in read_retentions(db, held=True).items():
                if found.deleted or (found.is_doubted(today) and not believed):
                    continue
                db.execute("UPDATE surveys SET seen = ? WHERE slug = ?", (today, slug))
                if found.is_due(today):
                    deleted.append(slug)
                    delete_reports(db, (slug,))
                    close_for_good(db, slug, today)
            self._delete_surveys(
                db, [trial for slug in deleted for trial in slugs_of(db, "trial", slug)]
            )
        return not deleted or self.settle()

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
        with self._connections.snapshot() as db:
            (shown,) = db.execute(
                "SELECT coalesce(sum(count), 0) FROM tallies "
                "JOIN revisions ON number = tallies.revision "
                "WHERE survey = ? AND wave = ? AND place = 0",
                (slug, wave),
            ).fetchone()
            (held,) = db.execute(
                "SELECT count(*) FROM held JOIN revisions ON number = held.revision "
                "WHERE survey = ? AND waves > 0 AND substr(answers, length(answers), 1) = ?",
                (slug, bytes([wave - 1])),
            ).fetchone()
        return int(shown) + int(held)

    def answers(self, slug: str, revision: str) -> Iterator[bytes]:
        with self._connections.snapshot() as db:
            number = _number(db, slug, revision)
            yield from self._answers(db, number)
            held = held_back(db, number)
        if held:
            yield b"".join(answers for _, answers in held)

    def _answers(self, db: Database, number: int) -> Iterator[bytes]:
        (longest,) = db.execute(
            "SELECT length(answers) FROM reports WHERE revision = ? LIMIT 1", (number,)
        ).fetchone() or (1,)
        reports = max(1, _CHUNK_BYTES // max(1, longest))
        start: bytes | None = b""
        while start is not None:
            # Each chunk is a range of keys whose answers the database joins, many times faster than
            # a row a report in Python. The range is found by counting, because respondents choose
            # their keys: a crowd of them under one prefix must not make a chunk too large.
            (end,) = db.execute(
                "SELECT id FROM reports WHERE revision = ? AND id >= ? ORDER BY id "
                "LIMIT 1 OFFSET ?",
                (number, start, reports),
            ).fetchone() or (None,)
            (chunk,) = db.execute(
                f"SELECT {self.JOINED} FROM reports "  # noqa: S608  of the engine's
                "WHERE revision = ? AND id >= ? AND id < ?",
                (number, start, end or _AFTER_ALL_IDS),
            ).fetchone()
            if chunk:
                yield chunk
            start = end

    def insert_batch(
        self,
        reports: Sequence[Report],
        keys: Sequence[str | None] | None = None,
        tokens: Sequence[bytes] | None = None,
    ) -> list[Outcome]:
        given = [None] * len(reports) if keys is None else keys

        def inserted(insert: Callable[..., list[Outcome]]) -> list[Outcome]:
            with self._connections.transaction(ahead=True) as db:
                outcomes = insert(db, reports, given)
                if tokens is not None and any(tokens):
                    keep_tokens(db, reports, tokens, outcomes)
            return outcomes

        try:
            return inserted(insert_new)
        except (NotAllNew, AlreadyThere):  # rolled back: now one by one, to tell which is which
            return inserted(insert_any)

    # ------------------------------------------------------------------ order

    def settle(self, *, wait: bool = True) -> bool:
        return all(self.settling(wait=wait))

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
            without_code, codes, spent = codes_of(db, slug)
            yield SurveyCopy(
                slug,
                *current,
                terms=read_terms(db, slug) or NO_TERMS,
                pile_key=bytes(key),
                piles=tuple(bytes(mac) for (mac,) in macs.fetchall()),
                codes=codes,
                spent=spent,
                without_code=without_code,
                boards=boards_of(db, slug),
                days=days_of(db, slug),
                revisions=tuple(
                    RevisionCopy(
                        Survey.from_json(document.encode()),
                        tuple(held_back(db, number)),
                        self._reports(db, number),
                        source,
                        tokens_of(db, number),
                    )
                    for number, document, source in rows
                ),
            )

    def adopt(self, copy: SurveyCopy) -> int:
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
            count = self._write_copy(db, copy)
            _write_kind(db, copy.revisions[0].survey)
        self.settle()
        return count

    # ------------------------------------------------------------------ moving house

    def is_used_elsewhere(self) -> bool:
        return self._connections.are_used_elsewhere()

    @contextmanager
    def moving_out(self) -> Iterator[Iterator[TableCopy]]:
        with self._connections.transaction(), self.copying_all() as tables:
            yield tables

    @contextmanager
    def copying_all(self) -> Iterator[Iterator[TableCopy]]:
        with self._connections.snapshot() as db:
            yield read_tables(db, self._tables(db))

    def move_in(self, tables: Iterator[TableCopy]) -> int:
        try:
            with self._connections.transaction() as db:
                count = write_tables(db, self._tables(db), tables)
                self._go_on_counting(db)
        except NotTheSame as found:
            raise StoreError(f"{self.name}: {found}") from None
        self.settle()
        return count

    # ------------------------------------------------------------------ damage

    def check(self, *, seconds: float | None = None) -> list[str]:
        end = math.inf if seconds is None else time.monotonic() + seconds
        try:
            with self._connections.lend() as db:
                tables = [*self._tables(db)]
        except Damaged as error:
            return [str(error)]
        faults = [fault for name in tables for fault in self._faults_of(name, end)]
        if faults:
            return faults  # what cannot be read need not be counted
        try:
            with self._connections.snapshot() as db:
                return [f"{self.name}: {fault}" for fault in count_anew(db, end=end).faults]
        except Damaged as error:
            return [f"{error}: the table 'reports' cannot be read"]

    def _faults_of(self, table: str, end: float) -> list[str]:
        """Say what is damaged of a table: how it is built, and all rows but the reports'."""
        faults: list[str] = []
        try:
            with self._connections.snapshot() as db:
                if table != "reports" or end == math.inf:
                    faults += self._misbuilt(db, table)
                if table != "reports":
                    for _ in db.stream(f"SELECT * FROM {table}", ()):  # noqa: S608  our own names
                        if time.monotonic() > end:
                            break
        except Damaged as error:
            return [f"{error}: the table {table!r} cannot be read"]
        return [f"{self.name}: the table {table!r} is damaged: {fault}" for fault in faults[:1]]

    @abstractmethod
    def _misbuilt(self, db: Database, table: str) -> list[str]:
        """Return what the engine itself finds wrong with how a table lies on the disk."""

    @abstractmethod
    def _tables(self, db: Database) -> Mapping[str, tuple[str, ...]]:
        """Return the columns of each table."""

    @abstractmethod
    def _go_on_counting(self, db: Database) -> None:
        """Give the next revision the number after those that came from another store."""

    def _standing(self, slug: str) -> tuple[str, State, int]:
        """Return the current revision of a survey, what its owner set, and the wave."""
        with self._found_in_its_place():
            with self._connections.lend() as db:
                row = _current(db, slug)
            if row is None:
                raise KeyError(slug)
        return row

    @contextmanager
    def _found_in_its_place(self) -> Iterator[None]:
        """Say that something is not there only where the store is the one that was opened.

        Whoever asks for a report refuses it for good then.
        """
        try:
            yield
        except KeyError:
            self.check_place()
            raise

    def _reports(self, db: Database, revision: int) -> Iterator[tuple[bytes, bytes]]:
        with self._connections.explained():  # the reader's transaction is not this store's
            yield from db.stream(
                "SELECT id, answers FROM reports WHERE revision = ? ORDER BY id", (revision,)
            )


def _current(db: Database, slug: str) -> tuple[str, State, int] | None:
    """Return a survey's current revision, what was set, and the wave; None if there is none."""
    row = db.execute("SELECT revision, state, wave FROM surveys WHERE slug = ?", (slug,)).fetchone()
    return None if row is None else (row[0], State(row[1]), int(row[2]))


def _kind(db: Database, slug: str) -> tuple[Kind, str] | None:
    """Return what a survey is, and the name of what it belongs to; None if there is none."""
    row = db.execute("SELECT kind, parent FROM surveys WHERE slug = ?", (slug,)).fetchone()
    return None if row is None else (row[0], row[1])


def _kind_of(survey: Survey) -> tuple[Kind, str]:
    return survey.kind, parent_name(survey.parent)


def _write_kind(db: Database, survey: Survey) -> None:
    row = (*_kind_of(survey), survey.slug)
    db.execute("UPDATE surveys SET kind = ?, parent = ? WHERE slug = ?", row)


def _source(db: Database, slug: str, revision: str) -> str:
    """Return the survey file of a revision, empty if it or the revision is not known."""
    row = db.execute(
        "SELECT source FROM revisions WHERE survey = ? AND revision = ?", (slug, revision)
    ).fetchone()
    return "" if row is None else str(row[0])


def _is_full(db: Database, slug: str, terms: Terms) -> bool:
    return terms.cap is not None and count_taken(db, slug) >= terms.cap


def _check_may_open(db: Database, slug: str) -> None:
    """Refuse to open a survey that would close again at once."""
    terms = read_terms(db, slug)
    if terms is None:
        raise KeyError(slug)
    if deleted := days_of(db, slug)[1]:
        raise ValueError(
            f"its reports were deleted on {deleted}, as it promised: a new survey needs another "
            "name"
        )
    if terms.is_over(time.time()):
        raise ValueError("its time to close is over: set another one first, or none")
    if _is_full(db, slug, terms):
        raise ValueError(f"it has {terms.cap:,} reports, its cap: set a higher one first, or none")


def _number(db: Database, slug: str, revision: str) -> int:
    """Return the number of a revision, which stands for it in the key of its reports."""
    found = standing(db, slug, revision)
    if found is None:
        raise KeyError(revision)
    return found.number
