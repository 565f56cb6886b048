"""What lies in a store, asked of it as another store would."""

from deniable.server.store import Store


def reports_in(store: Store, slug: str = "doping") -> dict[bytes, bytes]:
    """Return the answers of every report to a survey, by its id; each id must be there once."""
    with store.copying(slug) as copy:
        rows = [row for one in copy.revisions for part in (one.reports, one.held) for row in part]
    reports = dict(rows)
    assert len(reports) == len(rows)
    return reports
