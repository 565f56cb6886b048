"""What the researcher chose to look at: a revision, a confidence level and a kind of interval.

It stands in the address, so that a results page, its figures and its downloads show the same, and
can be linked to.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from flask import abort, request

from deniable.analysis import intervals
from deniable.analysis.results import Results, summarise
from deniable.server.catalogue import Catalogue
from deniable.server.store import Store
from deniable.server.tallies import Tallies
from deniable.survey import Survey

LEVELS: Final = {"90": 0.90, "95": 0.95, "99": 0.99}
"""The confidence levels that can be chosen, in percent as the address has them."""

_DEFAULT_LEVEL: Final = "95"


class Chooser:
    """Finds what a request's address asks for, or answers 404 or 400.

    Parameters
    ----------
    store : Store
    catalogue : Catalogue
        Of the same store.
    """

    def __init__(self, store: Store, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._tallies = Tallies(store)

    def survey(self, slug: str) -> Survey:
        """Return the chosen revision of a survey, the current one if none was chosen."""
        revision = request.args.get("revision")
        try:
            if revision is None:
                return self._catalogue.current(slug)
            return self._catalogue.revision(slug, revision)
        except KeyError:
            abort(HTTPStatus.NOT_FOUND)

    def results(self, slug: str) -> Results:
        """Return its estimates, with the chosen intervals."""
        level, method = self.level(), request.args.get("method", intervals.DEFAULT)
        if level not in LEVELS or method not in intervals.NAMES:
            abort(HTTPStatus.BAD_REQUEST)
        survey = self.survey(slug)
        return summarise(survey, self._tallies.of(survey), LEVELS[level], method)

    def level(self) -> str:
        """Return the chosen level as it stands in the address."""
        return request.args.get("level", _DEFAULT_LEVEL)
