"""A network that lies: a proxy between a client and our server, which answers in its place."""

import json
import os
import socket
import struct
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock
from typing import Final

from deniable.survey import Survey
from tests.kit.servers import LOST
from tests.kit.threads import Quiet, serving

HTML: Final = b"<!doctype html><title>Notice</title><h1>Your request was blocked (4711)</h1>"
"""The page of a firewall, of a café's Wi-Fi, or of a proxy."""

STATUSES: Final = (
    *(204, 302, 304, 401, 403, 404, 407, 409, 410, 413, 429, 451, 500, 502, 503, 511),
)

LIES: Final = (
    *("200 HTML", "200 empty", "200 other", "410 problem"),
    *map(str, STATUSES),
    *("reset", "lost", "half", "silence"),
)
"""All that may come in place of our server's answer.

`200 other` is what our server says of something else, and `410 problem` a problem document of
somebody else. Of `lost` and `half` our server has answered, and the client gets nothing or half.
"""

OLD: Final = "old"
"""Every other time, what our server said when the same was asked first: a cache on the way."""

_OF_THE_WAY: Final = {"connection", "keep-alive", "transfer-encoding", "content-length"}
_LOGIN: Final = "/login-of-the-network"


@dataclass
class Network:
    """What happens on the way from now on, and what was asked so far."""

    port: int  # where our server listens
    other: Survey | None = None  # what `200 other` is about
    # What else this origin has answered some day: its type and body, by path.
    pages: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    url: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)  # method and path of each request
    told: int = 0  # lies so far
    first: dict[str, tuple[str, bytes]] = field(default_factory=dict)  # as `pages`, of our server
    _lock: Lock = field(default_factory=Lock)
    _lie: str = ""
    _about: str = ""
    _left: float = 0
    _ended: Event = field(default_factory=Event)

    def lie(self, kind: str, about: str, times: float = float("inf")) -> None:
        """Answer the next requests for `about` so: the end of a path, or "page" for a folder."""
        assert kind in (*LIES, OLD), kind
        with self._lock:
            self._lie, self._about, self._left = kind, about, times
            self._ended.set()
            self._ended = Event()

    def tell_truth(self) -> None:
        """Let all through from now on, and end all silence."""
        self.lie(LIES[0], "", 0)

    def count(self, about: str) -> int:
        """Return how often something was asked for."""
        return sum(what_is(path) == about for _, path in self.asked)

    def lie_for(self, method: str, path: str) -> tuple[str, Event]:
        """Note a request; return how to lie about it, or nothing, and what ends a silence."""
        with self._lock:
            self.asked.append((method, path))
            if what_is(path) != self._about or self._left <= 0:
                return "", self._ended
            if self._lie == OLD and self.count(self._about) % 2:
                return "", self._ended
            self._left -= 1
            self.told += 1
            return self._lie, self._ended


def what_is(path: str) -> str:
    """Return the name of what a path leads to."""
    return path.partition("?")[0].rpartition("/")[2] or "page"


@contextmanager
def network(port: int, other: Survey | None = None) -> Iterator[Network]:
    """Stand before the server at a port of this machine until the block ends."""
    ours = Network(port, other)

    class Handler(_Handler):
        network = ours

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.block_on_close = False  # a connection may stay open for as long as its browser
    with serving(server) as ours.url:
        try:
            yield ours
        finally:
            ours.tell_truth()


class _Handler(Quiet, BaseHTTPRequestHandler):
    """A connection from a client, with one of its own to our server."""

    protocol_version = "HTTP/1.1"
    network: Network

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        kind, ended = self.network.lie_for(self.command, self.path)
        page = self.network.pages.get(self.path.partition("?")[0])
        with suppress(*LOST):  # a client that has gone away is told nothing
            if kind == "reset":
                self._reset()
            elif kind == "silence":
                ended.wait(60)
                self._reset()
            elif kind in ("", "lost", "half") and page is None:
                self._pass_on(body, kind)
            elif kind == "":
                media_type, content = page or ("", b"")
                self._answer(200, content, {"Content-Type": media_type})
            elif kind == OLD:
                media_type, content = self.network.first[self.path]
                self._answer(200, content, {"Content-Type": media_type})
            else:
                self._lie(kind)

    do_POST = do_GET  # noqa: N815  the name that the base class looks for
    do_HEAD = do_GET  # noqa: N815

    def handle(self) -> None:
        with suppress(*LOST):
            super().handle()

    def _pass_on(self, body: bytes, kind: str) -> None:
        if self.path == _LOGIN:
            self._answer(200, HTML, {"Content-Type": "text/html"})
            return
        headers = {name: value for name, value in self.headers.items() if name != "Connection"}
        with closing(HTTPConnection("127.0.0.1", self.network.port, timeout=60)) as ours:
            ours.request(self.command, self.path, body or None, headers)
            answer = ours.getresponse()
            content = answer.read()
        self.network.first.setdefault(self.path, (answer.headers.get_content_type(), content))
        if kind == "lost":
            self._reset()
            return
        self._answer(answer.status, content, dict(answer.getheaders()), half=kind == "half")

    def _lie(self, kind: str) -> None:
        status = int(kind.partition(" ")[0])
        headers = {"Content-Type": "text/html"}
        body = HTML
        if kind == "200 empty" or status in (204, 304):
            body = b""
        elif kind == "410 problem":
            headers["Content-Type"] = "application/problem+json"
            body = json.dumps({"status": 410, "title": "Gone", "detail": "Gone."}).encode()
        elif kind == "200 other":
            headers["Content-Type"] = "application/json"
            body = self._of_another()
        if status == 302:
            headers["Location"] = _LOGIN
        if status in (401, 407):
            headers["WWW-Authenticate" if status == 401 else "Proxy-Authenticate"] = "Bearer"
        if status in (429, 503):
            headers["Retry-After"] = "1"
        self._answer(status, body, headers)

    def _of_another(self) -> bytes:
        """Return what our server says of another survey, or of another report."""
        other, about = self.network.other, what_is(self.path)
        if self.command == "GET" and (other is not None or about == "step.json"):
            path = "/join/NNNNNN/step.json"  # a meeting that is over
            if other is not None and about != "step.json":
                path = other.address + ("" if about == "page" else about)
            with closing(HTTPConnection("127.0.0.1", self.network.port, timeout=60)) as ours:
                ours.request("GET", path)
                return ours.getresponse().read()
        another = {"status": "stored", "signed": "00" * 256, "about": "00" * 16}
        return json.dumps(another).encode()

    def _answer(
        self, status: int, body: bytes, headers: Mapping[str, str], *, half: bool = False
    ) -> None:
        self.send_response_only(status)
        for name, value in headers.items():
            if name.lower() not in _OF_THE_WAY:
                self.send_header(name, value)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[: len(body) // 2] if half else body)
        if half:
            self.close_connection = True

    def _reset(self) -> None:
        """End the connection as a firewall does, without a word."""
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        # What reads and writes would hold the socket open.
        os.close(self.connection.detach())
