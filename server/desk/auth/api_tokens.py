"""API tokens of scripts: made and ended by their owner, and shown once.

The adversary has a copy of the store, which holds only the hash of each token, as for sessions.
"""

import time
import unicodedata
from typing import Final

from deniable.server.desk.auth.sessions import hash_of, new_token
from deniable.server.store import Store
from deniable.server.store.accounts import Scope, Token

LIFETIME: Final = 366 * 24 * 60 * 60
"""Seconds for which a token is valid."""

MOST_CHARACTERS: Final = 64
"""Maximum number of characters of a token's name."""


def make_token(store: Store, user: str, name: str, scope: Scope) -> str:
    """Make an account's token, whose hash alone is kept; raise `ValueError` for a bad name."""
    name, now = " ".join(name.split()), int(time.time())
    printable = all(unicodedata.category(letter)[0] != "C" for letter in name)
    if not (1 <= len(name) <= MOST_CHARACTERS and printable):
        raise ValueError(f"A token needs a name of 1 to {MOST_CHARACTERS} characters.")
    if name in {one.name for one in store.tokens(user, now)}:
        raise ValueError(f"You have a token {name} already.")
    token = new_token()
    store.add_token(Token(hash_of(token), user, name, scope, now, now + LIFETIME))
    return token
