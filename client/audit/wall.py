"""A proxy that lets nothing through: what a browser asks for past its own protocol ends here."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Final
from urllib.parse import urlsplit

# What Chromium asks for by itself, whatever it shows.
_BROWSERS_OWN: Final = ("google.com", "googleapis.com", "gvt1.com", "gstatic.com")


def fenced(port: int) -> tuple[str, ...]:
    """Return the arguments that send all of a browser's traffic to the wall at a port."""
    return (
        f"--proxy-server=http://127.0.0.1:{port}",
        "--proxy-bypass-list=<-loopback>",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-quic",
    )


@contextmanager
def wall() -> Iterator[tuple[int, list[str]]]:
    """Listen as a proxy that lets nothing through; lend the first line of all that came."""
    heard: list[str] = []

    def listen(listening: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                with connection, suppress(OSError):
                    connection.settimeout(1)
                    said = connection.recv(4096).split(b"\r\n", 1)[0]
                    # Browsers open some before they know what for, and say nothing.
                    heard.extend([said.decode(errors="replace")] if said else [])
                    connection.sendall(b"HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n")

    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        threading.Thread(target=listen, args=(listening,), name="wall", daemon=True).start()
        try:
            yield listening.getsockname()[1], heard
        finally:
            with suppress(OSError):  # closing alone does not wake the thread
                listening.shutdown(socket.SHUT_RDWR)


def is_browsers_own(line: str) -> bool:
    """Return whether the first line of a request to a proxy names a host of the browser's maker."""
    target = line.split(" ")[1] if line.count(" ") > 1 else ""
    host = urlsplit(target if "://" in target else f"//{target}").hostname or ""
    return f".{host}".endswith(tuple(f".{own}" for own in _BROWSERS_OWN))
