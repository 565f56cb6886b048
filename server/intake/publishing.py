"""Boards of surveys that publish their reports: when they are made, and how.

To make one takes the longer the more reports there are. So it is not done on the thread that stores
reports, and after each there is a rest in proportion to the work.
"""

import logging
import time
from dataclasses import replace
from typing import Final

from deniable.crypto.blind import PrivateKey, mark_of
from deniable.crypto.board import Board, board_of, sign_board
from deniable.server.store import Store, StoreUnavailable
from deniable.server.store.boards import Material
from deniable.server.store.errors import KeyFileError
from deniable.server.store.keys import KeyFile
from deniable.server.store.records import BoardCopy
from deniable.survey import Survey

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


def publish_board(store: Store, keys: KeyFile, slug: str) -> bool:
    """Make the next board of a survey, sign it and keep it; return whether it was kept."""
    material = _shown(store.board_material(slug))
    key = board_key(keys, [*material.surveys.values()][-1])
    board = board_of(
        slug,
        material.entries,
        before=material.before,
        closed=material.closed,
        issued=material.issued,
        spent=material.spent,
        surveys=material.surveys,
    )
    written = board.to_json()
    copy = BoardCopy(written, sign_board(key, board), len(board.entries), board.closed)
    return store.add_board(slug, material.number, copy)


def _shown(material: Material) -> Material:
    """Return what the next board says.

    The one that says that the survey is open again holds what the last one held, and nothing that
    has come since: everybody would know when it came.
    """
    if material.before is not None and not material.closed:
        last = Board.from_json(material.before)
        if last.closed:
            return replace(material, entries=last.entries, spent=last.spent)
    return material


def board_key(keys: KeyFile, survey: Survey) -> PrivateKey:
    """Return the private key of a survey's boards."""
    return keys.find(mark_of(survey.board_key or ""))
