"""Check that a PostgreSQL server's settings keep the promises that the tables cannot."""

import time
from collections.abc import Iterator
from typing import Final

from deniable.server.store.errors import clock_apart
from deniable.server.store.sql.database import Database

_TELLS: Final = "the log of the database then holds reports with their times"

_EXPECTED: Final = {
    "fsync": (("on",), "a power cut loses reports that were acknowledged"),
    "full_page_writes": (("on",), "a power cut can leave half of a page"),
    "log_statement": (("none", "ddl"), _TELLS),
    "log_min_duration_statement": (("-1",), _TELLS),
    "log_min_duration_sample": (("-1",), _TELLS),
    "log_parameter_max_length_on_error": (("0",), _TELLS),
    # Not set unless its library is loaded.
    "auto_explain.log_min_duration": (("-1",), _TELLS),
    "track_commit_timestamp": (("off",), "the database then keeps when each transaction was"),
    "archive_mode": (("off",), "the archive then holds every report in the order of arrival"),
}
"""The allowed values of each setting, and what happens otherwise."""


def faults(db: Database, name: str) -> Iterator[str]:
    """Yield a sentence for each fault of a store's server."""
    for setting, (allowed, otherwise) in _EXPECTED.items():
        (found,) = db.execute("SELECT current_setting(?, true)", (setting,)).fetchone()
        if found is not None and found not in allowed:
            yield (f"{name}: {setting} is {found}, expected {allowed[0]}, because {otherwise}.")
    role, is_super, now = db.execute(
        "SELECT current_user::text, rolsuper, extract(epoch FROM clock_timestamp())::float8 "
        "FROM pg_roles WHERE rolname = current_user"
    ).fetchone()
    if is_super:
        yield f"{name}: {role} is a superuser, expected a role that owns this database alone."
    yield from clock_apart(name, now - time.time())
