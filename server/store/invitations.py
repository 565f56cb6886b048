"""Codes for one report each: a survey that has some takes a report only with one of them.

The adversary has a copy of the store, and wants to know which report came with which code. So the
store has a hash of each code and whether it is spent, and no report says anything of it. A code is
so long that nobody finds one by trying: a plain hash is enough, and a thief can use none of them.

Codes go out to people, so there is a list of them elsewhere. Whoever has the list and this store
knows which codes are spent, and no more.
"""

from __future__ import annotations

import hashlib
import secrets
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from deniable.server.store.terms import CODE_LETTERS

LENGTH: Final = 20
"""Letters of a code: together more than 80 bits."""

GROUP: Final = 4
"""Letters between two hyphens, so that people can type them."""

MOST: Final = 10_000
"""How many codes are made at once."""


@dataclass(frozen=True)
class Invited:
    """How many codes a survey has.

    Parameters
    ----------
    made : int
    spent : int
        How many of them came with the reports in the snapshot. What came before there were codes
        but was still held back counts as if it had come with one.
    """

    made: int
    spent: int


class Invitations(ABC):
    """The part of a store that is about invitations; errors as of the store."""

    @abstractmethod
    def invite(self, slug: str, codes: Sequence[str]) -> None:
        """Add codes to a survey. From the first one on it is by invitation.

        Raises
        ------
        KeyError
            If there is no such survey.
        ValueError
            If it has waves, or is a trial. The message says which.
        """

    @abstractmethod
    def invited(self, slug: str) -> Invited | None:
        """Return how many codes a survey has; None if it needs none.

        It changes with the snapshot, and never with a single report.

        Raises
        ------
        KeyError
            If there is no such survey.
        """

    @abstractmethod
    def end_invitations(self, slug: str) -> None:
        """Remove all codes of a survey: whoever has its link may answer then.

        Raises
        ------
        KeyError
            If there is no such survey.
        """


def new_codes(number: int) -> list[str]:
    """Draw codes as they are handed out, such as ``BCDF-GHJK-MNPR-STVW-XYZB``."""
    return [_new_code() for _ in range(number)]


def _new_code() -> str:
    letters = "".join(secrets.choice(CODE_LETTERS) for _ in range(LENGTH))
    return "-".join(letters[start : start + GROUP] for start in range(0, LENGTH, GROUP))


def hash_of(typed: str) -> bytes:
    """Return the hash of a code, however it was typed: hyphens, blanks, small letters."""
    clean = "".join(letter for letter in typed.upper() if letter in CODE_LETTERS)
    return hashlib.sha256(clean.encode()).digest()
