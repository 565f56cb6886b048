"""The schedules of surveys, in a transaction that the caller commits."""

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


def due(db: Database, now: float) -> list[str]:
    """Return the slugs of surveys that are not closed though their time is over."""
    rows = db.execute(
        "SELECT slug FROM surveys WHERE state <> ? AND closes > 0 AND closes <= ? ORDER BY slug",
        (State.CLOSED, now),
    )
    return [slug for (slug,) in rows]


def close_survey(db: Database, slug: str) -> None:
    """Close a survey, and let the snapshot take in its held-back reports."""
    db.execute("UPDATE surveys SET state = ? WHERE slug = ?", (State.CLOSED, slug))
    publish_held(db, slug)
