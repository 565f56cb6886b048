"""An answer to a request, before the security headers are added."""

from http import HTTPStatus
from typing import NamedTuple

Headers = list[tuple[str, str]]


class Response(NamedTuple):
    """A whole answer: nothing here is long enough to be worth sending in pieces."""

    status: HTTPStatus | int
    headers: Headers
    body: bytes
