"""Whether a program works, for the operator's own programs: one word, the same for everybody.

It reveals nothing about respondents or reports: not how many there are, nor when one came. A
stranger learns whether the server works, as from its pages. A program on this machine also gets the
reason of a failure. The proxies of `deploy/` answer this address themselves, so that no stranger's
requests reach the store.

The result is renewed by a timer, from the first question on. So neither what a stranger is told nor
how long that takes depends on whether somebody reported a moment ago.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from deniable.server.web.failures import log_failure
from deniable.server.web.problems import problem
from deniable.server.web.response import Response

if TYPE_CHECKING:
    from granian.rsgi import Scope

PATH: Final = "/health"

_EVERY: Final = 5.0
"""Seconds between two looks at the store."""

_WORKS: Final = Response(HTTPStatus.OK, [("Content-Type", "text/plain; charset=utf-8")], b"ok\n")
UNUSABLE: Final = "The store or its keys cannot be used now."
_FAILS: Final = problem(HTTPStatus.SERVICE_UNAVAILABLE, UNUSABLE)
_NOT_GET: Final = problem(
    HTTPStatus.METHOD_NOT_ALLOWED, "Health is asked for by GET.", ("Allow", "GET, HEAD")
)


class Health:
    """Answers whether a program works."""

    def __init__(
        self,
        look: Callable[[], Awaitable[str | None]],
        may_know: Callable[[Scope], bool] = lambda _: False,
    ) -> None:
        self._look = look
        self._may_know = may_know
        self._trouble: str | None = None
        self._looked = asyncio.Event()
        self._look_now: asyncio.Task[None] | None = None

    async def answer(self, scope: Scope) -> Response:
        """Answer a request for `PATH`."""
        if scope.method not in ("GET", "HEAD"):
            return _NOT_GET
        if self._look_now is None:
            self._renew()
        await self._looked.wait()
        if self._trouble is None:
            return _WORKS
        if self._may_know(scope):
            return problem(HTTPStatus.SERVICE_UNAVAILABLE, f"{UNUSABLE} {self._trouble}")
        return _FAILS

    def _renew(self) -> None:
        self._look_now = asyncio.create_task(self._look_and_again())

    async def _look_and_again(self) -> None:
        try:
            self._trouble = await self._look()
        except Exception as error:  # noqa: BLE001  the next look must come all the same
            log_failure(error)
            self._trouble = type(error).__name__
        self._looked.set()
        asyncio.get_running_loop().call_later(_EVERY, self._renew)
