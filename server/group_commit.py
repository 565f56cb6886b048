"""Group commit: many requests, one durable transaction.

A transaction waits for the disk. So the threads that serve requests gather in a batch: the first of
them commits it for all, as soon as the batch before is on disk, and only then does each of them
answer. While the disk is busy with one batch, the next one gathers.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from typing import Final

from deniable.report import Report
from deniable.server.store import Outcome, Store

_log = logging.getLogger(__name__)

QUIET: Final = 2.0
"""Seconds without a report after which the order of arrival is wiped out."""

PATIENCE: Final = 600.0
"""Seconds after which it is wiped out even if reports keep coming."""

REST: Final = 20
"""Times its own duration to wait after wiping, so that a big store is not forever rewritten."""

LOG_AGE: Final = 10.0
"""Seconds after which the write-ahead log is emptied even if reports keep coming."""

_TICK: Final = 0.25
"""Seconds between two looks at whether any of this is due."""


class Unavailable(Exception):
    """The report could not be stored now and was not acknowledged; it may be sent again."""


class _Batch:
    """Reports that are committed together.

    `done` is held until they are. The threads that wait for it pass it on one to the next; waking
    all at once would have them fight for the interpreter.
    """

    __slots__ = ("done", "outcomes", "reports")

    def __init__(self) -> None:
        self.reports: list[Report] = []
        self.outcomes: list[Outcome] | None = None
        self.done = threading.Lock()
        self.done.acquire()


class GroupCommit:
    """The one writer of reports to a store.

    Parameters
    ----------
    store : Store
        Stays the caller's to close.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()  # guards the next two; never held for long
        self._gathering = _Batch()
        self._closed = False
        self._writing = threading.Lock()  # held while a batch is committed, or the store rewritten
        self._housekeeping = _Housekeeping(store)
        self._stop = threading.Event()
        self._keeper = threading.Thread(target=self._keep_house, name="settling", daemon=True)
        self._keeper.start()

    def submit(self, report: Report) -> Outcome:
        """Store a report, and wait until that is durable.

        Parameters
        ----------
        report : Report
            Checked already.

        Returns
        -------
        Outcome

        Raises
        ------
        Unavailable
            If the database is locked, full or broken, or the server is stopping.
        """
        with self._lock:
            if self._closed:
                raise Unavailable
            batch = self._gathering
            position = len(batch.reports)
            batch.reports.append(report)
        if position == 0:
            self._commit(batch)
        else:
            with batch.done:
                pass
        if batch.outcomes is None:
            raise Unavailable
        return batch.outcomes[position]

    def close(self) -> None:
        """Store what is under way, wipe out its order of arrival and stop. Twice is fine."""
        with self._lock:
            self._closed = True
        self._stop.set()
        self._keeper.join()
        while not self._finished():
            time.sleep(0.001)

    def _commit(self, batch: _Batch) -> None:
        try:
            with self._writing:
                with self._lock:
                    self._gathering = _Batch()
                batch.outcomes = self._store.insert_batch(batch.reports)
                if Outcome.STORED in batch.outcomes:
                    self._housekeeping.stored()
        except Exception as error:  # noqa: BLE001  whatever it was, the others must not wait forever
            _log.error("reports were refused, none of them acknowledged: %s", _name(error))
        finally:
            batch.done.release()

    def _keep_house(self) -> None:
        while not self._stop.wait(_TICK):
            with self._writing:
                self._housekeeping.tidy()

    def _finished(self) -> bool:
        """Settle for the last time, unless the first of a batch has still to commit it."""
        with self._writing:
            with self._lock:
                waiting = bool(self._gathering.reports)
            if not waiting:
                self._housekeeping.settle()
            return not waiting


class _Housekeeping:
    """When to wipe out the order of arrival; see `Store.settle`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        now = time.monotonic()
        # What a crash left behind is not known, so a new writer settles first.
        self._settled = False
        self._last_report = now
        self._unsettled_since = now
        self._log_emptied = now
        self._rest_until = now

    def stored(self) -> None:
        """Note that reports were stored."""
        self._last_report = time.monotonic()
        if self._settled:
            self._settled = False
            self._unsettled_since = self._last_report

    def tidy(self) -> None:
        """Do what is due."""
        now = time.monotonic()
        if self._settled:
            return
        quiet = now - self._last_report >= QUIET
        if now >= self._rest_until and (quiet or now - self._unsettled_since >= PATIENCE):
            self.settle()
        elif now - self._log_emptied >= LOG_AGE:
            self._attempt(self._store.truncate_log)
            self._log_emptied = now

    def settle(self) -> None:
        """Settle now, and rest in proportion to the work."""
        start = time.monotonic()
        self._settled = self._attempt(self._store.settle)
        end = time.monotonic()
        self._unsettled_since = self._log_emptied = end
        self._rest_until = end + max(QUIET, REST * (end - start))

    def _attempt(self, work: Callable[[], bool]) -> bool:
        try:
            return work()
        except sqlite3.Error as error:
            _log.error("the order of arrival could not be wiped out yet: %s", _name(error))
            return False


def _name(error: Exception) -> str:
    """Name an error without its message, which might carry data."""
    return str(getattr(error, "sqlite_errorname", type(error).__name__))
