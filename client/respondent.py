"""A respondent without a browser: the protocol, the check of the promise, and the local noise.

It does what the page does in the same order. The survey's document is read and its ε recomputed
from the weights *before* anything is answered; the truth is randomised in this process; what is
sent, as often as it takes, is one and the same report.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.blind import blind, mark_of, unblind
from deniable.client.asking import asked_by
from deniable.client.branching import complete
from deniable.client.connection import Connection, Response, ServerUnavailable
from deniable.client.memory import Kept
from deniable.client.randomness import WordSource, os_words
from deniable.report import ID_BYTES, NOT_ASKED, Report
from deniable.survey import Survey

_ID_WORDS: Final = ID_BYTES // 4
_CODE: Final = "Survey-Code"
_TOKEN: Final = "Survey-Token"  # noqa: S105  a name
_WAVE: Final = re.compile(rb'data-wave="([0-9]{1,3})"')


class RespondentError(Exception):
    """A report that did not get into the store; the kinds below say why."""


class Unreachable(RespondentError):
    """The server did not answer. The report may be sent again, unchanged."""


class NothingNew(RespondentError):
    """All that is asked was reported before by the same person: nothing was sent."""


class BrokenPromise(RespondentError):
    """The survey is not valid, or reveals more than it promises: nothing was answered."""


class Refused(RespondentError):
    """The server answered, and will not take what was sent however often it comes.

    Parameters
    ----------
    address : str
        What was asked for.
    status : int
        Of HTTP.
    detail : str
        What the server says about it; empty if nothing.
    """

    def __init__(self, address: str, status: int, detail: str) -> None:
        self.address = address
        self.status = status
        self.detail = detail
        super().__init__(f"{address}: answered {status}" + (f": {detail}" if detail else ""))


class NoSuchSurvey(Refused):
    """404: there is no survey at that address."""


class Conflict(Refused):
    """409: another report with the same id is stored already, and stays."""


class Closed(Refused):
    """410: the survey takes no more reports."""


class WrongCode(Refused):
    """401 or 403: the survey is by invitation, and no good token or code came, or a used one."""


class WrongPin(Refused):
    """401: the survey's respondents share an access word, and this is another one or none."""


_REFUSALS: Final[dict[int, type[Refused]]] = {
    HTTPStatus.NOT_FOUND: NoSuchSurvey,
    HTTPStatus.CONFLICT: Conflict,
    HTTPStatus.GONE: Closed,
    HTTPStatus.UNAUTHORIZED: WrongPin,
}


class Respondent:
    """Somebody with a connection to a survey.

    Parameters
    ----------
    connection : Connection
        Closed by whoever opened it.
    slug : str
        The survey's name in its address.
    pin : str, optional
        The access word that its respondents share.
    """

    def __init__(self, connection: Connection, slug: str, pin: str | None = None) -> None:
        self._connection = connection
        self._slug = slug
        self._beside = {} if pin is None else {"Survey-Pin": pin}

    def fetch(self) -> Survey:
        """Read the survey, and check what it promises.

        Raises
        ------
        BrokenPromise
            If what came is no survey, is another one, or reveals more than it says.
        Unreachable, Refused
        """
        address = f"/s/{self._slug}/survey.json"
        try:
            response = self._connection.get(address)
        except ServerUnavailable as failure:
            raise Unreachable(str(failure)) from None
        if response.status >= 500:
            raise Unreachable(f"{self._connection.origin}{address}: answered {response.status}")
        if response.status != HTTPStatus.OK:
            raise self._refused(address, response)
        try:
            survey = Survey.from_json(response.body)
            if survey.slug != self._slug:
                raise ValueError(f"expected the survey {self._slug!r}, found {survey.slug!r}")
        except ValueError as mistake:
            raise BrokenPromise(f"{self._connection.origin}{address}: {mistake}") from None
        return survey

    def token(self, survey: Survey, report: Report, code: str, kept: Kept | None = None) -> bytes:
        """Have a report's id signed for a code, by a server that does not see the id.

        Parameters
        ----------
        survey : Survey
            By invitation, as it was fetched.
        report : Report
        code : str
            Of an invitation.
        kept : Kept, optional
            Keeps what is sent, so that the same is sent again if no answer comes.

        Returns
        -------
        bytes
            The token, for that report alone.

        Raises
        ------
        BrokenPromise
            If something else was signed: by that the server could tell whose report it is.
        Unreachable, Refused
            As `send`.
        """
        kept = kept or Kept()
        key = survey.token_key(report.answers) or ""
        hidden = kept.hidden = kept.hidden or blind(key, report.id)
        asked = {"key": mark_of(key), "code": code, "blinded": hidden.blinded.hex()}
        address = f"/s/{self._slug}/tokens"
        try:
            response = self._connection.post(address, json.dumps(asked).encode(), {})
        except ServerUnavailable as failure:
            raise Unreachable(str(failure)) from None
        if response.status != HTTPStatus.OK:
            raise self._refused(address, response)
        try:
            return unblind(key, hidden, bytes.fromhex(json.loads(response.body)["signed"]))
        except (ValueError, KeyError, TypeError, RecursionError) as mistake:
            raise BrokenPromise(f"{self._connection.origin}{address}: {mistake}") from None

    def send(self, report: Report, token: bytes | None = None) -> None:
        """Send a report until the server has it, always the same bytes.

        Returning means that it is stored durably, and counted once.

        Parameters
        ----------
        report : Report
        token : bytes, optional
            As `token` returned it, of a survey by invitation.

        Raises
        ------
        Unreachable
            If no answer came. Whether the report is stored is not known then: send it again.
        Refused
            `Closed`, `Conflict`, `NoSuchSurvey`, `WrongPin`, `WrongCode` or, for every other
            reason, `Refused` itself.
        """
        address = f"/s/{self._slug}/reports"
        try:
            beside = {**self._beside, **({} if token is None else {_TOKEN: token.hex()})}
            response = self._connection.post(address, report.to_json(), beside)
        except ServerUnavailable as failure:
            raise Unreachable(str(failure)) from None
        if response.status not in (HTTPStatus.OK, HTTPStatus.CREATED):
            raise self._refused(address, response)

    def wave(self) -> int:
        """Read which wave of the survey is on, from its page.

        Raises
        ------
        BrokenPromise
            If the page does not say.
        Unreachable, Refused
        """
        address = f"/s/{self._slug}"
        try:
            response = self._connection.get(address)
        except ServerUnavailable as failure:
            raise Unreachable(str(failure)) from None
        if response.status != HTTPStatus.OK:
            raise self._refused(address, response)
        wave = wave_on(response.body)
        if wave is None:
            raise BrokenPromise(f"{self._connection.origin}{address}: says not which wave is on")
        return wave

    def answer(
        self,
        truths: Sequence[int | None],
        words: WordSource = os_words,
        kept: Kept | None = None,
        code: str | None = None,
    ) -> Report:
        """Answer the survey: fetch it, check it, randomise here and send only the noise.

        Parameters
        ----------
        truths : sequence of int or None
            The true answer to each item, asked or not, as an index of its truths; None to a
            question that does not apply after the earlier answers. Without which wave it is, which
            is read from the server.
        words : callable
            Where randomness comes from; anything but the default is for tests.
        kept : Kept, optional
            What the same person's device keeps: what it has reported, under whatever revision, is
            not reported again. A report that waits there is sent, and nothing else.
        code : str, optional
            Of an invitation.

        Returns
        -------
        Report
            As it was stored.

        Raises
        ------
        ValueError
            If there is not one truth for each item, one is out of range, or contradicts earlier
            answers (`deniable.client.branching.complete`). Nothing was sent.
        NothingNew
            If all that is asked was reported before.
        RespondentError
            As `fetch` and `send`.
        """
        kept = kept or Kept()
        if kept.unsent is None:
            survey = self.fetch()
            if survey.waves is not None:
                truths = (*truths, self.wave() - 1)
            kept.unsent = draw_report(survey, complete(survey, truths), words, kept)
        report = kept.unsent
        try:
            if code is not None and kept.token is None:
                # As it is now: a report that waited may be of an earlier revision, without a key.
                asked = self.fetch()
                if asked.is_by_invitation:
                    kept.token = self.token(asked, report, code, kept)
            self.send(report, kept.token)
        except WrongCode:
            raise  # the report waits for another one
        except Refused:
            kept.unsent = kept.hidden = kept.token = None
            raise
        kept.unsent = kept.hidden = kept.token = None
        return report

    def _refused(self, address: str, response: Response) -> Refused:
        kind = _REFUSALS.get(response.status, Refused)
        if ("www-authenticate", _CODE.lower()) in {
            (name.lower(), value.lower()) for name, value in response.headers
        }:
            kind = WrongCode
        return kind(self._connection.origin + address, response.status, _detail(response.body))


def wave_on(page: bytes) -> int | None:
    """Return which wave a survey's page says is on; None if it says none."""
    found = _WAVE.search(page)
    return None if found is None else int(found[1])


def draw_report(
    survey: Survey,
    truths: Sequence[int],
    words: WordSource = os_words,
    kept: Kept | None = None,
) -> Report:
    """Randomise one respondent's answers.

    Parameters
    ----------
    survey : Survey
    truths : sequence of int
        One for each item, asked or not; whether they agree with one another is not asked here.
    words : callable
        Drawn from in one go, as in the browser: the id, a word for each item, those for what a
        device keeps (`Item.kept_words`), and one for each choice of what to ask.
    kept : Kept, optional
        What was reported is not reported again, and what is reported now is kept. Of a survey with
        waves the noisy answers that were kept are used again, and what is missing is drawn, for all
        truths alike, and kept.

    Raises
    ------
    NothingNew
        If all that is asked was reported before.
    ValueError
        If there is not one truth for each item, or one is out of range.
    """
    if len(truths) != len(survey.items):
        raise ValueError(f"expected truths of {len(survey.items)} items, found {len(truths)}")
    kept = kept or Kept()
    wave = 0 if survey.waves is None else truths[-1] + 1
    drawn, asked = _draw_chance(survey, words)
    due = asked & kept.due(survey, wave)
    if not due.any():
        raise NothingNew(f"{survey.slug}: expected something to report, all was reported before")
    kept.note(survey, due, wave)
    ends = _ID_WORDS + len(survey.items)
    answers = _remember(survey, drawn[ends:], kept)
    noise = [
        item.sample(truth, int(word))
        if item.memory is None
        else item.memory.instantaneous.sample(answers[item.id][truth], int(word))
        for item, truth, word in zip(survey.items, truths, drawn[_ID_WORDS:ends], strict=True)
    ]
    return Report(
        survey=survey.slug,
        revision=survey.revision,
        id=drawn[:_ID_WORDS].astype(">u4").tobytes(),
        answers=np.where(due, noise, NOT_ASKED).astype(np.uint8).tobytes(),
    )


def _draw_chance(
    survey: Survey, words: WordSource
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.bool_]]:
    """Draw the words of the id, of each item and of what is remembered, and what is asked."""
    end = _ID_WORDS + len(survey.items) + survey.kept_words
    choices = sum(len(draw.choices) for draw in survey.draws)
    while True:
        drawn = words(end + choices)
        asked = asked_by(survey, drawn[end:])
        if asked is not None:
            return drawn[:end], asked


def _remember(
    survey: Survey, words: npt.NDArray[np.uint32], kept: Kept
) -> dict[str, tuple[int, ...]]:
    """Draw the noisy answers that are not kept yet, and keep them."""
    start = 0
    for item in survey.items:
        if item.memory is not None:
            end = start + len(item.truths)
            drawn = item.memory.draw(words[start:end].tolist())
            kept.answers.setdefault(item.id, drawn)
            start = end
    return kept.answers


def _detail(body: bytes) -> str:
    """Return what a problem document says, or nothing if the body is not one."""
    try:
        detail = json.loads(body)["detail"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return detail if isinstance(detail, str) else ""
