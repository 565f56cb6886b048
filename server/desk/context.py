"""The survey that an address names, or the answer that there is none."""

from __future__ import annotations

from http import HTTPStatus

from flask import abort

from deniable.server.store.catalogue import Catalogue
from deniable.survey import Survey


def find_survey(catalogue: Catalogue, slug: str, revision: str | None = None) -> Survey:
    """Return a revision of a survey, by default the current one, or answer 404.

    The guard of the desk has seen that there is such a survey; another process may have deleted it
    since.
    """
    try:
        return catalogue.current(slug) if revision is None else catalogue.revision(slug, revision)
    except KeyError:
        abort(HTTPStatus.NOT_FOUND)
