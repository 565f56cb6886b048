"""The two servers that are compared, each in a process of its own: ours, and one that does nothing.

``python -m benchmarks.servers nothing`` and ``… deniable STORE SURVEY`` print their port when they
answer; ours also prints a link to its desk.
"""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from flask import Flask
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server

from benchmarks.measuring import ROOT
from deniable.server import worker
from deniable.server.addresses import Place
from deniable.server.serving import Ready, serve
from deniable.survey import Survey

NOTHING_THREADS = 32
"""Of the server that does nothing: of 16, 32, 64 and 128 none was faster for it."""


@contextmanager
def running(*arguments: str) -> Iterator[int]:
    """Start one of the servers, lend its port, and stop it."""
    with started(*arguments) as server:
        yield server.port


@dataclass(frozen=True)
class Started:
    """A server that runs.

    Parameters
    ----------
    process : int
        Its number; the programs are among those that it has started.
    port : int
        Of the respondents' program.
    sign_in : str
        A link to the desk; empty of the server that does nothing.
    """

    process: int
    port: int
    sign_in: str


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
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    Server(
        "nothing",
        address="127.0.0.1",
        port=port,
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        workers=1,
        blocking_threads=NOTHING_THREADS,
        backlog=worker.BACKLOG,
        http1_settings=HTTP1Settings(header_read_timeout=10_000),
        log_access=False,
        log_level=LogLevels.error,
    ).serve(target_loader=partial(_make_nothing, port), wrap_loader=False)


def _make_nothing(port: int) -> Flask:
    # Inside the worker, as a thread of the process that forks it could stop it for good.
    threading.Thread(target=_print_port, args=(port,), daemon=True).start()
    app = Flask("nothing")

    @app.post("/s/<slug>/reports")
    def nothing(slug: str) -> tuple[str, int]:  # noqa: ARG001
        return "", 204

    return app


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
    else:
        serve_deniable(*sys.argv[2:])
