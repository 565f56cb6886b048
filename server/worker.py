"""A program's own process: granian runs its application until a signal to stop.

There is one worker, since one process writes reports to a store. It makes the application, so the
store, the writer and the session key are in the worker. A program never outlives the process that
started it, because nothing else would stop it.

All signals to stop are blocked, in both processes: granian's own handlers wait for locks, and a
handler that interrupts another waits for ever. In the program, one thread waits for the first
signal, and one for the end of its input. The worker watches only a pipe from the program. So
signals to the whole group, however many, stop each process once, and in one order.
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
"""Connections that are open at the same time; more wait to be accepted."""

_OTHER_DESCRIPTORS: Final = 96
"""Descriptors reserved for the store (a pair for each thread that makes pages), the log and the
interpreter. A server without descriptors for them takes no reports."""

_NEW_OBJECTS: Final = 50_000
"""New objects, some megabytes, after which the interpreter looks for cycles among them. Its default
of 700 took a tenth of the time of a report."""

_STDIN: Final = 0


class Program(NamedTuple):
    """An application, and how to close it."""

    gateway: Gateway
    close: Callable[[], None]  # called once the last request is answered


def run(open_program: Callable[[Settings], Program]) -> None:
    """Run a program until a signal of `STOPPING`, or until its parent closes its input."""
    log_with_levels()
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)  # as the parent has done already
    settings = Settings(**json.loads(_first_line()))
    watched, held = multiprocessing.Pipe(duplex=False)
    server = _Server(
        "deniable",
        address=settings.address,
        port=settings.port,
        interface=Interfaces.RSGI,
        http=HTTPModes.http1,
        # No web sockets: granian would refuse them itself, without our headers.
        websockets=False,
        workers=1,
        backlog=BACKLOG,
        backpressure=connections_within(raise_descriptors()),
        http1_settings=HTTP1Settings(header_read_timeout=10_000),
        # The access log would name respondents' addresses. The other log says only that the worker
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
    """granian, with a worker that ends when the other end of its pipe is closed."""

    held: Connection

    def _stop_workers(self) -> None:
        for worker in self.wrks:  # otherwise its end would count as a crash
            worker.interrupt_by_parent = True
        self.held.close()
        super()._stop_workers()  # type: ignore[no-untyped-call]


def _stop_after(asked: Callable[[], object], server: _Server, drain: float) -> None:
    """Stop the server once `asked` returns: in a thread, as granian's own way waits for a lock."""
    asked()
    if drain:
        # The first third is for a proxy that has not yet seen that another server is back.
        time.sleep(drain / 3)
        with suppress(OSError):  # the other thread has stopped it meanwhile
            server.held.send_bytes(b"drain")
        time.sleep(drain * 2 / 3)
    server.interrupt_signal = True
    server.main_loop_interrupt.set()


def connections_within(descriptors: int) -> int:
    """Return how many connections a number of descriptors allows."""
    return min(CONNECTIONS, max(descriptors - _OTHER_DESCRIPTORS, descriptors // 2))


def raise_descriptors() -> int:
    """Raise this process's limit of descriptors as far as allowed; return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # macOS says "unlimited", and then refuses that value.
    unlimited = hard == resource.RLIM_INFINITY
    most = max(soft, CONNECTIONS + _OTHER_DESCRIPTORS) if unlimited else hard
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (OSError, ValueError):
        return soft
    return most


class _Worker:
    """The application inside the worker, as granian calls it."""

    def __init__(
        self,
        open_program: Callable[[Settings], Program],
        settings: Settings,
        watched: Connection,
        held: Connection,
    ) -> None:
        held.close()  # a copy, if processes are forked; only the program may hold it
        self._watched = watched
        self._program = open_program(settings)
        look_for_cycles_seldom()

    def __call__(self, scope: Scope, protocol: Protocol) -> Coroutine[Any, Any, None]:
        return self._program.gateway(scope, protocol)

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Watch the pipe, and end when the program has closed it or is gone."""

        def watch() -> None:
            with suppress(EOFError, OSError):
                while self._watched.recv_bytes():
                    self._program.gateway.stopping = True
            loop.call_soon_threadsafe(self._end)

        threading.Thread(target=watch, daemon=True).start()

    def _end(self) -> None:
        """Have granian wait for the last answer, then stop."""
        # granian stops by a signal only, which it reads from the interpreter's wake-up descriptor,
        # and it hangs if it reads two. All real signals are blocked, so this is the only one.
        descriptor = signal.set_wakeup_fd(-1)
        signal.set_wakeup_fd(descriptor)
        os.write(descriptor, bytes([signal.SIGTERM]))

    def __rsgi_del__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Close the program, once the last request is answered."""
        self._program.close()


def look_for_cycles_seldom() -> None:
    """Exclude the objects that exist now from the interpreter's search for cycles.

    It searches all objects again and again as requests make new ones. The objects that exist now
    stay until the end; and a report leaves no object with a cycle.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)


def _first_line() -> bytes:
    """Read the settings, from the descriptor: a buffer's lock could be held when granian forks."""
    line = b""
    while not line.endswith(b"\n"):
        line += os.read(_STDIN, 1) or b"\n"
    return line


def _end_of_input() -> None:
    # Until the process at the other end closes it, or is gone.
    while os.read(_STDIN, 1):
        pass
