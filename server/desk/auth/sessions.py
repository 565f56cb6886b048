"""The sessions of accounts that have signed in to the desk.

The adversary has a copy of a cookie, or of the store. A cookie cannot be revoked, so it holds a
random token, and the store knows whether its session is valid: until it is ended, and for half a
day at most. The store has only a hash of the token, which opens nothing.

The cookie is signed with a key that outlives the program (`KeyFile.cookie_key`). So a restart, or a
crash in the middle of a lesson, signs nobody out.
"""

import hashlib
import re
import secrets
import time
from typing import Final

from deniable.server.store import Store
from deniable.server.store.accounts import Session

LIFETIME: Final = 12 * 60 * 60
"""Seconds after signing in at which a session ends, however it is used."""

# In this order, because each browser's User-Agent also names others.
_BROWSERS: Final = {
    "Edge": r"Edg(?:e|A|iOS)?/",
    "Opera": "OPR/",
    "Firefox": "Firefox/|FxiOS/",
    "Chrome": "Chrome/|CriOS/",
    "Safari": "Safari/",
}
_SYSTEMS: Final = {
    "Android": "Android",
    "iOS": "iPhone|iPad",
    "Windows": "Windows",
    "macOS": "Mac OS X",
    "ChromeOS": "CrOS",
    "Linux": "Linux",
}


def new_token() -> str:
    """Draw a token of 256 random bits, as text."""
    return secrets.token_urlsafe(32)


def hash_of(token: str) -> bytes:
    """Return a token's hash, by which the store keeps it and looks it up."""
    # Fast, and unsalted: a token is 256 random bits, which nobody guesses. Comparing by a lookup
    # of the hash gives a timing attack nothing to work on.
    return hashlib.sha256(token.encode(errors="replace")).digest()


def begin_session(store: Store, user: str, agent: str) -> str:
    """Begin an account's session in the browser of this User-Agent; return its token."""
    token, now = new_token(), int(time.time())
    store.begin_session(Session(hash_of(token), user, device_of(agent), now, now + LIFETIME))
    return token


def find_session(store: Store, token: str | None) -> Session | None:
    """Return the session of a token; None if it has not begun or has ended."""
    return None if token is None else store.session(hash_of(token), int(time.time()))


def end_session(store: Store, token: str | None) -> None:
    """End the session of a token, if it is valid."""
    session = find_session(store, token)
    if session is not None:
        store.end_session(session.user, session.token_hash)


def device_of(agent: str) -> str:
    """Name the browser of a User-Agent, only as exactly as its owner needs to recognise it.

    >>> device_of("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox on Linux'
    >>> device_of("curl/8.5")
    'another browser'
    """
    browser, system = (
        next((name for name, pattern in names.items() if re.search(pattern, agent)), None)
        for names in (_BROWSERS, _SYSTEMS)
    )
    return f"{browser or 'another browser'}{f' on {system}' if system else ''}"
