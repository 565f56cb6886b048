"""The intake: where reports come in, and the trust boundary of the server.

It answers one address, ``POST /s/<slug>/reports``. It is the hot path, and no session, cookie,
template or log is in its reach. What it looks at is listed in `_check_request`; everything else
about a request (its sender's browser and time) it never touches. The sender's address is looked at
by `deniable.server.intake.networks` alone, and only while reports are counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Final

from deniable.report import OUTDATED, Report, SyntaxMistake, ValueMistake
from deniable.server.intake.group_commit import GroupCommit, Unavailable
from deniable.server.intake.pins import HEADER, Pins
from deniable.server.store.catalogue import Catalogue
from deniable.server.store.errors import StoreUnavailable
from deniable.server.store.records import Outcome
from deniable.server.web.body import BodyError, read_body
from deniable.server.web.problems import problem
from deniable.server.web.response import Response
from deniable.server.web.rsgi import Protocol, Scope

_PATH: Final = re.compile(r"/s/([^/]+)/reports")
_MEDIA_TYPE: Final = re.compile(r'application/json\s*(;\s*charset="?utf-8"?\s*)?', re.IGNORECASE)
_OWN_PAGES: Final = frozenset({"same-origin", "none", None, ""})

CODE_HEADER: Final = "Survey-Code"
"""The header of a request that carries the code of an invitation. The code ends in the store, where
it is spent: the report does not hold it."""

_JSON: Final = [("Content-Type", "application/json")]


def _sentence(mistake: str) -> str:
    """Make a sentence of an error's message."""
    return f"{mistake[:1].upper()}{mistake[1:]}."


_ANSWERS: Final[Mapping[Outcome, Response]] = {
    Outcome.STORED: Response(HTTPStatus.CREATED, _JSON, b'{"status":"stored"}'),
    Outcome.REPEATED: Response(HTTPStatus.OK, _JSON, b'{"status":"already stored"}'),
    Outcome.CONFLICT: problem(
        HTTPStatus.CONFLICT, "Another report with this id is stored already, and stays as it is."
    ),
    Outcome.CLOSED: problem(HTTPStatus.GONE, "This survey is closed and takes no more reports."),
    Outcome.FULL: problem(
        HTTPStatus.GONE, "This survey has as many reports as it takes, and takes no more."
    ),
    # To be sent again: whoever has a report loses nothing if the survey was to open later.
    Outcome.EARLY: problem(HTTPStatus.SERVICE_UNAVAILABLE, "This survey is not open yet."),
    # Both name the header, by which the page knows that another code may be better.
    Outcome.UNINVITED: problem(
        HTTPStatus.UNAUTHORIZED,
        f"This survey is by invitation. It needs a code in the header {CODE_HEADER}, and another "
        "one than this.",
        ("WWW-Authenticate", CODE_HEADER),
    ),
    Outcome.SPENT: problem(
        HTTPStatus.FORBIDDEN,
        "This code has been used. Each code is for one report.",
        ("WWW-Authenticate", CODE_HEADER),
    ),
    Outcome.OVER: problem(
        HTTPStatus.GONE, "That wave is over, or has not begun: another one takes reports now."
    ),
    Outcome.UNKNOWN: problem(HTTPStatus.UNPROCESSABLE_ENTITY, _sentence(OUTDATED)),
}
_NO_SURVEY: Final = problem(HTTPStatus.NOT_FOUND, "There is no such survey.")
_NOT_POST: Final = problem(
    HTTPStatus.METHOD_NOT_ALLOWED, "Reports are sent by POST.", ("Allow", "POST")
)
_NOT_JSON: Final = problem(
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "A report is sent as application/json in UTF-8."
)
_OTHER_SITE: Final = problem(
    HTTPStatus.FORBIDDEN, "Reports are only taken from the survey's own page."
)
_WRONG_PIN: Final = problem(
    HTTPStatus.UNAUTHORIZED,
    f"This survey needs a word in the header {HEADER}, and another one than this.",
    # A scheme of our own, for which no browser asks anybody for a password.
    ("WWW-Authenticate", HEADER),
)
_TOO_MANY: Final = problem(
    HTTPStatus.TOO_MANY_REQUESTS,
    "Too many reports came from this network. Please send the same report again later.",
)
_TRY_AGAIN: Final = problem(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "The report could not be stored. Please send the same report again.",
    ("Retry-After", "5"),
)
_SEND_AGAIN: Final = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
"""What says nothing of the survey: whoever sends again learns more."""


def survey_of(path: str) -> str | None:
    """Return whose reports an address takes; None if it is no address of reports."""
    address = _PATH.fullmatch(path)
    return None if address is None else address[1]


class Intake:
    """Takes reports.

    Parameters
    ----------
    catalogue : Catalogue
    commit : GroupCommit
    pins : Pins
    pause : callable, optional
        Returns after how many seconds a request to a survey may come again; 0 if it may come now.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        commit: GroupCommit,
        pins: Pins,
        pause: Callable[[str, Scope], int] | None = None,
    ) -> None:
        self._catalogue = catalogue
        self._commit = commit
        self._pins = pins
        self._pause = pause

    async def answer(self, slug: str, scope: Scope, protocol: Protocol) -> Response:
        """Store the report that a request carries, durably, or say why not.

        Parameters
        ----------
        slug : str
            From `survey_of`.
        scope, protocol : Scope, Protocol
            The request.

        Returns
        -------
        Response
        """
        # Before the body is read, so that whoever sends too many costs little. What is sent again
        # counts again: whoever waits for an acknowledgement gets it a moment later.
        answer = (
            self._check_request(slug, scope)
            or self._check_rate(slug, scope)
            or self._check_pin(slug, scope)
        )
        if answer is None:
            answer = await self._take(slug, scope, protocol)
        if answer.status < HTTPStatus.BAD_REQUEST or answer.status in _SEND_AGAIN:
            return answer
        # Whatever else is wrong, that there is no such survey is all to say. Only here it is asked
        # anew: the store itself takes no report to a survey that was deleted.
        with suppress(StoreUnavailable):
            if slug not in self._catalogue:
                return _NO_SURVEY
        return answer

    async def _take(self, slug: str, scope: Scope, protocol: Protocol) -> Response:
        """Store the report, and say what became of it."""
        try:
            report = self._check_report(slug, await read_body(scope, protocol))
            code = scope.headers.get(CODE_HEADER.lower())
            return _ANSWERS[await self._commit.submit(report, code)]
        except BodyError as error:
            return error.response
        except SyntaxMistake as mistake:
            return problem(HTTPStatus.BAD_REQUEST, _sentence(str(mistake)))
        except ValueMistake as mistake:
            return problem(HTTPStatus.UNPROCESSABLE_ENTITY, _sentence(str(mistake)))
        except Unavailable:
            return _TRY_AGAIN

    def _check_request(self, slug: str, scope: Scope) -> Response | None:
        """Refuse a request for what its head says."""
        if not self._catalogue.knows(slug):
            return _NO_SURVEY
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
        """Send away whoever sends too many reports."""
        seconds = 0 if self._pause is None else self._pause(slug, scope)
        if seconds == 0:
            return None
        headers = [*_TOO_MANY.headers, ("Retry-After", str(seconds))]
        return _TOO_MANY._replace(headers=headers)

    def _check_pin(self, slug: str, scope: Scope) -> Response | None:
        """Send away whoever does not know the word that the survey's respondents share."""
        try:
            fits = self._pins.fits(slug, scope.headers.get(HEADER.lower()))
        except StoreUnavailable:
            return _TRY_AGAIN
        except KeyError:  # deleted since the catalogue knew it
            return _NO_SURVEY
        return None if fits else _WRONG_PIN

    def _check_report(self, slug: str, body: bytes) -> Report:
        report = Report.from_json(body)
        if report.survey != slug:
            raise ValueMistake("expected the survey of the address")
        try:
            survey = self._catalogue.remembered(slug, report.revision)
        except KeyError:
            raise ValueMistake(OUTDATED) from None
        report.check(survey)
        return report
