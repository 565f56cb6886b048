"""One-time links that sign somebody in to the desk.

Whoever can run a command on the server can make one, and an administrator for the others. The
adversary reads the store: it keeps only a hash of each token, and a token works once, for a day. It
is used up by the button on the page that the link opens, not by opening it.
"""

import time
from typing import Final

from deniable.server.desk.auth.sessions import hash_of, new_token
from deniable.server.store import Store
from deniable.server.store.accounts import NOBODY

LIFETIME: Final = 24 * 60 * 60
"""Seconds for which a link works."""


def new_link(store: Store, base_url: str, user: str = NOBODY) -> str:
    """Make a link that signs somebody in once; raise `KeyError` without such an account."""
    token = new_token()
    now = int(time.time())
    store.add_sign_in(hash_of(token), expires=now + LIFETIME, now=now, user=user)
    return f"{base_url.rstrip('/')}/desk/sign-in/{token}"


def redeem(store: Store, token: str) -> str | None:
    """Use up a link's token, and return whom it signs in; None if it is of no use."""
    return store.take_sign_in(hash_of(token), now=int(time.time()))
