import contextlib
import os
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest

from deniable.server import serving
from deniable.server.addresses import Place, ServingError
from deniable.server.serving import Ready, serve
from deniable.server.store import State, open_store
from deniable.server.store.accounts import Role
from deniable.survey import Survey
from deniable.survey.about import About
from tests.kit import (
    Clocks,
    at,
    lent,
    report,
    send_alone,
    sign_in,
    started,
    surveys,
    until,
    url_for,
)

pytestmark = pytest.mark.promise("intake-apart")


def get(url: str) -> int:
    with urllib.request.urlopen(url, timeout=20) as response:
        return int(response.status)


def nobody_listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except ConnectionRefusedError:
        return True
    return False


def children_of(process: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True, check=True
    )
    return [int(line) for line in listed.stdout.split()]


def times_woken(process: int) -> int:
    """Return how often a process has waited and gone on; 0 where the system does not say."""
    status = Path(f"/proc/{process}/status")
    text = status.read_text() if status.exists() else ""
    found = re.search(r"^voluntary_ctxt_switches:\s*(\d+)$", text, re.MULTILINE)
    return 0 if found is None else int(found[1])


def nothing(ready: object) -> None:
    """Hear that the server is ready, which these tests never come to."""


def test_it_says_where_to_go_and_answers_there(tmp_path: Path, survey: Survey) -> None:
    second = surveys.survey(slug="second", title="Second")
    with started(tmp_path, [survey, second]) as server:
        assert server.links == (f"{server.url}{at('doping')}", f"{server.url}{at('second')}")
        for link in server.links:
            assert get(link) == 200
        assert server.sign_in.startswith(f"{server.desk_url}/desk/sign-in/")
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with sign_in(opener, server.sign_in) as response:
            assert response.url == server.desk_url + url_for("surveys.index")
            assert b"Second" in response.read()
        before = times_woken(server.starter.pid)
        time.sleep(0.5)
        assert times_woken(server.starter.pid) <= before + 2, (
            "it waits for signals, and looks no more"
        )
        assert server.stop() == 0


@pytest.mark.slow
def test_an_orphaned_worker_stops(tmp_path: Path, survey: Survey) -> None:
    with started(tmp_path, [survey]) as server:
        assert send_alone(server.port, report(survey)) == 201
        os.kill(server.starter.pid, signal.SIGKILL)
        server.starter.wait()
        until(lambda: not (tmp_path / "store.db-wal").exists())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "number", "name"),
    [
        ("respondents_program", signal.SIGKILL, "the respondents' program"),
        ("desk_program", signal.SIGTERM, "the desk"),
        ("desk_program", signal.SIGKILL, "the desk"),
    ],
)
def test_when_one_program_ends_the_other_does_too(
    tmp_path: Path, survey: Survey, program: str, number: signal.Signals, name: str
) -> None:
    with started(tmp_path, [survey]) as server:
        assert send_alone(server.port, report(survey)) == 201
        programs = server.programs()
        assert set(programs) == {"respondents_program", "desk_program"}
        os.kill(programs[program], number)
        assert server.starter.wait(timeout=30) != 0
        assert f"{name} ended by itself" in server.output.read_text()
        until(lambda: nobody_listens(server.port) and nobody_listens(server.desk_port))
    store = open_store(f"sqlite:///{tmp_path}/store.db")
    assert store.count("doping") == 1
    store.close()


@pytest.mark.slow
def test_a_failing_start_ends_the_other_too(
    tmp_path: Path, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Both are told to use a store that somebody has removed since it was made.
    path = tmp_path / "store.db"
    monkeypatch.setattr("deniable.server.serving.new_link", lambda *_: path.unlink())
    url = f"sqlite:///{path}"
    with pytest.raises(ServingError, match="ended by itself"):
        serve(url, [survey], on_ready=nothing, respondents=Place(), desk=Place())
    assert not path.exists()


def test_a_slow_desk_does_not_stall_the_intake(survey: Survey) -> None:
    with lent([survey]) as (server, _):
        desk = server.programs()["desk_program"]
        # Its processes do not get a moment of time, as if each of its threads computed for ever.
        stopped = [desk, *children_of(desk)]
        assert len(stopped) > 1
        for process in stopped:
            os.kill(process, signal.SIGSTOP)
        try:
            for _ in range(5):
                assert send_alone(server.port, report(survey)) == 201
            assert get(server.links[0]) == 200
        finally:
            for process in stopped:
                os.kill(process, signal.SIGCONT)


@pytest.mark.slow
@pytest.mark.promise("deleted")
def test_reports_go_as_their_day_begins(
    tmp_path: Path,
    clocks: Clocks,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    kept = replace(surveys.survey(slug="kept"), about=About(delete_reports="2999-01-01"))
    url = f"sqlite:///{tmp_path}/store.db"
    with contextlib.closing(open_store(url)) as store:
        store.register(kept)
        store.insert_reports([report(kept)])
    seen: list[tuple[State, int]] = []

    def tomorrow() -> None:
        with contextlib.closing(open_store(url)) as store:
            end = time.monotonic() + 30
            while store.state("kept") is State.OPEN and time.monotonic() < end:
                time.sleep(0.02)
            seen.append((store.state("kept"), store.count("kept")))
        os.kill(os.getpid(), signal.SIGTERM)

    def at_midnight(_: Ready) -> None:
        clocks.go_on_to("2999-01-01")
        threading.Thread(target=tomorrow).start()

    clocks.go_on_to("2998-12-31")
    monkeypatch.setattr(serving, "_LOOK", 0.05)
    serve(url, [kept], on_ready=at_midnight, respondents=Place(port=0), desk=Place())
    assert seen == [(State.CLOSED, 0)]
    assert [one.getMessage().count("the reports of 'kept'") for one in caplog.records] == [1]


def test_a_late_start_deletes_first(
    tmp_path: Path, clocks: Clocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = replace(surveys.survey(slug="kept"), about=About(delete_reports="2999-01-01"))
    url = f"sqlite:///{tmp_path}/store.db"
    with contextlib.closing(open_store(url)) as store:
        store.register(kept)
        store.insert_reports([report(kept)])
    clocks.go_on_to("2999-02-01")

    class Listening(Exception):
        pass

    def listen(*_: object) -> None:
        raise Listening

    monkeypatch.setattr(serving, "_Program", listen)
    with pytest.raises(Listening):
        serve(url, [kept], on_ready=nothing, respondents=Place(port=0), desk=Place())
    with contextlib.closing(open_store(url)) as store:
        assert (store.state("kept"), store.count("kept")) == (State.CLOSED, 0)


def test_a_port_in_use_is_refused_first(tmp_path: Path, survey: Survey) -> None:
    with socket.socket() as taken:
        # granian shares ports with SO_REUSEPORT; this must be noticed all the same.
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ServingError, match="in use by another program"):
            serve(
                f"sqlite:///{tmp_path}/store.db",
                [survey],
                on_ready=nothing,
                respondents=Place(port=taken.getsockname()[1]),
                desk=Place(),
            )
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_an_account_has_is_refused(tmp_path: Path, survey: Survey) -> None:
    with contextlib.closing(open_store(url := f"sqlite:///{tmp_path}/store.db")) as store:
        store.register(survey)
        store.add_user("ada", Role.ADMINISTRATOR)
        store.add_user("mal", Role.OWNER)
        store.share("doping", "mal", Role.OWNER)
    secret = surveys.survey(surveys.single("secret"))

    def served(_: Ready) -> None:
        pytest.fail("it is served")

    with pytest.raises(ServingError, match="'mal' has a survey 'doping' with other questions"):
        serve(url, [secret], on_ready=served, respondents=Place(), desk=Place())
    with contextlib.closing(open_store(url)) as store:
        assert store.revisions("doping") == [survey.revision]
        for one, name in [(survey, "mal"), (secret, "ada")]:  # as it was; and seen by her anyway
            store.share("doping", "mal", None)
            assert serving._owner_of(store, survey) == ""
            store.share("doping", name, Role.OWNER)
            serving._check_owner(store, one)
            assert serving._owner_of(store, survey) == f"At the desk, the owner is {name}."
            store.share("doping", name, None)
