"""The researcher's one-time sign-in links.

Whoever can run a command on the server can make one; nobody else can. The adversary reads the
store: it keeps only a hash of each token, and a token works once, for a day. It is used up by the
button on the page that the link opens, not by opening it.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from typing import Final

from deniable.server.store import Store

LIFETIME: Final = 24 * 60 * 60
"""Seconds for which a link works."""

_TOKEN_BYTES: Final = 32


def new_link(store: Store, base_url: str) -> str:
    """Make a link that signs the researcher in, once.

    Parameters
    ----------
    store : Store
        Of the server that the link is for.
    base_url : str
        Address of that server, such as ``http://127.0.0.1:8000``.

    Returns
    -------
    str
    """
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    now = int(time.time())
    store.add_sign_in(_hash(token), expires=now + LIFETIME, now=now)
    return f"{base_url.rstrip('/')}/desk/sign-in/{token}"


def redeem(store: Store, token: str) -> bool:
    """Use up a link's token; False if it was never made, was used, or has expired."""
    return store.take_sign_in(_hash(token), now=int(time.time()))


def _hash(token: str) -> bytes:
    # Fast, and unsalted: a token is 256 random bits, which nobody guesses. Comparing by a lookup
    # of the hash gives a timing attack nothing to work on.
    return hashlib.sha256(token.encode(errors="replace")).digest()
