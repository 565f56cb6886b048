"""What a survey promises of its reports: on which day they go, if the clock is believed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final

from deniable.server.store.errors import StoreError
from deniable.survey import Survey

MOST_DAYS: Final = 60
"""That the clock may go on between two looks. Servers that run look each hour."""

AHEAD: Final = 30
"""Days before, from which on the desk says it."""


@dataclass(frozen=True)
class Retention:
    """What a survey promises about its reports, in days of UTC, as ISO 8601 writes them."""

    day: str
    """The earliest on which they go, of all revisions that have any and the current one."""
    seen: str
    """When a server last looked, whether or not a report came; empty if none did yet."""
    deleted: str
    """When they were deleted; empty if they were not."""

    def is_doubted(self, today: str) -> bool:
        """Return whether the clock may be wrong."""
        return bool(self.seen) and days_between(self.seen, today) > MOST_DAYS

    def is_due(self, today: str) -> bool:
        """Return whether they should be gone."""
        return not self.deleted and self.day <= today

    def told(self, today: str) -> str:
        """Say it in a sentence, as far as it is near."""
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
    """Return the day by this machine's clock, such as ``2028-01-31``."""
    return datetime.fromtimestamp(time.time(), UTC).date().isoformat()


def days_between(first: str, second: str) -> int:
    """Return how many days the second is after the first."""
    return (date.fromisoformat(second) - date.fromisoformat(first)).days


def told_of(retentions: Mapping[str, Retention], slug: str) -> str:
    """Say what a survey promises of its reports, if its day is near or over; otherwise nothing."""
    found = retentions.get(slug)
    return "" if found is None else found.told(utc_day())


def check_day(survey: Survey, found: Retention | None, store: str) -> None:
    """Raise `StoreError` where the day of a survey that is not in a store yet has come."""
    day = survey.about.delete_reports
    known = found is not None and (found.deleted or found.day == day)
    if day and day <= utc_day() and not known:
        raise StoreError(
            f"{store}: expected a day after today ({utc_day()} UTC) as 'delete_reports' of "
            f"{survey.slug!r}, found {day}"
        )
