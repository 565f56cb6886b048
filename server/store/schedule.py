"""When a survey takes reports, how many and from whom; how owners type and read it."""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from deniable.server.store.clock import Moment, begin_of
from deniable.text.timestamps import read_end, read_moment, told_moment, write_moment

SURE: Final = "'deniable close --due'"
"""The command by which a person says that the clock is right."""

LATEST: Final = 253_370_764_800
"""The year 9999, in seconds since 1970: later times cannot be written as a date."""

_ACCESS_WORD: Final = re.compile(r"[a-z0-9-]{4,32}")


class State(StrEnum):
    """The state of a survey; docs/collect.md#watch defines each word for its owner."""

    PLANNED = "planned"
    """Its time to open has not come."""
    OPEN = "open"
    PAUSED = "paused"
    """Its owner stopped it before its end. Held-back reports stay held back."""
    CLOSED = "closed"
    """Its owner ended it, or its time is over. The snapshot took in the held-back reports."""
    FULL = "full"
    """It has as many reports as its cap, perhaps from one stranger; its owner raises or ends it."""
    WAITING = "waiting"
    """Only a jump of the clock has made a date of it come, which a person has to confirm."""
    TRIAL = "trial"
    """It is the trial of a survey, and open."""

    @property
    def takes_reports(self) -> bool:
        """Return whether a report is taken in this state."""
        return self in (State.OPEN, State.TRIAL)

    @property
    def has_ended(self) -> bool:
        """Return whether it has ended, which moves held-back reports, and is not only paused."""
        return self is State.CLOSED


SET: Final = (State.OPEN, State.PAUSED, State.CLOSED)
"""States that an owner can set and a store keeps. The others follow from schedule and time."""


@dataclass(frozen=True)
class Schedule:
    """When a survey takes reports, how many and from whom. It is not part of a revision."""

    # Seconds since 1970, by the server's clock: it takes reports from `opens` until before
    # `closes`.
    opens: int | None = None
    closes: int | None = None
    # Reports that it takes at most, in all revisions and waves together
    cap: int | None = None
    access_word: str | None = None  # shared by all respondents, as from `clean_word`

    def __post_init__(self) -> None:
        times = [one for one in (self.opens, self.closes) if one is not None]
        if not all(0 < one < LATEST for one in times):
            raise ValueError("expected times after 1970 and before 9999")
        if len(times) == 2 and times[0] >= times[1]:
            raise ValueError("expected a time to close that is later than the time to open")
        if self.cap is not None and not 1 <= self.cap < 2**53:
            raise ValueError("expected a cap of 1 report at least")
        if self.access_word is not None and not _ACCESS_WORD.fullmatch(self.access_word):
            raise ValueError("expected a word of 4 to 32 letters from a to z, digits and hyphens")

    def check(self, batch: int, deletes: str) -> None:
        """Refuse a cap that is no multiple of the batch, and times after all reports are deleted.

        An owner who may set any cap could learn from the time of closing how many reports are held
        back, and so when each of them came.
        """
        gone = begin_of(deletes) or LATEST
        if (latest := self.closes or self.opens or 0) > gone:
            raise ValueError(
                f"expected times before {deletes} (UTC), when all reports are deleted, found "
                f"{told_moment(latest)}"
            )
        if self.cap is not None and self.cap % batch:
            raise ValueError(
                f"expected a cap of whole batches of {batch} reports, found {self.cap}: any other "
                "would tell when single reports came"
            )

    def is_over(self, now: float) -> bool:
        """Return whether the time to close has come."""
        return self.closes is not None and now >= self.closes

    def is_full(self, count: Callable[[], int]) -> bool:
        """Return whether there is a cap, and as many reports."""
        return self.cap is not None and count() >= self.cap

    def state(self, kept: State, moment: Moment, count: Callable[[], int], gone: int = 0) -> State:
        """Return the state of a survey that is not a trial; `gone`: when its reports go, or 0."""
        if kept is State.CLOSED:
            return kept
        if moment.doubts(self.opens, self.closes, gone):
            return State.WAITING
        if self.is_over(moment.now):
            return State.CLOSED
        if kept is not State.OPEN:
            return kept
        if self.opens is not None and moment.now < self.opens:
            return State.PLANNED
        return State.FULL if self.is_full(count) else State.OPEN


NO_SCHEDULE: Final = Schedule()


def clean_word(typed: str) -> str:
    """Return an access word in the form for comparison: small letters, no blanks."""
    return "".join(typed.split()).lower()


def clean_code(typed: str) -> str:
    """Return a code as codes are written: capital letters, no blanks."""
    return "".join(typed.split()).upper()


FIELDS: Final = ("opens", "closes", "cap", "access_word")
"""Fields of a schedule that an owner types."""


def read_schedule(typed: Mapping[str, str], before: Schedule) -> Schedule:
    """Return a schedule with the typed fields changed."""
    changed: dict[str, int | str | None] = {}
    for name in FIELDS:
        if name in typed:
            text = typed[name].strip()
            changed[name] = _READ[name](text) if text else None
    return replace(before, **changed)  # type: ignore[arg-type]  # each reader gives its own type


def _read_cap(text: str) -> int:
    digits = text.replace(",", "")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 16):
        raise ValueError("expected a cap that is a whole number of reports")
    return int(digits)


_READ: Final[Mapping[str, Callable[[str], int | str]]] = {
    "opens": read_moment,
    "closes": read_end,
    "cap": _read_cap,
    "access_word": clean_word,
}


def written_schedule(schedule: Schedule) -> dict[str, str]:
    """Write a schedule so that `read_schedule` reads it."""
    return {
        "opens": "" if schedule.opens is None else write_moment(schedule.opens),
        "closes": "" if schedule.closes is None else write_moment(schedule.closes),
        "cap": "" if schedule.cap is None else str(schedule.cap),
        "access_word": schedule.access_word or "",
    }


_TO_DO: Final = {
    State.FULL: "Set a higher cap to take more, or close it.",
    State.WAITING: "Only a jump of the clock made a date of it come. Set the clock of the server; "
    f"if it is right, run {SURE} there, or close the survey.",
}
"""What an owner may do about a state that waits for them."""

_OPEN_CAP: Final = (
    "Warning: anybody with the link can fill the cap with invented reports, and then nobody is "
    "asked. Set an access word, or use invitations."
)


def told_state(state: State, schedule: Schedule) -> str:
    """Return a sentence on a survey's state."""
    opens = "" if schedule.opens is None else f" on {told_moment(schedule.opens)}"
    return {
        State.PLANNED: f"Planned: it opens{opens}.",
        State.OPEN: "Open: it takes reports.",
        State.PAUSED: "Paused: it takes no reports until it is opened again.",
        State.CLOSED: "Closed: it has ended, and takes no more reports.",
        State.FULL: "Full: it has as many reports as it wants at the moment.",
        State.WAITING: "Waiting: the clock of the server is being checked.",
        State.TRIAL: "Trial: it takes the reports of simulated respondents.",
    }[state]


def told_schedule(schedule: Schedule, state: State) -> list[str]:
    """Return sentences on a survey's state and schedule."""
    lines = [told_state(state, schedule), *filter(None, [_TO_DO.get(state)])]
    if schedule.closes is not None:
        verb = "closed" if state is State.CLOSED and schedule.is_over(time.time()) else "closes"
        lines.append(f"It {verb} on {told_moment(schedule.closes)}.")
    if schedule.cap is not None:
        lines.append(f"It takes {schedule.cap:,} reports at most.")
    if schedule.access_word is not None:
        lines.append(f"Respondents have to type the access word: {schedule.access_word}")
    return lines


def told_of_cap(schedule: Schedule, *, is_by_invitation: bool) -> list[str]:
    """Return a sentence if a stranger can fill the cap; otherwise none."""
    if schedule.cap is None or schedule.access_word is not None or is_by_invitation:
        return []
    return [_OPEN_CAP]
