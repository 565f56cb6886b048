"""Meetings end by themselves after a day: the desk's program deletes them.

The adversary has patience: when they come, the reports of the class are deleted.
"""

import threading
import time
from contextlib import suppress
from typing import Final

from deniable.server.store import Store, StoreUnavailable

_TICK: Final = 30.0
"""Seconds between two checks for meetings that are over."""


def remove_over(store: Store, now: float) -> None:
    """Delete the meetings whose time is over."""
    for meeting in store.meetings():
        if meeting.ends <= now:
            store.remove_meeting(meeting.id)


class Keeper:
    """A thread that deletes meetings whose time is over, as long as the desk's program runs."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="meetings", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the thread; a second call does nothing."""
        self._stop.set()
        self._thread.join()

    def _keep(self) -> None:
        while True:
            with suppress(StoreUnavailable):  # the next look may find it again
                remove_over(self._store, time.time())
            if self._stop.wait(_TICK):
                return
