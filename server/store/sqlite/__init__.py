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

from deniable.server.store.sqlite.address import ADDRESS, SCHEME, files_of, url_of
from deniable.server.store.sqlite.engine import open_store
from deniable.server.store.sqlite.versions import age_of, alone

__all__ = ["ADDRESS", "SCHEME", "age_of", "alone", "files_of", "open_store", "url_of"]
