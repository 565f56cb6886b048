"""A program's own process: granian runs its application until a signal to stop.

The worker makes the application, so the store, the writer and the session key are in the worker. A
program never outlives the process that started it, because nothing else would stop it.

The adversary takes a snapshot of the machine's memory. What a worker read of requests stays in its
buffers and its heap until other requests overwrite it: nothing in Python reaches that, so the whole
worker of a program that takes reports is replaced at fixed times. Both have one socket, so that no
connection waits at the one that leaves. The process that starts them sees no request.

All signals to stop are blocked, in both processes: granian's own handlers wait for locks, and a
handler that interrupts another waits for ever. In the program, one thread waits for the first
signal, and one for the end of its input. The worker watches only a pipe from the program. So
signals to the whole group, however many, stop each process once, and in one order.
"""

import asyncio
import gc
import json
import logging
import multiprocessing
import os
import resource
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, NamedTuple

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.net import SocketSpec
from granian.rsgi import HTTPProtocol as Protocol
from granian.rsgi import Scope
from granian.server.mp import MPServer, WorkerProcess

from deniable.server.private_memory import keep_memory_private
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

HEAD_TIMEOUT: Final = 10.0
"""Seconds in which the head of a connection's first or next request must come."""

LEAVING: Final = 20.0
"""Seconds after which a worker that was replaced is ended, whatever its senders do."""

LOOK: Final = 1.0
"""Seconds between two looks at how many connections are open."""

_START: Final = 60.0
"""Seconds in which a worker must accept connections."""

_READY, _DRAIN, _LEAVE, _END = b"ready", b"drain", b"leave", b"end"
_TIDY, _ORDER = b"tidy", b"order"
"""What a worker says to its program, and hears from it."""

_STDIN: Final = 0

_log = logging.getLogger(__name__)


class Program(NamedTuple):
    """An application, and how to close it."""

    gateway: Gateway
    close: Callable[[], None]  # called once the last request is answered
    # Called instead where another worker follows: returns whether `inherit` is to be called there.
    leave: Callable[[], bool] = lambda: False
    inherit: Callable[[], object] = lambda: None


def run(
    open_program: Callable[[Settings], Program],
    wait_until_due: Callable[[], object] | None = None,
) -> None:
    """Run a program until a signal of `STOPPING`, or until its parent closes its input.

    Whenever `wait_until_due` returns, the worker is replaced.
    """
    keep_memory_private()
    log_with_levels()
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)  # as the parent has done already
    settings = Settings(**json.loads(_first_line()))
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
        http1_settings=HTTP1Settings(header_read_timeout=int(1000 * HEAD_TIMEOUT)),
        # The access log would name respondents' addresses. The other log says only that the worker
        # could not start or has died.
        log_access=False,
        log_level=LogLevels.error,
    )
    for asked in (_end_of_input, partial(signal.sigwait, STOPPING)):
        threading.Thread(
            target=_stop_after, args=(asked, server, settings.drain), daemon=True
        ).start()
    if wait_until_due:
        threading.Thread(target=_keep_replacing, args=(server, wait_until_due), daemon=True).start()
    server.serve(target_loader=partial(_Worker, open_program, settings), wrap_loader=False)


class _Server(MPServer):
    """granian, with a worker that ends when its pipe says so, and that another one can replace."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        # The last one accepts connections; one before it leaves.
        self._running: list[tuple[WorkerProcess, Connection]] = []
        self._changing = threading.Lock()

    def _init_shared_socket(self) -> None:
        # As granian does it where the system cannot share a port: with a socket for each worker,
        # what waits at the old one's would be reset when that leaves.
        shared = SocketSpec(self.bind_addr, self.bind_port, self.backlog).build()
        self._ssp, self._shd = None, shared  # type: ignore[assignment]
        self._sfd = shared.get_fd()
        self._sso = socket.socket(fileno=self._sfd)
        self._sso.set_inheritable(True)

    def _spawn_workers(self, spawn_target: Any, target_loader: Any) -> None:
        self._targets = spawn_target, target_loader
        self._running.append(self._start(follows=False))

    def _start(self, *, follows: bool) -> tuple[WorkerProcess, Connection]:
        target, loader = self._targets
        watched, held = multiprocessing.Pipe()
        worker = self._spawn_worker(0, target, partial(loader, watched, held, self._sfd, follows))
        worker.interrupt_by_parent = follows  # until it works, its end is no crash
        worker.start()  # type: ignore[no-untyped-call]
        watched.close()
        return worker, held

    def replace(self) -> str:
        """Replace the worker: the new one listens, then the old one leaves.

        If the new one cannot start, return why; then the old one stays.
        """
        with self._changing:
            if self.interrupt_signal:
                return ""
            old, former = self._running[-1]
            new, held = self._start(follows=True)
            try:
                said = held.recv_bytes() if held.poll(_START) else b"it took too long"
            except EOFError:
                said = b"it ended by itself"
            if said != _READY:
                new.kill()  # type: ignore[no-untyped-call]
                return said.decode()
            old.interrupt_by_parent, new.interrupt_by_parent = True, False
            self._running.append((new, held))
        with suppress(OSError):  # the server stops meanwhile
            held.send_bytes(_see_off(old, former))
        del self._running[0]
        return ""

    def drain(self) -> None:
        """Have the workers say to a proxy that they stop."""
        for _, held in [*self._running]:
            with suppress(OSError):  # another thread has stopped it meanwhile
                held.send_bytes(_DRAIN)

    def _stop_workers(self) -> None:
        with self._changing:
            running = [*self._running]
        # One by one: the last wipes out the order of arrival at both.
        for worker, held in running:
            worker.interrupt_by_parent = True  # otherwise its end would count as a crash
            with suppress(OSError):
                held.send_bytes(_END)
            worker.join()  # type: ignore[no-untyped-call]


def _see_off(worker: WorkerProcess, held: Connection) -> bytes:
    """Have a worker leave, and return what is left to do; if it had to be ended, all."""
    end, said = time.monotonic() + LEAVING, _ORDER
    with suppress(EOFError, OSError):  # at its end
        held.send_bytes(_LEAVE)
        while held.poll(max(0.0, end - time.monotonic())):
            said = held.recv_bytes()
        worker.kill()  # type: ignore[no-untyped-call]
    return said


def _keep_replacing(server: _Server, wait_until_due: Callable[[], object]) -> None:
    while True:
        wait_until_due()
        if why := server.replace():
            _log.error(
                "the process that takes reports was not replaced and goes on, so its memory may "
                "still hold who sent them; it is tried again in half an hour. A new one said: %s",
                why,
            )


def _stop_after(asked: Callable[[], object], server: _Server, drain: float) -> None:
    """Stop the server once `asked` returns: in a thread, as granian's own way waits for a lock."""
    asked()
    if drain:
        # The first third is for a proxy that has not yet seen that another server is back.
        time.sleep(drain / 3)
        server.drain()
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
        listening: int,
        follows: bool,
    ) -> None:
        held.close()  # a copy, if processes are forked; only the program may hold it
        keep_memory_private()  # if they are not forked
        self._watched = watched
        self._listening = listening
        self._leaves = False
        try:
            self._program = open_program(replace(settings, follows=follows))
        except Exception as error:
            if not follows:
                raise
            watched.send_bytes(str(error).encode())
            sys.exit(1)
        look_for_cycles_seldom()

    def __call__(self, scope: Scope, protocol: Protocol) -> Coroutine[Any, Any, None]:
        return self._program.gateway(scope, protocol)

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Watch the pipe, and end when the program says so or is gone."""

        def watch() -> None:
            crowd = _Crowd()
            with suppress(EOFError, OSError):
                while not self._leaves:
                    if not self._watched.poll(LOOK):
                        crowd.look()
                        continue
                    if (said := self._watched.recv_bytes()) == _END:
                        break
                    if said == _DRAIN:
                        self._program.gateway.stopping = True
                    elif said == _LEAVE:
                        self._leave()
                    elif said == _ORDER:
                        loop.call_soon_threadsafe(self._program.inherit)
            loop.call_soon_threadsafe(self._end)

        threading.Thread(target=watch, daemon=True).start()
        # Once the loop runs, granian accepts connections.
        loop.call_soon(self._watched.send_bytes, _READY)

    def _leave(self) -> None:
        """Accept no connection, and answer all that have one: each once, or none sends anything."""
        self._leaves = self._program.gateway.leaving = True
        with socket.create_server(("127.0.0.1", 0)) as nobody_s:
            # granian could only stop accepting by closing connections whose request is under way.
            # So it accepts from a socket that nobody knows, and the other worker from the real one.
            nobody_s.setblocking(False)
            os.dup2(nobody_s.fileno(), self._listening)
        self._watched.poll(HEAD_TIMEOUT)  # until those that send nothing are closed, or until told

    def _end(self) -> None:
        """Have granian wait for the last answer, then stop."""
        # granian stops by a signal only, which it reads from the interpreter's wake-up descriptor,
        # and it hangs if it reads two. All real signals are blocked, so this is the only one.
        descriptor = signal.set_wakeup_fd(-1)
        signal.set_wakeup_fd(descriptor)
        os.write(descriptor, bytes([signal.SIGTERM]))

    def __rsgi_del__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Close the program, once the last request is answered."""
        if self._leaves:
            with suppress(OSError):
                self._watched.send_bytes(_ORDER if self._program.leave() else _TIDY)
        else:
            self._program.close()


class _Crowd:
    """Logs when all connections are taken and when that ends, but no connection."""

    def __init__(self) -> None:
        self._files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._most = connections_within(self._files)
        self._own = _open_sockets()
        self._is_full = False

    def look(self) -> None:
        """Count the connections, as granian does not tell when it accepts no more."""
        count = _open_sockets() - self._own
        if count >= self._most and not self._is_full:
            self._is_full = True
            _log.error(
                "%d connections are open, and further ones wait until some end: more senders than "
                "expected, or too low a limit of open files (ulimit -n), which is %d",
                self._most,
                self._files,
            )
        elif count < self._most / 2 and self._is_full:  # not with each that ends
            self._is_full = False
            _log.warning("fewer connections are open again, so no more of them wait")


def _open_sockets() -> int:
    try:
        return sum(one.is_socket() for one in Path("/dev/fd").iterdir())
    except OSError:  # no descriptor is left to look with
        return sys.maxsize


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
