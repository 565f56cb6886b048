"""The deletion of reports on their day, in the caller's transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from deniable.server.store.clock import Moment, begin_of, days_between
from deniable.server.store.schedule import State
from deniable.server.store.sql.addresses import keep_address
from deniable.server.store.sql.database import Database
from deniable.survey import Survey

_SHOWN: Final = "EXISTS (SELECT 1 FROM tallies WHERE tallies.revision = r.number)"
_HELD: Final = "EXISTS (SELECT 1 FROM held WHERE held.revision = r.number)"


AHEAD: Final = 30
"""Days before the deletion, from which on the desk announces it."""


@dataclass(frozen=True)
class Retention:
    """A survey's promise about its reports, in UTC days such as ``2028-01-31``."""

    day: str
    """The earliest day of deletion, over all revisions with reports and the current one."""
    doubted: str
    """Since which day a date of the survey waits, because only a jump made it come; or empty."""
    deleted: str
    """The day on which they were deleted; empty if they were not."""

    def has_come(self, today: str) -> bool:
        """Return whether the reports should be deleted by now, by the clock as it is."""
        return not self.deleted and self.day <= today

    def is_due(self, moment: Moment) -> bool:
        """Return whether the reports are deleted now: not if a jump alone made their day come."""
        return not self.deleted and begin_of(self.day) <= moment.since(self.doubted).earliest

    def told(self, today: str) -> str:
        """Return a sentence on the deletion, if its day is near or over; otherwise nothing."""
        if self.deleted:
            return f"The reports were deleted on {self.deleted}, as the survey promised."
        days = days_between(today, self.day)
        if days > AHEAD:
            return ""
        when = f"on {self.day}" if days > 0 else "now"
        return (
            f"All reports and results are deleted {when}, as the survey promises. Publish or "
            "download the results that you need."
        )


def day_of(survey: Survey) -> str:
    """Return the day on which a survey promises to delete its reports; empty without a promise."""
    return "" if survey.kind == "trial" else survey.about.delete_reports


def read_retentions(db: Database, *, held: bool) -> dict[str, Retention]:
    """Return each survey's promise about its reports, if it has one; see `Store.retentions`."""
    rows = db.execute(
        "SELECT slug, min(deletes), doubted, deleted FROM surveys "  # noqa: S608  from above
        "JOIN revisions AS r ON r.survey = slug AND deletes <> '' AND "
        f"(r.revision = surveys.revision OR {_SHOWN} OR deleted <> ''"
        f"{f'OR {_HELD}' * held}) "
        "GROUP BY slug, doubted, deleted ORDER BY slug"
    )
    return {slug: Retention(*days) for slug, *days in rows.fetchall()}


def day_told(db: Database, slug: str) -> str:
    """Return the earliest day of deletion of revisions with shown reports; empty if none."""
    (day,) = db.execute(
        "SELECT coalesce(min(deletes), '') FROM revisions AS r "  # noqa: S608  from above
        f"WHERE survey = ? AND deletes <> '' AND {_SHOWN}",
        (slug,),
    ).fetchone()
    return str(day)


def days_of(db: Database, slug: str) -> tuple[str, str, str]:
    """Return a survey's days: of its last check, since which a date waits, and of its deletion."""
    seen, doubted, deleted = db.execute(
        "SELECT seen, doubted, deleted FROM surveys WHERE slug = ?", (slug,)
    ).fetchone()
    return seen, doubted, deleted


def delete_reports(db: Database, slugs: Sequence[str]) -> None:
    """Delete all reports of surveys."""
    listed = f"({', '.join('?' * len(slugs))})"
    revisions = f"revision IN (SELECT number FROM revisions WHERE survey IN {listed})"  # noqa: S608
    for table in ("reports", "held", "tallies"):
        db.execute(f"DELETE FROM {table} WHERE {revisions}", slugs)  # noqa: S608  from above
    db.execute(f"UPDATE checksums SET reports = 0, tallies = 0 WHERE {revisions}", slugs)  # noqa: S608


def count_reports(db: Database, slug: str) -> int:
    """Return how many reports of a survey there are, shown and held."""
    return sum(
        db.execute(
            f"SELECT count(*) FROM {table} JOIN revisions ON number = {table}.revision "  # noqa: S608
            "WHERE survey = ?",
            (slug,),
        ).fetchone()[0]
        for table in ("reports", "held")
    )


def close_for_good(db: Database, slug: str, today: str) -> None:
    """Close a survey whose reports are deleted, and clear their counts from its row."""
    db.execute(
        "UPDATE surveys SET state = ?, deleted = ?, seen = ?, without_code = 0 WHERE slug = ?",
        (State.CLOSED, today, today, slug),
    )


def slugs_of(db: Database, code: str) -> list[str]:
    """Return the slugs of a meeting's questions."""
    rows = db.execute("SELECT slug FROM surveys WHERE kind = 'meeting' AND parent = ?", (code,))
    return [slug for (slug,) in rows.fetchall()]


def delete_surveys(db: Database, slugs: Sequence[str]) -> int:
    """Delete surveys with all that belongs to them; return how many there were."""
    if not slugs:
        return 0
    listed = f"({', '.join('?' * len(slugs))})"
    delete_reports(db, slugs)
    numbers = f"(SELECT number FROM revisions WHERE survey IN {listed})"  # noqa: S608
    db.execute(f"DELETE FROM checksums WHERE revision IN {numbers}", slugs)  # noqa: S608
    for table in ("revisions", "shares", "invitations", "issued"):
        db.execute(f"DELETE FROM {table} WHERE survey IN {listed}", slugs)  # noqa: S608
    for slug in slugs:
        keep_address(db, slug)
    return db.execute(f"DELETE FROM surveys WHERE slug IN {listed}", slugs).rowcount  # noqa: S608
