"""Whether a program works, for the operator's own programs: one word, the same for everybody.

It tells nothing of respondents, surveys or reports: not how many there are, nor when one came. A
stranger who asks learns whether the server works, which the pages tell as well. The proxies of
`deploy/` answer for it themselves, so that nobody outside reaches it, and no stranger's questions
reach the store.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from deniable.server.web.problems import problem
from deniable.server.web.response import Response
from deniable.server.web.rsgi import Scope

PATH: Final = "/health"

_FRESH: Final = 1.0
"""Seconds for which an answer is good, however many ask: the store is looked at by one of them."""

_WORKS: Final = Response(HTTPStatus.OK, [("Content-Type", "text/plain; charset=utf-8")], b"ok\n")
_FAILS: Final = problem(HTTPStatus.SERVICE_UNAVAILABLE, "The store cannot be used now.")
_NOT_GET: Final = problem(
    HTTPStatus.METHOD_NOT_ALLOWED, "Health is asked for by GET.", ("Allow", "GET, HEAD")
)


class Health:
    """Answers whether the store can be used.

    Parameters
    ----------
    check : callable
        Looks at the store; raises an error of its own if it cannot be used.
    error : type
        That error.
    """

    def __init__(self, check: Callable[[], object], error: type[Exception]) -> None:
        self._check = check
        self._error = error
        self._answer = _FAILS
        self._until = 0.0
        self._lock = asyncio.Lock()

    async def answer(self, scope: Scope) -> Response:
        """Answer a request for `PATH`."""
        if scope.method not in ("GET", "HEAD"):
            return _NOT_GET
        async with self._lock:
            if time.monotonic() >= self._until:
                self._answer = await asyncio.to_thread(self._look)
                self._until = time.monotonic() + _FRESH
        return self._answer

    def _look(self) -> Response:
        try:
            self._check()
        except self._error:
            return _FAILS
        return _WORKS
