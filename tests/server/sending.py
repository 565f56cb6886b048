"""Sending reports to a running server over real connections."""

import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from deniable.report import Report
from tests.addresses import at

LOST = (OSError, http.client.HTTPException)
"""What a client sees of a server that dies while it answers."""


def send(connection: http.client.HTTPConnection, report: Report) -> int:
    """Post a report, and return the status."""
    connection.request(
        "POST",
        at(report.survey, "reports"),
        report.to_json(),
        {"Content-Type": "application/json"},
    )
    response = connection.getresponse()
    response.read()
    return response.status


def send_alone(port: int, report: Report) -> int:
    """Post a report over a connection of its own, and return the status."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        return send(connection, report)


@contextmanager
def load(port: int, threads: int, make: Callable[[], Report]) -> Iterator[dict[Report, int]]:
    """Send reports from so many threads until the server dies or the block ends."""
    statuses: dict[Report, int] = {}
    stop = threading.Event()

    def keep_sending() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        try:
            while not stop.is_set():
                mine = make()
                statuses[mine] = 0
                statuses[mine] = send(connection, mine)
        except LOST:
            return
        finally:
            connection.close()

    senders = [threading.Thread(target=keep_sending) for _ in range(threads)]
    for sender in senders:
        sender.start()
    try:
        yield statuses
    finally:
        stop.set()
        for sender in senders:
            sender.join()
