"""Read a request's body, up to a limit a little above the longest report."""

import asyncio
from http import HTTPStatus
from typing import Final

from granian import rsgi
from granian.rsgi import HTTPProtocol as Protocol
from granian.rsgi import Scope

from deniable.server.web.problems import problem
from deniable.server.web.response import Response

MAX_BODY: Final = 2**16
"""Bytes of a request at most; a report of 10,000 items takes a third of it."""

SECONDS: Final = 10.0
"""Seconds for the whole body to arrive. Otherwise a sender of half a body could hold a connection,
and a descriptor, for as long as they like."""

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
# The sender has gone, or sends invalid HTTP.
_BROKEN: Final = (
    rsgi.ProtocolClosed,
    rsgi.ProtocolError,
)


class BodyError(Exception):
    """A body that is refused; carries the response."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


async def read_body(scope: Scope, protocol: Protocol) -> bytes:
    """Read the body of a request."""
    try:
        async with asyncio.timeout(SECONDS):
            return await _read_chunks(scope, protocol)
    except TimeoutError:
        raise BodyError(_TOO_SLOW) from None
    except _BROKEN:
        raise BodyError(_BROKEN_OFF) from None


async def _read_chunks(scope: Scope, protocol: Protocol) -> bytes:
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
    # Sent in chunks, so its length is known only after reading.
    body = b""
    async for chunk in protocol:
        body += chunk
        if len(body) > MAX_BODY:
            raise BodyError(_TOO_LARGE)
    return body
