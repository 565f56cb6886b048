"""Tallies of the reports in a store, counted no more often than needed."""

from __future__ import annotations

import threading

from deniable.analysis.tally import Tally, count_reports
from deniable.server.store import Store
from deniable.survey import Survey


class Tallies:
    """The latest tally of each revision that was looked at.

    Reports are only ever added, so a tally is right as long as their number is the same: a results
    page and all its figures read the reports once.

    Parameters
    ----------
    store : Store
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._latest: dict[str, Tally] = {}
        self._lock = threading.Lock()

    def of(self, survey: Survey) -> Tally:
        """Return the tally of a revision as it stands."""
        with self._lock:
            tally = self._latest.get(survey.revision)
            if tally is None or tally.n != self._store.count(survey.slug, survey.revision):
                chunks = self._store.answers(survey.slug, survey.revision)
                tally = self._latest[survey.revision] = count_reports(chunks, survey)
            return tally
