"""Tokens of scripts: made and ended by the person whose they are, and shown once.

The adversary has a copy of the store, or tries tokens. The store keeps only the hash of each. A
token is 256 random bits, which nobody guesses. Whoever sends the same wrong one again and again is
slowed down, and so are all wrong ones together; a right one never is. A token is no cookie, and a
cookie is no token: no page of any site can have a browser send one along.
"""

from __future__ import annotations

import time
import unicodedata
from dataclasses import replace
from typing import Final

from flask import Request

from deniable.server.desk.attempts import Attempts
from deniable.server.desk.rights import Person, person_of
from deniable.server.desk.tokens import hash_of, new_token
from deniable.server.store import Store
from deniable.server.store.accounts import Scope, Token

LIFETIME: Final = 366 * 24 * 60 * 60
"""Seconds for which a token is good."""

MOST_CHARACTERS: Final = 64
"""Of the name of a token."""


class TokenNameError(ValueError):
    """A name that a token cannot have; says why."""


class WrongTokenError(Exception):
    """A request without a token that is good.

    Parameters
    ----------
    pause : int
        After how many seconds to try again; 0 if at once.
    sent : bool
        Whether there was one.
    """

    def __init__(self, pause: int, *, sent: bool) -> None:
        super().__init__()
        self.pause = pause
        self.sent = sent


def make_token(store: Store, user: str, name: str, scope: Scope) -> str:
    """Make a token for somebody's script, and return it: it is not kept anywhere.

    Parameters
    ----------
    store : Store
    user : str
        Whose it is.
    name : str
        What they call it.
    scope : Scope

    Returns
    -------
    str

    Raises
    ------
    TokenNameError
        If it has no such name, or somebody's other token has it.
    KeyError
        If there is no such account.
    """
    name, now = " ".join(name.split()), int(time.time())
    printable = all(unicodedata.category(letter)[0] != "C" for letter in name)
    if not (1 <= len(name) <= MOST_CHARACTERS and printable):
        raise TokenNameError(f"A token needs a name of 1 to {MOST_CHARACTERS} characters.")
    if name in {one.name for one in store.tokens(user, now)}:
        raise TokenNameError(f"You have a token {name} already.")
    token = new_token()
    store.add_token(Token(hash_of(token), user, name, scope, now, now + LIFETIME))
    return token


class Scripts:
    """Whose script makes a request.

    Parameters
    ----------
    store : Store
    attempts : Attempts
        Of tokens alone, so that no script can keep people from signing in.
    """

    def __init__(self, store: Store, attempts: Attempts) -> None:
        self._store = store
        self._attempts = attempts

    def find(self, request: Request) -> Person:
        """Return whose script it is.

        Raises
        ------
        WrongTokenError
            If it shows no token, or one that is not good.
        """
        shown = request.authorization
        if shown is None or shown.type != "bearer" or not shown.token:
            raise WrongTokenError(0, sent=False)
        hashed = hash_of(shown.token)
        found = self._store.token(hashed, int(time.time()))
        person = person_of(self._store, found)
        if person is None:
            raise WrongTokenError(self._attempts.take(hashed.hex()), sent=True)
        return replace(person, has_password=False)
