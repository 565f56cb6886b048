"""What a store keeps of a survey whose noisy reports are published: tokens, and signed boards.

The adversary is the operator, who would drop a report that does not please them. Whoever kept a
board, or a receipt, then has a proof. So a board is written once and stays as it is, and each holds
all that the one before it held. A board shows what the snapshot shows and nothing else: it tells
when a report came no more closely than the desk does, and to everybody no more closely than a
batch of ten: where batches are smaller than usual, there is no board before the survey is closed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from deniable.crypto.board import Entry
from deniable.server.store.records import BoardCopy
from deniable.survey import Survey

MORE: Final = 10
"""A board comes whenever one part in so many has come since the last one."""


@dataclass(frozen=True)
class Material:
    """All that the next board of a survey says, at one moment.

    Parameters
    ----------
    number : int
        Of the board, from 1.
    before : bytes or None
        The board before it.
    closed : bool
        Whether the survey is.
    surveys : mapping of (str: Survey)
        Each revision, by its hash.
    entries : tuple of Entry
        The reports in the snapshot.
    issued, spent : int
        As `deniable.server.store.invitations.Invited` has them; 0 without invitations.
    """

    number: int
    before: bytes | None
    closed: bool
    surveys: Mapping[str, Survey]
    entries: tuple[Entry, ...]
    issued: int
    spent: int


class Boards(ABC):
    """The part of a store that is about boards; errors as of the store."""

    @abstractmethod
    def due_boards(self) -> list[str]:
        """Return the slugs of published surveys that need a new board.

        Whenever the snapshot has taken in a tenth more, and a batch at least, since the last one,
        unless batches are smaller than usual; when the survey is closed, if it has taken in
        anything; and when it is opened again, or a report that is sent then would be looked for on
        the board of a closed survey.
        """

    @abstractmethod
    def board_material(self, slug: str) -> Material:
        """Return what the next board of a survey says.

        Raises
        ------
        KeyError
            If there is no such survey.
        """

    @abstractmethod
    def add_board(self, slug: str, number: int, board: BoardCopy) -> bool:
        """Keep a board durably.

        Returns
        -------
        bool
            False if there is one of that number, or the one before it is missing: somebody else was
            faster, or the survey is gone.
        """

    @abstractmethod
    def board_signatures(self, slug: str) -> list[bytes]:
        """Return the signature of each board of a survey, the first first."""

    @abstractmethod
    def board(self, slug: str, number: int) -> bytes:
        """Return a board as it was written.

        Raises
        ------
        KeyError
            If there is none of that number.
        """
