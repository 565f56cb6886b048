"""What lies in a store, asked of it as another store would."""

from typing import Any

from deniable.server.store import Store


def reports_in(store: Store, slug: str = "doping") -> dict[bytes, bytes]:
    """Return the answers of every report to a survey, by its id; each id must be there once."""
    with store.copying(slug) as copy:
        rows = [row for one in copy.revisions for part in (one.reports, one.held) for row in part]
    reports = dict(rows)
    assert len(reports) == len(rows)
    return reports


def adopt(second: Store, store: Store, slug: str = "doping") -> int:
    """Copy a survey into another store, and return how many reports it has."""
    with store.copying(slug) as copy:
        return second.adopt(copy)


def tables_in(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of every table that has some, but for people who are signed in."""
    with store.copying_all() as tables:
        rows = {table.name: [*table.rows] for table in tables}
    return {name: found for name, found in rows.items() if found}
