"""``POST /ADDRESS/tokens``: a code buys a token.

The adversary wants to know whose report is whose, and has all that this module ever sees: a code
and a randomly blinded number, which it signs. The number does not show which report it is for, and
neither does the signature. An observer of connections can still compare their times and networks:
against that, a respondent can fetch the token a day before, or elsewhere.
"""

import asyncio
import hashlib
import logging
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from granian.rsgi import Scope

from deniable.crypto.blind import BITS, mark_of
from deniable.report import read_strings
from deniable.server.intake.group_commit import GroupCommit
from deniable.server.intake.request_head import CODE_HEADER, NOT_NOW, Checks, Endpoint
from deniable.server.store.catalogue import Catalogue
from deniable.server.store.errors import KeyFileError
from deniable.server.store.keys import KeyFile
from deniable.server.store.records import Outcome
from deniable.server.web.problems import problem
from deniable.server.web.response import Response

_log = logging.getLogger(__name__)

_BLINDED: Final = re.compile(rf"[0-9a-f]{{{BITS // 4}}}")
_KEYS: Final = frozenset({"key", "code", "blinded"})
_JSON: Final = [("Content-Type", "application/json")]

_REFUSALS: Final[Mapping[Outcome, Response]] = {
    Outcome.UNKNOWN: problem(HTTPStatus.CONFLICT, "This survey needs no code."),
    Outcome.CLOSED: problem(HTTPStatus.GONE, "This survey is closed and takes no more reports."),
    **NOT_NOW,
    Outcome.OVER: problem(
        HTTPStatus.CONFLICT, "Another key is in use now: load the page again to answer."
    ),
    Outcome.UNINVITED: problem(
        HTTPStatus.UNAUTHORIZED,
        "There is no such code to this survey.",
        ("WWW-Authenticate", CODE_HEADER),
    ),
    Outcome.SPENT: problem(
        HTTPStatus.FORBIDDEN,
        "This code has been used, in another browser or on another device. It gives one token.",
        ("WWW-Authenticate", CODE_HEADER),
    ),
}
_NO_NUMBER: Final = problem(
    HTTPStatus.UNPROCESSABLE_ENTITY,
    f"A blinded message has {BITS // 4} lower-case hex digits and is below the key.",
)


class TokenEndpoint(Endpoint[dict[str, str]]):
    """Signs one token for each code."""

    TRY_AGAIN = problem(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "The token could not be signed. Please ask for the same one again.",
        ("Retry-After", "5"),
    )

    def __init__(
        self, catalogue: Catalogue, commit: GroupCommit, checks: Checks, keys: KeyFile
    ) -> None:
        super().__init__(catalogue, commit, checks)
        self._keys = keys
        self._reasons: dict[str, str] = {}  # by survey: the last logged reason why it cannot sign

    def _read(self, body: bytes) -> tuple[dict[str, str], str]:
        asked = read_strings(body, _KEYS)
        blinded = asked["blinded"]
        return asked, blinded if _BLINDED.fullmatch(blinded) else ""

    async def _take(self, slug: str, scope: Scope, asked: dict[str, str]) -> Response:  # noqa: ARG002
        """Spend the code and sign, or return why not."""
        # Before the code is spent: a respondent who gets no signature keeps it.
        if (refusal := self._check(slug, asked)) is not None:
            return refusal
        try:
            key, blinded = self._keys.find(asked["key"]), bytes.fromhex(asked["blinded"])
        except KeyFileError as error:
            if self._reasons.get(slug) != str(error):
                self._reasons[slug] = str(error)
                _log.error("no token can be signed: %s", error)
            return self.TRY_AGAIN
        # Bind the code to this number: a device that lost the answer gets the same signature again,
        # and nobody gets a second one.
        fixed = hashlib.sha256(blinded).digest()
        outcome = await self._commit.spend(slug, asked["key"], asked["code"], fixed)
        if outcome in _REFUSALS:
            return _REFUSALS[outcome]
        signed = await asyncio.to_thread(key.sign, blinded)
        if self._reasons.pop(slug, None):
            _log.warning("tokens of %s are signed again", slug)
        return Response(HTTPStatus.OK, _JSON, f'{{"signed":"{signed.hex()}"}}'.encode())

    def _check(self, slug: str, asked: Mapping[str, str]) -> Response | None:
        """Refuse a request whose key is not the survey's, or whose number is not below the key."""
        survey = self._catalogue.current(slug)
        public = {mark_of(key): key for key in survey.token_keys}.get(asked["key"])
        if public is None:
            return _REFUSALS[Outcome.OVER if survey.is_by_invitation else Outcome.UNKNOWN]
        fits = _BLINDED.fullmatch(asked["blinded"]) and asked["blinded"] < public
        return None if fits else _NO_NUMBER
