"""The checks of a request's head, before its body is read.

They are the same for a report and for a token request: each must come from the survey's own page,
as JSON, and counts for the limit of its network.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Final

from granian.rsgi import Scope

from deniable.server.store.catalogue import Catalogue
from deniable.server.store.errors import StoreUnavailable
from deniable.server.web.problems import problem
from deniable.server.web.response import Response
from deniable.survey.address import PATTERN

CODE_HEADER: Final = "Survey-Code"
"""The scheme in ``WWW-Authenticate`` when another code may help: a scheme of our own, for which no
browser asks for a password."""

_PATH: Final = re.compile(rf"({PATTERN})(reports|tokens)")
_MEDIA_TYPE: Final = re.compile(r'application/json\s*(;\s*charset="?utf-8"?\s*)?', re.IGNORECASE)
_OWN_PAGES: Final = frozenset({"same-origin", "none", None, ""})

NO_SURVEY: Final = problem(HTTPStatus.NOT_FOUND, "There is no such survey.")
_NOT_POST: Final = problem(HTTPStatus.METHOD_NOT_ALLOWED, "Use POST here.", ("Allow", "POST"))
_NOT_JSON: Final = problem(
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "What is sent here is application/json in UTF-8."
)
_OTHER_SITE: Final = problem(HTTPStatus.FORBIDDEN, "This is only taken from the survey's own page.")
_TOO_MANY: Final = problem(
    HTTPStatus.TOO_MANY_REQUESTS,
    "Too many requests came from this network. Please send the same again later.",
)
_SEND_AGAIN: Final = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
"""Statuses that do not depend on the survey: the sender must try again."""


def sent_to(path: str) -> tuple[str, str]:
    """Return the survey's address and "reports" or "tokens" of a path; empty for other paths."""
    found = _PATH.fullmatch(path)
    return ("", "") if found is None else (found[1], found[2])


class Checks:
    """Refuses requests by their heads."""

    def __init__(
        self, catalogue: Catalogue, pause: Callable[[str, Scope], int] | None = None
    ) -> None:
        self._catalogue = catalogue
        self._pause = pause

    def of(self, slug: str, scope: Scope) -> Response | None:
        """Return the response that refuses a request; None if it passes.

        A repeated request counts again: its sender waits a moment longer for the response.
        """
        return self._check_request(slug, scope) or self._check_rate(slug, scope)

    def _check_request(self, slug: str, scope: Scope) -> Response | None:
        """Refuse a request by its survey, method, media type or origin."""
        if not self._catalogue.knows(slug):
            return NO_SURVEY
        if scope.method != "POST":
            return _NOT_POST
        headers = scope.headers
        if not _MEDIA_TYPE.fullmatch(headers.get("content-type") or ""):
            return _NOT_JSON
        # Another site's page, opened by a respondent, could otherwise answer in their place.
        if headers.get("sec-fetch-site") not in _OWN_PAGES:
            return _OTHER_SITE
        return None

    def _check_rate(self, slug: str, scope: Scope) -> Response | None:
        """Refuse a request above its network's limit."""
        seconds = 0 if self._pause is None else self._pause(slug, scope)
        if seconds == 0:
            return None
        headers = [*_TOO_MANY.headers, ("Retry-After", str(seconds))]
        return _TOO_MANY._replace(headers=headers)


def sentence(mistake: str) -> str:
    """Capitalise an error's message, and add its full stop."""
    return f"{mistake[:1].upper()}{mistake[1:]}."


def answered(catalogue: Catalogue, slug: str, answer: Response) -> Response:
    """Return a response; an error becomes 404 if the survey was deleted meanwhile.

    Only errors ask the store again: it takes no report to a deleted survey anyway.
    """
    if answer.status < HTTPStatus.BAD_REQUEST or answer.status in _SEND_AGAIN:
        return answer
    with suppress(StoreUnavailable):
        if slug not in catalogue:
            return NO_SURVEY
    return answer
