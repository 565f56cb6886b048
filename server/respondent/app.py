"""The respondents' pages as an application, by Flask.

It has no secret key, so Flask can read or write no session: code that uses one by mistake raises an
error, and no respondent gets a cookie.
"""

import re

from flask import Flask, render_template, request
from werkzeug.exceptions import HTTPException
from werkzeug.routing import BaseConverter

from deniable.server.respondent.pages import create_pages
from deniable.server.respondent.views import View, shown, views
from deniable.server.store import Store, StoreUnavailable
from deniable.server.store.catalogue import Catalogue
from deniable.server.web.pages import create_app
from deniable.survey.address import PATTERN


class _Address(BaseConverter):
    """The address of a survey, without its slashes."""

    regex = PATTERN[1:-1]
    part_isolating = False


def create_respondents_app(
    store: Store, catalogue: Catalogue | None = None, url: str | None = None
) -> Flask:
    """Make the Flask application of the respondents' pages."""
    catalogue = catalogue or Catalogue(store)

    def views_here() -> tuple[View, ...]:
        """Return the views of an error page, in the survey's languages, or in all languages.

        It does not use the store, which may be the cause of the error.
        """
        address = re.match(PATTERN, request.path)
        return views(catalogue.last_at(address[0]) if address else None)

    def error_page(error: HTTPException) -> str:
        return render_template("error.html", **shown(views_here()), code=error.code)

    app = create_app(__name__, error_page, StoreUnavailable, store.users)
    app.url_map.converters["survey"] = _Address
    app.register_blueprint(create_pages(store, catalogue, url))
    return app
