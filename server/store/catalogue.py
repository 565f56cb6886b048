"""Which revision and wording of each survey is current, in a cache.

Reading a survey's document checks all its weights, which is too slow for every report.
"""

from deniable.server.store import Store, StoreUnavailable
from deniable.survey import Survey


class Catalogue:
    """A cache that grows with the stored surveys, never with requests.

    Only corrected words change a revision, so each of its wordings is read once. Another process
    may add or delete it, so the store is asked each time whether it exists, except for reports
    (`slug_at`, `remembered`), which the store itself refuses if their survey is gone. While the
    store is away, the current revision is the last known one.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._last: dict[str, str] = {}
        self._addresses: dict[str, str] = {}
        self._revisions: dict[tuple[str, str], Survey] = {}

    def __contains__(self, slug: str) -> bool:
        try:
            self._current_revision(slug)
        except KeyError:
            return False
        return True

    def slug_at(self, address: str) -> str:
        """Return the slug at an address, possibly of a survey deleted since; or raise KeyError."""
        if address not in self._addresses:
            slug = self._store.slug_at(address)
            if self.current(slug).address != address:
                raise KeyError(address)
            self._addresses[address] = slug
        return self._addresses[address]

    def last(self, slug: str) -> Survey | None:
        """Return the current wording of a survey as last known, without asking the store."""
        return self._revisions.get((slug, self._last.get(slug, "")))

    def last_at(self, address: str) -> Survey | None:
        """Return the current wording as last known, by the survey's address."""
        return self.last(self._addresses.get(address, ""))

    def current(self, slug: str) -> Survey:
        """Return the current wording, even if another process just changed it; or KeyError."""
        return self.remembered(slug, self._current_revision(slug))

    def found(self, slug: str) -> Survey | None:
        """Return the current wording, or None if there is no such survey."""
        try:
            return self.current(slug)
        except KeyError:
            return None

    def revision(self, slug: str, revision: str) -> Survey:
        """Return a revision of a survey, current or not; or raise KeyError."""
        if slug not in self or revision not in self._store.revisions(slug):
            raise KeyError(revision)
        return self.remembered(slug, revision)

    def remembered(self, slug: str, revision: str) -> Survey:
        """Return a revision, perhaps of a survey that was deleted since."""
        survey = self._revisions.get((slug, revision))
        if survey is None:
            survey = self._revisions[slug, revision] = self._store.revision(slug, revision)
        return survey

    def revisions(self, slug: str) -> list[Survey]:
        """Return every revision of a survey, the newest first; or raise KeyError."""
        self._current_revision(slug)  # forgets what was corrected
        return [self.remembered(slug, one) for one in self._store.revisions(slug)]

    def is_alone(self, slug: str, revision: str) -> bool:
        """Return whether a survey has this revision only: then no report lacks reported items."""
        try:
            return self._store.revisions(slug) == [revision]
        except KeyError:  # it was deleted
            return False

    def _current_revision(self, slug: str) -> str:
        try:
            revision, check_number = self._store.current_wording(slug)
        except KeyError:
            if (last := self.last(slug)) is not None:
                self._addresses.pop(last.address, None)
            self._last.pop(slug, None)
            self._forget(slug)
            raise
        except StoreUnavailable:
            if slug not in self._last:
                raise
            return self._last[slug]
        # Compare with the cached survey: a slow thread may have read it before the correction.
        last = self.last(slug)
        if last is not None and check_number != last.check_number:
            self._forget(slug)
        self._last[slug] = revision
        return revision

    def _forget(self, slug: str) -> None:
        for key in [key for key in self._revisions if key[0] == slug]:
            self._revisions.pop(key, None)
