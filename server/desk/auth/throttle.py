"""How often passwords and tokens may be tried.

The adversary guesses: many passwords for one name, or a few for many names. Both are limited.
Names are counted as typed, so a pause does not reveal whether there is such an account.

Another adversary locks people out by wrong guesses. So a browser that has once sent the right
password is counted by itself: it has a cookie that is valid for this name and password. In any
other browser a person needs a one-time link meanwhile.
"""

import hmac
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Final


@dataclass(frozen=True)
class Limit:
    """A rate limit: `at_once` attempts at first, then one every `seconds`."""

    at_once: int
    seconds: float


FOR_ONE_NAME: Final = Limit(5, 60.0)
FOR_ALL: Final = Limit(20, 2.0)

DEVICE_DAYS: Final = 400
"""Days for which a browser is known; browsers keep no cookie for longer."""

SIGNED_IN: Final = "signed in"
"""In place of a device: a signed-in person who changes their password."""


def new_device(name: str, stored: str) -> str:
    """Make the cookie that a browser known for a name and a stored password shows from now on."""
    drawn = secrets.token_hex(16)
    return drawn + _mark(name, stored, drawn)


def known_device(shown: str, name: str, stored: str) -> str:
    """Return the device of a cookie; empty if it is not known for this name and password."""
    drawn, mark = shown[:32], shown[32:]
    good = hmac.compare_digest(mark.encode(), _mark(name, stored, drawn).encode())
    return drawn if good and stored else ""


def _mark(name: str, stored: str, drawn: str) -> str:
    return hmac.digest(stored.encode(), f"{name} {drawn}".encode(), "sha256").hex()


class Attempts:
    """A counter of attempts in memory, by a clock in seconds; safe to use from many threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        # When each name's limit is whole again. Each name here has used up one of the attempts of
        # all, so there are never many.
        self._names: dict[tuple[str, str], float] = {}
        self._all = 0.0

    def take(self, name: str, device: str = "") -> int:
        """Take one attempt for a name as typed, by a known device or by any other one.

        Returns the seconds after which to try again, 0 if this attempt is allowed.
        """
        with self._lock:
            now = self._clock()
            self._names = {one: until for one, until in self._names.items() if until > now}
            one, pause = _used(self._names.get((name, device), now), now, FOR_ONE_NAME)
            if pause:
                return pause  # it takes nothing from the others
            everyone, pause = _used(self._all, now, FOR_ALL)
            if device:
                everyone, pause = self._all, 0
            if pause:
                return pause
            self._names[name, device], self._all = one, everyone
            return 0

    def forgive(self, name: str, device: str = "") -> None:
        """Give back the attempt with the right password; a known device gets back all of its own.

        Other devices get back exactly that one, or their count would tell them of this sign-in.
        """
        with self._lock:
            until = self._names.pop((name, device), 0.0) - FOR_ONE_NAME.seconds
            if not device:
                self._names[name, device] = until


def _used(until: float, now: float, limit: Limit) -> tuple[float, int]:
    """Return when the limit is whole again after one more attempt, and the seconds to wait."""
    after = max(until, now) + limit.seconds
    return after, max(0, ceil(after - now - limit.at_once * limit.seconds))
