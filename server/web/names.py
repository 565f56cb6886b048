"""The names at which people reach a program.

What a browser keeps belongs to the name of a site, so at another name of the same server somebody
who has answered is asked again, with fresh chance. A name could also be made for each person. So
with ``--url`` the respondents' pages are at one name: at others, a page leads there.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from deniable.server.web.problems import problem
from deniable.server.web.response import Response

if TYPE_CHECKING:
    from granian.rsgi import Scope

_NOT_THIS_NAME: Final = problem(
    HTTPStatus.MISDIRECTED_REQUEST, "Expected the name of this server's own address (--url)."
)
_DATA: Final = (".json", ".js")


def name_asked(scope: Scope) -> str:
    """Return the name at which a request was made; empty if it says none.

    The name in its address precedes the one in ``Host`` (RFC 9112, 3.2.2).
    """
    return name_in(scope.authority or scope.headers.get("host") or "")


def name_in(host: str) -> str:
    """Return the name in a ``Host`` header, as browsers compare names, without its port.

    >>> name_in("Survey.Example.org:8443"), name_in("[::1]:80"), name_in("["), name_in("a.")
    ('survey.example.org', '::1', '', 'a.')
    """
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def led_to(url: str, scope: Scope) -> Response:
    """Answer at another name: a page leads to `url`, and nothing is told or taken.

    Without the query, which could say at which name it was; browsers add the part after the ``#``.
    No browser keeps this answer, because operators rename servers.
    """
    is_page = scope.path.startswith("/") and not scope.path.endswith(_DATA)
    if scope.method not in ("GET", "HEAD") or not is_page:
        return _NOT_THIS_NAME
    # Behind a whole address, so that `//x` stays a path.
    place = url.rstrip("/") + quote(scope.path)
    return Response(HTTPStatus.TEMPORARY_REDIRECT, [("Location", place)], b"")
