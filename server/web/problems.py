"""Errors for programs, as problem details (RFC 9457).

They are generic: an error never repeats anything of what was sent, since whatever carries it
further, a log or a screen, would carry an answer with it.
"""

import json
from http import HTTPStatus
from typing import Final

from deniable.server.web.response import Response

PROBLEM_JSON: Final = "application/problem+json"


def problem(status: HTTPStatus, detail: str, *headers: tuple[str, str]) -> Response:
    """Answer with a problem."""
    fields = {
        "type": "about:blank",
        "title": status.phrase,
        "status": status.value,
        "detail": detail,
    }
    return Response(status, [("Content-Type", PROBLEM_JSON), *headers], json.dumps(fields).encode())
