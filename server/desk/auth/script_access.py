"""Whose script makes a request, by the token that it shows.

The adversary tries tokens, or has somebody's browser send what it keeps. A token is 256 random
bits, which nobody guesses. Whoever sends the same wrong one again and again is slowed down, and so
are all wrong ones together; a right one never is. A token is no cookie, and a cookie is no token:
no page of any site can have a browser send one along.
"""

from __future__ import annotations

import time

from flask import Request

from deniable.server.desk.auth.throttle import Attempts
from deniable.server.desk.auth.tokens import hash_of
from deniable.server.desk.permissions import Person, person_of
from deniable.server.store import Store


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
        return person
