"""Codes for one report each, and how often each was used: once, in each wave.

With a code a device has the survey's key sign its report's id, without anybody seeing the id
(`crypto.blind`). So the store knows which codes were used, and no report came with any. A code is
so long that nobody finds one by trying: a plain hash is enough, and a thief can use none of them.

The adversary has a copy of the store, and the list of codes beside it: it went out to people. They
learn which codes were used, and no more. Of what was signed there is a hash, so that a device whose
answer was lost gets the same one again. What was blinded looks the same whichever report it is for.
"""

from __future__ import annotations

import hashlib
import secrets
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from deniable.server.store.records import Outcome
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
        How many reports in the snapshot came with a token, of all waves. What came before there
        were codes but was still held back counts as if it had come with one.
    """

    made: int
    spent: int


class Invitations(ABC):
    """The part of a store that is about invitations; errors as of the store."""

    @abstractmethod
    def invite(self, slug: str, codes: Sequence[str], keys: Sequence[str]) -> None:
        """Add codes to a survey. From the first ones on it is by invitation, and has keys.

        Parameters
        ----------
        slug : str
        codes : sequence of str
        keys : sequence of str
            Public ones, one for each wave. A survey that has some keeps its own.

        Raises
        ------
        KeyError
            If there is no such survey.
        ValueError
            If it is a trial, or there is not one key for each wave.
        """

    @abstractmethod
    def spend(self, slug: str, key: str, code: str, asked: bytes) -> Outcome:
        """Spend a code for the signature under something, durably.

        Parameters
        ----------
        slug : str
        key : str
            The mark of the key that is to sign (`deniable.crypto.blind.mark_of`).
        code : str
            As it was typed.
        asked : bytes
            A hash of what is to be signed.

        Returns
        -------
        Outcome
            Stored or repeated if it may be signed: repeated if this code was spent for the very
            same. Otherwise unknown (the survey needs no code), closed, over (another wave is on, or
            other codes were made since), uninvited (there is no such code) or spent.

        Raises
        ------
        KeyError
            If there is no such survey.
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
        """Remove all codes and keys of a survey: whoever has its link may answer then.

        Raises
        ------
        KeyError
            If there is no such survey.
        StoreError
            If its reports are published: boards count the codes.
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
