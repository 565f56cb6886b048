"""A class by the protocol alone: what phones ask for and send, and what the projector gets."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

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
            self.send_again()

    def send_again(self) -> None:
        assert self.sent is not None
        with closing(Connection(self.origin)) as connection:
            address = at(self.sent.survey, "reports")
            answer = connection.post(address, self.sent.to_json(), {})
            assert answer.status in (200, 201), answer
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
    """A page that follows a meeting by its events: each, and when it came."""

    desk: str
    id: str
    last: str = ""
    came: list[tuple[float, dict[str, Any]]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def __enter__(self) -> Follower:
        place = urlsplit(self.desk)
        self._connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)
        headers = {"Last-Event-ID": self.last} if self.last else {}
        self._connection.request("GET", f"/desk/projector/{self.id}/events", headers=headers)
        self.response = self._connection.getresponse()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def until(self, wanted: Callable[[dict[str, Any]], bool], seconds: float = 30) -> float:
        """Wait for an event; return when it came."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for moment, event in [*self.came]:
                if wanted(event):
                    return moment
            time.sleep(0.02)
        raise AssertionError([event["scene"]["n"] for _, event in self.came])

    def _read(self) -> None:
        for line in self._text():
            self.lines.append(line)
            if line.startswith("id: "):
                self.last = line.removeprefix("id: ")
            if line.startswith("data: "):
                event = json.loads(line.removeprefix("data: "))
                self.came.append((time.monotonic(), event))

    def _text(self) -> Iterator[str]:
        try:
            while line := self.response.readline():
                yield line.decode().rstrip("\n")
        except (OSError, ValueError, AttributeError):
            return  # closed by the test
