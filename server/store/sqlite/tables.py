"""sqlite-utils on a connection of the store's; whoever imports this loads it."""

from __future__ import annotations

import sqlite3
from typing import Any

import sqlite_utils


def tables_of(db: sqlite3.Connection) -> sqlite_utils.Database:
    """Return the tables behind a connection, for use inside the transaction that is open."""
    # No plugins: nothing that happens to be installed gets a hand on a connection to the store.
    return sqlite_utils.Database(db, execute_plugins=False)


def create_without_rowid(
    tables: sqlite_utils.Database, name: str, columns: dict[str, Any], key: str | tuple[str, ...]
) -> None:
    """Create a table whose rows have no number, and none of whose columns may be empty.

    A rowid counts up: it would number respondents in the order of their arrival. sqlite-utils can
    create no table without one, but writes the rest of the statement. Its `transform` would bring
    the rowid back: never use it on these tables.
    """
    sql = tables.create_table_sql(name, columns, pk=key, not_null=columns, strict=True)
    tables.execute(f"{sql.strip().removesuffix(';')}, WITHOUT ROWID")
