"""Which sheets were entered last: in memory, so that no disk tells which reports came on paper."""

import secrets
import threading
import time
from typing import Final

from deniable.server.desk.paper.importer import Entry

_KEPT: Final = 3600.0
"""Seconds for which an entry can be taken back."""


class Entries:
    """The forms that were sent, each good for once, and the last entry to each survey."""

    def __init__(self) -> None:
        self._forms: set[str] = set()
        self._last: dict[str, tuple[str, float, Entry]] = {}
        self._lock = threading.Lock()

    def begin(self, form: str) -> bool:
        """Use a form up; False if it was used before."""
        with self._lock:
            if form in self._forms:
                return False
            self._forms.add(form)
            return True

    def undo(self, form: str) -> None:
        """Have a form be good again, of which nothing was entered."""
        with self._lock:
            self._forms.discard(form)

    def keep(self, slug: str, entry: Entry) -> None:
        """Keep the last entry, under a name of its own."""
        with self._lock:
            self._last[slug] = (secrets.token_hex(8), time.monotonic(), entry)

    def last(self, slug: str) -> tuple[str, int, int] | None:
        """Return name and size of the last entry, and how many minutes ago it was."""
        with self._lock:
            found = self._of(slug)
        if found is None:
            return None
        name, since, entry = found
        return name, len(entry.reports), int((time.monotonic() - since) // 60)

    def take(self, slug: str, name: str) -> Entry | None:
        """Take the last entry out, if it is of that name."""
        with self._lock:
            found = self._of(slug)
            if found is None or found[0] != name:
                return None
            del self._last[slug]
            return found[2]

    def _of(self, slug: str) -> tuple[str, float, Entry] | None:
        now = time.monotonic()
        # Of every survey, so that nothing is kept longer than it is said.
        for one in [one for one, (_, since, _entry) in self._last.items() if now - since >= _KEPT]:
            del self._last[one]
        return self._last.get(slug)
