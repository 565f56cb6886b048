"""The browser's only proxy: it answers as the survey's server, and refuses every other request.

The DevTools protocol does not show all that a server sees of a request: the network stack adds
headers, orders them and chooses a connection. So an allowed request arrives here as it would at the
server, and every other request ends here.
"""

import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from deniable.client.audit.chromium import BrowserMissing
from deniable.client.connection import Response

# Hosts that Chromium contacts by itself, whatever page it shows.
_BROWSERS_OWN: Final = ("google.com", "googleapis.com", "gvt1.com", "gstatic.com")
_HOP: Final = {"content-encoding", "content-length", "transfer-encoding", "connection"}
_LENGTH: Final = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
_MOST: Final = 2**24
_END: Final = b"\r\n\r\n"


@dataclass(frozen=True)
class Arrival:
    """A request as it came: no header is sorted or left out."""

    asked: str  # method and address
    head: tuple[str, ...]  # the request line, and each header
    body: str
    moment: float


@dataclass
class Wire:
    """The proxy's state: the requests that it expects, and what came."""

    port: int
    host: str  # of the page
    tls: ssl.SSLContext | None = None  # for a page of https
    heard: list[str] = field(default_factory=list)  # request lines of refused requests
    answer: Callable[[Arrival], Response] = lambda _: Response(404, b"")
    expected: Counter[str] = field(default_factory=Counter)
    _open: set[socket.socket] = field(default_factory=set)

    def expect(self, method: str, url: str) -> None:
        """Allow one request of this method and address."""
        self.expected[f"{method} {url.partition('#')[0]}"] += 1

    def serve(self, connection: socket.socket) -> None:
        """Answer the requests of a connection until it ends, or sends one that is not expected."""
        self._open.add(connection)
        try:
            with suppress(OSError, ValueError):
                self._serve(connection)
        finally:
            self._open.discard(connection)
            connection.close()

    def _serve(self, connection: socket.socket) -> None:
        origin, rest = "", b""
        given = connection
        with closing(connection):
            while True:
                head, body, rest = _request(given, rest)
                if not head:
                    return
                method, target = head[0].split(" ")[:2]
                host = target.removesuffix(":443")
                if method == "CONNECT" and self.tls and host == self.host:
                    given.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                    given = self.tls.wrap_socket(connection, server_side=True)
                    origin = f"https://{host}"
                    continue
                asked = f"{method} {origin}{target}"
                if not self.expected[asked]:
                    self.heard.append(head[0])
                    given.sendall(b"HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n")
                    return
                self.expected[asked] -= 1
                given.sendall(_bytes_of(self.answer(Arrival(asked, head, body, time.monotonic()))))

    def hang_up(self) -> None:
        """Close all connections, and expect no more requests."""
        self.expected.clear()
        for connection in [*self._open]:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


def _request(connection: socket.socket, rest: bytes) -> tuple[tuple[str, ...], str, bytes]:
    """Read one request; empty if none comes, as on connections that browsers open in advance."""
    while _END not in rest:
        more = connection.recv(65536)
        if not more or len(rest) > _MOST:
            return (rest.split(b"\r\n")[0].decode(errors="replace"),) * bool(rest), "", b""
        rest += more
    head, _, rest = rest.partition(_END)
    found = _LENGTH.search(head)
    length = int(found[1]) if found else 0
    while len(rest) < length <= _MOST:
        more = connection.recv(65536)
        if not more:
            break
        rest += more
    body, rest = rest[:length], rest[length:]
    return tuple(head.decode("latin-1").split("\r\n")), body.decode(errors="replace"), rest


def _bytes_of(response: Response) -> bytes:
    fields = [f"{name}: {value}" for name, value in response.headers if name.lower() not in _HOP]
    lines = [f"HTTP/1.1 {response.status} -", *fields, f"Content-Length: {len(response.body)}"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + response.body


def fenced(port: int) -> tuple[str, ...]:
    """Return the arguments that send all of a browser's traffic to the wire's port."""
    return (
        f"--proxy-server=http://127.0.0.1:{port}",
        "--proxy-bypass-list=<-loopback>",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-quic",
        # The wire's certificate is made by the audit; no other server can be reached.
        "--ignore-certificate-errors",
    )


@contextmanager
def wire(link: str = "") -> Iterator[Wire]:
    """Listen as a proxy that answers expected requests, and forwards nothing."""
    host, is_https = urlsplit(link).netloc, link.startswith("https:")
    tls = _made_for(host.partition(":")[0]) if is_https else None
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        made = Wire(listening.getsockname()[1], host, tls)

        def listen() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    threading.Thread(target=made.serve, args=(connection,), daemon=True).start()

        threading.Thread(target=listen, name="wire", daemon=True).start()
        try:
            yield made
        finally:
            with suppress(OSError):  # closing alone does not wake the thread
                listening.shutdown(socket.SHUT_RDWR)
            made.hang_up()


def _made_for(host: str) -> ssl.SSLContext:
    """Make a certificate for a host, for this browser alone."""
    if (openssl := shutil.which("openssl")) is None:
        raise BrowserMissing("found no openssl in PATH, by which a page of https is answered")
    with tempfile.TemporaryDirectory() as folder:
        key, certificate = Path(folder, "key"), Path(folder, "certificate")
        kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        names = ["-subj", "/CN=audit", "-addext", f"subjectAltName=DNS:{host}"]
        files = ["-keyout", str(key), "-out", str(certificate)]
        subprocess.run([openssl, "req", *kind, *names, *files], check=True, capture_output=True)  # noqa: S603  looked up above
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        return context


def is_browsers_own(line: str) -> bool:
    """Return whether a proxy request's first line names a host of the browser's maker."""
    target = line.split(" ")[1] if line.count(" ") > 1 else ""
    host = urlsplit(target if "://" in target else f"//{target}").hostname or ""
    return f".{host}".endswith(tuple(f".{own}" for own in _BROWSERS_OWN))
