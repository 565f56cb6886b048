"""Flask's pages behind the event loop: a thread answers each request, as WSGI requires."""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from granian.rsgi import HTTPProtocol as Protocol
from granian.rsgi import Scope

from deniable.server.web.body import BodyError, read_body
from deniable.server.web.problems import problem
from deniable.server.web.response import Response

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication, WSGIEnvironment

THREADS: Final = 16
"""Pages that are made at the same time."""

MOST_OF_A_LIST: Final = 1024
"""Characters in headers that Werkzeug parses, at most: 62 kB of `Accept` take it 60 ms."""

_LISTS: Final = ("accept", "if-")
_TOO_LONG: Final = problem(
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    f"Headers that begin with Accept or If- have at most {MOST_OF_A_LIST} characters in all.",
)


class Pages:
    """A WSGI application that can be awaited."""

    def __init__(self, app: WSGIApplication, headers: Collection[str] | None = None) -> None:
        self._app = app
        self._headers = headers
        self._threads = ThreadPoolExecutor(THREADS, "pages")

    async def answer(self, scope: Scope, protocol: Protocol) -> Response:
        """Answer a request by the application, in a thread."""
        lists = (value for name, value in scope.headers.items() if name.lower().startswith(_LISTS))
        if sum(map(len, lists)) > MOST_OF_A_LIST:
            return _TOO_LONG
        try:
            body = await read_body(scope, protocol)
        except BodyError as error:
            return error.response
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._threads, self._call, _environ(scope, body, self._headers)
        )

    def _call(self, environ: WSGIEnvironment) -> Response:
        # At the first page, so that the desk starts soon.
        from werkzeug.test import run_wsgi_app  # noqa: PLC0415

        body, status, headers = run_wsgi_app(self._app, environ, buffered=True)
        return Response(int(status.split(" ", 1)[0]), [*headers], b"".join(body))


def _environ(scope: Scope, body: bytes, headers: Collection[str] | None) -> WSGIEnvironment:
    """Return a request's WSGI environment (PEP 3333), without the sender's address."""
    host = scope.headers.get("host") or "localhost"
    name, _, port = host.rpartition(":") if ":" in host else (host, "", "80")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        # WSGI requires the bytes of the path, one in each character.
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string,
        "SERVER_NAME": name,
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for header, value in scope.headers.items():
        if headers is not None and header.lower() not in headers:
            continue
        key = header.upper().replace("-", "_")
        if key == "CONTENT_LENGTH":
            continue
        if key != "CONTENT_TYPE":
            key = f"HTTP_{key}"
        environ[key] = value if key not in environ else f"{environ[key]},{value}"
    return environ
