"""The times at which the process that takes reports is replaced: each full half hour.

Its adversary may know them, and must not move them: so they follow from the clock alone. The clock
may jump: that brings one time more at most, and never more than half an hour between two.
"""

import time
from collections.abc import Callable
from typing import Final

_HALF_HOUR: Final = 1800

_LOOK: Final = 60.0
"""Seconds between two looks at the clock, at most: it goes on while the machine sleeps, too."""


class HalfHours:
    """Waits for one full half hour after another."""

    def __init__(
        self,
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._clock, self._steady, self._sleep = clock, steady, sleep
        self._last = steady(), clock() // _HALF_HOUR

    def wait(self) -> None:
        """Wait for the first one since the last call ended."""
        since, number = self._last
        while (now := self._clock()) // _HALF_HOUR == number and (
            left := min(_HALF_HOUR - now % _HALF_HOUR, since + _HALF_HOUR - self._steady())
        ) > 0:
            self._sleep(min(left, _LOOK))
        self._last = self._steady(), now // _HALF_HOUR
