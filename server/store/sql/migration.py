"""Migration from each older version to this one, the same in both engines."""

from collections.abc import Mapping

from deniable.server.store.sql import tables
from deniable.server.store.sql.database import Database


class SchemaMismatch(Exception):
    """The tables are not a store's, or have a version that this program cannot read."""


def check_version(found: int) -> None:
    """Refuse a store of a version that this program does not know."""
    this = tables.VERSION
    if found > this:
        raise SchemaMismatch(
            f"found a store of version {found}, expected at most version {this}: it was "
            "written by a newer deniable; update this one"
        )
    if found < 1:
        raise SchemaMismatch(
            f"found a store of version {found}, expected at least version 1: it is damaged; "
            "restore its last backup ('deniable restore')"
        )


def migrate(db: Database, types: Mapping[str, str], found: int) -> None:
    """Bring a store from the version `found` to this one, in the caller's transaction."""
    for version in range(found + 1, tables.VERSION + 1):
        for change, _ in tables.CHANGES[version]:
            db.execute(change.format_map(types))


def undo(db: Database, types: Mapping[str, str], wanted: int) -> None:
    """Turn empty tables of this version into tables of the version `wanted`."""
    for version in range(tables.VERSION, wanted, -1):
        for _, undoing in reversed(tables.CHANGES[version]):
            db.execute(undoing.format_map(types))
