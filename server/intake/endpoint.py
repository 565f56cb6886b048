"""``POST /ADDRESS/reports``: the hot path, and the trust boundary of the server.

It can reach no session, cookie, template or log. Of a request's head it reads what `checks` and
`read_body` need, the access word and the token; it never reads the sender's browser or the time.
Only `deniable.server.intake.networks` reads the sender's address, and only with a rate limit.
"""

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from granian.rsgi import Scope

from deniable.crypto.blind import TOKEN_BYTES, is_token, mark_of
from deniable.report import NOT_ASKED, OUTDATED, Report, ValueMistake
from deniable.server.intake.access_word import HEADER, AccessWords
from deniable.server.intake.group_commit import GroupCommit
from deniable.server.intake.request_head import CODE_HEADER, NOT_NOW, Checks, Endpoint, sentence
from deniable.server.store.catalogue import Catalogue
from deniable.server.store.records import Outcome
from deniable.server.web.problems import problem
from deniable.server.web.response import Response
from deniable.survey import Survey

TOKEN_HEADER: Final = "Survey-Token"  # noqa: S105  a name
"""The header of a request that carries a token, in hex digits. It is checked with the survey's key,
and never stored."""

_TOKEN: Final = re.compile(rf"[0-9a-f]{{{2 * TOKEN_BYTES}}}")
_JSON: Final = [("Content-Type", "application/json")]


_ANSWERS: Final[Mapping[Outcome, Response]] = {
    Outcome.STORED: Response(HTTPStatus.CREATED, _JSON, b'{"status":"stored"}'),
    Outcome.REPEATED: Response(HTTPStatus.OK, _JSON, b'{"status":"already stored"}'),
    Outcome.CONFLICT: problem(
        HTTPStatus.CONFLICT, "Another report with this id is stored already, and stays as it is."
    ),
    Outcome.CLOSED: problem(HTTPStatus.GONE, "This survey is closed and takes no more reports."),
    **NOT_NOW,
    # The scheme tells the page that a code may help.
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
    # A scheme of our own, for which no browser asks for a password.
    ("WWW-Authenticate", HEADER),
)


class Intake(Endpoint[Report]):
    """The endpoint that takes reports."""

    TRY_AGAIN = problem(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "The report could not be stored. Please send the same report again.",
        ("Retry-After", "5"),
    )

    def __init__(
        self, catalogue: Catalogue, commit: GroupCommit, words: AccessWords, checks: Checks
    ) -> None:
        super().__init__(catalogue, commit, checks)
        self._words = words

    def _refusal(self, slug: str, scope: Scope) -> Response | None:
        if refusal := super()._refusal(slug, scope):
            return refusal
        fits = self._words.fits(slug, scope.headers.get(HEADER.lower()))
        return None if fits else _WRONG_WORD

    def _read(self, body: bytes) -> tuple[Report, str]:
        report = Report.from_json(body)
        return report, report.id.hex()

    async def _take(self, slug: str, scope: Scope, asked: Report) -> Response:
        survey = self._check_report(slug, asked)
        key = self._key_of(survey, asked, _token_of(scope))
        return _ANSWERS[await self._commit.submit(asked, key)]

    def _key_of(self, survey: Survey, report: Report, token: bytes) -> str | None:
        """Return the mark of the key that signed the report's token; None if none did.

        The store decides in the report's transaction whether a token is needed, and from which key:
        by the current survey, whichever revision was answered.
        """
        if not token:
            return None
        key = survey.token_key(report.wave)
        if key is None or not is_token(key, report.id, token):
            key = self._catalogue.current(report.survey).token_key(report.wave)
            if key is None or not is_token(key, report.id, token):
                return None
        return mark_of(key)

    def _check_report(self, slug: str, report: Report) -> Survey:
        """Return the revision that a report answers; reject an invalid one."""
        if report.survey != slug:
            raise ValueMistake("expected the survey of the address")
        try:
            survey = self._catalogue.remembered(slug, report.revision)
        except KeyError:
            raise ValueMistake(OUTDATED) from None
        report.check(survey)
        # A report with a gap that no other has could be found by it, so tables would be hidden.
        if NOT_ASKED in report.answers and self._catalogue.is_alone(slug, report.revision):
            raise ValueMistake("expected a report to every item, the survey has one revision")
        return survey


def _token_of(scope: Scope) -> bytes:
    """Return the token of a request; empty if it is missing or malformed."""
    written = scope.headers.get(TOKEN_HEADER.lower())
    return bytes.fromhex(written) if written is not None and _TOKEN.fullmatch(written) else b""
