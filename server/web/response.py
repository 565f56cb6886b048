"""An answer to a request, before the security headers are added."""

from __future__ import annotations

from http import HTTPStatus
from typing import NamedTuple

Headers = list[tuple[str, str]]


class Response(NamedTuple):
    """A whole answer: nothing here is long enough to be worth streaming."""

    status: HTTPStatus | int
    headers: Headers
    body: bytes
