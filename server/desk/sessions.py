"""The sessions of those who have signed in to the desk.

The adversary has a copy of the researcher's cookie. A cookie cannot be taken back, and its
signature says only that this server wrote it once. So it holds the name of a session, and whether
that session is on is known here: until its owner signs out, and for half a day at the most.

It is known in the server's memory alone. A restart ends all sessions, and a stolen disk holds none.
"""

from __future__ import annotations

import secrets
import threading
import time
from typing import Final

LIFETIME: Final = 12 * 60 * 60
"""Seconds after signing in at which a session ends, whatever is done in it."""

_NAME_BYTES: Final = 32


class Sessions:
    """Which sessions are on, safe to ask from many threads."""

    def __init__(self) -> None:
        self._ends: dict[str, float] = {}
        self._lock = threading.Lock()

    def begin(self) -> str:
        """Begin a session, and forget those that are over.

        Returns
        -------
        str
            Its name, which nobody can guess.
        """
        name, now = secrets.token_urlsafe(_NAME_BYTES), time.time()
        with self._lock:
            self._ends = {one: end for one, end in self._ends.items() if now < end}
            self._ends[name] = now + LIFETIME
        return name

    def is_on(self, name: str | None) -> bool:
        """Return whether a session has begun and not ended."""
        with self._lock:
            end = None if name is None else self._ends.get(name)
        return end is not None and time.time() < end

    def end(self, name: str | None) -> None:
        """End a session, if it is on."""
        with self._lock:
            if name is not None:
                self._ends.pop(name, None)
