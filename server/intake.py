"""The intake: where reports come in, and the trust boundary of the server.

A small WSGI application in front of Flask for one address, ``POST /s/<slug>/reports``. It is the
hot path, and no session, cookie, template or log is in its reach. What it looks at is listed in
`_read`; everything else about a request (its sender's address, browser and time) it never touches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from deniable.report import Report, SyntaxMistake, ValueMistake
from deniable.server.catalogue import Catalogue
from deniable.server.group_commit import GroupCommit, Unavailable
from deniable.server.problems import PROBLEM_JSON, problem
from deniable.server.store import Outcome

if TYPE_CHECKING:
    from _typeshed.wsgi import InputStream, StartResponse, WSGIApplication, WSGIEnvironment

MAX_BODY: Final = 2**16
"""Bytes of a request at most; a report of 10,000 items takes a third of it."""

_PATH: Final = re.compile(r"/s/([^/]+)/reports")
_MEDIA_TYPE: Final = re.compile(r'application/json\s*(;\s*charset="?utf-8"?\s*)?', re.IGNORECASE)
_OWN_PAGES: Final = frozenset({"same-origin", "none", ""})


class _Refused(Exception):
    """A request that gets a problem for an answer."""

    def __init__(self, status: HTTPStatus, detail: str, *headers: tuple[str, str]) -> None:
        super().__init__()
        self.status = status
        self.body = problem(status, detail)
        self.headers = headers


_SUCCESSES: Final = {
    Outcome.STORED: (HTTPStatus.CREATED, b'{"status":"stored"}'),
    Outcome.REPEATED: (HTTPStatus.OK, b'{"status":"already stored"}'),
}
_REFUSALS: Final = {
    Outcome.CONFLICT: (
        HTTPStatus.CONFLICT,
        "Another report with this id is stored already, and stays as it is.",
    ),
    Outcome.CLOSED: (HTTPStatus.GONE, "This survey is closed and takes no more reports."),
    Outcome.UNKNOWN: (HTTPStatus.UNPROCESSABLE_ENTITY, "There is no such revision of this survey."),
}


def create_intake(
    catalogue: Catalogue, commit: GroupCommit, rest: WSGIApplication
) -> WSGIApplication:
    """Put the intake in front of another application.

    Parameters
    ----------
    catalogue : Catalogue
    commit : GroupCommit
    rest : WSGI application
        Takes every request that is not for the address of a survey's reports.

    Returns
    -------
    WSGI application
    """

    def intake(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        address = _PATH.fullmatch(environ.get("PATH_INFO", ""))
        if address is None:
            return rest(environ, start_response)
        try:
            report = _read(environ, address[1], catalogue)
            status, body = _store(report, commit.submit)
            headers = [("Content-Type", "application/json")]
        except _Refused as refused:
            status, body = refused.status, refused.body
            headers = [("Content-Type", PROBLEM_JSON), *refused.headers]
        headers.append(("Content-Length", str(len(body))))
        start_response(f"{status.value} {status.phrase}", headers)
        return [body]

    return intake


def _read(environ: WSGIEnvironment, slug: str, catalogue: Catalogue) -> Report:
    """Take the report out of a request, or refuse it."""
    if slug not in catalogue:
        raise _Refused(HTTPStatus.NOT_FOUND, "There is no such survey.")
    if environ["REQUEST_METHOD"] != "POST":
        raise _Refused(
            HTTPStatus.METHOD_NOT_ALLOWED, "Reports are sent by POST.", ("Allow", "POST")
        )
    if not _MEDIA_TYPE.fullmatch(environ.get("CONTENT_TYPE") or ""):
        raise _Refused(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "A report is sent as application/json in UTF-8."
        )
    # Another site's page, opened by a respondent, could otherwise answer in their place.
    if environ.get("HTTP_SEC_FETCH_SITE", "") not in _OWN_PAGES:
        raise _Refused(HTTPStatus.FORBIDDEN, "Reports are only taken from the survey's own page.")
    body = _read_body(environ)
    try:
        report = Report.from_json(body)
        if report.survey != slug:
            raise ValueMistake("expected the survey of the address")
        report.check(catalogue.revision(slug, report.revision))
    except SyntaxMistake as mistake:
        raise _Refused(HTTPStatus.BAD_REQUEST, _sentence(mistake)) from None
    except ValueMistake as mistake:
        raise _Refused(HTTPStatus.UNPROCESSABLE_ENTITY, _sentence(mistake)) from None
    except KeyError:
        raise _Refused(*_REFUSALS[Outcome.UNKNOWN]) from None
    return report


def _read_body(environ: WSGIEnvironment) -> bytes:
    """Read what was sent, never much more than a report can be long."""
    declared = environ.get("CONTENT_LENGTH") or None
    too_large = _Refused(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A report has at most {MAX_BODY} bytes."
    )
    if declared is None:
        # Sent in chunks: only reading tells how long it is.
        body = _read_up_to(environ["wsgi.input"], MAX_BODY + 1)
        if len(body) > MAX_BODY:
            raise too_large
        return body
    if not (declared.isascii() and declared.isdigit()):
        raise _Refused(HTTPStatus.BAD_REQUEST, "Content-Length is expected to be a number.")
    if len(declared) > len(str(MAX_BODY)) or int(declared) > MAX_BODY:
        raise too_large
    length = int(declared)
    body = _read_up_to(environ["wsgi.input"], length)
    if len(body) < length:
        raise _Refused(HTTPStatus.BAD_REQUEST, "The request ended before its body did.")
    return body


def _read_up_to(stream: InputStream, size: int) -> bytes:
    """Read until `size` bytes are there or the stream ends; one read may return fewer."""
    body = b""
    while len(body) < size and (piece := stream.read(size - len(body))):
        body += piece
    return body


def _store(report: Report, submit: Callable[[Report], Outcome]) -> tuple[HTTPStatus, bytes]:
    """Store the report durably, and say what became of it."""
    try:
        outcome = submit(report)
    except Unavailable:
        raise _Refused(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "The report could not be stored. Please send the same report again.",
            ("Retry-After", "5"),
        ) from None
    if outcome in _SUCCESSES:
        return _SUCCESSES[outcome]
    raise _Refused(*_REFUSALS[outcome])


def _sentence(mistake: ValueError) -> str:
    """Make a sentence of an error's message."""
    message = str(mistake)
    return f"{message[:1].upper()}{message[1:]}."
