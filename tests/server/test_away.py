"""When the store is away, and what is counted meanwhile."""

import http.client
import logging
import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

import pytest

from deniable.server.metrics import Metrics
from deniable.server.respondent.app import create_respondents_app
from deniable.server.store import State, Store, StoreUnavailable
from deniable.server.web.failures import log_with_levels
from deniable.survey import Survey
from deniable.survey_file import read
from deniable.text.languages import LANGUAGES
from tests.crash.places import SURVEY, site
from tests.kit import Caller, Start, at, report, send_alone, url_for

JOURNEYS = Path(__file__).parents[2] / "examples" / "journeys.yaml"

PAGE, DOCUMENT, STATE = (at("doping", name) for name in ("", "survey.json", "state.json"))


@contextmanager
def away(store: Store) -> Iterator[None]:
    """Let the store's database answer nobody."""

    def refuse(*_: object, **__: object) -> NoReturn:
        raise StoreUnavailable("m4rk3r")

    with pytest.MonkeyPatch.context() as patch:
        for name in ("lend", "snapshot", "transaction", "check_place", "try_writing"):
            patch.setattr(store._engine, name, refuse)
        yield


def test_page_and_document_are_what_they_were(
    respondents: Caller, store: Store, survey: Survey
) -> None:
    before = [respondents(path) for path in (PAGE, DOCUMENT, STATE)]
    assert [answer.status for answer in before] == [200, 200, 200]
    with away(store):
        assert [respondents(path) for path in (PAGE, DOCUMENT, STATE)] == before
        sent = report(survey)
        refused = respondents.send(sent)
        assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
        assert respondents("/health", sender="192.0.2.7:1").status == 503
    assert respondents.send(sent).status == 201


def test_a_page_alone_brings_its_document(
    respondents: Caller, store: Store, survey: Survey
) -> None:
    assert respondents(PAGE).status == 200
    with away(store):
        assert respondents(DOCUMENT).body == survey.to_json()


def test_closed_or_deleted_is_not_shown(respondents: Caller, store: Store, survey: Survey) -> None:
    assert respondents(PAGE).status == 200
    store.set_state("doping", State.CLOSED)
    assert respondents(PAGE).status == 410
    with away(store):
        assert respondents(PAGE).status == 503
    store.set_state("doping", State.OPEN)
    assert respondents(PAGE).status == 200
    store.delete("doping")
    assert respondents(PAGE).status == 404
    with away(store):
        assert respondents(PAGE).status == 503
        assert respondents(DOCUMENT).status == 503


def addresses(store: Store) -> list[str]:
    """Return an address of each page of the respondents' program."""
    rules = create_respondents_app(store).url_map.iter_rules()
    found = [rule.rule for rule in rules if "GET" in (rule.methods or ())]
    named = {"slug": "doping", "code": "ABCDEF", "name": "main.js", "number": "1"}
    return [
        re.sub(r"<(?:\w+:)?(\w+)>", lambda part: named.get(part[1], "x"), rule) for rule in found
    ]


def test_no_page_is_traceback(start: Start, store: Store, caplog: pytest.LogCaptureFixture) -> None:
    for asked_before in (False, True):
        respondents = start()
        paths = [*addresses(store), "/join/ABCDEF/step.json", at("none"), "/nothing"]
        assert len(paths) > 12
        if asked_before:
            for path in paths:
                respondents(path, headers={"Accept": "text/html"})
        caplog.clear()
        with away(store):
            for path in paths:
                answer = respondents(path, headers={"Accept": "text/html"})
                assert answer.status in (200, 303, 308, 404, 405, 503), path
                if answer.status == 503 and not path.endswith("step.json"):
                    assert 'data-page="error"' in answer.text, path
                    assert answer.headers["Retry-After"] == "5", path
        assert "Traceback" not in caplog.text
        assert "a request failed" not in caplog.text


def test_errors_speak_the_language_of_a_known_survey(respondents: Caller, store: Store) -> None:
    survey = read(JOURNEYS.read_text()).survey
    store.register(survey)
    others = set(LANGUAGES) - {*survey.languages}
    assert others
    assert respondents(survey.path.partition("#")[0]).status == 200
    with away(store):
        answer = respondents(at(survey.slug, "no-such-page"))
    assert answer.status == 404
    assert all(f'lang="{language}"' in answer.text for language in survey.languages)
    assert not any(f'lang="{language}"' in answer.text for language in others)


def test_the_desk_s_pages_say_503(desk: Caller, store: Store) -> None:
    desk(url_for("surveys.index"))
    with away(store):
        for path in (
            url_for("surveys.index"),
            url_for("results.page"),
            "/results/doping",
            "/lab",
            "/api/v1/surveys",
        ):
            answer = desk(path)
            assert answer.status in (200, 401, 404, 503), path
            assert answer.status != 503 or answer.headers["Retry-After"] == "5", path


@pytest.mark.slow
def test_people_answer_while_postgres_is_stopped() -> None:
    with site("postgres") as place:
        port = place.serve(harmed=False)

        def get(path: str) -> tuple[int, bytes]:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", path, headers={"Accept": "text/html"})
            answer = connection.getresponse()
            body = answer.read()
            connection.close()
            return answer.status, body

        paths = [at(SURVEY.slug, name) for name in ("", "survey.json", "state.json")]
        before = [get(path) for path in paths]
        assert [status for status, _ in before] == [200, 200, 200]
        assert get("/health")[0] == 200
        with place.away():
            assert [get(path) for path in paths] == before
            end = time.monotonic() + 10  # what was known a moment ago is told again
            while get("/health")[0] == 200:
                assert time.monotonic() < end
                time.sleep(0.1)
            assert b"postgresql" in get("/health")[1]
            assert b"<main" in get(at(SURVEY.slug, "nothing"))[1]
            sent = report(SURVEY)
            assert send_alone(port, sent) == 503
        end = time.monotonic() + 10
        while send_alone(port, sent) not in (200, 201) or get("/health")[0] != 200:
            assert time.monotonic() < end
            time.sleep(0.1)
        assert place.server is not None
        assert "Traceback" not in place.server.output.read_text()


def polled(arrivals: list[float], minutes: int) -> list[bytes]:
    """Return what somebody reads who asks each second while reports arrive at these times."""
    now = 0.0
    metrics = Metrics(10, lambda: now)
    read, waiting = [], sorted(arrivals, reverse=True)
    for second in range(60 * minutes):
        while waiting and waiting[-1] <= second:
            now = waiting.pop()
            metrics.count(201)
        now = float(second)
        read.append(metrics.answer().body)
    return read


@pytest.mark.promise("batches")
@pytest.mark.parametrize("a_minute", [0.5, 3, 15, 200])
def test_asking_often_learns_only_batches(a_minute: float) -> None:
    chance = random.Random(7)
    times = [chance.uniform(0, 40 * 60) for _ in range(int(40 * a_minute))]
    # Each report at another moment of its minute: nothing that is read depends on it.
    others = [60 * (one // 60) + chance.uniform(0.001, 59.999) for one in times]
    read = polled(times, 42)
    assert read == polled(others, 42)
    shown = [int(body.split()[-1]) if b"201" in body else 0 for body in read]
    for second, (before, now) in enumerate(pairwise(shown), 1):
        assert now == before or (second % 60 == 0 and (now - before) % 10 == 0)
    # One batch stays behind: whoever adds ten of their own does not push out the others'.
    assert shown[-1] == max(0, len(times) // 10 - 1) * 10


def test_metrics_are_opt_in(start: Start, survey: Survey, caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    metrics = Metrics(10, lambda: now)
    call = start(metrics=metrics)
    for _ in range(20):
        assert call.send(report(survey)).status == 201
    assert call("/metrics", sender="127.0.0.1:9").body == b"# TYPE deniable_answers counter\n"
    now = 3600.0
    log_with_levels()
    told = call("/metrics", sender="127.0.0.1:9")
    assert told.body.decode().splitlines()[1:] == ['deniable_answers{status="201"} 10']
    assert caplog.records[-1].levelno == logging.INFO
    assert "201: 10" in caplog.text
    through = {"X-Forwarded-For": "127.0.0.1"}
    assert call("/metrics", headers=through, sender="127.0.0.1:9").status == 404
    assert call("/metrics", sender="192.0.2.7:9").status == 404
    assert start()("/metrics", sender="127.0.0.1:9").status == 404
