"""Find the engine of a store's address; only this module knows the engines."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Final, Protocol

from deniable.server.store import postgres, sqlite
from deniable.server.store.errors import StoreError
from deniable.server.store.records import Age
from deniable.server.store.sql.database import Alone
from deniable.server.store.store import Store


class _Package(Protocol):
    """The interface of an engine's package."""

    SCHEME: str
    ADDRESS: str

    def open_store(self, url: str, *, create: bool, read_only: bool) -> Store: ...
    def age_of(self, url: str) -> Age: ...
    def alone(self, url: str) -> AbstractContextManager[Alone]: ...
    def files_of(self, url: str) -> list[str]: ...


_PACKAGES: Final[tuple[_Package, ...]] = (sqlite, postgres)

_ENGINES: Final = {package.SCHEME: package for package in _PACKAGES}
"""Engines by the scheme of their addresses."""


def open_store(url: str, *, create: bool = True, read_only: bool = False) -> Store:
    """Open a store of this version, at ``sqlite:///path.db`` or ``postgresql://…``."""
    return _engine_of(url).open_store(url, create=create and not read_only, read_only=read_only)


def age_of(url: str) -> Age:
    """Return a store's version and this program's; do not make a store, nor refuse an old one."""
    return _engine_of(url).age_of(url)


def alone(url: str) -> AbstractContextManager[Alone]:
    """Lend a store of this or an older version in a transaction, while nobody else has it open.

    Another process that opens it meanwhile waits, and gives up after some seconds. The transaction
    is committed at the end of the block, unless that raises an error.
    """
    return _engine_of(url).alone(url)


@contextmanager
def temporary_store() -> Iterator[Store]:
    """Make a store that is deleted when the block ends."""
    with (
        tempfile.TemporaryDirectory(prefix="deniable-") as folder,
        closing(open_store(store_url(str(Path(folder) / "store.db")))) as store,
    ):
        yield store


def store_url(text: str) -> str:
    """Return the URL of a store from a person's input: its URL, or the path of its file.

    It does not check that the store, or an engine of that scheme, exists; `open_store` does.

    >>> store_url("study.db"), store_url("sqlite:///study.db")
    ('sqlite:///study.db', 'sqlite:///study.db')
    """
    is_url = "://" in text or text.partition(":")[0] in _ENGINES
    return text if is_url else sqlite.url_of(text)


def files_of(url: str) -> list[str]:
    """Return the files that a store may consist of; none if it is not on this machine."""
    return _engine_of(url).files_of(url)


def _engine_of(url: str) -> _Package:
    scheme, colon, _ = url.partition(":")
    if not colon or scheme not in _ENGINES:
        expected = " or ".join(engine.ADDRESS for engine in _ENGINES.values())
        # Hide a possible password, whatever kind of address was meant.
        shown = re.sub(r":.*@", ":…@", url).partition("?")[0]
        raise StoreError(f"found the store {shown!r}, expected {expected}")
    return _ENGINES[scheme]
