"""Surveys by slug and revision, read from the store once.

Reading a protocol document means checking all its weights, too slow to do for every report.
"""

from deniable.server.store import Store, StoreUnavailable
from deniable.survey import Survey


class Catalogue:
    """A cache of surveys that grows with what is stored, never with what is asked for.

    What a revision says changes by corrected words alone, so it is read once for each number.
    Whether it is there changes too: another process may add it, and delete it. So that is asked of
    the store each time, but for reports (`knows`, `remembered`), which the store itself refuses if
    their survey is gone. While the store is away, the current revision is the one asked last.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._last: dict[str, str] = {}
        self._addresses: dict[str, str] = {}
        self._revisions: dict[tuple[str, str], Survey] = {}

    def __contains__(self, slug: str) -> bool:
        try:
            self._current(slug)
        except KeyError:
            return False
        return True

    def knows(self, slug: str) -> bool:
        """Return whether there is such a survey, or was one when that was asked last."""
        return slug in self._last or slug in self

    def slug_at(self, address: str) -> str:
        """Return whose address that is, or was when somebody asked for it last; or KeyError."""
        if address not in self._addresses:
            slug = self._store.slug_at(address)
            if self.current(slug).address != address:
                raise KeyError(address)
            self._addresses[address] = slug
        return self._addresses[address]

    def last(self, slug: str) -> Survey | None:
        """Return the current revision of a survey, as it was when somebody asked for it last."""
        return self._revisions.get((slug, self._last.get(slug, "")))

    def last_at(self, address: str) -> Survey | None:
        """Return the same by the address."""
        return self.last(self._addresses.get(address, ""))

    def current(self, slug: str) -> Survey:
        """Return the current revision, even if another process has just changed it, or KeyError."""
        return self.remembered(slug, self._current(slug))

    def found(self, slug: str) -> Survey | None:
        """Return the same, or None if there is no such survey."""
        try:
            return self.current(slug)
        except KeyError:
            return None

    def revision(self, slug: str, revision: str) -> Survey:
        """Return a revision of a survey, current or not, or KeyError."""
        if slug not in self or revision not in self._store.revisions(slug):
            raise KeyError(revision)
        return self.remembered(slug, revision)

    def remembered(self, slug: str, revision: str) -> Survey:
        """Return the same, perhaps of a survey that was deleted since."""
        survey = self._revisions.get((slug, revision))
        if survey is None:
            survey = self._revisions[slug, revision] = self._store.revision(slug, revision)
        return survey

    def is_alone(self, slug: str, revision: str) -> bool:
        """Return whether there is no other revision, by which anybody can have reported a part."""
        try:
            return self._store.revisions(slug) == [revision]
        except KeyError:  # deleted since
            return False

    def _current(self, slug: str) -> str:
        try:
            revision, number = self._store.current_wording(slug)
        except KeyError:
            self._last.pop(slug, None)
            self._forget(slug)
            raise
        except StoreUnavailable:
            if slug not in self._last:
                raise
            return self._last[slug]
        # By what was read itself: somebody slow may have read it before it was corrected.
        last = self.last(slug)
        if last is not None and number != last.number:
            self._forget(slug)
        self._last[slug] = revision
        return revision

    def _forget(self, slug: str) -> None:
        for key in [key for key in self._revisions if key[0] == slug]:
            self._revisions.pop(key, None)
