"""The gateway of a program: every response leaves by it, with the security headers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final

from deniable.server.web.failures import log_failure
from deniable.server.web.problems import problem
from deniable.server.web.response import Headers, Response
from deniable.server.web.rsgi import Protocol, Scope

_FAILED: Final = problem(HTTPStatus.INTERNAL_SERVER_ERROR, "Something went wrong on the server.")


class Gateway:
    """The application that granian runs.

    Parameters
    ----------
    answer : callable
        Answers a request.
    headers : callable
        Returns the headers of every response, good or bad, to requests for an address.
    """

    def __init__(
        self,
        answer: Callable[[Scope, Protocol], Awaitable[Response]],
        headers: Callable[[str], Headers],
    ) -> None:
        self._answer = answer
        self._headers = headers

    async def __call__(self, scope: Scope, protocol: Protocol) -> None:
        """Answer a request."""
        try:
            response = await self._answer(scope, protocol)
        except Exception as error:  # noqa: BLE001  the server below would print all of it
            log_failure(error)
            response = _FAILED
        protocol.response_bytes(
            int(response.status), response.headers + self._headers(scope.path), response.body
        )
