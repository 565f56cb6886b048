"""What a server had to do, for the operator's own programs: counts that time no single report.

The adversary asks each second, and would learn when somebody answered. So what is shown changes as
a minute begins and in whole batches alone, and one batch stays behind, as of reports at the desk
(`moving`). Answers are told apart by their status and by nothing else. Who sends reports of their
own, to any survey, can still fill a batch but for one, and see in which minute that one comes.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from deniable.server.store import moving
from deniable.server.web.response import Response

PATH: Final = "/metrics"

_MINUTE: Final = 60

_log = logging.getLogger(__name__)


class Metrics:
    """Counts of answers. To be used on the event loop only."""

    def __init__(self, batch: int, clock: Callable[[], float] = time.time) -> None:
        self._batch = batch
        self._clock = clock
        self._minute = clock() // _MINUTE
        self._counted: Counter[int] = Counter()
        self._shown: Counter[int] = Counter()

    def count(self, status: int) -> None:
        """Note that a request was answered."""
        self._look()
        self._counted[status] += 1

    def answer(self) -> Response:
        """Return what is shown, in the form that Prometheus reads."""
        self._look()
        lines = [f'deniable_answers{{status="{one}"}} {self._shown[one]}' for one in self._told()]
        text = "\n".join(["# TYPE deniable_answers counter", *lines, ""])
        head = [("Content-Type", "text/plain; version=0.0.4"), ("Cache-Control", "no-store")]
        return Response(HTTPStatus.OK, head, text.encode())

    def _told(self) -> list[int]:
        return sorted(one for one, shown in self._shown.items() if shown)

    def _look(self) -> None:
        """Show more, if another minute has begun since something was counted or shown."""
        now = self._clock() // _MINUTE
        if now == self._minute:
            return
        for status, counted in self._counted.items():
            held = counted - self._shown[status]
            self._shown[status] += moving(held, self._batch, over=False)
        if now // 60 != self._minute // 60 and self._told():
            said = ", ".join(f"{one}: {self._shown[one]}" for one in self._told())
            _log.info("answers since the start, by status, in whole batches: %s", said)
        self._minute = now
