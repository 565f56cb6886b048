"""Surveys by slug and revision, read from the store once.

Reading a protocol document means checking all its weights, too slow to do for every report.
"""

from __future__ import annotations

from deniable.server.store import Store
from deniable.survey import Survey


class Catalogue:
    """A cache of surveys that grows with what is stored, never with what is asked for.

    Revisions never change and are never removed, so what was found once stays right; what was not
    found is looked up again each time, since another process may have added it.

    Parameters
    ----------
    store : Store
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._slugs: set[str] = set()
        self._revisions: dict[tuple[str, str], Survey] = {}

    def __contains__(self, slug: str) -> bool:
        if slug not in self._slugs:
            try:
                self._store.current_revision(slug)
            except KeyError:
                return False
            self._slugs.add(slug)
        return True

    def current(self, slug: str) -> Survey:
        """Return the current revision of a survey, even if another process has just changed it.

        Raises
        ------
        KeyError
            If there is no such survey.
        """
        return self.revision(slug, self._store.current_revision(slug))

    def revision(self, slug: str, revision: str) -> Survey:
        """Return a revision of a survey, current or not.

        Raises
        ------
        KeyError
            If there is no such revision of that survey.
        """
        survey = self._revisions.get((slug, revision))
        if survey is None:
            survey = self._revisions[slug, revision] = self._store.revision(slug, revision)
        return survey
