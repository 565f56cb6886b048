"""The checks of a request's head, before its body is read.

They are the same for a report and for a token request: each must come from the survey's own page,
as JSON, and counts for the limit of its network.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import ClassVar, Final, Generic, TypeVar

from granian.rsgi import HTTPProtocol as Protocol
from granian.rsgi import Scope

from deniable.report import ReportError, SyntaxMistake
from deniable.server.intake.group_commit import GroupCommit, Unavailable
from deniable.server.store.catalogue import Catalogue
from deniable.server.store.errors import StoreUnavailable
from deniable.server.store.records import Outcome
from deniable.server.web.body import BodyError, read_body
from deniable.server.web.problems import naming, problem
from deniable.server.web.response import Response
from deniable.survey.address import PATTERN

Asked = TypeVar("Asked")

CODE_HEADER: Final = "Survey-Code"
"""The scheme in ``WWW-Authenticate`` when another code may help: a scheme of our own, for which no
browser asks for a password."""

_PATH: Final = re.compile(rf"({PATTERN})(reports|tokens)")
_MEDIA_TYPE: Final = re.compile(r'application/json\s*(;\s*charset="?utf-8"?\s*)?', re.IGNORECASE)
_PLAIN: Final = frozenset({"identity", None, ""})
_OWN_PAGES: Final = frozenset({"same-origin", "none", None, ""})

NO_SURVEY: Final = problem(HTTPStatus.NOT_FOUND, "There is no such survey.")
_NOT_POST: Final = problem(HTTPStatus.METHOD_NOT_ALLOWED, "Use POST here.", ("Allow", "POST"))
_NOT_JSON: Final = problem(
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "What is sent here is application/json in UTF-8."
)
_ENCODED: Final = problem(
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    "What is sent here is not compressed: leave Content-Encoding out.",
    ("Accept-Encoding", "identity"),
)
_OTHER_SITE: Final = problem(HTTPStatus.FORBIDDEN, "This is only taken from the survey's own page.")
_TOO_MANY: Final = problem(
    HTTPStatus.TOO_MANY_REQUESTS,
    "Too many requests came from this network. Please send the same again later.",
)
NOT_NOW: Final[Mapping[Outcome, Response]] = {
    # 503, so that the sender tries again and loses no report if the survey takes more later.
    outcome: problem(HTTPStatus.SERVICE_UNAVAILABLE, said)
    for outcome, said in {
        Outcome.PLANNED: "This survey is not open yet.",
        Outcome.PAUSED: "This survey is paused.",
        Outcome.WAITING: "The clock of this server is being checked.",
        Outcome.FULL: "This survey has as many reports as it wants at the moment, and may take "
        "more later.",
    }.items()
}
"""What is said of a survey that has not ended, and takes nothing now."""

_SEND_AGAIN: Final = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
"""Statuses that do not depend on the survey: the sender must try again."""


def sent_to(path: str) -> tuple[str, str]:
    """Return the survey's address and "reports" or "tokens" of a path; empty for other paths."""
    found = _PATH.fullmatch(path)
    return ("", "") if found is None else (found[1], found[2])


class Checks:
    """Refuses requests by their heads."""

    def __init__(self, pause: Callable[[str, Scope], int] | None = None) -> None:
        self._pause = pause

    def of(self, slug: str, scope: Scope) -> Response | None:
        """Return the response that refuses a request; None if it passes.

        A repeated request counts again: its sender waits a moment longer for the response.
        """
        if scope.method != "POST":
            return _NOT_POST
        headers = scope.headers
        if not _MEDIA_TYPE.fullmatch(headers.get("content-type") or ""):
            return _NOT_JSON
        if headers.get("content-encoding") not in _PLAIN:
            return _ENCODED
        # Another site's page, opened by a respondent, could otherwise answer in their place.
        if headers.get("sec-fetch-site") not in _OWN_PAGES:
            return _OTHER_SITE
        seconds = 0 if self._pause is None else self._pause(slug, scope)
        if seconds == 0:
            return None
        later = ("Retry-After", str(seconds))
        return _TOO_MANY._replace(headers=[*_TOO_MANY.headers, later])


def sentence(mistake: str) -> str:
    """Capitalise an error's message, and add its full stop."""
    return f"{mistake[:1].upper()}{mistake[1:]}."


class Endpoint(ABC, Generic[Asked]):
    """An address to which a survey's page sends something.

    Every response names what it is about (`naming`): what was sent, or the survey's address if that
    could not be read.
    """

    TRY_AGAIN: ClassVar[Response]
    """The response if nothing can be stored now."""

    def __init__(self, catalogue: Catalogue, commit: GroupCommit, checks: Checks) -> None:
        self._catalogue = catalogue
        self._commit = commit
        self._checks = checks

    async def answer(self, address: str, scope: Scope, protocol: Protocol) -> Response:
        """Take what a request holds, or say why not."""
        about = ""
        try:
            slug = self._catalogue.slug_at(address)
            # Before the body is read, so that a sender of too much costs little.
            answer = self._refusal(slug, scope)
            if answer is None:
                answer, about = await self._read_and_take(slug, scope, protocol)
        except KeyError:  # unknown, or deleted since the catalogue knew it
            return naming(NO_SURVEY, address)
        except (StoreUnavailable, Unavailable):
            return naming(self.TRY_AGAIN, address)
        # Only errors ask the store again: it takes no report to a deleted survey anyway.
        if answer.status >= HTTPStatus.BAD_REQUEST and answer.status not in _SEND_AGAIN:
            with suppress(StoreUnavailable):
                if slug not in self._catalogue:
                    return naming(NO_SURVEY, address)
        return naming(answer, about or address)

    def _refusal(self, slug: str, scope: Scope) -> Response | None:
        return self._checks.of(slug, scope)

    async def _read_and_take(
        self, slug: str, scope: Scope, protocol: Protocol
    ) -> tuple[Response, str]:
        """Return the response, and what it is about; nothing if that could not be read."""
        about = ""
        try:
            asked, about = self._read(await read_body(scope, protocol))
            return await self._take(slug, scope, asked), about
        except BodyError as error:
            return error.response, about
        except ReportError as mistake:
            is_form = isinstance(mistake, SyntaxMistake)
            status = HTTPStatus.BAD_REQUEST if is_form else HTTPStatus.UNPROCESSABLE_ENTITY
            return problem(status, sentence(str(mistake))), about

    @abstractmethod
    def _read(self, body: bytes) -> tuple[Asked, str]:
        """Read a body whose head was right, and return also what it is about."""

    @abstractmethod
    async def _take(self, slug: str, scope: Scope, asked: Asked) -> Response:
        """Take what was read."""
