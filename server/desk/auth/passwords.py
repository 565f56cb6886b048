"""Names and passwords of accounts.

The adversary has a copy of the store and much time. What it holds of a password is argon2id's hash,
which costs 64 MiB of memory and a good part of a second for each guess.
"""

import re
import threading
import unicodedata
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError

LEAST_CHARACTERS: Final = 12
"""Of a password. Length is what makes guessing slow; nothing is asked about kinds of characters."""

NAME_RULE: Final = "1 to 64 letters a to z, digits, or . _ - + @, beginning with a letter or digit"

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")

_HASHER: Final = PasswordHasher()  # argon2id with the second recommended parameters of RFC 9106

# Of random bytes that nobody kept. Compared where there is no password, so that the answer takes as
# long as where there is one: nobody learns from a clock which names have an account.
_OF_NOBODY: Final = (
    "$argon2id$v=19$m=65536,t=3,p=4$i5ErkqK8az14d9hCzevGRQ$"
    "W0pLWbin01ibSflMScXWh3r2SkBcNGwCaRgJda65hxM"
)

# One after the other: some people at once must not take all memory of the server.
_ONE_AT_A_TIME: Final = threading.Lock()


def read_name(text: str) -> str:
    """Read the name of an account as somebody typed it, or raise `ValueError`."""
    name = text.strip().lower()
    if not _NAME.fullmatch(name):
        raise ValueError(f"A name has {NAME_RULE}.")
    return name


def hash_password(password: str) -> str:
    """Return what the store keeps of a password; raise `ValueError` if it is too short."""
    if len(password) < LEAST_CHARACTERS:
        raise ValueError(f"A password has {LEAST_CHARACTERS} characters or more.")
    with _ONE_AT_A_TIME:
        return _HASHER.hash(_as_typed_anywhere(password))


def is_password(password: str, stored: str) -> bool:
    """Return whether a password is the one of which this is stored; never if nothing is."""
    with _ONE_AT_A_TIME:
        try:
            _HASHER.verify(stored or _OF_NOBODY, _as_typed_anywhere(password))
        except VerifyMismatchError:
            return False
    return bool(stored)


def _as_typed_anywhere(password: str) -> str:
    """Keyboards write the same letter in different ways: é, or e and an accent."""
    return unicodedata.normalize("NFKC", password)
