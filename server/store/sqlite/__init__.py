"""A store in one SQLite file.

==============  ============================================================================
`address`       ``sqlite:///PATH``, and the files that belong to it
`engine`        `SqliteStore`: what only SQLite does so, over `deniable.server.store.sql`
`connections`   connections with the settings that its promises rest on
`schema`        the version of the tables, and how an older one becomes a newer one
`versions`      which version a file is of, and a file that nobody else has open
`examining`     whether the place of the file keeps its promises
`writing`       what is written seldom, through sqlite-utils: tables, surveys, copies
`tables`        sqlite-utils on a connection of the store's
==============  ============================================================================

What happens at every start and for every report needs no sqlite-utils: it is loaded by what needs
it, since loading it takes as long as the rest of a start (it loads pandas where that is installed).
"""

from contextlib import AbstractContextManager

from deniable.server.store.records import Age
from deniable.server.store.sql.alone import Alone
from deniable.server.store.sqlite import versions
from deniable.server.store.sqlite.address import ADDRESS, SCHEME, files_of, path_of, url_of
from deniable.server.store.sqlite.engine import SqliteStore

__all__ = ["ADDRESS", "SCHEME", "age_of", "alone", "files_of", "open_store", "url_of"]


def open_store(url: str, *, create: bool = True, read_only: bool = False) -> SqliteStore:
    """Open the store at an address; parameters and errors as in `deniable.server.store`."""
    return SqliteStore(path_of(url), create=create, read_only=read_only)


def age_of(url: str) -> Age:
    """Return how old a store is; as in `deniable.server.store.opening`."""
    return versions.age(path_of(url))


def alone(url: str) -> AbstractContextManager[Alone]:
    """Lend a store while nobody else has it open; as in `deniable.server.store.opening`."""
    return versions.alone(path_of(url))
