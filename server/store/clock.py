"""Whether the machine's clock can be believed: what a date decides is decided here alone.

The adversary is a wrong clock: an empty battery, a machine that was resumed, a slip of an
administrator. What a date ends is final: a device gives a report to a closed survey up, and deleted
reports are gone. So the clock is compared with the time since the machine's start, which nobody
sets, and after a start of the program with the last day that the store keeps.

A date is decided if it lies on the same side of both clocks. What a jump alone has crossed waits.
After ten steady minutes all dates to come follow the new clock, and those that it crossed wait
until a person says that it is right.
"""

import threading
import time
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Final

DAY: Final = 86_400

STEADY: Final = 600.0
"""Seconds without a jump after which a clock is believed."""

MOST_DAYS: Final = 2
"""Days for which a server may have been away before its clock is doubted."""

STEP: Final = 2.0
"""Seconds of a jump; less is no more than a network of time servers corrects."""

SLEW: Final = 1 / 500
"""How much faster or slower a clock may go that is being corrected: NTP allows 1/2000."""

_AT_ONCE: Final = 0.1
"""Seconds within which two clocks are read, or they are read again."""


def since_boot() -> float:
    """Return the seconds since the machine started, with those for which it was suspended."""
    which = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if which is None else time.clock_gettime(which)


def utc_day(now: float | None = None) -> str:
    """Return today by this machine's clock, such as ``2028-01-31``."""
    return datetime.fromtimestamp(time.time() if now is None else now, UTC).date().isoformat()


def days_between(first: str, second: str) -> int:
    """Return how many days the second is after the first."""
    return (date.fromisoformat(second) - date.fromisoformat(first)).days


def begin_of(day: str) -> int:
    """Return when a day in UTC begins, in seconds since 1970; 0 for no day."""
    return int(datetime.fromisoformat(f"{day}T00:00Z").timestamp()) if day else 0


@dataclass(frozen=True)
class Moment:
    """What time it is by the clock, and between which times it would be without a jump."""

    now: float
    earliest: float
    latest: float

    @property
    def is_doubted(self) -> bool:
        """Return whether the clock has jumped, and was not believed since."""
        return not self.earliest == self.now == self.latest

    @property
    def told(self) -> str:
        """Say how it jumped."""
        shown, expected = (
            datetime.fromtimestamp(one, UTC).strftime("%Y-%m-%d %H:%M UTC")
            for one in (self.now, self.earliest)
        )
        return f"the clock of this machine jumped: it shows {shown}, expected {expected} or later"

    def since(self, day: str) -> "Moment":
        """Return the moment for a survey of which a date waits since a day; itself for none."""
        if not day:
            return self
        begin = float(begin_of(day))
        return replace(
            self, earliest=min(self.earliest, begin), latest=min(self.latest, begin + DAY)
        )

    def crossed(self, opens: float | None, *ends: float | None) -> bool:
        """Return whether a jump alone has made one of these dates come; None and 0 are no dates."""
        # Of the day on which a store was last served, only an end is doubted: opening ends nothing.
        is_early = bool(opens) and self.latest < (opens or 0) <= self.now
        return is_early or any(end and self.earliest < end <= self.now for end in ends)

    def doubts(self, opens: float | None, *ends: float | None) -> bool:
        """Return whether one of these dates lies between the two clocks."""
        return self.crossed(opens, *ends) or any(
            end and self.now < end <= self.latest for end in ends
        )


class Clock:
    """The clock of this machine, as a process sees it from its start on. For many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        wall, self._looked = _read_both()
        self._ahead = wall - self._looked  # of the time since the machine's start
        # The same without the jump, earliest and latest; None while the clock is believed
        self._before: tuple[float, float] | None = None
        self._steady_from = 0.0
        self._has_begun = False
        self._seen = ""  # the store's day, while it is the reason for a doubt

    def begin(self, seen: str) -> None:
        """Compare the clock, once, with the day on which the store was last served, if any."""
        with self._lock:
            if self._has_begun:
                return
            self._has_begun = True
            wall, boot = _read_both()
            if seen and not _follows(seen, wall):
                self._seen = seen
                self._before = (begin_of(seen) - boot, begin_of(seen) + DAY - boot)
                self._steady_from = boot + STEADY

    @property
    def has_begun(self) -> bool:
        """Return whether it was compared with the store's day."""
        return self._has_begun

    def moment(self) -> Moment:
        """Return what time it is, and what it would be without a jump."""
        with self._lock:
            wall, boot = _read_both()
            ahead = wall - boot
            if abs(ahead - self._ahead) > STEP + SLEW * max(0.0, boot - self._looked):
                self._before = self._before or (self._ahead, self._ahead)
                self._steady_from = boot + STEADY
            self._ahead, self._looked = ahead, boot
            if self._before is None:
                return Moment(wall, wall, wall)
            earliest, latest = (boot + one for one in self._before)
            if not earliest - STEP <= wall <= latest + STEP and not _follows(self._seen, wall):
                return Moment(wall, earliest, latest)
            self._before, self._seen = None, ""  # it was set right again
            return Moment(wall, wall, wall)

    @property
    def is_steady(self) -> bool:
        """Return whether it has not jumped for ten minutes."""
        return self._before is None or since_boot() >= self._steady_from

    def believe(self) -> None:
        """Go on from the clock as it is."""
        with self._lock:
            self._before, self._seen = None, ""


def _follows(seen: str, wall: float) -> bool:
    """Return whether the clock may show this time after a day on which it was right; no for ""."""
    return bool(seen) and 0 <= days_between(seen, utc_day(wall)) <= MOST_DAYS


def _read_both() -> tuple[float, float]:
    """Return the clock and the time since the machine's start, of the same moment."""
    while True:
        before, wall, boot = since_boot(), time.time(), since_boot()
        # A machine that was suspended in between has a later one.
        if boot - before < _AT_ONCE:
            return wall, boot
