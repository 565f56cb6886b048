"""The respondents' pages as an application, by Flask.

There is no secret key in it, so Flask has no session to read or to write: whoever adds one by
mistake gets an error, and no respondent a cookie.
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
        """Return what an error's page says, in the survey's languages, or in all of them.

        Without the store, which may be what is wrong.
        """
        address = re.match(PATTERN, request.path)
        return views(catalogue.last_at(address[0]) if address else None)

    def error_page(error: HTTPException) -> str:
        return render_template("error.html", **shown(views_here()), code=error.code)

    app = create_app(__name__, error_page, StoreUnavailable)
    app.url_map.converters["survey"] = _Address
    app.register_blueprint(create_pages(store, catalogue, url))
    return app
