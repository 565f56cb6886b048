"""Each program started alone: several intakes and one desk on one database, as on several hosts."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from deniable.server.addresses import Place, ServingError, choose
from deniable.server.store import open_store
from deniable.survey import Survey
from deniable.survey_file import read
from tests.kit import report, send, sign_in
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


def free_ports(count: int) -> list[int]:
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def test_no_other_program_is_taken_for_ours() -> None:
    theirs, ours = choose(
        Place(), Place("desk.example.org", 8001, "https://desk.example.org/"), only="respondents"
    )
    assert theirs.port > 0
    assert ours.base == "https://desk.example.org"
    theirs, ours = choose(Place("intake.example.org", 8000), Place(), only="desk")
    assert theirs.base == "http://intake.example.org:8000"
    assert ours.port > 0
    # Browsers must keep the two apart wherever they run.
    with pytest.raises(ServingError, match="found one host for respondents"):
        choose(
            Place(url="https://survey.example.org"),
            Place(url="https://survey.example.org:8001"),
            only="desk",
        )


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
        while not heard:
            time.sleep(0.01)
    asking.join()
    assert {*heard[:-2]} == {(200, None)}
    assert heard[-2:] == [(503, "close"), (201, None)]
