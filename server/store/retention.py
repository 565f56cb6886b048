"""Reports are deleted on the promised day, from the store and from the backups beside it.

Meetings are deleted a day after they began, with what a class sent.

The adversary is time: a store, or a backup of it, that is found years later. The other danger is a
wrong clock, because deletion is final. So what only a jump of the clock has made due stays until a
person says that the clock is right (`clock`).
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from deniable.server.store.backups import backups_beside, erase, reports_in
from deniable.server.store.clock import Moment, utc_day
from deniable.server.store.errors import StoreError
from deniable.server.store.schedule import SURE, State
from deniable.server.store.sql.retention import Retention
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
    moment = store.look_at_clock(believed=believed)
    remove_over(store, moment.earliest)
    found = store.retentions(held=True)
    due = [slug for slug, one in found.items() if one.is_due(moment)]
    said = told_of_clock(store, moment)
    if due and url is not None:
        # First, so that after an interruption the next run begins again.
        for path in backups_beside(url):
            try:
                erase(path, due)
            except (StoreError, OSError) as error:
                said.append(f"{path}: may hold reports that had to be deleted: {error}")
    closed = store.close_due() if believed else []
    said += [f"{store.name}: {slug} is closed: its time is over." for slug in closed]
    said += [] if not due or store.delete_due() else [NOT_OVERWRITTEN]
    return said + [
        f"{store.name}: the reports of {slug!r} were deleted, as it promised for "
        f"{found[slug].day}. {OUT_OF_REACH}."
        for slug in due
    ]


def told_of_clock(store: Store, moment: Moment) -> list[str]:
    """Return a sentence on a clock that jumped, and on the surveys of which a date waits."""
    waiting = [one.survey.slug for one in store.surveys() if one.state is State.WAITING]
    said = []
    if moment.is_doubted:
        said.append(f"{store.name}: {moment.told}")
    if waiting:
        said.append(
            f"{store.name}: only a jump of the clock made a date of {', '.join(waiting)} come, so "
            f"no report is taken, and none is deleted. Set the clock; if it is right, run {SURE}"
        )
    return said


def left_behind(store: Store, url: str) -> list[str]:
    """Return a sentence for each survey whose reports should be gone from store and backups."""
    today = utc_day()
    over = {
        s: one
        for s, one in store.retentions(held=True).items()
        if one.deleted or one.has_come(today)
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
    return "" if found is None else found.told(utc_day())


def check_day(survey: Survey, found: Retention | None, store: str) -> None:
    """Raise `StoreError` if a new survey's day of deletion has come."""
    day, today = survey.about.delete_reports, utc_day()
    known = found is not None and (found.deleted or found.day == day)
    if day and day <= today and not known:
        raise StoreError(
            f"{store}: expected a day after today ({today} UTC) as 'delete_reports' of "
            f"{survey.slug!r}, found {day}"
        )
