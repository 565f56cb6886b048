"""A respondent without a browser: the protocol, the check of ε, and the local noise.

It does what the page does, in the same order. It reads the survey's document and recomputes its ε
from the weights *before* any answer; it randomises the truth in this process; and it sends one and
the same report, as often as it takes.
"""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.client.asking import asked_by
from deniable.client.branching import complete
from deniable.client.connection import Connection, Response, ServerUnavailable
from deniable.client.memory import Kept
from deniable.client.randomness import WordSource, os_words
from deniable.crypto.blind import blind, mark_of, unblind
from deniable.report import ID_BYTES, NOT_ASKED, NOT_DRAWN, Report
from deniable.survey import Survey

_ID_WORDS: Final = ID_BYTES // 4
_CODE: Final = "Survey-Code"
_TOKEN: Final = "Survey-Token"  # noqa: S105  a name


class RespondentError(Exception):
    """A report that is not known to be stored; if the server did not answer, send it again."""


class BrokenPromise(RespondentError):
    """The survey is invalid or reveals more than it promises; nothing was answered."""


class Refused(RespondentError):
    """The server refused the request with this status; sending it again does not help."""

    def __init__(self, address: str, status: int, detail: str) -> None:
        self.address = address
        self.status = status
        self.detail = detail
        super().__init__(f"{address}: answered {status}" + (f": {detail}" if detail else ""))


class NoSurvey(RespondentError):
    """No survey is at this address, as far as anybody said."""


class WrongCode(Refused):
    """The survey is by invitation, and the code or token is missing, wrong or used (401 or 403)."""


class Respondent:
    """A respondent with a connection to a survey."""

    def __init__(self, connection: Connection, address: str, pin: str | None = None) -> None:
        self._connection = connection
        self._survey = address
        self._beside = {} if pin is None else {"Survey-Pin": pin}

    def fetch(self) -> Survey:
        """Fetch the survey, and check what it promises."""
        address = f"{self._survey}survey.json"
        response = self._get(address)
        try:
            survey = Survey.from_json(response.body)
        except ValueError as mistake:
            if not _is_document(response.body):
                raise self._between_us(address, response) from None
            raise BrokenPromise(f"{self._connection.origin}{address}: {mistake}") from None
        if survey.address != self._survey:
            raise RespondentError(
                f"{self._connection.origin}{address}: something between us answered with the "
                f"survey {survey.slug!r}, which is of another address"
            )
        return survey

    def token(self, survey: Survey, report: Report, code: str, kept: Kept | None = None) -> bytes:
        """Have the server sign a report's blinded id in return for a code."""
        kept = kept or Kept()
        key = survey.token_key(report.wave) or ""
        hidden = kept.hidden = kept.hidden or blind(key, report.id)
        asked = {"key": mark_of(key), "code": code, "blinded": hidden.blinded.hex()}
        address = f"{self._survey}tokens"
        body = json.dumps(asked).encode()
        response = self._post(address, body, {}, asked["blinded"])
        try:
            return unblind(key, hidden, bytes.fromhex(response.said["signed"]))
        except (ValueError, KeyError, TypeError) as mistake:
            raise BrokenPromise(f"{self._connection.origin}{address}: {mistake}") from None

    def send(self, report: Report, token: bytes | None = None) -> None:
        """Send a report until the server has it: the same bytes every time.

        When this returns, the report is stored durably, and counted once.
        """
        address = f"{self._survey}reports"
        beside = {**self._beside, **({} if token is None else {_TOKEN: token.hex()})}
        self._post(address, report.to_json(), beside, report.id.hex())

    def wave(self, survey: Survey) -> int:
        """Return the current wave of the survey; raise if it takes no reports now."""
        address = f"{self._survey}state.json"
        response = self._get(address)
        if not response.is_about(f"{survey.slug} {survey.revision}"):
            raise self._between_us(address, response)
        wave, state = response.said.get("wave"), response.said.get("state")
        # As in `state.js`, and before a code is spent.
        if isinstance(state, str) and state != (survey.kind if survey.kind == "trial" else "open"):
            said = f"{self._connection.origin}{self._survey}: the survey is {state}"
            raise RespondentError(f"{said}, so it takes no reports now")
        if type(wave) is not int:
            raise BrokenPromise(f"{self._connection.origin}{address}: says not which wave is on")
        return wave

    def answer(
        self,
        truths: Sequence[int | None],
        words: WordSource = os_words,
        kept: Kept | None = None,
        code: str | None = None,
    ) -> Report:
        """Answer the survey: fetch it, check it, randomise here and send only the noise."""
        kept = kept or Kept()
        if kept.unsent is None:
            survey = self.fetch()
            wave = survey.on_wire(self.wave(survey))
            kept.unsent = draw_report(survey, complete(survey, truths), words, kept, wave)
        report = kept.unsent
        try:
            if code is not None and kept.token is None:
                # Fetch it again: an unsent report may be of an earlier revision, without a key.
                asked = self.fetch()
                if asked.is_by_invitation:
                    kept.token = self.token(asked, report, code, kept)
            self.send(report, kept.token)
        except WrongCode:
            raise  # keep the report, for another code
        except Refused:
            kept.unsent = kept.hidden = kept.token = None
            raise
        kept.unsent = kept.hidden = kept.token = None
        return report

    def _get(self, address: str) -> Response:
        """Return what is served there, whoever serves it; raise unless its status is 200."""
        try:
            response = self._connection.get(address)
        except ServerUnavailable as failure:
            raise RespondentError(str(failure)) from None
        if response.status == HTTPStatus.NOT_FOUND:
            asked = f"{self._connection.origin}{address}"
            raise NoSurvey(f"{asked}: no survey is there, or {response.found}")
        if response.status != HTTPStatus.OK:
            raise self._between_us(address, response)
        return response

    def _post(self, address: str, body: bytes, beside: Mapping[str, str], about: str) -> Response:
        """Return our server's response; raise unless its status is 200 or 201."""
        try:
            named = (about, self._survey)
            response = self._connection.post(address, body, beside, about=named)
        except ServerUnavailable as failure:
            raise RespondentError(str(failure)) from None
        if response.status in (HTTPStatus.OK, HTTPStatus.CREATED):
            return response
        schemes = [one.lower() for one in response.header("www-authenticate")]
        kind = WrongCode if _CODE.lower() in schemes else Refused
        raise kind(self._connection.origin + address, response.status, response.detail)

    def _between_us(self, address: str, response: Response) -> RespondentError:
        return RespondentError(f"{self._connection.origin}{address}: {response.found}")


def _is_document(body: bytes) -> bool:
    """Return whether a server of surveys gave it, and all: JSON in lines, of which one names it."""
    try:
        first, *_ = [json.loads(line) for line in body.split(b"\n")]
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and "survey" in first


def draw_report(
    survey: Survey,
    truths: Sequence[int],
    words: WordSource = os_words,
    kept: Kept | None = None,
    wave: int = 0,
) -> Report:
    """Randomise one respondent's answers, for the current wave in a survey with waves."""
    if len(truths) != len(survey.items):
        raise ValueError(f"expected truths of {len(survey.items)} items, found {len(truths)}")
    groups = list(zip(survey.groups, survey.places_together, strict=True))
    for group, places in groups:
        group.cell([truths[place] for place in places])  # raises before anything is drawn
    kept = kept or Kept()
    drawn, asked = _draw_chance(survey, words, kept.drawn)
    due = asked & kept.due(survey, wave)
    if not due.any():
        raise RespondentError(
            f"{survey.slug}: expected something to report, all was reported before"
        )
    kept.note(survey, due, wave)
    ends = _ID_WORDS + len(survey.items)
    answers = _remember(survey, drawn[ends:], kept)
    noise = [
        0 if item.group else item.sample(truth, int(word), answers.get(item.id, ()))
        for item, truth, word in zip(survey.items, truths, drawn[_ID_WORDS:ends], strict=True)
    ]
    for group, places in groups:
        cell = group.cell([truths[place] for place in places])
        word, noisy = int(drawn[_ID_WORDS + places[0]]), answers.get(survey.items[places[0]].id, ())
        for place, report in zip(places, group.cells[group.sample(cell, word, noisy)], strict=True):
            noise[place] = report
    return Report(
        survey=survey.slug,
        revision=survey.revision,
        id=drawn[:_ID_WORDS].astype(">u4").tobytes(),
        answers=np.select([due, asked], [noise, NOT_ASKED], NOT_DRAWN).astype(np.uint8).tobytes(),
        wave=wave,
    )


def _draw_chance(
    survey: Survey, words: WordSource, before: list[str]
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.bool_]]:
    """Draw the words for the id, each item and the kept noise, and which items are asked."""
    end = _ID_WORDS + len(survey.items) + survey.kept_words
    choices = sum(draw.words for draw in survey.draws)
    while True:
        drawn = words(end + choices)
        asked = asked_by(survey, drawn[end:], before)
        if asked is not None:
            return drawn[:end], asked


def _remember(
    survey: Survey, words: npt.NDArray[np.uint32], kept: Kept
) -> dict[str, tuple[int, ...]]:
    """Draw the noisy answers that are not kept yet, and keep them."""
    start = 0
    for item in survey.items:
        if item.memory is not None and item.kept_words:
            end = start + item.kept_words
            drawn = item.memory.draw(words[start:end].tolist())
            kept.answers.setdefault(item.id, drawn)
            start = end
    return kept.answers
