"""Load on a server: prepared requests over raw connections, so that the client costs little time.

Nothing here parses HTTP: an answer is short, comes in one piece, and must begin as expected.
"""

import selectors
import socket
import time
from collections.abc import Sequence
from contextlib import ExitStack

from deniable.report import Report
from tests.kit import at

TIMEOUT = 60.0
"""Seconds without any answer after which the measurement fails."""


def requests_per_second(
    port: int, status: int, reports: Sequence[Report], connections: int
) -> float:
    """Send each report once, as fast as a server answers with this status, and return its rate."""
    requests = [_request(port, report) for report in reports]
    with ExitStack() as stack:
        place = ("127.0.0.1", port)
        opened = [
            stack.enter_context(socket.create_connection(place, TIMEOUT))
            for _ in range(connections)
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
