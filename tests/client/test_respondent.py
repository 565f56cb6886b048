"""The headless respondent, against the real server and against servers that misbehave."""

import gzip
import json
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import brotli
import pytest

from deniable import Report, Survey
from deniable.client.connection import MAX_RESPONSE, Connection
from deniable.client.memory import Kept
from deniable.client.respondent import (
    BrokenPromise,
    Refused,
    Respondent,
    RespondentError,
    WrongCode,
    draw_report,
)
from deniable.crypto.blind import blind
from deniable.server.store import Store, open_store, store_url
from deniable.server.store.invitations import new_codes
from deniable.server.store.keys import invite, key_file
from deniable.survey.document import canonical_json
from tests.kit import PUBLIC, Running, at, lent
from tests.kit.threads import Quiet, answering

TRUTHS = [1, 0, 1, 3, 0, 2, 4, 1, 1]

Answer = tuple[int, dict[str, str], bytes]
Script = Iterator[Answer | None]


@pytest.fixture
def served(survey: Survey) -> Iterator[tuple[Running, Path]]:
    """Serve the survey, to which nobody has answered."""
    with lent([survey]) as served:
        yield served


@pytest.fixture
def store(served: tuple[Running, Path]) -> Iterator[Store]:
    with closing(open_store(store_url(str(served[1])))) as store:
        yield store


@pytest.fixture
def origin(served: tuple[Running, Path]) -> str:
    return served[0].url


@pytest.fixture
def respondent(origin: str, survey: Survey) -> Iterator[Respondent]:
    with closing(Connection(origin)) as connection:
        yield Respondent(connection, survey.address)


def test_answers_a_survey_with_noise(respondent: Respondent, store: Store, survey: Survey) -> None:
    report = respondent.answer(TRUTHS)
    report.check(survey)
    assert b"".join(store.rows(survey.slug, survey.revision)) == report.answers
    assert report.answers[-1] == TRUTHS[-1]  # the one question that is asked directly


def test_two_respondents_differ(survey: Survey) -> None:
    assert draw_report(survey, TRUTHS).id != draw_report(survey, TRUTHS).id


def test_there_may_be_no_such_survey(origin: str) -> None:
    with (
        closing(Connection(origin)) as connection,
        pytest.raises(
            RespondentError, match="no survey is there, or something between us answered 404"
        ),
    ):
        Respondent(connection, at("nothing-here")).fetch()


def test_a_report_that_does_not_fit_is_refused(respondent: Respondent, survey: Survey) -> None:
    with pytest.raises(Refused, match="answered 422") as refusal:
        respondent.send(Report(survey.slug, survey.revision, bytes(16), b"\0"))
    assert "items" in refusal.value.detail


@pytest.mark.parametrize("truths", [TRUTHS[:-1], [*TRUTHS, 0], [2, *TRUTHS[1:]], [-1, *TRUTHS[1:]]])
def test_truths_that_do_not_fit_are_never_sent(
    respondent: Respondent, store: Store, survey: Survey, truths: list[int]
) -> None:
    with pytest.raises(ValueError, match="expected"):
        respondent.answer(truths)
    assert store.count(survey.slug) == 0


@contextmanager
def scripted(script: Script) -> Iterator[tuple[str, list[bytes]]]:
    """Serve the script's answers one by one, None being a dropped connection; keep what came."""
    bodies: list[bytes] = []

    class Handler(Quiet, BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            answer = next(script)
            if answer is None:
                self.close_connection = True
                return
            status, headers, body = answer
            if body.startswith(OURS):
                said = {"about": json.loads(bodies[-1])["id"], "detail": body[len(OURS) :].decode()}
                body = json.dumps(said).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST  # noqa: N815  the name that the base class looks for

    with answering(Handler) as address:
        yield address, bodies


@contextmanager
def talking(
    script: Sequence[Answer | None], survey: Survey, **options: Any
) -> Iterator[tuple[Respondent, list[bytes]]]:
    """Lend a respondent of a server that answers by a script, and what came there."""
    with (
        scripted(iter(script)) as (address, bodies),
        closing(Connection(address, **options)) as connection,
    ):
        yield Respondent(connection, survey.address), bodies


OURS = b"ours"
"""Begins a body by which our server names what it is about, and says what follows."""

PAGE = b"<html><h1>Log in to the network</h1>"

CREATED: Answer = (201, {}, OURS)


def answered_by(document: object) -> Answer:
    return 200, {}, canonical_json(document)


def send_to(script: list[Answer | None], survey: Survey) -> tuple[list[bytes], list[float], Any]:
    """Send one report; return what came, how long was waited, and the error if there was one."""
    pauses: list[float] = []
    with talking(script, survey, pause=pauses.append) as (respondent, bodies):
        try:
            respondent.send(draw_report(survey, TRUTHS))
        except RespondentError as error:
            return bodies, pauses, error
    return bodies, pauses, None


@pytest.mark.parametrize("trouble", [(503, {}, b""), (429, {}, b""), (500, {}, b"oops"), None])
def test_tries_again_with_the_same_bytes(trouble: Answer | None, survey: Survey) -> None:
    bodies, pauses, error = send_to([trouble, trouble, CREATED], survey)
    assert error is None
    assert pauses == [1, 2]
    assert len(bodies) == 3
    assert len(set(bodies)) == 1


@pytest.mark.parametrize(
    ("retry_after", "waited"),
    [
        ("7", 7),
        ("0", 1),
        ("100000", 60),
        ("soon", 1),
        ("-5", 1),
        ("Fri, 01 Jan 2100 00:00:00 GMT", 60),
        ("Sat, 01 Jan 2000 00:00:00 GMT", 1),
    ],
)
def test_waiting_is_as_told_and_bounded(retry_after: str, waited: float, survey: Survey) -> None:
    _, pauses, _ = send_to([(503, {"Retry-After": retry_after}, b""), CREATED], survey)
    assert pauses == [waited]


def test_slowing_down_is_told_before_the_pause(survey: Survey) -> None:
    happened: list[float | str] = []
    told = {"pause": happened.append, "slowed": lambda: happened.append("slowed")}
    script: list[Answer | None] = [(503, {}, b""), (429, {"Retry-After": "9"}, OURS), CREATED]
    with talking(script, survey, **told) as (respondent, _):
        respondent.send(draw_report(survey, TRUTHS))
    assert happened == [1, "slowed", 9]


def test_patience_waits_as_often_as_asked(survey: Survey) -> None:
    pauses: list[float] = []
    wait: Answer = (429, {"Retry-After": "20"}, OURS)
    script = [*[wait] * 12, (503, {}, b""), *[wait] * 12, (429, {}, OURS), CREATED]
    with talking(script, survey, pause=pauses.append, patient=True) as (respondent, bodies):
        respondent.send(draw_report(survey, TRUTHS))
    # A server that is away is no reason to wait longer than for anybody else.
    assert pauses == [*[20] * 12, 1, *[20] * 12, 1]
    assert len({*bodies}) == 1


def test_gives_up_in_the_end(survey: Survey) -> None:
    bodies, pauses, error = send_to([(503, {}, OURS)] * 10, survey)
    assert "the server answered 503 (6 tries)" in str(error)
    _, _, error = send_to([(503, {}, OURS + b"This survey is paused.")] * 10, survey)
    assert "the server answered 503: This survey is paused. (6 tries)" in str(error)
    assert pauses == [1, 2, 4, 8, 15]
    assert len(bodies) == 6


@pytest.mark.parametrize("status", [400, 403, 404, 409, 410, 413, 415, 422])
def test_never_repeats_what_was_refused(status: int, survey: Survey) -> None:
    bodies, pauses, error = send_to([(status, {}, OURS)], survey)
    assert isinstance(error, Refused)
    assert (error.status, error.detail) == (status, "")
    assert (len(bodies), pauses) == (1, [])


def test_an_idle_dropped_connection_costs_no_pause(survey: Survey) -> None:
    pauses: list[float] = []
    script = [CREATED, None, CREATED]
    with talking(script, survey, pause=pauses.append) as (respondent, bodies):
        respondent.send(draw_report(survey, TRUTHS))
        respondent.send(draw_report(survey, TRUTHS))
    assert pauses == []
    assert bodies[1] == bodies[2]


def test_a_code_becomes_a_token_or_loses_nothing(
    respondent: Respondent, store: Store, survey: Survey, served: tuple[Running, Path]
) -> None:
    code, other = new_codes(2)
    invite(store, key_file(store_url(str(served[1]))), survey.slug, [code])
    kept = Kept()
    with pytest.raises(WrongCode, match="by invitation"):
        respondent.answer(TRUTHS, kept=kept)
    waiting = kept.unsent
    with pytest.raises(WrongCode, match="no such code"):
        respondent.answer(TRUTHS, kept=kept, code=other)
    hidden = kept.hidden
    # The answer with the token is lost: the same is asked again, and nothing is spent twice.
    send = respondent.send
    monkey = pytest.MonkeyPatch()
    monkey.setattr(respondent, "send", lose)
    with pytest.raises(RespondentError, match="lost"):
        respondent.answer(TRUTHS, kept=kept, code=code)
    kept.token = None
    monkey.setattr(respondent, "send", send)
    assert kept.hidden == hidden
    assert respondent.answer(TRUTHS, kept=kept, code=code) == waiting
    assert (kept.unsent, kept.hidden, kept.token) == (None, None, None)
    with pytest.raises(WrongCode, match="has been used"):
        respondent.answer(TRUTHS, code=code)
    assert store.count(survey.slug) == 1


def lose(*_: object) -> None:
    raise RespondentError("lost")


@pytest.mark.promise("signing-keys")
def test_a_false_signing_key_is_found_out(survey: Survey) -> None:
    asked = replace(survey, token_keys=(PUBLIC[0],))
    mine = draw_report(asked, TRUTHS)
    for signed in (bytes(256).hex(), "00", "no digits", 1, None):
        kept = Kept(hidden=blind(PUBLIC[0], mine.id))
        assert kept.hidden is not None
        said = {"about": kept.hidden.blinded.hex(), "signed": signed}
        script: list[Answer | None] = [(200, {}, json.dumps(said).encode())]
        with (
            talking(script, survey) as (respondent, bodies),
            pytest.raises(BrokenPromise),
        ):
            respondent.token(asked, mine, "BCDF", kept)
        # Nothing of the report was in it.
        assert mine.id.hex().encode() not in bodies[0]


def test_nobody_there_is_said_after_all_tries(survey: Survey) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        origin = f"http://127.0.0.1:{unused.getsockname()[1]}"
        pauses: list[float] = []
        connection = Connection(origin, pause=pauses.append)
        with pytest.raises(RespondentError, match=r"nothing answers .* \(6 tries\)"):
            Respondent(connection, survey.address).send(draw_report(survey, TRUTHS))
        assert len(pauses) == 5
        with pytest.raises(RespondentError, match=r"nothing answers there: connection refused$"):
            Respondent(connection, survey.address).fetch()


@pytest.mark.promise("our-word")
@pytest.mark.parametrize("status", [200, 201, 302, 401, 403, 404, 409, 410, 413, 422, 451])
def test_only_our_server_says_that_a_report_arrived(status: int, survey: Survey) -> None:
    told = {"Content-Type": "text/html; charset=utf-8", "Location": "/log-in"}
    another = json.dumps({"about": "00" * 16, "status": "stored"}).encode()
    script: list[Answer | None] = [(status, told, PAGE), (status, {}, another), CREATED]
    bodies, pauses, error = send_to(script, survey)
    assert (error, pauses, len({*bodies})) == (None, [1, 2], 1)
    _, _, error = send_to([(status, told, PAGE)] * 10, survey)
    assert f"something between us answered {status}, text/html: '<html><h1>Log in" in str(error)
    assert not isinstance(error, Refused)


@pytest.mark.promise("our-word")
@pytest.mark.parametrize("answer", [(503, {}, b""), (200, {}, PAGE), (200, {}, b'{"about":"x"}')])
def test_what_is_asked_comes_from_our_server(answer: Answer, survey: Survey) -> None:
    asking: tuple[Callable[[Respondent], object], ...] = (
        Respondent.fetch,
        lambda respondent: respondent.wave(survey),
    )
    for ask in asking:
        said = f"something between us answered {answer[0]}"
        with (
            talking([answer], survey) as (respondent, _),
            pytest.raises(RespondentError, match=said) as no,
        ):
            ask(respondent)
        assert not isinstance(no.value, BrokenPromise)


TAMPERED: dict[str, Callable[[dict[str, Any]], object]] = {
    # The promised epsilon, with weights that reveal more.
    "weaken": lambda one: one["items"][0].update(weights=[[2**32 - 1, 1], [1, 2**32 - 1]]),
    "forget": lambda one: one.pop("items"),
    # As a server that could choose the revision would name somebody in the report.
    "name it": lambda one: one.update(revision="person-0001@example.org"),
}


@pytest.mark.promise("revision")
@pytest.mark.parametrize("how", TAMPERED)
def test_a_broken_promise_is_found_before_any_answer(how: str, survey: Survey) -> None:
    document = json.loads(json.dumps(survey.document))
    TAMPERED[how](document)
    with talking([answered_by(document)], survey) as (respondent, bodies):
        with pytest.raises(BrokenPromise):
            respondent.answer(TRUTHS)
        assert bodies == [b""]  # the one request was for the survey, and had no body


def test_another_survey_than_asked_for_is_not_answered(survey: Survey) -> None:
    """It may promise what it holds, and still be a trap: nobody asked for it."""
    with (
        talking([(200, {}, survey.to_json())], replace(survey, slug="harmless")) as (asked, bodies),
        pytest.raises(RespondentError, match=r"something between us .* the survey 'every-type'"),
    ):
        asked.answer(TRUTHS)
    assert bodies == [b""]


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"null", b"{}", b"[" * 100_000])
def test_what_is_no_survey_is_not_answered(body: bytes, survey: Survey) -> None:
    with talking([(200, {}, body)], survey) as (respondent, _), pytest.raises(RespondentError):
        respondent.fetch()


PACKED = {
    "gzip": partial(gzip.compress, compresslevel=1),
    "br": partial(brotli.compress, quality=1),
}


@pytest.mark.parametrize("coding", PACKED)
def test_what_is_packed_is_unpacked(coding: str, survey: Survey) -> None:
    headers = {"Content-Encoding": coding}
    with talking([(200, headers, PACKED[coding](survey.to_json()))], survey) as (respondent, _):
        assert respondent.fetch() == survey
    refused = {
        f"no {coding}, as it says": b"<html>",
        "more than 67,108,864 bytes": PACKED[coding](bytes(MAX_RESPONSE + 1)),
    }
    for said, body in refused.items():
        with (
            talking([(200, headers, body)], survey) as (respondent, _),
            pytest.raises(RespondentError, match=said),
        ):
            respondent.fetch()


@pytest.mark.parametrize("origin", ["127.0.0.1:8000", "ftp://host", "http://", "http://host/path"])
def test_an_address_is_checked_before_it_is_used(origin: str) -> None:
    with pytest.raises(ValueError, match="expected an address such as"):
        Connection(origin)
