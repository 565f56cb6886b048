"""Reports by HTTP, from several threads, each with a connection of its own."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import closing, suppress
from typing import Final

from deniable.client.connection import Connection
from deniable.client.respondent import Respondent
from deniable.report import Report
from deniable.survey import Survey

THREADS: Final = 16
"""Connections at once. The server commits simultaneous reports in one transaction."""


class _Stopped(Exception):
    """Raised in a thread after another report failed, or after Ctrl-C."""


def send_all(
    origin: str,
    survey: Survey,
    reports: Sequence[Report],
    sent: Callable[[int], None],
    slowed: Callable[[], None] = lambda: None,
    pin: str | None = None,
    codes: Sequence[str] | None = None,
) -> None:
    """Send reports until the server has all of them, and wait as long as the server asks."""
    stop = threading.Event()
    first = threading.Lock()  # never released

    def pause(seconds: float) -> None:
        if stop.wait(seconds):
            raise _Stopped

    def say_once() -> None:
        if first.acquire(blocking=False):
            slowed()

    given: Sequence[str | None] = [None] * len(reports) if codes is None else codes
    pairs = [*zip(reports, given, strict=True)]

    def send_share(share: Sequence[tuple[Report, str | None]]) -> None:
        with (
            suppress(_Stopped),
            closing(Connection(origin, pause=pause, slowed=say_once, patient=True)) as connection,
        ):
            respondent = Respondent(connection, survey.address, pin)
            for report, code in share:
                if stop.is_set():
                    return
                token = None
                if code is not None and survey.is_by_invitation:
                    token = respondent.token(survey, report, code)
                respondent.send(report, token)
                sent(1)

    with ThreadPoolExecutor(THREADS) as threads:
        try:
            shares = [threads.submit(send_share, pairs[place::THREADS]) for place in range(THREADS)]
            wait(shares, return_when=FIRST_EXCEPTION)
        finally:
            # After an error or Ctrl-C, no thread sends another report or waits to retry.
            stop.set()
    for share in shares:
        share.result()
