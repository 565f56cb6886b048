"""Group commit: many requests, one durable transaction.

A transaction waits for the disk. Meanwhile reports gather: all that arrive during one commit go
into the next, and their senders get an answer only when that is on disk. A transaction also costs
the same however few reports it holds. So after a large group, the next one waits a moment for as
many reports again, and seldom if they did not come.

Requests are coroutines on the event loop and the one writer is a thread of its own. A report costs
no thread and no lock: waking a thread for each of them would cost more than storing it.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final, TypeAlias

from deniable.report import Report
from deniable.server.store import Store, StoreUnavailable
from deniable.server.store.records import Outcome

_log = logging.getLogger(__name__)

QUIET: Final = 2.0
"""Seconds without a report after which the order of arrival is wiped out."""

PATIENCE: Final = 600.0
"""Seconds after which it is wiped out even if reports keep coming."""

REST: Final = 20
"""Rest after wiping, as a multiple of its duration, so that a big store is not always rewritten."""

LOG_AGE: Final = 10.0
"""Seconds after which the write-ahead log is emptied even if reports keep coming."""

MANY: Final = 16
"""Waiting reports from which on a group waits for as many reports as last time."""

LONGEST_WAIT: Final = 0.002
"""Seconds that a group waits at most."""

MOST_SKIPS: Final = 63
"""Batches in a row that do not wait, at most, after waits that timed out."""

WAITING: Final = 2.0
"""Seconds that a health check waits for a busy writer."""

_CLOCK: Final = 5.0
"""Seconds between two looks at the machine's clock."""

_TICK: Final = 0.25
"""The interval of housekeeping, in seconds."""

_Group: TypeAlias = "list[tuple[Report, str | None, asyncio.Future[Outcome | None]]]"


class Unavailable(Exception):
    """The report could not be stored now and was not acknowledged; it may be sent again."""


class GroupCommit:
    """The only writer of reports to a store."""

    def __init__(self, store: Store, *, follows: bool = False) -> None:
        self._store = store
        # The next five are touched on the event loop only, so they need no lock.
        self._gathering: _Group = []
        self._committing = False
        self._sizer = _BatchSizer()
        self._expected = 0
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        # One thread, so that commits and the rewriting of the store come one after the other.
        self._writer = ThreadPoolExecutor(1, "writer")
        self._housekeeping = _Housekeeping(store, has_order=not follows)
        self._refusals = _Refusals()
        self._stop = threading.Event()
        self._keeper = threading.Thread(target=self._keep_house, name="housekeeping", daemon=True)
        self._keeper.start()

    async def submit(self, report: Report, key: str | None = None) -> Outcome:
        """Store a report, and return its outcome once that is durable."""
        if self._closed:
            raise Unavailable
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[Outcome | None] = loop.create_future()
        self._gathering.append((report, key, waiting))
        if not self._committing:
            self._committing = True
            self._begin_soon()
        elif self._timer is not None and len(self._gathering) == self._expected:
            self._timer.cancel()
            self._sizer.hit()
            loop.call_soon(self._begin)
        outcome = await waiting
        if outcome is None:
            raise Unavailable
        return outcome

    async def trouble(self) -> str | None:
        """Return why reports cannot be stored now; None if they can, as far as is known.

        One write is tried, whether or not a report was just stored; a busy writer is not waited
        for long.
        """
        loop = asyncio.get_running_loop()
        with suppress(TimeoutError):
            async with asyncio.timeout(WAITING):
                try:
                    await loop.run_in_executor(self._writer, self._try_writing)
                except RuntimeError:  # the writer has stopped since
                    return "the server is stopping"
        return self._refusals.reason

    def _try_writing(self) -> None:
        try:
            self._store.try_writing()
        except StoreUnavailable as error:
            self._refusals.begin(str(error), 0)
        else:
            self._refusals.end()

    async def spend(self, slug: str, key: str, code: str, asked: bytes) -> Outcome:
        """Spend a code durably, as `Store.spend`."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._writer, self._spend, slug, key, code, asked)
        except (StoreUnavailable, RuntimeError):  # the writer has stopped since
            raise Unavailable from None

    def _spend(self, slug: str, key: str, code: str, asked: bytes) -> Outcome:
        outcome = self._store.spend(slug, key, code, asked)
        self._housekeeping.stored()
        return outcome

    def close(self) -> None:
        """Store all waiting reports, wipe out their order of arrival and stop. May be called twice.

        Do not call it on the event loop, which may still have reports to hand over.
        """
        if not self._closed:
            self.leave(self._housekeeping.erase_order)  # there is no other time

    def leave(self, last: Callable[[], object] = lambda: None) -> bool:
        """Store all waiting reports and stop, for another process that goes on with the store.

        Return whether that has to wipe out the order of arrival.
        """
        self._closed = True
        self._stop.set()
        self._keeper.join()
        self._writer.submit(last)
        self._writer.shutdown()
        return self._housekeeping.has_order()

    def inherit_order(self) -> None:
        """Wipe out an order of arrival that another process has left, once there is time."""
        with suppress(RuntimeError):  # the writer has stopped since, which wiped it out
            self._writer.submit(self._housekeeping.stored)

    def _begin_soon(self) -> None:
        """Begin a group once the expected number of reports waits, or after a moment."""
        loop = asyncio.get_running_loop()
        self._expected = self._sizer.expected()
        if len(self._gathering) >= self._expected:
            # Not at once, so that reports that arrive in the same turn of the loop come along.
            loop.call_soon(self._begin)
        else:
            self._timer = loop.call_later(LONGEST_WAIT, self._begin_short)

    def _begin_short(self) -> None:
        """Begin a group of fewer reports than expected."""
        self._sizer.miss()
        self._begin()

    def _begin(self) -> None:
        self._timer = None
        group, self._gathering = self._gathering, []
        try:
            self._writer.submit(self._commit, group, asyncio.get_running_loop())
        except RuntimeError:  # the writer has stopped since
            self._finish(group, [None] * len(group))

    def _commit(self, group: _Group, loop: asyncio.AbstractEventLoop) -> None:
        """Commit a group, on the writer's thread."""
        outcomes: list[Outcome | None] = [None] * len(group)
        try:
            reports, keys, _ = zip(*group, strict=True)
            outcomes = list(self._store.insert_reports(reports, keys))
            self._refusals.end()
        except StoreUnavailable as error:
            self._refusals.begin(str(error), len(group))
        except Exception as error:  # noqa: BLE001  no sender may wait forever
            # Not its message, which might carry data.
            self._refusals.begin(type(error).__name__, len(group))
        if Outcome.STORED in outcomes:
            self._housekeeping.stored()
        loop.call_soon_threadsafe(self._finish, group, outcomes)

    def _finish(self, group: _Group, outcomes: list[Outcome | None]) -> None:
        """Answer the senders of a group, and begin the next group."""
        for (_, _, waiting), outcome in zip(group, outcomes, strict=True):
            if not waiting.done():  # done if its sender has gone
                waiting.set_result(outcome)
        self._sizer.were_here(len(group) + len(self._gathering))
        if self._gathering:
            self._begin_soon()
        else:
            self._committing = False

    def _keep_house(self) -> None:
        while not self._stop.wait(_TICK):
            # Waiting reports are stored between two parts of the work.
            while self._writer.submit(self._look_after).result() and not self._stop.is_set():
                pass

    def _look_after(self) -> bool:
        """Do due housekeeping on the writer's thread; return whether more is due."""
        try:
            self._store.check_place()
        except StoreUnavailable as error:
            # Log it now and not with the next report: an operator who deleted the store by mistake
            # may still put it back.
            self._refusals.begin(str(error), 0)
            return False
        self._housekeeping.close_due()
        return self._housekeeping.tidy()


class _BatchSizer:
    """How many reports a group should wait for. For the event loop only.

    Senders who wait for an answer before they send again all come back within a moment. Others do
    not: after each group that did not fill, twice as many groups begin without waiting.
    """

    def __init__(self) -> None:
        self._last = 0
        self._skips = 0
        self._to_skip = 0

    def were_here(self, reports: int) -> None:
        """Record how many reports waited when the last group ended, including its own."""
        self._last = reports

    def expected(self) -> int:
        """Return how many reports the next group waits for; 0 for none."""
        if self._last < MANY:
            return 0
        if self._to_skip:
            self._to_skip -= 1
            return 0
        return self._last

    def hit(self) -> None:
        """Record that the expected number of reports came."""
        self._skips = 0

    def miss(self) -> None:
        """Record that they did not come in time."""
        self._skips = min(2 * self._skips + 1, MOST_SKIPS)
        self._to_skip = self._skips


class _Refusals:
    """Logs when reports begin to be refused and when that ends, but not each refusal.

    Changed by the writer's thread only.
    """

    def __init__(self) -> None:
        self.reason: str | None = None
        self._reports = 0

    def begin(self, reason: str, reports: int) -> None:
        """Record that reports were refused, or would be."""
        self._reports += reports
        if reason != self.reason:
            self.reason = reason
            _log.error("reports are refused, none of them is acknowledged: %s", reason)

    def end(self) -> None:
        """Record that reports are stored, or would be."""
        if self.reason is not None:
            _log.warning("reports are stored again; %d were refused meanwhile", self._reports)
            self.reason = None
            self._reports = 0


class _Housekeeping:
    """When to erase the order of arrival. For the writer's thread only."""

    def __init__(self, store: Store, *, has_order: bool) -> None:
        self._store = store
        now = time.monotonic()
        # Whether reports came since erasing last began, or it failed. A crash may have left an
        # order of arrival, so a new writer erases it first; one that follows another is told.
        self._has_order = has_order
        self._last_report = now
        self._ordered_since = now
        self._log_emptied = now
        self._rest_until = now
        self._parts: Iterator[bool] | None = None
        self._work = 0.0
        self._clock_due = now
        self._has_jumped = False

    def has_order(self) -> bool:
        """Return whether an order of arrival may be left."""
        return self._has_order or self._parts is not None

    def stored(self) -> None:
        """Record that reports were stored."""
        self._last_report = time.monotonic()
        if not self._has_order:
            self._has_order = True
            self._ordered_since = self._last_report

    def close_due(self) -> None:
        """Close the surveys whose time is over, which also moves their held-back reports."""
        try:
            self._look_at_clock()
            for slug in self._store.close_due():
                self.stored()
                _log.warning("%s is closed: its time is over", slug)
        except StoreUnavailable as error:
            _log.error("a survey whose time is over could not be closed yet: %s", error)

    def _look_at_clock(self) -> None:
        """Log once that the clock has jumped, and once that it is believed again."""
        if time.monotonic() < self._clock_due:
            return
        self._clock_due = time.monotonic() + _CLOCK
        moment = self._store.look_at_clock()
        if moment.is_doubted and not self._has_jumped:
            _log.error("%s: what a date decides waits", moment.told)
        elif self._has_jumped and not moment.is_doubted:
            _log.warning("the clock of this machine is steady again")
        self._has_jumped = moment.is_doubted

    def tidy(self) -> bool:
        """Do what is due, at most one part of erasing the order; return whether more is due."""
        now = time.monotonic()
        if self._parts is None and self._has_order:
            quiet = now - self._last_report >= QUIET
            if now >= self._rest_until and (quiet or now - self._ordered_since >= PATIENCE):
                self._parts, self._work = self._store.erase_order_in_parts(wait=False), 0.0
                self._has_order = False  # until reports come, perhaps between the parts
            elif now - self._log_emptied >= LOG_AGE:
                self._attempt(self._store.empty_log)
                self._log_emptied = now
        return self._parts is not None and self._erase_part(self._parts)

    def _erase_part(self, parts: Iterator[bool]) -> bool:
        """Do one part; return whether there may be another. After the last, rest by the work."""
        start = time.monotonic()
        done = self._attempt(lambda: next(parts, None))  # None after the last
        end = time.monotonic()
        self._work += end - start
        if done:
            return True
        self._parts = None
        if done is False:
            self._has_order = True
            self._ordered_since = end
        self._log_emptied = end
        self._rest_until = end + max(QUIET, REST * self._work)
        return False

    def erase_order(self) -> None:
        """Erase the order of arrival now, and wait for other users of the store."""
        self._attempt(self._store.erase_order)

    def _attempt(self, work: Callable[[], bool | None]) -> bool | None:
        """Return what the work returns; False if the store refused it."""
        try:
            return work()
        except StoreUnavailable as error:
            _log.error("the order of arrival could not be wiped out yet: %s", error)
            return False
