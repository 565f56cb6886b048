"""The gateway of a program: it adds the security headers to every response."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final

from granian.rsgi import HTTPProtocol as Protocol
from granian.rsgi import Scope

from deniable.server.web.failures import log_failure
from deniable.server.web.health import PATH, Health
from deniable.server.web.problems import problem
from deniable.server.web.response import Headers, Response

_NOT_FOUND: Final = problem(HTTPStatus.NOT_FOUND, "There is no such address.")
MOST_OF_A_PATH: Final = 1024
"""Characters of a path, at most. No address of ours has more than 200 of them; what mail programs
and people add to a link stays below it, too."""

_TOO_LONG: Final = problem(
    HTTPStatus.REQUEST_URI_TOO_LONG, f"An address has at most {MOST_OF_A_PATH} characters."
)
_ONCE: Final = frozenset(
    "authorization content-encoding content-length content-type origin sec-fetch-site survey-pin"  # noqa: SIM905
    " survey-token".split()
)
"""The headers that decide something, and so may not come twice: programs on the way could go by the
first line, and this one by the last. Others, such as ``Cookie``, may come in several lines."""

_NO_HOST: Final = problem(HTTPStatus.BAD_REQUEST, "Expected one line Host in the request.")
_TWICE: Final = problem(
    HTTPStatus.BAD_REQUEST, f"Expected at most one line of each of {', '.join(sorted(_ONCE))}."
)
_STOPPING: Final = problem(HTTPStatus.SERVICE_UNAVAILABLE, "The server is stopping.")
_FAILED: Final = problem(HTTPStatus.INTERNAL_SERVER_ERROR, "Something went wrong on the server.")


class Gateway:
    """The application that granian runs."""

    def __init__(
        self,
        answer: Callable[[Scope, Protocol], Awaitable[Response]],
        headers: Callable[[str, str, str], Headers],
        health: Health,
        *,
        count: Callable[[int], object] | None = None,
        takes_doubled: Callable[[str], bool] | None = None,
    ) -> None:
        self._answer = answer
        self._headers = headers
        self._health = health
        self._count = count  # called with each response's status
        # Whether a path that begins with `//` is answered all the same; by default none is.
        self._takes_doubled = takes_doubled
        # Whether the server is stopping: it still answers, and tells a proxy to go elsewhere.
        self.stopping = False
        # Whether another process takes its place: it answers each connection once more.
        self.leaving = False

    async def __call__(self, scope: Scope, protocol: Protocol) -> None:
        """Answer a request."""
        path = scope.path
        try:
            if len(path) > MOST_OF_A_PATH:
                # Before any pattern sees it, also those that choose the headers.
                path, response = "", _TOO_LONG
            else:
                response = await self._answered(scope, protocol)
        except Exception as error:  # noqa: BLE001  the server below would print all of it
            log_failure(error)
            response = _FAILED
        host = scope.headers.get("host") or ""
        headers = response.headers + self._headers(path, scope.method, host)
        if self.stopping or self.leaving:
            headers.append(("Connection", "close"))
        if self._count is not None:
            self._count(int(response.status))
        protocol.response_bytes(int(response.status), headers, response.body)

    async def _answered(self, scope: Scope, protocol: Protocol) -> Response:
        names = [name for name, _ in scope.headers.items()]
        if not _names_one_host(names, scope.http_version):
            return _NO_HOST
        if len({*names}) < len(names) and any(names.count(name) > 1 for name in _ONCE):
            return _TWICE
        # WSGI reads `//x` as `/x`, so the response would carry another path's headers.
        if scope.path.startswith("//") and not (
            self._takes_doubled and self._takes_doubled(scope.path)
        ):
            return _NOT_FOUND
        # Before any page: a health check must load nothing.
        if scope.path == PATH:
            return _STOPPING if self.stopping else await self._health.answer(scope)
        return await self._answer(scope, protocol)


def _names_one_host(names: list[str], version: str) -> bool:
    """Return whether a request has one Host header; HTTP/1.0 may omit it (RFC 9112, 3.2)."""
    named = names.count("host")
    return named == 1 or (named == 0 and version != "1.1")
