"""Names and passwords of accounts.

The adversary has a copy of the store and much time. The store holds a password's argon2id hash, so
each guess costs 64 MiB of memory and a good part of a second.
"""

import re
import threading
import unicodedata
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError

LEAST_CHARACTERS: Final = 12
"""Minimum length of a password. Length makes guessing slow; kinds of characters are not checked."""

NAME_RULE: Final = "1 to 64 letters a to z, digits, or . _ - + @, beginning with a letter or digit"

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")

_HASHER: Final = PasswordHasher()  # argon2id with the second recommended parameters of RFC 9106

# The hash of random bytes that nobody kept. It is compared if there is no password, so that the
# response takes equally long: its time does not reveal which names have an account.
_OF_NOBODY: Final = (
    "$argon2id$v=19$m=65536,t=3,p=4$i5ErkqK8az14d9hCzevGRQ$"
    "W0pLWbin01ibSflMScXWh3r2SkBcNGwCaRgJda65hxM"
)

# One at a time: a few sign-ins at once must not take all memory of the server.
_ONE_AT_A_TIME: Final = threading.Lock()


def read_name(text: str) -> str:
    """Read the name of an account as typed, or raise `ValueError`."""
    name = text.strip().lower()
    if not _NAME.fullmatch(name):
        raise ValueError(f"A name has {NAME_RULE}.")
    return name


def hash_password(password: str) -> str:
    """Return a password's hash for the store; raise `ValueError` if the password is too short."""
    if len(password) < LEAST_CHARACTERS:
        raise ValueError(f"A password has {LEAST_CHARACTERS} characters or more.")
    with _ONE_AT_A_TIME:
        return _HASHER.hash(_as_typed_anywhere(password))


def is_password(password: str, stored: str) -> bool:
    """Return whether a password has the stored hash; False if no hash is stored."""
    with _ONE_AT_A_TIME:
        try:
            _HASHER.verify(stored or _OF_NOBODY, _as_typed_anywhere(password))
        except VerifyMismatchError:
            return False
    return bool(stored)


def _as_typed_anywhere(password: str) -> str:
    # Keyboards write the same letter in different ways: é, or e and an accent.
    return unicodedata.normalize("NFKC", password)
