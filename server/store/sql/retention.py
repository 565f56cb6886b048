"""The deletion of reports on their day, in the caller's transaction."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final

from deniable.server.store.schedule import State
from deniable.server.store.sql.addresses import keep_address
from deniable.server.store.sql.database import Database
from deniable.survey import Survey

_SHOWN: Final = "EXISTS (SELECT 1 FROM tallies WHERE tallies.revision = r.number)"
_HELD: Final = "EXISTS (SELECT 1 FROM held WHERE held.revision = r.number)"


MOST_DAYS: Final = 60
"""Days between two checks at most, or the clock may be wrong. Running servers check each hour."""

AHEAD: Final = 30
"""Days before the deletion, from which on the desk announces it."""


@dataclass(frozen=True)
class Retention:
    """A survey's promise about its reports, in UTC days such as ``2028-01-31``."""

    day: str
    """The earliest day of deletion, over all revisions with reports and the current one."""
    seen: str
    """The day of a server's last check, whether or not a report came; empty before the first."""
    deleted: str
    """The day on which they were deleted; empty if they were not."""

    def is_doubted(self, today: str) -> bool:
        """Return whether the clock may be wrong."""
        return bool(self.seen) and days_between(self.seen, today) > MOST_DAYS

    def is_due(self, today: str) -> bool:
        """Return whether the reports should be deleted by now."""
        return not self.deleted and self.day <= today

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


def utc_day() -> str:
    """Return today by this machine's clock, such as ``2028-01-31``."""
    return datetime.fromtimestamp(time.time(), UTC).date().isoformat()


def days_between(first: str, second: str) -> int:
    """Return how many days the second is after the first."""
    return (date.fromisoformat(second) - date.fromisoformat(first)).days


def day_of(survey: Survey) -> str:
    """Return the day on which a survey promises to delete its reports; empty without a promise."""
    return "" if survey.kind == "trial" else survey.about.delete_reports


def read_retentions(db: Database, *, held: bool) -> dict[str, Retention]:
    """Return each survey's promise about its reports, if it has one; see `Store.retentions`."""
    rows = db.execute(
        "SELECT slug, min(deletes), seen, deleted FROM surveys "  # noqa: S608  from above
        "JOIN revisions AS r ON r.survey = slug AND deletes <> '' AND "
        f"(r.revision = surveys.revision OR {_SHOWN} OR deleted <> ''"
        f"{f'OR {_HELD}' * held}) "
        "GROUP BY slug, seen, deleted ORDER BY slug"
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


def days_of(db: Database, slug: str) -> tuple[str, str]:
    """Return the days of a survey's last check and of its deletion."""
    seen, deleted = db.execute(
        "SELECT seen, deleted FROM surveys WHERE slug = ?", (slug,)
    ).fetchone()
    return seen, deleted


def delete_reports(db: Database, slugs: Sequence[str]) -> None:
    """Delete all reports of surveys."""
    listed = f"({', '.join('?' * len(slugs))})"
    revisions = f"revision IN (SELECT number FROM revisions WHERE survey IN {listed})"  # noqa: S608
    for table in ("reports", "held", "tallies"):
        db.execute(f"DELETE FROM {table} WHERE {revisions}", slugs)  # noqa: S608  from above
    db.execute(f"UPDATE surveys SET seal = 0 WHERE slug IN {listed}", slugs)  # noqa: S608


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
    for table in ("revisions", "shares", "invitations", "issued"):
        db.execute(f"DELETE FROM {table} WHERE survey IN {listed}", slugs)  # noqa: S608
    for slug in slugs:
        keep_address(db, slug)
    return db.execute(f"DELETE FROM surveys WHERE slug IN {listed}", slugs).rowcount  # noqa: S608
