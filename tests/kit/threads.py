"""Small servers of the tests' own, each in a thread of this process."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from threading import Thread
from typing import Any


class Quiet(BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving(server: HTTPServer) -> Iterator[str]:
    """Run a server until the block ends, and lend its address."""
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def answering(handler: Callable[..., Any]) -> Iterator[str]:
    """Answer by a handler until the block ends, and lend the address."""
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as address:
        yield address
