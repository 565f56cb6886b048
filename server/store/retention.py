"""Reports are deleted on the promised day, from the store and from the backups beside it.

Meetings are deleted a day after they began, with what a class sent.

The adversary is time: a store, or a backup of it, that is found years later. The other danger is a
wrong clock, because deletion is final. So if the clock jumped, nothing is deleted until a person
says that it is right.
"""

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from deniable.server.store.backups import backups_beside, erase, reports_in
from deniable.server.store.errors import StoreError
from deniable.server.store.sql import retention
from deniable.server.store.sql.retention import Retention, days_between
from deniable.server.store.store import Store
from deniable.survey import Survey
from deniable.text.safety import counted

OUT_OF_REACH: Final = (
    "Copies elsewhere are out of reach: exports, downloads, and backups on other disks and machines"
)

NOT_OVERWRITTEN: Final = (
    "Another program was reading the store, so what was deleted is not overwritten on the disk "
    "yet. A server does this as soon as it can"
)


def remove_over(store: Store, now: float) -> None:
    """Delete the meetings whose time is over."""
    for meeting in store.meetings():
        if meeting.ends <= now:
            store.remove_meeting(meeting.id)


def keep_promises(store: Store, url: str | None, *, believed: bool = False) -> list[str]:
    """Delete the reports whose day has come; return sentences on what was and was not deleted.

    With the store's address, it also deletes them from the backups beside the store. With
    `believed`, a person says that the clock is right.
    """
    remove_over(store, time.time())
    today, found = retention.utc_day(), store.retentions(held=True)
    waiting = {slug: one for slug, one in found.items() if not one.deleted}
    doubted = {s: one.seen for s, one in waiting.items() if one.is_doubted(today) and not believed}
    due = [slug for slug, one in waiting.items() if one.is_due(today) and slug not in doubted]
    said = []
    if doubted:
        seen = max(doubted.values())
        said.append(
            f"{store.name}: the clock says {today}, {days_between(seen, today)} days after this "
            f"store was last served ({seen}), so no report of {', '.join(doubted)} is deleted. If "
            "the clock is right, run 'deniable delete --due'"
        )
    if due and url is not None:
        # First, so that after an interruption the next run begins again.
        for path in backups_beside(url):
            try:
                erase(path, due)
            except (StoreError, OSError) as error:
                said.append(f"{path}: may hold reports that had to be deleted: {error}")
    if any(one.seen != today for slug, one in waiting.items() if slug not in doubted) or due:
        clean = store.delete_due(today, believed=believed)
        said += [] if clean else [NOT_OVERWRITTEN]
    return said + [
        f"{store.name}: the reports of {slug!r} were deleted, as it promised for "
        f"{found[slug].day}. {OUT_OF_REACH}."
        for slug in due
    ]


def left_behind(store: Store, url: str) -> list[str]:
    """Return a sentence for each survey whose reports should be gone from store and backups."""
    today = retention.utc_day()
    over = {
        s: one for s, one in store.retentions(held=True).items() if one.deleted or one.is_due(today)
    }
    said = [
        f"{store.name}: holds the reports of {slug!r}, which had to be deleted on {one.day}: run "
        "'deniable delete --due'."
        for slug, one in over.items()
        if not one.deleted
    ]
    for path in backups_beside(url) if over else ():
        with suppress(OSError):
            said += [
                f"{path}: holds {counted(count, 'report')} of {slug!r}, which had to be "
                "deleted: delete this backup."
                for slug, count in reports_in(path, over).items()
                if count
            ]
    return said


def told_of(retentions: Mapping[str, Retention], slug: str) -> str:
    """Return a survey's promise about its reports, if its day is near or over; otherwise ""."""
    found = retentions.get(slug)
    return "" if found is None else found.told(retention.utc_day())


def check_day(survey: Survey, found: Retention | None, store: str) -> None:
    """Raise `StoreError` if a new survey's day of deletion has come."""
    day, today = survey.about.delete_reports, retention.utc_day()
    known = found is not None and (found.deleted or found.day == day)
    if day and day <= today and not known:
        raise StoreError(
            f"{store}: expected a day after today ({today} UTC) as 'delete_reports' of "
            f"{survey.slug!r}, found {day}"
        )
