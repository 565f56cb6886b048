"""sqlite-utils on a connection of the store's; whoever imports this loads it."""

from __future__ import annotations

import sqlite3

import sqlite_utils


def tables_of(db: sqlite3.Connection) -> sqlite_utils.Database:
    """Return the tables behind a connection, for use inside the transaction that is open."""
    # No plugins: nothing that happens to be installed gets a hand on a connection to the store.
    return sqlite_utils.Database(db, execute_plugins=False)
