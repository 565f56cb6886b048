"""Read a request's body, up to a limit a little above the longest report."""

import asyncio
import time
import weakref
from collections.abc import Coroutine
from http import HTTPStatus
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from granian import rsgi
from granian.rsgi import HTTPProtocol as Protocol
from granian.rsgi import Scope

from deniable.server.web.problems import problem
from deniable.server.web.response import Response

_T = TypeVar("_T")

MAX_BODY: Final = 2**16
"""Bytes of a request at most; a report of 10,000 items takes a third of it."""

SECONDS: Final = 10.0
"""Seconds for the whole body to arrive. Otherwise a sender of half a body could hold a connection,
and a descriptor, for as long as they like."""

_TOO_LARGE: Final = problem(
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A request has at most {MAX_BODY} bytes."
)
_NO_NUMBER: Final = problem(HTTPStatus.BAD_REQUEST, "Content-Length is expected to be a number.")
_BROKEN_OFF: Final = problem(HTTPStatus.BAD_REQUEST, "The request ended before its body did.")
_TOO_SLOW: Final = problem(
    HTTPStatus.REQUEST_TIMEOUT,
    f"A request is expected to arrive whole within {SECONDS:.0f} seconds.",
    ("Connection", "close"),
)
# The sender has gone, or sends invalid HTTP.
_BROKEN: Final = (
    rsgi.ProtocolClosed,
    rsgi.ProtocolError,
)


class BodyError(Exception):
    """A body that is refused; carries the response."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


async def read_body(scope: Scope, protocol: Protocol) -> bytes:
    """Read the body of a request."""
    loop = asyncio.get_running_loop()
    clock = _CLOCKS.get(loop) or _CLOCKS.setdefault(loop, _Clock(loop))
    try:
        return await clock.within(_read_chunks(scope, protocol))
    except TimeoutError:
        raise BodyError(_TOO_SLOW) from None
    except _BROKEN:
        raise BodyError(_BROKEN_OFF) from None


class _Clock:
    """Cancels tasks that take longer than `SECONDS`, as `asyncio.timeout` does.

    It has one timer for all tasks of a loop. A timer for each would cost more than the reading.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        # Weak, so that the clock does not keep its loop alive.
        self._loop = weakref.ref(loop)
        self._since: dict[asyncio.Task[Any], float] = {}  # waiting tasks, the oldest first
        self._over: set[asyncio.Task[Any]] = set()
        self._runs = False

    async def within(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Await a coroutine; raise `TimeoutError` if it takes too long."""
        task = asyncio.current_task(self._loop())
        assert task is not None  # noqa: S101  for mypy: it runs in one
        cancelling = task.cancelling()
        self._since[task] = time.monotonic()
        if not self._runs:
            self._look()
        try:
            return await work
        except asyncio.CancelledError:
            # A task that was also cancelled by other code stays cancelled.
            if task in self._over and task.uncancel() <= cancelling:
                raise TimeoutError from None
            raise
        finally:
            self._since.pop(task, None)
            self._over.discard(task)

    def _look(self) -> None:
        """Cancel the tasks that have taken too long, and come back when the next one will have."""
        now, left = time.monotonic(), SECONDS
        while self._since:
            task, since = next(iter(self._since.items()))
            left = since + SECONDS - now
            if left > 0:
                break
            del self._since[task]
            self._over.add(task)
            task.cancel()
        loop = self._loop()
        self._runs = bool(self._since) and loop is not None
        if self._runs and loop is not None:
            loop.call_later(left, self._look)


_CLOCKS: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, _Clock]] = WeakKeyDictionary()


async def _read_chunks(scope: Scope, protocol: Protocol) -> bytes:
    declared = scope.headers.get("content-length")
    if declared is not None:
        if not (declared.isascii() and declared.isdigit()):
            raise BodyError(_NO_NUMBER)
        if len(declared) > len(str(MAX_BODY)) or int(declared) > MAX_BODY:
            raise BodyError(_TOO_LARGE)
        body = await protocol()
        if len(body) < int(declared):
            raise BodyError(_BROKEN_OFF)
        return body
    # Sent in chunks, so its length is known only after reading.
    body = b""
    async for chunk in protocol:
        body += chunk
        if len(body) > MAX_BODY:
            raise BodyError(_TOO_LARGE)
    return body
