"""The addresses of existing and deleted surveys, in a transaction that the caller commits."""

from deniable.server.store.errors import StoreError
from deniable.server.store.schedule import State
from deniable.server.store.sql.database import Database
from deniable.survey import Survey
from deniable.survey.address import address_of
from deniable.survey.kind import Kind


def listed(db: Database) -> list[tuple[str, Kind]]:
    """Return the slug and kind of each survey, in the order of slugs."""
    rows = db.execute("SELECT slug, kind FROM surveys WHERE revision <> '' ORDER BY slug")
    return [*rows.fetchall()]


def check_unused(db: Database, store: str, survey: Survey) -> None:
    """Refuse a new survey at the address of another one, existing or deleted."""
    address = address_of(survey.slug, survey.kind)
    had = was_there(db, address)
    others = [slug for slug, kind in listed(db) if address_of(slug, kind) == address]
    if had or others:
        whose = f"{others[0]!r}" if others else "a survey that was deleted"
        raise StoreError(
            f"{store}: the address {address} of {survey.slug!r} is that of {whose}, and an address "
            "is used once; give this survey another name"
        )


def was_there(db: Database, address: str) -> bool:
    """Return whether an address belonged to a survey that was deleted."""
    return db.execute("SELECT 1 FROM surveys WHERE slug = ?", (address,)).fetchone() is not None


def keep_address(db: Database, slug: str) -> None:
    """Keep the address of a survey that is about to be deleted, and nothing else of it."""
    db.execute(
        "INSERT INTO surveys (slug, revision, state) SELECT ?, '', ? FROM surveys "
        "WHERE slug = ? AND kind = 'survey'",
        (address_of(slug), State.CLOSED, slug),
    )
