"""The audit's stand-in for the survey's server: it serves files, signs tokens, takes reports."""

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias
from urllib.parse import urlsplit

import numpy as np

from deniable.channel import ROW_SUM
from deniable.client.audit.tape import Tape
from deniable.client.audit.wire import Arrival
from deniable.client.connection import Response
from deniable.crypto.blind import Blinded, blind_by, mark_of, new_key, unblind
from deniable.report import ID_BYTES
from deniable.survey import Survey

Fetch: TypeAlias = Callable[[str, Mapping[str, str]], Response]
"""Called with a path and a browser's headers; returns the survey server's response."""

CODE: Final = "ANY-WORD"
WORDS: Final = 88
"""Random words that blind an id: 8 of the prefix, 12 of the salt, 68 of the blinding factor."""

_JSON: Final = (("Content-Type", "application/json"),)
_EMPTY: Final = Response(
    200,
    b'<!doctype html><link rel="icon" href="data:,">',
    # Isolated like the survey's page, so that the browser need not start another process.
    headers=(
        ("Content-Type", "text/html"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Embedder-Policy", "require-corp"),
    ),
)


@dataclass(frozen=True)
class Admitting:
    """The token request that a page should send, and the response to it."""

    words: tuple[int, ...]  # that blind the id
    body: str
    signed: str
    token: str


class Server:
    """A stand-in that serves the page's own files and takes reports, with its own token keys."""

    def __init__(self, survey: Survey, link: str, fetch: Fetch) -> None:
        self.files: dict[str, Response] = {}
        self.failed: Exception | None = None  # why a file could not be fetched
        self.reports: list[Arrival] = []
        self.asked: list[Arrival] = []  # for tokens
        self.admitting: Admitting | None = None
        self._id = ""
        self._given, self._fetch = survey, fetch
        self._keys = [new_key() for _ in survey.token_keys]
        keys = tuple(key.public for key in self._keys)
        self.survey = replace(survey, token_keys=keys) if keys else survey
        address, sign, number = link.partition("#")
        if number and survey.revision.startswith(number):
            number = self.survey.revision[: len(number)]
        self.link = f"{address}{sign}{number}"
        self.tokens = f"POST {address}tokens"
        self.report = f"POST {address}reports"
        parts = urlsplit(link)
        # An empty page to go to after a visit. The survey's page cannot know its address.
        self.blank = f"{parts.scheme}://{parts.netloc}/{secrets.token_hex(8)}"

    def begin(self, tape: Tape) -> tuple[int, ...]:
        """Begin another visit; return the random words that the page must draw."""
        self.reports, self.asked = [], []
        self._id = b"".join(word.to_bytes(4) for word in tape.words[: ID_BYTES // 4]).hex()
        if self.survey.is_by_invitation:
            self.admitting = self._admitting(tape.words, tape.wave)
        return (*tape.words, *(self.admitting.words if self.admitting else ()))

    def get(self, url: str, headers: Mapping[str, str]) -> None:
        """Fetch a file of the page's own from the survey's server, the first time."""
        if url not in self.files:
            parts = urlsplit(url)
            path = parts.path + (f"?{parts.query}" if parts.query else "")
            try:
                self.files[url] = self._fetch(path, headers)
            except Exception as error:  # noqa: BLE001  the visitor raises it
                self.failed = error
                self.files[url] = Response(502, b"")

    def answer(self, arrival: Arrival) -> Response:
        """Answer a request as the survey's server would."""
        method, _, url = arrival.asked.partition(" ")
        if url == self.blank:
            return _EMPTY
        if method == "GET":
            file = next(one for at, one in self.files.items() if at.partition("#")[0] == url)
            body = file.body
            for old, new in zip(self._given.token_keys, self.survey.token_keys, strict=True):
                body = body.replace(old.encode(), new.encode())
            # Its state names the revision, and other keys are another one.
            body = body.replace(self._given.revision.encode(), self.survey.revision.encode())
            return replace(file, body=body)
        if arrival.asked == self.tokens and self.admitting is not None:
            self.asked.append(arrival)
            about = json.loads(self.admitting.body)["blinded"]
            signed = json.dumps({"about": about, "signed": self.admitting.signed}).encode()
            return Response(200, signed, headers=_JSON)
        # The token differs in each visit: replace it, so that the heads can be compared.
        token = self.admitting.token if self.admitting else "no token"
        head = tuple(line.replace(token, "the token") for line in arrival.head)
        self.reports.append(replace(arrival, head=head))
        stored = json.dumps({"about": self._id, "status": "stored"}).encode()
        return Response(201, stored, headers=_JSON)

    def _admitting(self, words: Sequence[int], wave: int) -> Admitting:
        """Compute the token request and its response, with randomness seeded by the report's id."""
        id = b"".join(word.to_bytes(4) for word in words[: ID_BYTES // 4])
        chance = np.random.default_rng([*words[: ID_BYTES // 4]]).integers(ROW_SUM, size=WORDS)
        digits = b"".join(int(word).to_bytes(4) for word in chance)
        key = self._keys[max(wave, 1) - 1]
        mask = int.from_bytes(digits[80:]) % int(key.public, 16)
        hidden: Blinded = blind_by(
            key.public, id, prefix=digits[:32], salt=digits[32:80], mask=mask
        )
        asked = {"key": mark_of(key.public), "code": CODE, "blinded": hidden.blinded.hex()}
        signed = key.sign(hidden.blinded)
        token = unblind(key.public, hidden, signed).hex()
        body = json.dumps(asked, separators=(",", ":"))
        return Admitting(tuple(map(int, chance)), body, signed.hex(), token)
