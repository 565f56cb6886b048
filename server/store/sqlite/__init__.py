"""A store in one SQLite file.

==============  ============================================================================
`address`       ``sqlite:///PATH``, and the files that belong to it
`engine`        the engine of a `Store` in SQLite
`connections`   connections with the settings that a store needs
`schema`        the version of the tables, how they are made, and their migration
`versions`      the version of a file, and exclusive access to one
`examining`     whether the file's place keeps a store's promises
==============  ============================================================================
"""

from contextlib import AbstractContextManager

from deniable.server.store.records import Age
from deniable.server.store.sql.database import Alone
from deniable.server.store.sqlite import versions
from deniable.server.store.sqlite.address import ADDRESS, SCHEME, files_of, path_of, url_of
from deniable.server.store.sqlite.engine import open_file
from deniable.server.store.store import Store

__all__ = ["ADDRESS", "SCHEME", "age_of", "alone", "files_of", "open_store", "url_of"]


def open_store(url: str, *, create: bool = True, read_only: bool = False) -> Store:
    """Open the store at an address; parameters and errors as in `deniable.server.store`."""
    return open_file(path_of(url), create=create, read_only=read_only)


def age_of(url: str) -> Age:
    """Return a store's version and this program's, as in `deniable.server.store.opening`."""
    return versions.age(path_of(url))


def alone(url: str) -> AbstractContextManager[Alone]:
    """Lend a store while nobody else has it open; as in `deniable.server.store.opening`."""
    return versions.alone(path_of(url))
