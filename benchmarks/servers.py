"""The servers that are compared, each in a process of its own.

``python -m benchmarks.servers deniable STORE SURVEY`` is ours, and ``… nothing`` one that does
nothing. ``… CEILING STORE SURVEY`` is ours without a part of its work (`CEILINGS`). Each prints its
port when it answers; ours also prints a link to its desk.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from flask import Flask
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.rsgi import HTTPProtocol as Protocol
from granian.rsgi import Scope
from granian.server import Server

from benchmarks.measuring import ROOT
from deniable.report import Report
from deniable.server import worker
from deniable.server.addresses import Place
from deniable.server.intake.group_commit import GroupCommit
from deniable.server.respondents_program import create_respondents_program
from deniable.server.serving import Ready, serve
from deniable.server.store import open_store
from deniable.server.store.records import Outcome
from deniable.server.store.sqlite import connections
from deniable.survey import Survey

PATIENCE: Final = 600
"""Seconds in which the server has wiped out the order of arrival."""

NOTHING_THREADS = 32
"""Of the server that does nothing: of 16, 32, 64 and 128 none was faster for it."""


@contextmanager
def running(*arguments: str) -> Iterator[int]:
    """Start one of the servers, lend its port, and stop it."""
    with started(*arguments) as server:
        yield server.port


@dataclass(frozen=True)
class Started:
    """A server that runs."""

    process: int  # its number; the programs are among those that it has started
    port: int  # of the respondents' program
    sign_in: str  # A link to the desk; empty of the server that does nothing


def cpu(processes: Iterable[int]) -> float:
    """Return how many seconds of processor time some processes have used."""
    ticks = 0
    for number in processes:
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def command(process: int) -> str:
    """Return what a process was started by."""
    return Path(f"/proc/{process}/cmdline").read_text()


def children(process: int) -> list[int]:
    """Return the processes that one has started."""
    return [*map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split())]


def tree(process: int) -> list[int]:
    """Return a process, those that it has started, and those that they have."""
    return [process, *(one for child in children(process) for one in tree(child))]


def sign_in(link: str) -> urllib.request.OpenerDirector:
    """Open a link to the desk, press its button, and return who looks at the desk from then on."""
    desk = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with desk.open(link, timeout=60) as page:
        (token,) = re.findall(r'name="csrf_token"[^>]*value="([^"]+)"', page.read().decode())
    form = urllib.parse.urlencode({"csrf_token": token}).encode()
    button = urllib.request.Request(link, form, {"Origin": link.partition("/desk")[0]})
    end = time.monotonic() + PATIENCE
    # A server that starts wipes out the order of arrival, and the desk writes nothing meanwhile.
    while True:
        try:
            desk.open(button, timeout=60).close()
            return desk
        except urllib.error.HTTPError as error:
            if error.code < HTTPStatus.INTERNAL_SERVER_ERROR or time.monotonic() > end:
                raise


@contextmanager
def started(*arguments: str) -> Iterator[Started]:
    """Start one of the servers, lend what is known of it, and stop it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.servers", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout is not None
    try:
        port, _, sign_in = process.stdout.readline().strip().partition(" ")
        yield Started(process.pid, int(port), sign_in)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        process.stdout.close()


def serve_nothing() -> None:
    """Serve an empty answer by Flask, under granian."""
    app = Flask("nothing")

    @app.post("/<address>/reports")
    def nothing(address: str) -> tuple[str, int]:  # noqa: ARG001
        return "", 204

    _serve(lambda: app, interface=Interfaces.WSGI, blocking_threads=NOTHING_THREADS)


def serve_ceiling(ceiling: str, url: str, document: str) -> None:
    """Serve what is left of the respondents' program without a part of its work."""
    survey = Survey.from_document(json.loads(Path(document).read_text(encoding="utf-8")))

    def make() -> _Application:
        application = CEILINGS[ceiling](url, survey)
        worker.look_for_cycles_seldom()
        return application

    _serve(make, interface=Interfaces.RSGI, websockets=False)


_Application = Callable[[Scope, Protocol], Coroutine[Any, Any, None]]


def _make_read(_url: str, _survey: Survey) -> _Application:
    """Read the body, and answer nothing."""

    async def answer(_: Scope, protocol: Protocol) -> None:
        await protocol()
        protocol.response_bytes(204, [], b"")

    return answer


def _make_parsed(_url: str, survey: Survey) -> _Application:
    """Read the report as well, and check it."""

    async def answer(_: Scope, protocol: Protocol) -> None:
        Report.from_json(await protocol()).check(survey)
        protocol.response_bytes(204, [], b"")

    return answer


def _make_unstored(url: str, survey: Survey) -> _Application:
    """Do all but store the report."""
    store = open_store(url)
    store.register(survey)

    def insert_batch(reports: Sequence[Report], *_: object) -> list[Outcome]:
        return [Outcome.STORED] * len(reports)

    store.insert_batch = insert_batch  # type: ignore[method-assign, assignment]
    return create_respondents_program(store, GroupCommit(store))


def _make_unsynced(url: str, survey: Survey) -> _Application:
    """Store the report, but do not wait for the disk."""
    connect = connections._connect

    def connect_unsynced(path: Path, *, locking: str = "NORMAL") -> connections.Connection:
        db = connect(path, locking=locking)
        db.execute("PRAGMA synchronous = OFF")
        return db

    connections._connect = connect_unsynced
    store = open_store(url)
    store.register(survey)
    return create_respondents_program(store, GroupCommit(store))


CEILINGS: Final = {
    "read": _make_read,
    "parsed": _make_parsed,
    "unstored": _make_unstored,
    "unsynced": _make_unsynced,
}
"""What is left out, each less than the one before."""


def _serve(make: Callable[[], object], **options: Any) -> None:
    """Run an application under granian, as `deniable.server.worker` runs ours."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    Server(
        "measured",
        address="127.0.0.1",
        port=port,
        http=HTTPModes.http1,
        workers=1,
        backlog=worker.BACKLOG,
        backpressure=worker.CONNECTIONS,
        http1_settings=HTTP1Settings(header_read_timeout=10_000),
        log_access=False,
        log_level=LogLevels.error,
        **options,
    ).serve(target_loader=partial(_make, make, port), wrap_loader=False)


def _make(make: Callable[[], object], port: int) -> Any:
    # Inside the worker, as a thread of the process that forks it could stop it for good.
    threading.Thread(target=_print_port, args=(port,), daemon=True).start()
    return make()


def serve_deniable(store: str, survey: str) -> None:
    """Serve the survey whose document is in a file, as `deniable serve --reports-per-minute 0`."""
    document = json.loads(Path(survey).read_text(encoding="utf-8"))
    serve(
        store,
        [Survey.from_document(document)],
        on_ready=_announce,
        respondents=Place(),
        desk=Place(),
        reports_per_minute=0,  # a load comes from one address
    )


def _announce(ready: Ready) -> None:
    print(ready.respondents_url.rsplit(":", 1)[1], ready.sign_in or "", flush=True)


def _print_port(port: int) -> None:
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            time.sleep(0.02)
    print(port, flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "nothing":
        serve_nothing()
    elif sys.argv[1] in CEILINGS:
        serve_ceiling(*sys.argv[1:])
    else:
        serve_deniable(*sys.argv[2:])
