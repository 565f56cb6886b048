"""Inside a program's own process: granian around its application, until it is told to stop.

There is one worker, since one process writes reports to a store. It makes the application, so the
store, the writer and the session key live there. A program never outlives the process that
started it: nobody else would stop it.

All signals that ask to stop are blocked, in both processes: granian's own handlers wait for locks,
and one that interrupts another waits for ever. In the program, one thread waits for the first of
them, and one for the end of its input. The worker watches a pipe of the program and nothing else.
So whoever signals the whole group, and however often, stops each process once, and in one order.
"""

import asyncio
import gc
import json
import multiprocessing
import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, Final, NamedTuple

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.rsgi import HTTPProtocol as Protocol
from granian.rsgi import Scope
from granian.server.mp import MPServer

from deniable.server.settings import STOPPING, Settings
from deniable.server.web.failures import log_with_levels
from deniable.server.web.gateway import Gateway

BACKLOG: Final = 1024
"""Connections that wait to be accepted."""

CONNECTIONS: Final = 4096
"""Connections that are held at the same time; more wait to be accepted."""

_OTHER_DESCRIPTORS: Final = 96
"""Descriptors that are kept from connections: those of the store, one pair for each thread that
makes pages, of the log and of the interpreter. A server that has none left for them takes no report
from anybody."""

_NEW_OBJECTS: Final = 50_000
"""After which the interpreter looks for cycles among them; some megabytes. By itself it would after
700, which took a tenth of the time of a report."""

_STDIN: Final = 0


class Program(NamedTuple):
    """An application, and what has to be done when it stops."""

    gateway: Gateway
    close: Callable[[], None]  # called once the last request is answered


def run(open_program: Callable[[Settings], Program]) -> None:
    """Run a program until a signal of `STOPPING`, or until whoever started it closes its input."""
    log_with_levels()
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)  # as whoever started it has done already
    settings = Settings(**json.loads(_first_line()))
    watched, held = multiprocessing.Pipe(duplex=False)
    server = _Server(
        "deniable",
        address=settings.address,
        port=settings.port,
        interface=Interfaces.RSGI,
        http=HTTPModes.http1,
        # Nothing here uses web sockets. Else granian would refuse one, without our headers.
        websockets=False,
        workers=1,
        backlog=BACKLOG,
        backpressure=connections_within(raise_descriptors()),
        http1_settings=HTTP1Settings(header_read_timeout=10_000),
        # The access log would name respondents' addresses. What is left says only that the worker
        # could not start or has died.
        log_access=False,
        log_level=LogLevels.error,
    )
    server.held = held
    for asked in (_end_of_input, partial(signal.sigwait, STOPPING)):
        threading.Thread(
            target=_stop_after, args=(asked, server, settings.drain), daemon=True
        ).start()
    server.serve(
        target_loader=partial(_Worker, open_program, settings, watched, held), wrap_loader=False
    )


class _Server(MPServer):
    """granian, with a worker that ends when nobody holds the other end of its pipe any more."""

    held: Connection

    def _stop_workers(self) -> None:
        for worker in self.wrks:  # else its end would be taken for a crash
            worker.interrupt_by_parent = True
        self.held.close()
        super()._stop_workers()  # type: ignore[no-untyped-call]


def _stop_after(asked: Callable[[], object], server: _Server, drain: float) -> None:
    """Stop once somebody has asked: from a thread, since granian's way waits for a lock."""
    asked()
    if drain:
        # The first third is for a proxy that has not yet seen that its fellow is there again.
        time.sleep(drain / 3)
        with suppress(OSError):  # the other thread has stopped it meanwhile
            server.held.send_bytes(b"drain")
        time.sleep(drain * 2 / 3)
    server.interrupt_signal = True
    server.main_loop_interrupt.set()


def connections_within(descriptors: int) -> int:
    """Return how many connections may be held with so many descriptors."""
    return min(CONNECTIONS, max(descriptors - _OTHER_DESCRIPTORS, descriptors // 2))


def raise_descriptors() -> int:
    """Have as many descriptors as the system lets this process have, and return how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # macOS says "unlimited", and refuses to take that at its word.
    unlimited = hard == resource.RLIM_INFINITY
    most = max(soft, CONNECTIONS + _OTHER_DESCRIPTORS) if unlimited else hard
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (OSError, ValueError):
        return soft
    return most


class _Worker:
    """The application inside the worker, which granian calls, and tells when the end has come."""

    def __init__(
        self,
        open_program: Callable[[Settings], Program],
        settings: Settings,
        watched: Connection,
        held: Connection,
    ) -> None:
        held.close()  # a copy, where processes are forked; only the program is to hold it
        self._watched = watched
        self._program = open_program(settings)
        look_for_cycles_seldom()

    def __call__(self, scope: Scope, protocol: Protocol) -> Coroutine[Any, Any, None]:
        return self._program.gateway(scope, protocol)

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Hear of the end: when the program has closed the pipe, or is gone."""

        def watch() -> None:
            with suppress(EOFError, OSError):
                while self._watched.recv_bytes():
                    self._program.gateway.stopping = True
            loop.call_soon_threadsafe(self._end)

        threading.Thread(target=watch, daemon=True).start()

    def _end(self) -> None:
        """Have granian wait for the last answer."""
        # granian hears of a signal alone, by the descriptor that the interpreter writes signals
        # to, and it hangs if it hears of two. No signal ever gets there; so this is the one.
        descriptor = signal.set_wakeup_fd(-1)
        signal.set_wakeup_fd(descriptor)
        os.write(descriptor, bytes([signal.SIGTERM]))

    def __rsgi_del__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Close what is open, once the last request is answered."""
        self._program.close()


def look_for_cycles_seldom() -> None:
    """Let requests not pay for what there is since the start.

    The interpreter looks through all objects for cycles, again and again as requests make new ones.
    What is there now stays until the end; and of a report nothing is left that has a cycle.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)


def _first_line() -> bytes:
    """Read the settings, by the descriptor: a buffer's lock could be held when granian forks."""
    line = b""
    while not line.endswith(b"\n"):
        line += os.read(_STDIN, 1) or b"\n"
    return line


def _end_of_input() -> None:
    """Wait until the process that holds the other end of standard input closes it, or is gone."""
    while os.read(_STDIN, 1):
        pass
