"""A response, before the security headers are added."""

from http import HTTPStatus
from typing import NamedTuple

Headers = list[tuple[str, str]]


class Response(NamedTuple):
    """A complete response: none is long enough to be streamed."""

    status: HTTPStatus | int
    headers: Headers
    body: bytes
