"""One-time links that sign an account in to the desk.

Anyone who can run a command on the server can make a link; an administrator can make links for
other accounts. The adversary reads the store, which holds only a hash of each token; a token works
once, within a day. The button on the link's page uses the token up; opening the link does not.
"""

import time
from typing import Final

from deniable.server.desk.auth.sessions import hash_of, new_token
from deniable.server.store import Store
from deniable.server.store.accounts import NOBODY

LIFETIME: Final = 24 * 60 * 60
"""Seconds for which a link works."""


def new_link(store: Store, base_url: str, user: str = NOBODY) -> str:
    """Make a link that signs an account in once; raise `KeyError` if there is no such account."""
    token = new_token()
    now = int(time.time())
    store.add_sign_in(hash_of(token), expires=now + LIFETIME, now=now, user=user)
    return f"{base_url.rstrip('/')}/desk/sign-in/{token}"


def redeem(store: Store, token: str) -> str | None:
    """Use up a link's token; return the name of its account, or None for an invalid token."""
    return store.take_sign_in(hash_of(token), now=int(time.time()))
