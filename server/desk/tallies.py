"""Tallies of the reports in a store, counted no more often than needed."""

from __future__ import annotations

import threading

from deniable.analysis.tally import Tally, count_reports
from deniable.analysis.waves import count_waves
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
        self._waves: dict[str, tuple[int, dict[int, Tally]]] = {}
        self._lock = threading.Lock()

    def of(self, survey: Survey) -> Tally:
        """Return the tally of a revision as it stands."""
        with self._lock:
            tally = self._latest.get(survey.revision)
            if tally is None or tally.n != self._store.count(survey.slug, survey.revision):
                chunks = self._store.answers(survey.slug, survey.revision)
                tally = self._latest[survey.revision] = count_reports(chunks, survey)
            return tally

    def by_wave(self, survey: Survey) -> dict[int, Tally]:
        """Return the tally of each wave of a revision that has reports, as it stands."""
        with self._lock:
            count = self._store.count(survey.slug, survey.revision)
            known, tallies = self._waves.get(survey.revision, (None, {}))
            if known != count:
                tallies = count_waves(self._store.answers(survey.slug, survey.revision), survey)
                counted = sum(tally.n for tally in tallies.values())
                self._waves[survey.revision] = counted, tallies
            return tallies
