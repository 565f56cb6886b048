"""Write reports into their tables, inside a transaction that the caller commits."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from deniable.report import REVISION, Report
from deniable.server.store.clock import Moment, begin_of
from deniable.server.store.invitations import key_of_wave
from deniable.server.store.records import Outcome
from deniable.server.store.schedule import State
from deniable.server.store.sql.batches import divide, moving
from deniable.server.store.sql.checksums import add_to_checksums, checksum_of
from deniable.server.store.sql.database import Database
from deniable.server.store.sql.schedule import count_taken
from deniable.server.store.sql.snapshot import add_to_tally, by_wave, held_reports


class NotAllNew(Exception):
    """Some reports are not new, or not accepted now."""


@dataclass(frozen=True, eq=False)
class Terms:
    """A revision, and the terms on which it accepts reports now.

    A group looks each revision up once, and compares these objects by identity, which keeps the
    hash cheap, however many reports there are.
    """

    slug: str  # of the survey
    number: int  # the revision's number in the key of its reports
    state: State  # what the owner of the survey set
    wave: int  # the current one, as its reports write it (`Survey.on_wire`)
    waves: int  # how many the revision has
    batch: int  # reports that the desk sees at once
    key: str  # mark of the key that must have signed a report's token; empty if none is needed
    doubted: str  # since which day a date of the survey waits; or empty
    deletes: str  # the day on which the revision's reports go; or empty
    # The survey's, as in `deniable.server.store.schedule.Schedule`; 0 for None
    opens: int
    closes: int
    cap: int

    def refusal(self, wave: int, key: str | None, moment: Moment) -> Outcome | None:
        """Return why a new report of a wave, signed by a key, is refused now; None if it is not."""
        now, at = moment.now, moment.since(self.doubted)
        is_closed = self.state is State.CLOSED
        if not is_closed and at.doubts(self.opens, self.closes, begin_of(self.deletes)):
            return Outcome.WAITING
        if is_closed or (self.closes and now >= self.closes):
            return Outcome.CLOSED
        if self.state is State.PAUSED:
            return Outcome.PAUSED
        if now < self.opens:
            return Outcome.PLANNED
        if self.wave != wave:
            return Outcome.OVER
        return Outcome.UNINVITED if self.key and key != self.key else None


def insert_new(
    db: Database, reports: Sequence[Report], keys: Sequence[str | None], moment: Moment
) -> list[Outcome]:
    """Store reports inside a transaction if all are new, as nearly always; or `NotAllNew`."""
    # By revision, so that checks that many reports share are made once.
    groups: dict[tuple[str, str], list[tuple[Report, str | None]]] = {}
    for report, key in zip(reports, keys, strict=True):
        groups.setdefault((report.survey, report.revision), []).append((report, key))
    # State and wave are read under the lock of the writing: after another process closes a survey
    # or ends a wave, it takes no report.
    revisions = {name: terms_of(db, *name) for name in groups}
    rooms = _rooms(db, revisions.values())
    new: dict[Terms, dict[bytes, bytes]] = {}
    for name, those in groups.items():
        terms = revisions[name]
        alike = {(report.wave, key) for report, key in those}
        if (
            terms is None
            or any(terms.refusal(wave, key, moment) for wave, key in alike)
            or any(_came_under_another(db, terms, report, new) for report, _ in those)
            or not _has_room(rooms, terms, len(those))
        ):
            raise NotAllNew
        new[terms] = {report.id: report.row for report, _ in those}
        if len(new[terms]) < len(those):  # the same id twice
            raise NotAllNew
    _take_all(db, new)
    return [Outcome.STORED] * len(reports)


def insert_any(
    db: Database, reports: Sequence[Report], keys: Sequence[str | None], moment: Moment
) -> list[Outcome]:
    """Store reports inside a transaction; return the outcome of each by itself."""
    named = {(report.survey, report.revision) for report in reports}
    revisions = {name: terms_of(db, *name) for name in named}
    rooms = _rooms(db, revisions.values())
    new: dict[Terms, dict[bytes, bytes]] = {}
    outcomes = []
    for report, key in zip(reports, keys, strict=True):
        terms = revisions[report.survey, report.revision]
        if terms is None:
            outcomes.append(Outcome.UNKNOWN)
            continue
        # Also when the survey is closed: a device whose acknowledgement was lost must learn that
        # its report counts. Of two reports with the same id, the first is kept.
        stored = new.get(terms, {}).get(report.id) or _stored_row(db, terms.number, report.id)
        if stored is not None:
            same = stored == report.row
            outcomes.append(Outcome.REPEATED if same else Outcome.CONFLICT)
            continue
        refusal = terms.refusal(report.wave, key, moment)
        if refusal is None and _came_under_another(db, terms, report, new):
            refusal = Outcome.CONFLICT
        if refusal is None and not _has_room(rooms, terms):
            refusal = Outcome.FULL
        outcomes.append(refusal or Outcome.STORED)
        if refusal is None:
            new.setdefault(terms, {})[report.id] = report.row
    _take_all(db, new)
    return outcomes


def _rooms(db: Database, revisions: Iterable[Terms | None]) -> dict[str, int]:
    """Return how many more reports each survey with a cap takes.

    They are counted under the lock of the writing, so that many writers cannot exceed the cap.
    """
    caps = {one.slug: one.cap for one in revisions if one is not None and one.cap}
    return {slug: cap - count_taken(db, slug) for slug, cap in caps.items()}


def _has_room(rooms: dict[str, int], found: Terms, reports: int = 1) -> bool:
    """Take the room of some reports; return whether there was enough."""
    if found.slug not in rooms:
        return True
    rooms[found.slug] -= reports
    return rooms[found.slug] >= 0


def _take_all(db: Database, new: Mapping[Terms, Mapping[bytes, bytes]]) -> None:
    for found, rows in new.items():
        _take(db, found, rows)


def _take(db: Database, found: Terms, new: Mapping[bytes, bytes]) -> None:
    """Store new reports to a revision: hold some back, and let the snapshot take in others."""
    held = held_reports(db, found.number)
    before = {id for id, _ in held}
    if not before.isdisjoint(new):
        raise NotAllNew
    wave = found.wave or 1
    held = dict(by_wave(held, found.waves)).get(wave, [])
    # By key, so that the log of writes does not show which report came first.
    pool = sorted([*held, *new.items()])
    shown, staying = divide(pool, moving(len(pool), found.batch, over=False))
    coming = [row for row in staying if row[0] not in before]
    leaving = [id for id, _ in shown if id in before]
    # For the shown reports, the table itself raises an error if an id exists.
    if db.has_any("reports", found.number, [id for id, _ in coming]):
        raise NotAllNew
    db.add_rows("reports", found.number, shown)
    db.add_rows("held", found.number, coming)
    db.remove_rows("held", found.number, leaving)
    add_to_tally(db, found.number, wave, [row for _, row in shown], found.waves)
    add_to_checksums(db, found.number, reports=checksum_of(map(b"".join, new.items())))


def _stored_row(db: Database, number: int, id: bytes) -> bytes | None:
    row = db.execute(
        "SELECT answers FROM reports WHERE revision = ? AND id = ? "
        "UNION ALL SELECT answers FROM held WHERE revision = ? AND id = ?",
        (number, id, number, id),
    ).fetchone()
    return None if row is None else bytes(row[0])


def _came_under_another(
    db: Database, found: Terms, report: Report, new: Mapping[Terms, Mapping[bytes, bytes]]
) -> bool:
    """Return whether a token's id came under another revision of the survey already.

    The adversary has one token, and sends its id once under each revision.
    """
    if not found.key:
        return False
    if any(
        report.id in rows
        for other, rows in new.items()
        if other.slug == found.slug and other != found
    ):
        return True
    others = "JOIN revisions ON number = {0}.revision WHERE survey = ? AND number <> ? AND id = ?"
    row = db.execute(
        f"SELECT 1 FROM reports {others.format('reports')} "  # noqa: S608  names from here
        f"UNION ALL SELECT 1 FROM held {others.format('held')}",
        (found.slug, found.number, report.id) * 2,
    ).fetchone()
    return row is not None


def terms_of(db: Database, slug: str, revision: str) -> Terms | None:
    """Return the terms of a revision; None if there is no such revision."""
    # A client may send characters that a database refuses.
    if not REVISION.fullmatch(revision):
        return None
    # The keys are the current revision's, whichever revision was answered.
    row = db.execute(
        "SELECT asked.number, state, wave, asked.waves, asked.batch, current.token_keys, "
        "doubted, asked.deletes, opens, closes, cap "
        "FROM revisions AS asked JOIN surveys ON slug = asked.survey "
        "JOIN revisions AS current ON current.revision = surveys.revision "
        "WHERE asked.revision = ? AND slug = ?",
        (revision, slug),
    ).fetchone()
    if row is None:
        return None
    number, state, wave, waves, batch, keys, *schedule = row
    on = int(wave) if waves > 1 else 0
    key = key_of_wave(str(keys).split(), int(wave))
    return Terms(slug, int(number), State(state), on, waves, int(batch), key, *schedule)
