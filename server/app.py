"""The pages: the respondent's and the researcher's, by Flask."""

from __future__ import annotations

import secrets
from datetime import timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Any

from flask import Flask, render_template, request
from flask_wtf.csrf import CSRFProtect
from werkzeug.exceptions import HTTPException

import deniable.templates
from deniable.languages import LANGUAGES
from deniable.server.catalogue import Catalogue
from deniable.server.desk import create_desk
from deniable.server.failures import log_failure
from deniable.server.respondent import create_respondent
from deniable.server.sessions import LIFETIME
from deniable.server.store import Store
from deniable.server.words import View, shown, views


class _App(Flask):
    """Flask, except that its log says nothing of a request."""

    def log_exception(self, exc_info: Any) -> None:
        log_failure(exc_info[1])


def create_app(
    store: Store, *, public_url: str | None = None, catalogue: Catalogue | None = None
) -> Flask:
    """Make the Flask application.

    Parameters
    ----------
    store : Store
    public_url : str, optional
        Address at which people reach the server, such as ``https://survey.example.org``. With
        ``https`` the researcher's cookie is for TLS only.
    catalogue : Catalogue, optional
        To share with the intake.

    Returns
    -------
    Flask
    """
    https = is_https(public_url)
    # No static folder of Flask's own: every file that is served is served on purpose.
    app = _App(
        __name__,
        static_folder=None,
        template_folder=str(Path(deniable.templates.__file__).parent),
    )
    app.config.update(
        # Made anew at each start and kept in memory: whoever steals the disk can forge no session.
        SECRET_KEY=secrets.token_bytes(32),
        # The cookie is the researcher's alone. Browsers send it to the desk's pages only, or, on
        # TLS, hold it to this very host by its __Host- name, which asks for the path "/".
        SESSION_COOKIE_NAME="__Host-desk" if https else "desk",
        SESSION_COOKIE_PATH="/" if https else "/desk",
        SESSION_COOKIE_SECURE=https,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        # A session ends where it is kept (`sessions.py`). The cookie need not be written anew by
        # every page, as it is by default, which would have it last for as long as somebody looks.
        PERMANENT_SESSION_LIFETIME=timedelta(seconds=LIFETIME),
        SESSION_REFRESH_EACH_REQUEST=False,
        # A form stays good as long as the session. The check of the referrer on TLS would refuse
        # every form, because these pages send none.
        WTF_CSRF_TIME_LIMIT=None,
        WTF_CSRF_SSL_STRICT=False,
        MAX_CONTENT_LENGTH=2**16,
    )
    CSRFProtect(app)
    catalogue = catalogue or Catalogue(store)
    app.register_blueprint(create_respondent(store, catalogue))
    app.register_blueprint(create_desk(store, catalogue, public_url))

    def views_here() -> tuple[View, ...]:
        """Return what an error's page says: in the survey's languages, or in all if it is of none.

        The desk speaks English.
        """
        room, _, rest = request.path.strip("/").partition("/")
        try:
            survey = catalogue.current(rest.split("/")[0]) if room == "s" else None
        except KeyError:
            survey = None
        return views(survey, language=LANGUAGES[0] if room == "desk" else None)

    @app.errorhandler(HTTPException)
    def error_page(error: HTTPException) -> Any:
        if error.code is None or error.code < HTTPStatus.BAD_REQUEST:
            return error  # a redirection
        page = render_template("error.html", **shown(views_here()), code=error.code)
        # The error's own headers say, for one, which methods are allowed.
        headers = [(name, value) for name, value in error.get_headers() if name == "Allow"]
        return page, error.code, headers

    return app


def is_https(public_url: str | None) -> bool:
    """Return whether people reach the server by TLS."""
    return (public_url or "").startswith("https://")
