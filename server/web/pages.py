"""The Flask application of both programs' pages, which logs nothing of a request."""

import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from flask import Flask
from jinja2 import BytecodeCache, FileSystemBytecodeCache
from jinja2.bccache import Bucket
from werkzeug.exceptions import HTTPException, ServiceUnavailable

from deniable.server.web.failures import log_failure
from deniable.templates import FOLDER

_log = logging.getLogger(__name__)

_LATER: Final = "5"
"""Seconds in ``Retry-After``."""


class _Compiled(FileSystemBytecodeCache):
    """A cache of compiled templates, kept between starts of a server if the folder is writable."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):  # the server may not be allowed to write the folder
            super().dump_bytecode(bucket)


def compiled_templates(folder: Path) -> BytecodeCache | None:
    """Cache compiled templates in ``__pycache__``, unless Python writes no bytecode."""
    if sys.dont_write_bytecode:
        return None
    place = folder / "__pycache__"
    try:
        place.mkdir(exist_ok=True)
    except OSError:
        return None
    return _Compiled(str(place))


class _App(Flask):
    """Flask, except that its log has nothing of a request."""

    def log_exception(self, exc_info: Any) -> None:
        log_failure(exc_info[1])


def create_app(
    name: str, error_page: Callable[[HTTPException], Any], unavailable: type[Exception]
) -> Flask:
    """Make a Flask application without pages."""
    # No static folder: each served file is chosen explicitly.
    app = _App(
        name,
        static_folder=None,
        template_folder=str(FOLDER),
    )
    # A doubled slash is an error: Flask's redirection would repeat the request's host.
    app.url_map.merge_slashes = False
    app.jinja_options = {"bytecode_cache": compiled_templates(FOLDER)}

    @app.errorhandler(HTTPException)
    def answer(error: HTTPException) -> Any:
        if error.code is None or error.code < HTTPStatus.BAD_REQUEST:
            return error  # a redirection
        # Of the error's own headers, only the allowed methods.
        headers = [(name, value) for name, value in error.get_headers() if name == "Allow"]
        return error_page(error), error.code, headers

    @app.errorhandler(unavailable)
    def ask_later(error: Exception) -> Any:
        _log.error("a page could not be made: %s", error)
        later = ServiceUnavailable()
        return error_page(later), later.code, [("Retry-After", _LATER)]

    return app
