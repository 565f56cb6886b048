"""What a meeting shows, as server-sent events: one each time when it changes.

The adversary opens streams until there is no room for others: there are a few dozen at most, and
whoever comes then is told to ask for the same again and again. However many read one meeting, the
store is asked once.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from granian.rsgi import Scope

from deniable.server.store import StoreUnavailable
from deniable.server.web.problems import problem
from deniable.server.web.response import Headers, Response, Stream

if TYPE_CHECKING:
    from deniable.server.desk.live.state import Moment

MOST: Final = 48
"""Streams at the same time."""

TICK: Final = 0.25
"""Seconds between two looks at whether something has changed."""

HEARTBEAT: Final = 10.0
"""Seconds of silence after which a stream says that it is still there: proxies close quiet ones."""

_PATH: Final = re.compile(r"/desk/projector/([^/]+)/events")
_HEADERS: Final[Headers] = [
    ("Content-Type", "text/event-stream; charset=utf-8"),
    # A proxy in front that gathers answers would hold events back: nginx asks for this header.
    ("X-Accel-Buffering", "no"),
]
_FULL: Final = problem(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "Too many pages follow meetings. Ask for scene.json again and again.",
    ("Retry-After", "5"),
)
_NO_MEETING: Final = problem(HTTPStatus.NOT_FOUND, "There is no such meeting.")
_OVER: Final = b"event: over\ndata: {}\n\n"
_HERE: Final = b": here\n\n"


def meeting_of(path: str) -> str | None:
    """Return whose events an address has; None if it is no address of events."""
    address = _PATH.fullmatch(path)
    return None if address is None else address[1]


class Streams:
    """The streams of all meetings, on the event loop only; `moment` may take long."""

    def __init__(self, moment: Callable[[str], Moment], heartbeat: float = HEARTBEAT) -> None:
        self._moment = moment
        self._heartbeat = heartbeat
        self._watches: dict[str, _Watch] = {}
        self._ended = False
        # One thread: what is computed for a class is computed once, and never beside itself.
        self._thread = ThreadPoolExecutor(1, "scenes")

    async def answer(self, id: str, scope: Scope) -> Response | Stream:
        """Answer a request for the events of a meeting."""
        try:
            watch = await self._watch(id)
        except KeyError:
            return _NO_MEETING
        # Not before: many who come at once wait for the same, and none of them reads yet.
        if self._ended or sum(watch.readers for watch in self._watches.values()) >= MOST:
            return _FULL
        return Stream(_HEADERS, self._events(watch, scope.headers.get("last-event-id") or ""))

    def end(self) -> None:
        """End all streams: the program stops. Whoever reads one comes again when it is back."""
        self._ended = True
        for watch in self._watches.values():
            watch.wake()

    async def _watch(self, id: str) -> _Watch:
        """Return what looks after a meeting."""
        if id not in self._watches:
            now = await self._ask(id)
            if id not in self._watches:
                self._watches[id] = _Watch(id, now)
                self._watches[id].task = asyncio.create_task(self._look(self._watches[id]))
        return self._watches[id]

    async def _ask(self, id: str) -> Moment:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._moment, id)

    async def _look(self, watch: _Watch) -> None:
        """Look at a meeting again and again, as long as somebody reads its events."""
        try:
            while True:
                await asyncio.sleep(TICK)
                if not watch.readers or self._ended:
                    return
                try:
                    now = await self._ask(watch.id)
                except StoreUnavailable:
                    continue
                if now != watch.now:
                    watch.now = now
                    watch.wake()
        except KeyError:
            watch.now = None
        finally:
            del self._watches[watch.id]
            watch.wake()

    async def _events(self, watch: _Watch, last: str) -> AsyncGenerator[bytes, None]:
        """Write what a meeting shows, unless it is what somebody has seen last."""
        watch.readers += 1
        try:
            while watch.now is not None:
                if self._ended:
                    return
                if watch.now.id != last:
                    last = watch.now.id
                    yield f"id: {last}\ndata: {watch.now.text}\n\n".encode()
                elif not await watch.changes(self._heartbeat):
                    yield _HERE
            yield _OVER
        finally:
            watch.readers -= 1


class _Watch:
    """A meeting that somebody looks at: what it shows is None once it is over."""

    def __init__(self, id: str, now: Moment) -> None:
        self.id = id
        self.now: Moment | None = now
        self.readers = 0
        self.task: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()

    def wake(self) -> None:
        """Tell everybody who waits that something has changed."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def changes(self, seconds: float) -> bool:
        """Wait until something has changed, or for so long; return whether it has."""
        try:
            await asyncio.wait_for(self._changed.wait(), seconds)
        except TimeoutError:
            return False
        return True
