"""Counts of responses for the operator's own programs, which time no single report.

The adversary asks each second, and wants to learn when somebody answered. So the counts change only
as a minute begins and by whole batches, and one batch stays behind, as with reports at the desk
(`moving`). Responses are counted by their status and by nothing else. A sender of many reports, to
any survey, can still fill a batch up to the last place, and see in which minute that is taken.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from deniable.server.store import moving
from deniable.server.web.problems import problem
from deniable.server.web.response import Response

PATH: Final = "/metrics"

_MINUTE: Final = 60

_LATER: Final = problem(HTTPStatus.SERVICE_UNAVAILABLE, "Please ask again.", ("Retry-After", "20"))

_log = logging.getLogger(__name__)


class Metrics:
    """Counts of responses by status. For the event loop only."""

    def __init__(
        self, batch: int, clock: Callable[[], float] = time.time, *, follows: bool = False
    ) -> None:
        self._batch = batch
        self._is_whole = not follows  # else the counts of the process before it are to come
        self._clock = clock
        self._minute = clock() // _MINUTE
        self._counted: Counter[int] = Counter()
        self._shown: Counter[int] = Counter()

    def count(self, status: int) -> None:
        """Count a response."""
        self._look()
        self._counted[status] += 1

    def answer(self) -> Response:
        """Return the published counts, in Prometheus's format."""
        if not self._is_whole:  # fewer than were told before would look like a new start
            return _LATER
        self._look()
        lines = [
            f'deniable_answers{{status="{one}"}} {self._shown[one]}' for one in self._statuses()
        ]
        text = "\n".join(["# TYPE deniable_answers counter", *lines, ""])
        head = [("Content-Type", "text/plain; version=0.0.4"), ("Cache-Control", "no-store")]
        return Response(HTTPStatus.OK, head, text.encode())

    def counts(self) -> list[Any]:
        """Return what the process that follows has to know."""
        return [self._minute, self._counted, self._shown]

    def add(self, counts: list[Any] | None) -> None:
        """Add the counts of the process before this one, which are None if it broke off."""
        if counts is not None:
            self._minute = min(self._minute, counts[0])
            for own, one in zip((self._counted, self._shown), counts[1:], strict=True):
                own.update({int(status): number for status, number in one.items()})
        self._is_whole = True

    def _statuses(self) -> list[int]:
        return sorted(one for one, shown in self._shown.items() if shown)

    def _look(self) -> None:
        """Publish more batches, if a minute has begun since the last look."""
        now = self._clock() // _MINUTE
        if now == self._minute:
            return
        for status, counted in self._counted.items():
            held = counted - self._shown[status]
            self._shown[status] += moving(held, self._batch, over=False)
        if now // 60 != self._minute // 60 and self._statuses():
            said = ", ".join(f"{one}: {self._shown[one]}" for one in self._statuses())
            _log.info("answers since the start, by status, in whole batches: %s", said)
        self._minute = now
