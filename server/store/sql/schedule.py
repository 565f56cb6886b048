"""The schedules of surveys, in a transaction that the caller commits."""

from collections.abc import Iterator
from functools import partial

from deniable.server.store.clock import Moment, begin_of, utc_day
from deniable.server.store.schedule import Schedule, State
from deniable.server.store.sql.database import Database, found_row
from deniable.server.store.sql.snapshot import publish_held
from deniable.survey.kind import Kind


def read_standing(db: Database, slug: str) -> tuple[State, Kind, Schedule]:
    """Return a survey's stored state, its kind and its schedule; or raise KeyError."""
    state, kind, *schedule = found_row(
        db, "SELECT state, kind, opens, closes, cap, pin FROM surveys WHERE slug = ?", slug
    )
    # No column is NULL: 0 and "" mean "not set".
    return State(state), kind, Schedule(*(value or None for value in schedule))


def state_now(db: Database, slug: str, moment: Moment) -> tuple[State, Kind]:
    """Return a survey's state at a moment, and its kind; or raise KeyError."""
    kept, kind, schedule = read_standing(db, slug)
    doubted, deletes = found_row(
        db,
        "SELECT doubted, coalesce(deletes, '') FROM surveys "
        "LEFT JOIN revisions ON revisions.revision = surveys.revision WHERE slug = ?",
        slug,
    )
    at, gone = moment.since(doubted), begin_of(deletes)
    return schedule.state(kept, at, partial(count_taken, db, slug), gone), kind


def last_seen(db: Database) -> str:
    """Return the last day on which the store was served by a clock that was believed, or ""."""
    return str(db.execute("SELECT coalesce(max(seen), '') FROM surveys").fetchone()[0])


def needs_a_look(db: Database, moment: Moment) -> bool:
    """Return whether a survey waits, or was not looked at today."""
    row = db.execute(
        "SELECT 1 FROM surveys WHERE seen <> ? OR doubted <> '' LIMIT 1", (utc_day(moment.now),)
    ).fetchone()
    return row is not None


def doubts(db: Database, moment: Moment, *, believed: bool) -> Iterator[tuple[str, str]]:
    """Yield each survey whose days change, and since when a date of it waits, if one does."""
    today = utc_day(moment.now)
    for slug, state, opens, closes, seen, doubted, deletes in db.execute(
        "SELECT slug, state, opens, closes, seen, doubted, coalesce(min(deletes), '') FROM surveys "
        "LEFT JOIN revisions ON survey = slug AND deletes <> '' AND deleted = '' "
        "GROUP BY slug, state, opens, closes, seen, doubted"
    ).fetchall():
        dates = (0, 0) if state == State.CLOSED else (opens, closes)
        crossed = moment.since(doubted).crossed(*dates, begin_of(deletes)) and not believed
        day = (doubted or utc_day(moment.earliest)) if crossed else ""
        if (seen, doubted) != (today, day):
            yield slug, day


def keep_doubt(db: Database, slug: str, seen: str, doubted: str) -> None:
    """Keep the day on which a survey was looked at, and since which a date of it waits."""
    db.execute("UPDATE surveys SET seen = ?, doubted = ? WHERE slug = ?", (seen, doubted, slug))


def write_schedule(db: Database, slug: str, schedule: Schedule) -> None:
    """Write the schedule of an existing survey."""
    times = (schedule.opens or 0, schedule.closes or 0, schedule.cap or 0)
    db.execute(
        "UPDATE surveys SET opens = ?, closes = ?, cap = ?, pin = ? WHERE slug = ?",
        (*times, schedule.access_word or "", slug),
    )


def count_taken(db: Database, slug: str, revision: str | None = None) -> int:
    """Return how many reports a survey has in all waves, to all revisions or to one."""
    named, values = ("", (slug,)) if revision is None else ("AND r.revision = ?", (slug, revision))
    (count,) = db.execute(
        "SELECT (SELECT coalesce(sum(count), 0) FROM tallies JOIN revisions AS r "  # noqa: S608
        f"ON number = tallies.revision WHERE survey = ? {named} AND place = 0) + "
        "(SELECT count(*) FROM held JOIN revisions AS r ON number = held.revision "
        f"WHERE survey = ? {named})",
        values * 2,
    ).fetchone()
    return int(count)


def due(db: Database, moment: Moment) -> list[str]:
    """Return the slugs of surveys that are not closed though their time is over for sure."""
    rows = db.execute(
        "SELECT slug, closes, doubted FROM surveys "
        "WHERE state <> ? AND closes > 0 AND closes <= ? ORDER BY slug",
        (State.CLOSED, moment.now),
    ).fetchall()
    return [slug for slug, closes, doubted in rows if closes <= moment.since(doubted).earliest]


def close_survey(db: Database, slug: str) -> None:
    """Close a survey, and let the snapshot take in its held-back reports."""
    db.execute("UPDATE surveys SET state = ? WHERE slug = ?", (State.CLOSED, slug))
    publish_held(db, slug)
