"""A Flask application that says nothing of a request: what both programs' pages have in common."""

from __future__ import annotations

import logging
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from flask import Flask
from werkzeug.exceptions import HTTPException, ServiceUnavailable

import deniable.templates
from deniable.server.web.failures import log_failure

_log = logging.getLogger(__name__)

_LATER: Final = "5"
"""Seconds after which to ask again."""


class _App(Flask):
    """Flask, except that its log says nothing of a request."""

    def log_exception(self, exc_info: Any) -> None:
        log_failure(exc_info[1])


def create_app(
    name: str, error_page: Callable[[HTTPException], Any], unavailable: type[Exception]
) -> Flask:
    """Make a Flask application without pages.

    Parameters
    ----------
    name : str
        Of the module that asks for it.
    error_page : callable
        Returns the page of an error.
    unavailable : type of Exception
        Says that the store cannot be asked now: that is 503, and no mistake of the program. Its
        message says nothing of a request.

    Returns
    -------
    Flask
    """
    # No static folder of Flask's own: every file that is served is served on purpose.
    app = _App(
        name,
        static_folder=None,
        template_folder=str(Path(deniable.templates.__file__).parent),
    )

    @app.errorhandler(HTTPException)
    def answer(error: HTTPException) -> Any:
        if error.code is None or error.code < HTTPStatus.BAD_REQUEST:
            return error  # a redirection
        # The error's own headers say, for one, which methods are allowed.
        headers = [(name, value) for name, value in error.get_headers() if name == "Allow"]
        return error_page(error), error.code, headers

    @app.errorhandler(unavailable)
    def ask_later(error: Exception) -> Any:
        _log.error("a page could not be made: %s", error)
        later = ServiceUnavailable()
        return error_page(later), later.code, [("Retry-After", _LATER)]

    return app
