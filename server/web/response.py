"""An answer to a request, before the security headers are added."""

from collections.abc import AsyncGenerator
from http import HTTPStatus
from typing import NamedTuple

Headers = list[tuple[str, str]]


class Response(NamedTuple):
    """A whole answer: nothing here is long enough to be worth sending in pieces."""

    status: HTTPStatus | int
    headers: Headers
    body: bytes


class Stream(NamedTuple):
    """An answer that goes on as long as somebody reads it, a piece whenever there is one."""

    headers: Headers
    pieces: AsyncGenerator[bytes, None]
