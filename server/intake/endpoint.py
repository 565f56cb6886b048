"""The intake: where reports come in, and the trust boundary of the server.

It answers one address, ``POST /ADDRESS/reports``. It is the hot path, and no session, cookie,
template or log is in its reach. What it looks at is listed in `checks`; everything else about a
request (its sender's browser and time) it never touches. The sender's address is looked at
by `deniable.server.intake.networks` alone, and only while reports are counted.
"""

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from granian.rsgi import HTTPProtocol as Protocol
from granian.rsgi import Scope

from deniable.crypto.blind import TOKEN_BYTES, is_token, mark_of
from deniable.report import NOT_ASKED, OUTDATED, Report, SyntaxMistake, ValueMistake
from deniable.server.intake.access_word import HEADER, AccessWords
from deniable.server.intake.checks import CODE_HEADER, NO_SURVEY, Checks, answered, sentence
from deniable.server.intake.group_commit import GroupCommit, Unavailable
from deniable.server.store.catalogue import Catalogue
from deniable.server.store.errors import StoreUnavailable
from deniable.server.store.records import Outcome
from deniable.server.web.body import BodyError, read_body
from deniable.server.web.problems import problem
from deniable.server.web.response import Response
from deniable.survey import Survey

TOKEN_HEADER: Final = "Survey-Token"  # noqa: S105  a name
"""The header of a request that carries a token, in hex digits. It is checked with the key in the
survey, and ends here."""

_TOKEN: Final = re.compile(rf"[0-9a-f]{{{2 * TOKEN_BYTES}}}")
_JSON: Final = [("Content-Type", "application/json")]


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
    Outcome.PLANNED: problem(HTTPStatus.SERVICE_UNAVAILABLE, "This survey is not open yet."),
    Outcome.PAUSED: problem(HTTPStatus.SERVICE_UNAVAILABLE, "This survey is paused."),
    # By what it names the page knows that a code may help.
    Outcome.UNINVITED: problem(
        HTTPStatus.UNAUTHORIZED,
        f"This survey is by invitation. It needs a token in the header {TOKEN_HEADER}, signed for "
        "this report's id with the survey's key.",
        ("WWW-Authenticate", CODE_HEADER),
    ),
    Outcome.OVER: problem(
        HTTPStatus.GONE, "That wave is over, or has not begun: another one takes reports now."
    ),
    Outcome.UNKNOWN: problem(HTTPStatus.UNPROCESSABLE_ENTITY, sentence(OUTDATED)),
}
_WRONG_WORD: Final = problem(
    HTTPStatus.UNAUTHORIZED,
    f"This survey needs a word in the header {HEADER}, and another one than this.",
    # A scheme of our own, for which no browser asks anybody for a password.
    ("WWW-Authenticate", HEADER),
)
_TRY_AGAIN: Final = problem(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "The report could not be stored. Please send the same report again.",
    ("Retry-After", "5"),
)


class Intake:
    """Takes reports."""

    def __init__(
        self,
        catalogue: Catalogue,
        commit: GroupCommit,
        words: AccessWords,
        checks: Checks,
    ) -> None:
        self._catalogue = catalogue
        self._commit = commit
        self._words = words
        self._checks = checks

    async def answer(self, address: str, scope: Scope, protocol: Protocol) -> Response:
        """Store the report that a request carries, durably, or say why not."""
        try:
            slug = self._catalogue.slug_at(address)
            # Before the body is read, so that whoever sends too many costs little.
            answer = self._checks.of(slug, scope) or self._check_word(slug, scope)
            if answer is None:
                answer = await self._take(slug, scope, protocol)
        except KeyError:
            return NO_SURVEY
        except StoreUnavailable:
            return _TRY_AGAIN
        return answered(self._catalogue, slug, answer)

    async def _take(self, slug: str, scope: Scope, protocol: Protocol) -> Response:
        """Store the report, and say what became of it."""
        try:
            survey, report = self._check_report(slug, await read_body(scope, protocol))
            key = self._key_of(survey, report, _token_of(scope))
            return _ANSWERS[await self._commit.submit(report, key)]
        except BodyError as error:
            return error.response
        except SyntaxMistake as mistake:
            return problem(HTTPStatus.BAD_REQUEST, sentence(str(mistake)))
        except ValueMistake as mistake:
            return problem(HTTPStatus.UNPROCESSABLE_ENTITY, sentence(str(mistake)))
        except Unavailable:
            return _TRY_AGAIN

    def _check_word(self, slug: str, scope: Scope) -> Response | None:
        """Send away whoever does not know the word that the survey's respondents share."""
        try:
            fits = self._words.fits(slug, scope.headers.get(HEADER.lower()))
        except KeyError:  # deleted since the catalogue knew it
            return NO_SURVEY
        return None if fits else _WRONG_WORD

    def _key_of(self, survey: Survey, report: Report, token: bytes) -> str | None:
        """Return the mark of the key by which a report's token is good; None if there is none.

        Whether one is needed, and which, the store says in the transaction of the report: by the
        survey as it is then, whichever revision was answered.
        """
        if not token:
            return None
        key = survey.token_key(report.wave)
        if key is None or not is_token(key, report.id, token):
            key = self._catalogue.current(report.survey).token_key(report.wave)
            if key is None or not is_token(key, report.id, token):
                return None
        return mark_of(key)

    def _check_report(self, slug: str, body: bytes) -> tuple[Survey, Report]:
        """Return a report, and the revision that it is to."""
        report = Report.from_json(body)
        if report.survey != slug:
            raise ValueMistake("expected the survey of the address")
        try:
            survey = self._catalogue.remembered(slug, report.revision)
        except KeyError:
            raise ValueMistake(OUTDATED) from None
        report.check(survey)
        # Whose report has a gap that no other has can be found by it, so tables would be hidden.
        if NOT_ASKED in report.answers and self._catalogue.is_alone(slug, report.revision):
            raise ValueMistake("expected a report to every item, the survey has one revision")
        return survey, report


def _token_of(scope: Scope) -> bytes:
    """Return the token that came with a request; empty if it has not the form of one."""
    written = scope.headers.get(TOKEN_HEADER.lower())
    return bytes.fromhex(written) if written is not None and _TOKEN.fullmatch(written) else b""
