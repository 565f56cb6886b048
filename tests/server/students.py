"""A class by the protocol alone: what phones ask for and send, and what the projector gets."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from deniable.client.connection import Connection
from deniable.client.respondent import draw_report
from deniable.report import Report
from deniable.survey import Survey
from tests.addresses import at


@dataclass
class Student:
    """A phone: it joins, waits until something is asked, and answers that."""

    origin: str
    code: str
    truth: int
    sent: Report | None = None
    acknowledged: float = 0.0

    def join(self) -> None:
        with closing(Connection(self.origin)) as connection:
            assert connection.get(f"/join/{self.code}").status == 200
            assert connection.get(f"/join/{self.code}/step.json?joins").status == 200

    def answer(self) -> None:
        """Poll as a phone does, a little faster, until there is a question; then answer it."""
        with closing(Connection(self.origin)) as connection:
            while not (step := _json(connection, f"/join/{self.code}/step.json"))["asks"]:
                time.sleep(0.5)
            address = at(step["asks"])
            page = connection.get(address)
            assert page.status == 200, (address, page)
            survey = Survey.from_json(connection.get(f"{address}survey.json").body)
            self.sent = draw_report(survey, [self.truth])
            answer = connection.post(at(step["asks"], "reports"), self.sent.to_json(), {})
            assert answer.status == 201, answer
        self.acknowledged = time.monotonic()


def all_at_once(students: Sequence[Student], do: Callable[[Student], None]) -> None:
    """Let every phone do something, each in a thread of its own."""
    with ThreadPoolExecutor(len(students)) as threads:
        list(threads.map(do, students))


def _json(connection: Connection, address: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(connection.get(address).body)
    return found


@dataclass
class Follower:
    """A page that follows a meeting: each moment that it shows, and when that came."""

    desk: str
    id: str
    came: list[tuple[float, dict[str, Any]]] = field(default_factory=list)

    def __enter__(self) -> Follower:
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.set()
        self._thread.join()

    def until(self, wanted: Callable[[dict[str, Any]], bool], seconds: float = 30) -> float:
        """Wait for a moment; return when it came."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for when, moment in [*self.came]:
                if wanted(moment):
                    return when
            time.sleep(0.02)
        raise AssertionError([moment["scene"]["n"] for _, moment in self.came])

    def _look(self) -> None:
        last = b""
        with closing(Connection(self.desk)) as connection:
            while not self._left.wait(0.1):
                answer = connection.get(f"/desk/projector/{self.id}/scene.json")
                assert answer.status == HTTPStatus.OK
                if answer.body != last:
                    last = answer.body
                    self.came.append((time.monotonic(), json.loads(last)))
