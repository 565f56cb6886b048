"""A store in one SQLite file.

==============  ============================================================================
`address`       ``sqlite:///PATH``, and the files that belong to it
`engine`        `SqliteStore`: all that a store does
`accounts`      its part about the people at the desk
`drafts`        its part about the surveys that they write
`piles`         its part about sheets of paper
`invitations`   its part about codes for one report each
`connections`   connections with the settings that its promises rest on
`insertion`     reports into their tables, and what becomes of each
`snapshot`      what the desk may see of them, its tally, and what is held back
`terms`         when a survey takes reports, and when it is full
`schema`        which version a store has, and how an older one becomes a newer one
`migrations`    the tables, from the first version to the current one
`writing`       what is written seldom, through sqlite-utils: tables, surveys, copies
`tables`        sqlite-utils on a connection of the store's
==============  ============================================================================

What happens at every start and for every report needs no sqlite-utils: it is loaded by what needs
it, since loading it takes as long as the rest of a start (it loads pandas where that is installed).
"""

from deniable.server.store.sqlite.address import ADDRESS, SCHEME, files_of, path_of, url_of
from deniable.server.store.sqlite.engine import SqliteStore

__all__ = ["ADDRESS", "SCHEME", "files_of", "open_store", "url_of"]


def open_store(url: str, *, create: bool = True) -> SqliteStore:
    """Open the store at an address; parameters and errors as in `deniable.server.store`."""
    return SqliteStore(path_of(url), create=create)
