"""The step of a class, which a waiting phone asks for every two seconds.

The adversary wants to learn from the responses who is there: so all phones get the same bytes,
which hold the step and what the projector shows, and no request is distinguished from another. A
new phone says once that it is new, and only the number of new phones is kept. The store is asked
once a second, however many phones ask.
"""

import asyncio
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http import HTTPStatus
from typing import Final

from deniable.server.store import Store, StoreUnavailable
from deniable.server.store.meetings import is_join_code
from deniable.server.web.problems import problem
from deniable.server.web.response import Response

SECONDS: Final = 1.0
"""For how long a step is cached."""

_MOST: Final = 1_000
"""Codes that are cached at a time: more than there are meetings in a day."""

_PATH: Final = re.compile(r"/join/([^/]+)/step\.json")

JOINS: Final = "joins"
"""The query by which a phone says that it is new."""

_OVER: Final = {
    "changes": 2**53 - 1,  # the last of them
    "step": "over",
    "asks": "",
    "first": "",
    "round": 0,
    "scene": None,
}
_TRY_AGAIN: Final = problem(
    HTTPStatus.SERVICE_UNAVAILABLE, "Please ask again.", ("Retry-After", "2")
)


def step_of(path: str) -> str | None:
    """Return the meeting's code in the address of a step; None for other addresses."""
    address = _PATH.fullmatch(path)
    return address[1] if address else None


class Steps:
    """The steps of all meetings, cached for a second. For the event loop only."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, tuple[float, asyncio.Task[bytes]]] = {}
        self._joined: dict[str, int] = {}
        # One thread, so that requests to the store run beside the event loop, one by one.
        self._thread = ThreadPoolExecutor(1, "steps")

    async def answer(self, code: str, query: str = "") -> Response:
        """Return the step of a meeting; "over" if there is no such meeting."""
        now = time.monotonic()
        since, asking = self._known.get(code, (now, None))
        if asking is None or now - since >= SECONDS:
            self._forget(now)
            asking = asyncio.create_task(self._ask(code))
            self._known[code] = now, asking
        try:
            # Shielded, so that a phone that leaves does not cancel the answer for others.
            body = await asyncio.shield(asking)
        except StoreUnavailable:
            return _TRY_AGAIN
        joins = query == JOINS
        if joins and body != _write_step(code, _OVER):
            self._joined[code] = self._joined.get(code, 0) + 1
        kept = "no-store" if joins else "public, max-age=1"
        headers = [("Content-Type", "application/json"), ("Cache-Control", kept)]
        return Response(HTTPStatus.OK, headers, body)

    def close(self) -> None:
        """Store the phones that were counted since the last look at the store."""
        self._thread.shutdown()
        for code, joined in self._joined.items():
            with suppress(StoreUnavailable):
                self._store.count_in(code, joined)

    async def _ask(self, code: str) -> bytes:
        joined = self._joined.pop(code, 0)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._read_step, code, joined)

    def _read_step(self, code: str, joined: int) -> bytes:
        if not is_join_code(code):
            return _write_step(code, _OVER)
        if joined:
            self._store.count_in(code, joined)
        try:
            meeting = self._store.meeting_of_code(code)
        except KeyError:
            return _write_step(code, _OVER)
        # The desk writes it within a second of a step: until then it is of the step before.
        scene = json.loads(meeting.shown) or {}
        return _write_step(
            code,
            {
                "changes": meeting.changes,
                "step": meeting.step,
                "asks": meeting.asked,
                "first": meeting.first,
                "round": meeting.playing.round,
                "scene": scene if scene.get("step") == meeting.step else None,
            },
        )

    def _forget(self, now: float) -> None:
        # Anybody can ask for any code.
        if len(self._known) >= _MOST:
            self._known = {
                code: known for code, known in self._known.items() if now - known[0] < SECONDS
            }


def _write_step(code: str, step: dict[str, object]) -> bytes:
    return json.dumps({"about": f"/join/{code}", **step}, separators=(",", ":")).encode()
