"""Receipts: the signature under a report whose survey publishes its reports.

To sign takes longer than to store, and Python lets nothing else run meanwhile. So a process of its
own signs, one receipt after the other: reports to other surveys wait for none of them. It starts
with the first receipt, and gets the key by its standard input, which nobody else can read.
"""

import asyncio
import logging
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final

from deniable.crypto.blind import PrivateKey
from deniable.crypto.board import receipt_of
from deniable.report import Report
from deniable.server.intake.publishing import board_key
from deniable.server.store.errors import KeyFileError
from deniable.server.store.keys import KeyFile
from deniable.survey import Survey

_log = logging.getLogger(__name__)

_END: Final = 5.0
"""Seconds that the process has to end."""


class Receipts:
    """Signs receipts in a process of its own."""

    def __init__(self, keys: KeyFile) -> None:
        self._keys = keys
        self._process: subprocess.Popen[str] | None = None
        # One thread, which waits for the process: receipts come one after the other.
        self._waiting = ThreadPoolExecutor(1, "receipts")
        self._lock = threading.Lock()
        self._closed = False

    def can_sign(self, survey: Survey) -> bool:
        """Return whether the key is there: what cannot be acknowledged is not to be stored."""
        try:
            board_key(self._keys, survey)
        except KeyFileError as error:
            _log.error("no receipt can be signed: %s", error)
            return False
        return True

    async def sign(self, survey: Survey, report: Report) -> str | None:
        """Return the signature under a report in hex digits; None if it cannot be signed now."""
        loop = asyncio.get_running_loop()
        try:
            key = board_key(self._keys, survey)
            return await loop.run_in_executor(self._waiting, self._signed, key, report)
        except KeyFileError as error:
            _log.error("no receipt can be signed: %s", error)
        except (OSError, RuntimeError, ValueError):  # the process, or the server, has ended
            _log.error("a receipt could not be signed")
        return None

    def close(self) -> None:
        """End the process. Twice is fine."""
        with self._lock:
            self._closed = True
        self._waiting.shutdown(cancel_futures=True)
        self._forget()

    def _signed(self, key: PrivateKey, report: Report) -> str:
        line = f"{key.p:x} {key.q:x} {report.to_json().decode()}\n"
        try:
            return _asked(self._running(), line)
        except OSError:  # it has ended since it was asked the last time: another one is begun
            self._forget()
            return _asked(self._running(), line)

    def _forget(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            _end(process)

    def _running(self) -> subprocess.Popen[str]:
        with self._lock:
            if self._closed:
                raise RuntimeError("closed")
            if self._process is None:
                self._process = subprocess.Popen(  # noqa: S603  ourselves
                    [sys.executable, "-m", __name__],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            return self._process


def _asked(process: subprocess.Popen[str], line: str) -> str:
    """Have one report signed."""
    assert process.stdin is not None  # noqa: S101  for mypy: both are pipes
    assert process.stdout is not None  # noqa: S101
    process.stdin.write(line)
    process.stdin.flush()
    signature = process.stdout.readline().strip()
    if not signature:
        raise BrokenPipeError
    return signature


def _end(process: subprocess.Popen[str]) -> None:
    """End the process by the end of its input, and by force if that is not enough."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # of what was written to a process that had ended
                pipe.close()
    try:
        process.wait(_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _sign_all() -> None:
    """Sign what comes, a line each, until there is no more."""
    known: dict[tuple[str, str], PrivateKey] = {}
    for line in sys.stdin:
        p, q, written = line.split(" ", 2)
        if (p, q) not in known:
            known[p, q] = PrivateKey(int(p, 16), int(q, 16))
        report = Report.from_json(written.strip().encode())
        sys.stdout.write(receipt_of(known[p, q], report)["signature"] + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _sign_all()
