"""Reading what a request carries, never much more than a report can be long."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Final

from granian import rsgi

from deniable.server.web.problems import problem
from deniable.server.web.response import Response
from deniable.server.web.rsgi import Protocol, Scope

MAX_BODY: Final = 2**16
"""Bytes of a request at most; a report of 10,000 items takes a third of it."""

SECONDS: Final = 10.0
"""For the whole body to arrive. Whoever sends half of one would otherwise hold a connection, and
a descriptor, for as long as they like."""

_TOO_LARGE: Final = problem(
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A request has at most {MAX_BODY} bytes."
)
_NO_NUMBER: Final = problem(HTTPStatus.BAD_REQUEST, "Content-Length is expected to be a number.")
_BROKEN_OFF: Final = problem(HTTPStatus.BAD_REQUEST, "The request ended before its body did.")
_TOO_SLOW: Final = problem(
    HTTPStatus.REQUEST_TIMEOUT,
    f"A request is expected to arrive whole within {SECONDS:.0f} seconds.",
    ("Connection", "close"),
)
# The sender has gone, or what it sends is no HTTP.
_BROKEN: Final = (
    rsgi.ProtocolClosed,  # type: ignore[attr-defined]  # granian exports it without saying so
    rsgi.ProtocolError,  # type: ignore[attr-defined]
)


class BodyError(Exception):
    """A body that is not taken; carries the answer to it."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


async def read_body(scope: Scope, protocol: Protocol) -> bytes:
    """Read the body of a request.

    Parameters
    ----------
    scope, protocol : Scope, Protocol
        The request.

    Returns
    -------
    bytes
        `MAX_BODY` at most.

    Raises
    ------
    BodyError
        If it is longer, its declared length is no number, it ended before that, or it is not
        there within `SECONDS`.
    """
    try:
        async with asyncio.timeout(SECONDS):
            return await _read(scope, protocol)
    except TimeoutError:
        raise BodyError(_TOO_SLOW) from None
    except _BROKEN:
        raise BodyError(_BROKEN_OFF) from None


async def _read(scope: Scope, protocol: Protocol) -> bytes:
    declared = scope.headers.get("content-length")
    if declared is not None:
        if not (declared.isascii() and declared.isdigit()):
            raise BodyError(_NO_NUMBER)
        if len(declared) > len(str(MAX_BODY)) or int(declared) > MAX_BODY:
            raise BodyError(_TOO_LARGE)
        body = await protocol()
        if len(body) < int(declared):
            raise BodyError(_BROKEN_OFF)
        return body
    # Sent in chunks: only reading tells how long it is.
    body = b""
    async for chunk in protocol:
        body += chunk
        if len(body) > MAX_BODY:
            raise BodyError(_TOO_LARGE)
    return body
