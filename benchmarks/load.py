"""Load on a server: prepared requests over raw connections, so that the server is what is measured.

Nothing here parses HTTP. All answers of a server are alike but for the digits of a date, so the
first one says how many bytes each has and how it begins, and every further one is held to that.
"""

from __future__ import annotations

import multiprocessing
import selectors
import socket
import time
from dataclasses import dataclass, replace
from multiprocessing.synchronize import Barrier

from deniable.report import Report
from tests.addresses import at

PROCESSES = 2

TIMEOUT = 60.0
"""Seconds without any answer after which a server is taken for dead."""


@dataclass(frozen=True)
class Load:
    """What to send, and where."""

    port: int  # of a server on this machine
    status: int  # what it is to answer to each request
    reports: list[Report]  # each is sent once
    connections: int  # that are kept, each waiting for an answer before it sends again


class Senders:
    """Processes that send, started once for many loads."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        ready = context.Barrier(PROCESSES)
        self._pool = context.Pool(PROCESSES, initializer=_remember, initargs=(ready,))

    def __enter__(self) -> Senders:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.terminate()
        self._pool.join()

    def requests_per_second(self, load: Load) -> float:
        """Send all reports as fast as the server answers, and return its rate."""
        shares = [
            replace(
                load,
                reports=load.reports[place::PROCESSES],
                connections=load.connections // PROCESSES,
            )
            for place in range(PROCESSES)
        ]
        times = self._pool.map(_send_share, shares, chunksize=1)
        return len(load.reports) / (max(end for _, end in times) - min(start for start, _ in times))


_ready: list[Barrier] = []


def _remember(ready: Barrier) -> None:
    _ready.append(ready)


def _send_share(load: Load) -> tuple[float, float]:
    """Send a share of the reports; return when it began and ended, on the machine's clock."""
    requests = [_request(load.port, report) for report in load.reports]
    connections = _connect(load)
    try:
        _ready[0].wait(TIMEOUT)
        start = time.monotonic()
        _send_all(requests, connections, load.status)
        return start, time.monotonic()
    finally:
        for connection in connections:
            connection.close()


def seconds_to_answers(load: Load, rate: float) -> list[float]:
    """Send reports at a steady rate, whatever becomes of them, and time each one's answer."""
    requests = [_request(load.port, report) for report in load.reports]
    idle = _connect(load)
    begun: dict[int, tuple[socket.socket, float]] = {}
    taken: list[float] = []
    with selectors.DefaultSelector() as selector:
        for connection in idle:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(connection, selectors.EVENT_READ)
        start, sent = time.monotonic(), 0
        while len(taken) < len(requests):
            while sent < len(requests) and idle and start + sent / rate <= time.monotonic():
                connection = idle.pop()
                connection.sendall(requests[sent])
                begun[connection.fileno()] = connection, start + sent / rate
                sent += 1
            due = start + sent / rate - time.monotonic() if sent < len(requests) and idle else 1.0
            assert time.monotonic() < start + len(requests) / rate + TIMEOUT, "no answer"
            for key, _ in selector.select(max(0.0, due)):
                connection, since = begun.pop(key.fd)
                answer = connection.recv(65536)
                assert answer.startswith(b"HTTP/1.1 %d " % load.status), answer
                taken.append(time.monotonic() - since)
                idle.append(connection)
    for connection in idle:
        connection.close()
    return taken


def _connect(load: Load) -> list[socket.socket]:
    place = ("127.0.0.1", load.port)
    return [socket.create_connection(place, TIMEOUT) for _ in range(load.connections)]


def _send_all(requests: list[bytes], connections: list[socket.socket], status: int) -> None:
    # A selector knows only that its sockets have numbers.
    by_number = {connection.fileno(): connection for connection in connections}
    with selectors.DefaultSelector() as selector:
        waiting = len(connections)
        for connection in connections:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(connection, selectors.EVENT_READ)
            connection.sendall(requests.pop())
        expected = b"HTTP/1.1 %d " % status
        length = 0
        while waiting:
            answered = selector.select(TIMEOUT)
            assert answered, "the server does not answer any more"
            for key, _ in answered:
                connection = by_number[key.fd]
                answer = connection.recv(65536)
                length = length or len(answer)
                assert answer.startswith(expected), answer
                assert len(answer) == length, "an answer in pieces"
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
