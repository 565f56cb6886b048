"""When the boards of surveys that publish their reports are made; see `publish_board`.

To make one takes the longer the more reports there are. So it is not done on the thread that stores
reports, and after each there is a rest in proportion to the work.
"""

from __future__ import annotations

import logging
import time
from typing import Final

from deniable.server.store import Store, StoreUnavailable
from deniable.server.store.errors import KeyFileError
from deniable.server.store.keys import KeyFile
from deniable.server.store.publishing import publish_board

_log = logging.getLogger(__name__)

EVERY: Final = 1.0
"""Seconds between two looks at whether a board is due."""

REST: Final = 20
"""Times its own duration to wait after making boards."""


class Publisher:
    """Makes the boards that are due. For one thread only."""

    def __init__(self, store: Store, keys: KeyFile) -> None:
        self._store = store
        self._keys = keys
        self._again_at = time.monotonic()
        # Of which surveys the operator has been told: once, and not each time.
        self._told: set[str] = set()

    def publish_due(self) -> bool:
        """Make the boards that are due, and return whether anything was written."""
        start = time.monotonic()
        if start < self._again_at:
            return False
        made = False
        try:
            for slug in self._store.due_boards():
                made = self._publish(slug) or made
        except StoreUnavailable as error:
            _log.error("no board could be published yet: %s", error)
        end = time.monotonic()
        self._again_at = end + max(EVERY, REST * (end - start))
        return made

    def _publish(self, slug: str) -> bool:
        try:
            made = publish_board(self._store, self._keys, slug)
        except (KeyError, StoreUnavailable):  # deleted since, or to be tried again
            return False
        except Exception as error:  # noqa: BLE001  whatever it was, the others get theirs
            if slug not in self._told:
                self._told.add(slug)
                # A message may carry data; that of the key file is for the operator.
                said = error if isinstance(error, KeyFileError) else type(error).__name__
                _log.error("no board of %s can be published: %s", slug, said)
            return False
        self._told.discard(slug)
        return made
