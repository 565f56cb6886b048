"""Programs that run alone, and what they show while their store is away."""

import http.client
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

import pytest

from deniable.server.addresses import Place, ServingError, choose
from deniable.server.metrics import Metrics
from deniable.server.respondent.app import create_respondents_app
from deniable.server.store import State, Store, StoreUnavailable, open_store
from deniable.survey import Survey
from deniable.survey_file import read
from deniable.text.languages import LANGUAGES
from tests.kit import Caller, Start, at, free_ports, report, send, sign_in, surveys, until
from tests.kit import started as begun
from tests.server.store.cluster import CLUSTER
from tests.server.test_serving import children_of

ROOT = Path(__file__).parents[2]
DOPING = ROOT / "examples" / "doping.yaml"


@contextmanager
def started(store: str, only: str, *options: str, port: int = 0) -> Iterator[tuple[str, int]]:
    """Start a program by the command line; give what it printed, and its port."""
    port = port or free_ports(1)[0]
    place = "--port" if only == "respondents" else "--desk-port"
    words = ["serve", "--only", only, "--store", store, place, str(port), *options]
    process = subprocess.Popen(
        [sys.executable, "-m", "deniable.cli.main", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    try:
        said = ""
        while "Ctrl-C" not in said:
            line = process.stdout.readline()
            assert line, said
            said += line
        yield said, port
    finally:
        process.terminate()
        assert process.wait(60) == 0
        process.stdout.close()


def test_no_other_program_is_taken_for_ours(held: ExitStack) -> None:
    elsewhere = Place("desk.example.org", 8001, "https://desk.example.org/")
    theirs, ours = choose(Place(), elsewhere, held, only="respondents")
    assert theirs.port > 0
    assert (ours.base, ours.this_machine_only) == ("https://desk.example.org", False)
    theirs, ours = choose(Place("intake.example.org", 8000), Place(), held, only="desk")
    assert theirs.base == "http://intake.example.org:8000"
    assert ours.port > 0
    # Browsers must keep the two apart wherever they run.
    beside = Place(url="https://survey.example.org:8001")
    with pytest.raises(ServingError, match="found one host for respondents"):
        choose(Place(url="https://survey.example.org"), beside, held, only="desk")


@pytest.mark.slow
def test_two_intakes_and_a_desk_share_one_database() -> None:
    """What deploy/compose.yaml starts, without its containers."""
    url = CLUSTER.url("deniable", "alone")
    CLUSTER.admin().execute("CREATE SCHEMA alone AUTHORIZATION deniable")
    survey: Survey = read(DOPING.read_text()).survey
    with ExitStack() as stack:
        said, desk = stack.enter_context(started(url, "desk", str(DOPING)))
        assert "For the researcher" in said
        assert "For respondents" not in said
        link = next(line.strip() for line in said.splitlines() if "/sign-in/" in line)
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        sign_in(opener, link).close()
        intakes = []
        for _ in range(2):
            said, port = stack.enter_context(started(url, "respondents"))
            assert "For the researcher" not in said
            intakes.append(port)
        for port in (desk, *intakes):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health") as answer:
                assert answer.read() == b"ok\n"
        connections = [
            stack.enter_context(closing(http.client.HTTPConnection("127.0.0.1", port)))
            for port in intakes
        ]
        reports = [report(survey) for _ in range(40)]
        for place, one in enumerate(reports):
            assert send(connections[place % 2], one) == 201
            # An acknowledgement that was lost: the other intake is asked, and knows.
            assert send(connections[1 - place % 2], one) == 200
        # The intakes, which came later, have ended nobody's session at the desk.
        with opener.open(f"http://127.0.0.1:{desk}/desk", timeout=60) as page:
            assert page.status == 200
    with closing(open_store(url, create=False)) as store:
        assert store.count("doping") == 40


@pytest.mark.slow
def test_a_service_manager_hears_from_it(tmp_path: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(60)
        told = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "300000"}
        with begun(tmp_path, [], environment=told) as server:
            assert [manager.recv(99) for _ in range(3)] == [b"READY=1", *2 * [b"WATCHDOG=1"]]
            stopped = children_of(server.programs()["desk_program"])
            for process in stopped:
                os.kill(process, signal.SIGSTOP)  # one program hangs: nothing more is heard
            manager.settimeout(1.5)
            with pytest.raises(TimeoutError):
                [manager.recv(99) for _ in range(9)]
            for process in stopped:
                os.kill(process, signal.SIGCONT)
            manager.settimeout(60)
            assert manager.recv(99) == b"WATCHDOG=1"
            assert server.stop() == 0
            while manager.recv(99) != b"STOPPING=1":
                pass


@pytest.mark.slow
def test_a_draining_server_says_that_it_stops(tmp_path: Path) -> None:
    heard: list[tuple[int, str | None]] = []

    def keep_asking(port: int) -> None:
        kept = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while heard[-1:] != [(503, "close")]:
            kept.request("GET", "/health")
            answer = kept.getresponse()
            answer.read()
            heard.append((answer.status, answer.getheader("Connection")))
        heard.append((send(kept, report(read(DOPING.read_text()).survey)), None))

    store = str(tmp_path / "study.db")
    with started(store, "respondents", str(DOPING), "--drain", "2") as (_, port):
        asking = threading.Thread(target=keep_asking, args=(port,))
        asking.start()
        until(lambda: heard)
    asking.join()
    assert {*heard[:-2]} == {(200, None)}
    assert heard[-2:] == [(503, "close"), (201, None)]


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
        sent, stranger = report(survey), report(surveys.survey(slug="another"))
        # Nobody is refused for good: a revision may be one that only the store knows.
        for one in (sent, sent._replace(revision="f" * 64), stranger):
            refused = respondents.send(one, slug=one.survey)
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
    survey = store.register(read(JOURNEYS.read_text()).survey)
    others = set(LANGUAGES) - {*survey.languages}
    assert others
    assert respondents(survey.path.partition("#")[0]).status == 200
    with away(store):
        answer = respondents(at(survey.slug, "no-such-page"))
    assert answer.status == 404
    assert all(f'lang="{language}"' in answer.text for language in survey.languages)
    assert not any(f'lang="{language}"' in answer.text for language in others)


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


def test_metrics_are_opt_in(start: Start, survey: Survey) -> None:
    now = 0.0
    metrics = Metrics(10, lambda: now)
    call = start(metrics=metrics)
    for _ in range(20):
        assert call.send(report(survey)).status == 201
    assert call("/metrics", sender="127.0.0.1:9").body == b"# TYPE deniable_answers counter\n"
    now = 3600.0
    told = call("/metrics", sender="127.0.0.1:9")
    assert told.body.decode().splitlines()[1:] == ['deniable_answers{status="201"} 10']
    through = {"X-Forwarded-For": "127.0.0.1"}
    assert call("/metrics", headers=through, sender="127.0.0.1:9").status == 404
    assert call("/metrics", sender="192.0.2.7:9").status == 404
    assert start()("/metrics", sender="127.0.0.1:9").status == 404
