"""How often passwords may be tried.

The adversary guesses: many passwords for one name, or a few for many names. Both are slowed down,
and nobody is locked out for good: a pause ends by itself, and a one-time link needs no password.
Names are counted as they are typed, so a pause does not tell whether there is such an account.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Final


@dataclass(frozen=True)
class Limit:
    """So many attempts at once, and then one in so many seconds."""

    at_once: int
    seconds: float


FOR_ONE_NAME: Final = Limit(5, 60.0)
FOR_ALL: Final = Limit(20, 2.0)


class Attempts:
    """Counts attempts in memory, by a clock in seconds; safe to use from many threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        # When each could try as often as at first. Each name in it has used up one of the attempts
        # of all, so there are never many.
        self._names: dict[str, float] = {}
        self._all = 0.0

    def take(self, name: str) -> int:
        """Take one attempt of a name as typed; return after how many seconds to try again."""
        with self._lock:
            now = self._clock()
            self._names = {one: until for one, until in self._names.items() if until > now}
            one, pause = _used(self._names.get(name, now), now, FOR_ONE_NAME)
            if pause:
                return pause  # it takes nothing from the others
            everyone, pause = _used(self._all, now, FOR_ALL)
            if pause:
                return pause
            self._names[name], self._all = one, everyone
            return 0

    def forgive(self, name: str) -> None:
        """Forget the attempts of somebody who knew the password in the end."""
        with self._lock:
            self._names.pop(name, None)


def _used(until: float, now: float, limit: Limit) -> tuple[float, int]:
    """Return when the limit is whole again after one more attempt, and how long to wait for it."""
    after = max(until, now) + limit.seconds
    return after, max(0, ceil(after - now - limit.at_once * limit.seconds))
