"""What goes over the wire: listening between a browser and a server, or in a server's place."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass
class Heard:
    """All bytes that went over the wire, either way."""

    port: int
    sent: bytearray = field(default_factory=bytearray)
    received: bytearray = field(default_factory=bytearray)

    def forget(self) -> None:
        """Hear from here on."""
        self.sent.clear()
        self.received.clear()


@contextmanager
def relay(link: str) -> Iterator[tuple[Heard, str]]:
    """Listen between a browser and the server of a link, and lend the link that leads past."""
    parts = urlsplit(link)
    assert parts.port is not None
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        heard = Heard(listening.getsockname()[1])
        _in_background(_relay, listening, parts.port, heard)
        yield heard, f"http://127.0.0.1:{heard.port}{parts.path}"


@contextmanager
def trap() -> Iterator[Heard]:
    """Listen in the place of another site, which has nothing to say, to streams and datagrams."""
    with (
        closing(socket.create_server(("127.0.0.1", 0))) as listening,
        closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as datagrams,
    ):
        heard = Heard(listening.getsockname()[1])
        datagrams.bind(("127.0.0.1", heard.port))
        _in_background(_hear_all, listening, heard)
        _in_background(_copy, datagrams, None, heard.sent)
        yield heard


def _in_background(work: object, *arguments: object) -> None:
    threading.Thread(target=work, args=arguments, daemon=True).start()  # type: ignore[arg-type]


def _relay(listening: socket.socket, port: int, heard: Heard) -> None:
    with suppress(OSError):
        while True:
            browser, _ = listening.accept()
            server = socket.create_connection(("127.0.0.1", port))
            _in_background(_copy, browser, server, heard.sent)
            _in_background(_copy, server, browser, heard.received)


def _hear_all(listening: socket.socket, heard: Heard) -> None:
    with suppress(OSError):
        while True:
            connection, _ = listening.accept()
            _in_background(_hear, connection, heard)


def _hear(connection: socket.socket, heard: Heard) -> None:
    with suppress(OSError), connection:
        heard.sent += connection.recv(65536)
        # So that no browser waits for more.
        connection.sendall(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")


def _copy(source: socket.socket, target: socket.socket | None, heard: bytearray) -> None:
    with suppress(OSError), source:
        while data := source.recv(65536):
            heard += data
            if target is not None:
                target.sendall(data)
    if target is not None:
        target.close()
