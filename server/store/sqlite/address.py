"""Addresses of stores in SQLite files, and the files that belong to them."""

from pathlib import Path
from typing import Final

from deniable.server.store.errors import StoreError

SCHEME: Final = "sqlite"

ADDRESS: Final = "sqlite:///PATH (such as sqlite:///deniable.db, or sqlite:////var/lib/deniable.db)"
"""The form of addresses, for messages."""

_PREFIX: Final = f"{SCHEME}:///"


def url_of(path: str) -> str:
    """Return the address of the store in a file."""
    return _PREFIX + path


def path_of(url: str) -> Path:
    """Return the file of a store."""
    path = url.removeprefix(_PREFIX)
    if path in (url, "", ":memory:"):
        raise StoreError(f"found the store {url!r}, expected {ADDRESS}")
    return Path(path)


def files_of(url: str) -> list[str]:
    """Return the files of a store: the database, and SQLite's log and its index beside it."""
    path = str(path_of(url))
    return [path + ending for ending in ("", "-wal", "-shm", "-journal")]
