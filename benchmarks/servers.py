"""The two servers that are compared, each started by its own command, as users start it."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from flask import Flask

from benchmarks.measuring import ROOT
from tests.kit import free_ports

PATIENCE: Final = 60
"""Seconds within which a server must start."""

THREADS: Final = "32"
"""Threads of the empty server; it was not faster with 16, 64 or 128."""

nothing = Flask("nothing")


@nothing.post("/<address>/reports")
def _take_nothing(address: str) -> tuple[str, int]:  # noqa: ARG001  the route has it
    return "", 204


@contextmanager
def serving_nothing() -> Iterator[int]:
    """Serve an empty Flask route under granian, which serves ours too; yield its port."""
    (port,) = free_ports(1)
    words = ("granian", "benchmarks.servers:nothing", "--interface", "wsgi", "--no-ws")
    with _started(port, *words, "--port", str(port), "--blocking-threads", THREADS):
        yield port


@contextmanager
def serving(survey: str, store: str) -> Iterator[int]:
    """Serve a survey file; yield the port of the respondents' program."""
    port, desk = free_ports(2)
    words = ("deniable.cli.main", "serve", survey, "--store", store, "--reports-per-minute", "0")
    with _started(port, *words, "--port", str(port), "--desk-port", str(desk)):
        yield port


@contextmanager
def _started(port: int, *words: str) -> Iterator[None]:
    """Start a module as a program, wait for its port, and stop it."""
    silent = subprocess.DEVNULL
    process = subprocess.Popen([sys.executable, "-m", *words], cwd=ROOT, stdout=silent)
    try:
        end = time.monotonic() + PATIENCE
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            assert process.poll() is None, f"{words[0]} has ended"
            assert time.monotonic() < end, f"{words[0]} does not start"
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)
