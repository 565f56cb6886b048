"""Counts of responses for the operator's own programs, which time no single report.

The adversary asks each second, and wants to learn when somebody answered. So the counts change only
as a minute begins and by whole batches, and one batch stays behind, as with reports at the desk
(`moving`). They begin anew with the process, each half hour. Responses are counted by their status
and by nothing else. A sender of many reports, to any survey, can still fill a batch up to the last
place, and see in which minute that is taken.
"""

import time
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from deniable.server.store import moving
from deniable.server.web.response import Response

PATH: Final = "/metrics"

_MINUTE: Final = 60


class Metrics:
    """Counts of responses by status. For the event loop only."""

    def __init__(self, batch: int, clock: Callable[[], float] = time.time) -> None:
        self._batch = batch
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
        self._look()
        shown = sorted(self._shown.items())
        lines = [f'deniable_answers{{status="{status}"}} {n}' for status, n in shown if n]
        text = "\n".join(["# TYPE deniable_answers counter", *lines, ""])
        head = [("Content-Type", "text/plain; version=0.0.4"), ("Cache-Control", "no-store")]
        return Response(HTTPStatus.OK, head, text.encode())

    def _look(self) -> None:
        """Publish more batches, if a minute has begun since the last look."""
        now = self._clock() // _MINUTE
        if now == self._minute:
            return
        for status, counted in self._counted.items():
            held = counted - self._shown[status]
            self._shown[status] += moving(held, self._batch, over=False)
        self._minute = now
