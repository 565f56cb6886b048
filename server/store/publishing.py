"""Making boards: from what a store's snapshot shows to what everybody may have."""

from __future__ import annotations

from dataclasses import replace

from deniable.crypto.blind import PrivateKey, mark_of
from deniable.crypto.board import Board, board_of, estimates_of, sign_board
from deniable.server.store.boards import Material
from deniable.server.store.keys import KeyFile
from deniable.server.store.records import BoardCopy
from deniable.server.store.store import Store
from deniable.survey import Survey


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
        estimates=estimates_of(material.surveys, material.entries),
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
