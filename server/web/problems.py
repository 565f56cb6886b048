"""Errors for programs, as problem details (RFC 9457).

They are generic: an error never repeats any part of a request, because a log or a screen that shows
the error would then show an answer.
"""

import json
from http import HTTPStatus
from typing import Final

from deniable.server.web.response import Response

PROBLEM_JSON: Final = "application/problem+json"


def problem(status: HTTPStatus, detail: str, *headers: tuple[str, str]) -> Response:
    """Return a response with a problem document."""
    fields = {
        "type": "about:blank",
        "title": status.phrase,
        "status": status.value,
        "detail": detail,
    }
    return Response(status, [("Content-Type", PROBLEM_JSON), *headers], json.dumps(fields).encode())


def naming(response: Response, about: str) -> Response:
    """Let a JSON response say what it is about.

    Between a device and this server stand programs that answer in its place: firewalls, log-in
    pages, proxies. None of them knows what was asked, so a device believes only what names it.
    """
    status, headers, body = response
    return Response(status, headers, b'{"about":%b,%b' % (json.dumps(about).encode(), body[1:]))
