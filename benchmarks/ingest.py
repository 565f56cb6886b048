"""Durable reports per second, against an empty Flask route under the same server.

Prepared requests go over raw connections, so that the client costs little time: it parses no HTTP,
as an answer is short, comes in one piece, and must begin as expected.
"""

import selectors
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.measuring import RUNS, Comparison, folder, tell
from benchmarks.servers import serving, serving_nothing
from deniable.client.population import read_population
from deniable.client.simulation import draw_ids, make_reports, simulate
from deniable.report import Report
from deniable.server.intake.group_commit import QUIET
from deniable.server.store import open_store
from deniable.survey import Survey
from deniable.survey_file import read
from tests.kit import at
from tests.server.store.engines import POSTGRES, SQLITE

REPORTS = 4_000
"""Reports in each turn; none is sent twice to the same server."""

SURVEY = """
version: 1
survey: doping
title: Doping
epsilon: 1
questions:
  - {id: doped, text: Doped, type: single, answers: [No, Yes]}
  - {id: substances, text: Which, type: many, answers: [Steroids, EPO, Stimulants]}
"""

ENGINES: Final = {SQLITE: "≥ 2", POSTGRES: "≥ 1.3"}
"""The engines, each with its goal: the ratio to the Flask route's rate."""

CONNECTIONS = 64

TIMEOUT = 60.0
"""Seconds without any answer after which the measurement fails."""


@dataclass(frozen=True)
class _Measured:
    """A server, and its reports per second in each turn."""

    port: int
    status: int  # of its answers
    rates: list[float] = field(default_factory=list)

    def turn(self, reports: list[Report]) -> None:
        self.rates.append(requests_per_second(self.port, self.status, reports))


def run() -> list[Comparison]:
    """Measure both engines in turn, each against the same empty server."""
    with folder() as path:
        (path / "doping.yaml").write_text(SURVEY, encoding="utf-8")
        return [*_compared(path, read(SURVEY).survey)]


def _compared(path: Path, survey: Survey) -> Iterator[Comparison]:
    urls = {engine: engine.url(path, "rates") for engine in ENGINES}
    with ExitStack() as stack:
        nothing = _Measured(stack.enter_context(serving_nothing()), 204)
        ours = {
            engine: _Measured(stack.enter_context(serving(f"{path}/doping.yaml", url)), 201)
            for engine, url in urls.items()
        }
        for turn in range(1 + RUNS):
            tell(f"ingest: turn {turn} of {RUNS}")
            (responses,) = simulate(read_population(survey), REPORTS)
            reports = make_reports(survey, draw_ids(REPORTS), responses.answers)
            nothing.turn(reports)
            for one in ours.values():
                one.turn(reports)
                # An idle server tidies its store, which must not slow the next measurement.
                time.sleep(QUIET + 1)
    for url in urls.values():
        store = open_store(url)
        assert store.count(survey.slug) == REPORTS * (1 + RUNS)
        store.close()
    for engine, one in ours.items():
        name, goal = f"durable reports, {engine.name}", ENGINES[engine]
        # The first turn does not count.
        yield Comparison(name, "Flask answering 204", "/s", one.rates[1:], nothing.rates[1:], goal)


def requests_per_second(port: int, status: int, reports: Sequence[Report]) -> float:
    """Send each report once, as fast as a server answers with this status, and return its rate."""
    requests = [_request(port, report) for report in reports]
    with ExitStack() as stack:
        place = ("127.0.0.1", port)
        opened = [
            stack.enter_context(socket.create_connection(place, TIMEOUT))
            for _ in range(CONNECTIONS)
        ]
        start = time.monotonic()
        _send_all(requests, opened, b"HTTP/1.1 %d " % status)
        return len(reports) / (time.monotonic() - start)


def _send_all(requests: list[bytes], connections: list[socket.socket], expected: bytes) -> None:
    # A selector returns only the numbers of its sockets.
    by_number = {connection.fileno(): connection for connection in connections}
    with selectors.DefaultSelector() as selector:
        waiting = len(connections)
        for connection in connections:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(connection, selectors.EVENT_READ)
            connection.sendall(requests.pop())
        while waiting:
            answered = selector.select(TIMEOUT)
            assert answered, "the server does not answer any more"
            for key, _ in answered:
                connection = by_number[key.fd]
                answer = connection.recv(65536)
                assert answer.startswith(expected), answer
                if requests:
                    connection.sendall(requests.pop())
                else:
                    waiting -= 1


def _request(port: int, report: Report) -> bytes:
    body = report.to_json()
    head = (
        f"POST {at(report.survey)}reports HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
