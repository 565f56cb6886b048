"""The Flask application of both programs' pages, which logs nothing of a request."""

import logging
import sys
import threading
import time
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

_LOOK_EVERY: Final = 5.0
"""Seconds between two looks whether an outage is over."""


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


class _Outage:
    """Logs when pages begin to fail for want of the store and when that ends, but no visit."""

    def __init__(self, look: Callable[[], object], unavailable: type[Exception]) -> None:
        self._look = look
        self._unavailable = unavailable
        self._watching = threading.Lock()

    def begin(self, error: Exception) -> None:
        """Record that a page failed; the first one of an outage is logged."""
        if self._watching.acquire(blocking=False):
            _log.error("pages cannot be made: %s", error)
            threading.Thread(target=self._wait_for_end, name="outage", daemon=True).start()

    def _wait_for_end(self) -> None:
        # By looks of its own: a visit that succeeds need not have used the store.
        while True:
            time.sleep(_LOOK_EVERY)
            with suppress(self._unavailable):
                self._look()
                break
        _log.warning("pages can be made again")
        self._watching.release()


class _App(Flask):
    """Flask, except that its log has nothing of a request."""

    def log_exception(self, exc_info: Any) -> None:
        log_failure(exc_info[1])


def create_app(
    name: str,
    error_page: Callable[[HTTPException], Any],
    unavailable: type[Exception],
    look: Callable[[], object],
) -> Flask:
    """Make a Flask application without pages.

    `look`: raises `unavailable` while pages cannot be made.
    """
    outage = _Outage(look, unavailable)
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
        outage.begin(error)
        later = ServiceUnavailable()
        return error_page(later), later.code, [("Retry-After", _LATER)]

    return app
