"""The part of granian's own interface (RSGI 1.x) that the server uses.

It hands a request to a coroutine, so that a report that waits for the disk holds no thread, and
neither does a client that stops half-way through sending one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from typing import Protocol as Interface


class HeaderLookup(Interface):
    """The headers of a request, by name in lower case."""

    def get(self, key: str, default: str | None = None) -> str | None:
        """Return a header, the first of that name."""

    def get_all(self, key: str) -> list[str]:
        """Return all headers of a name, in the order in which they were sent."""

    def items(self) -> Iterable[tuple[str, str]]:
        """Return all of them."""


class Scope(Interface):
    """The head of a request."""

    @property
    def client(self) -> str:
        """The sender's address and port. Only `deniable.server.intake.networks` may read it."""

    @property
    def http_version(self) -> str:
        """Such as ``"1.1"``."""

    @property
    def scheme(self) -> str:
        """``"http"`` or ``"https"``."""

    @property
    def method(self) -> str:
        """Such as ``"GET"``."""

    @property
    def path(self) -> str:
        """Of the address, decoded."""

    @property
    def query_string(self) -> str:
        """Of the address, as it was sent."""

    @property
    def headers(self) -> HeaderLookup:
        """All of them."""


class Transport(Interface):
    """The way to send an answer in pieces."""

    async def send_bytes(self, data: bytes) -> None:
        """Send a piece; raises an error where nobody reads any more."""


class Protocol(Interface):
    """What is still to come of a request, and the way to answer it."""

    async def __call__(self) -> bytes:
        """Read the whole body."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Read the body in pieces."""

    def response_stream(self, status: int, headers: list[tuple[str, str]]) -> Transport:
        """Begin an answer that is sent in pieces."""

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        """Answer."""
