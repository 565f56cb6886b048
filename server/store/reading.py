"""All that a store has of a survey, by revision, and whether it can be read at all."""

from __future__ import annotations

from collections.abc import Iterator

from deniable.server.store.errors import KeyFileError, StoreUnavailable
from deniable.server.store.keys import NO_KEYS, KeyFile
from deniable.server.store.store import Store
from deniable.survey import Survey


def look(store: Store) -> None:
    """Look whether a store can be used: it is in its place, and its database answers."""
    store.check_place()
    store.users()


def trouble_of(store: Store, keys: KeyFile = NO_KEYS) -> str | None:
    """Return why a store or a private key cannot be used; None if all can."""
    try:
        look(store)
        if keys is not NO_KEYS:
            keys.check(store.marks())
    except (StoreUnavailable, KeyFileError) as error:
        return str(error)
    return None


def by_revision(store: Store, slug: str) -> Iterator[tuple[Survey, Iterator[bytes]]]:
    """Read every revision of a survey with the answers of its reports."""
    for revision in store.revisions(slug):
        yield store.revision(slug, revision), store.answers(slug, revision)
