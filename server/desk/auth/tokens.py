"""Random tokens that open the desk, of which the store keeps only hashes."""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

_BYTES: Final = 32


def new_token() -> str:
    """Draw a token that nobody can guess."""
    return secrets.token_urlsafe(_BYTES)


def hash_of(token: str) -> bytes:
    """Return what the store keeps of a token, and looks it up by."""
    # Fast, and unsalted: a token is 256 random bits, which nobody guesses. Comparing by a lookup
    # of the hash gives a timing attack nothing to work on.
    return hashlib.sha256(token.encode(errors="replace")).digest()
