import contextlib
import http.client
import os
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from deniable.server import serving
from deniable.server.addresses import Place, ServingError
from deniable.server.serving import Ready, serve
from deniable.server.store import State, StoreError, open_store
from deniable.server.store.accounts import Role
from deniable.server.store.sql import retention
from deniable.survey import Survey
from deniable.survey.about import About
from tests import surveys
from tests.addresses import at
from tests.quickly import first_of
from tests.server.calling import report
from tests.server.desk.urls import url_for
from tests.server.running import running
from tests.server.sending import load, send, send_alone
from tests.server.signing_in import sign_in
from tests.server.stored import reports_in

pytestmark = pytest.mark.promise("intake-apart")


def get(url: str) -> int:
    with urllib.request.urlopen(url, timeout=20) as response:
        return int(response.status)


def wait_until_nobody_listens(port: int) -> None:
    end = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except ConnectionRefusedError:
            return
        assert time.monotonic() < end
        time.sleep(0.1)


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
    with running(tmp_path, [survey, second], fresh=True) as server:
        assert server.links == (f"{server.url}{at('doping')}", f"{server.url}{at('second')}")
        for link in server.links:
            assert get(link) == 200
        assert server.sign_in.startswith(f"{server.desk_url}/desk/sign-in/")
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with sign_in(opener, server.sign_in) as response:
            assert response.url == server.desk_url + url_for("surveys.index")
            assert b"Second" in response.read()
        before = times_woken(server.process.pid)
        time.sleep(0.5)
        assert times_woken(server.process.pid) <= before + 2, (
            "it waits for signals, and looks no more"
        )
        assert server.stop() == 0


def test_phones_get_an_address_that_they_reach(tmp_path: Path, survey: Survey) -> None:
    with running(tmp_path, [survey], host="0.0.0.0") as server:  # noqa: S104
        assert "0.0.0.0" not in server.links[0]  # noqa: S104
        assert get(server.links[0]) == 200
        assert server.sign_in.startswith("http://127.0.0.1:")


@pytest.mark.parametrize("number", first_of([signal.SIGTERM, signal.SIGINT]))
def test_a_clean_stop_loses_nothing(tmp_path: Path, survey: Survey, number: signal.Signals) -> None:
    with running(tmp_path, [survey]) as server:
        with load(server.port, 8, lambda: report(survey)) as sent:
            time.sleep(0.5)
            assert server.stop(number) == 0
        # Settled: the log is gone, and nothing else was left behind but the key of the desk.
        left = {file.name for file in tmp_path.glob("store.db*")}
        assert left == {"store.db", "store.db.cookies"}
        assert server.output.read_bytes() == b""
    store = open_store(f"sqlite:///{tmp_path}/store.db")
    stored = reports_in(store).keys()
    store.close()
    acknowledged = {one.id for one, status in sent.items() if status == 201}
    assert acknowledged
    assert acknowledged <= stored


def test_a_worker_whose_parent_was_killed_stops_by_itself(tmp_path: Path, survey: Survey) -> None:
    with running(tmp_path, [survey]) as server:
        assert send_alone(server.port, report(survey)) == 201
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait()
        end = time.monotonic() + 20
        while (tmp_path / "store.db-wal").exists():
            assert time.monotonic() < end
            time.sleep(0.05)


def test_half_open_connections_stop_nobody_else(tmp_path: Path, survey: Survey) -> None:
    head = HEAD
    with running(tmp_path, [survey]) as server, contextlib.ExitStack() as stack:
        for begun in (b"POST", head, head + b"Content-Length: 150\r\n\r\n{"):
            for _ in range(60):
                client = socket.create_connection(("127.0.0.1", server.port), timeout=10)
                stack.enter_context(client).sendall(begun)
        time.sleep(0.5)
        assert send_alone(server.port, report(survey)) == 201
        assert get(server.links[0]) == 200


HEAD = (
    f"POST {at('doping', 'reports')} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
).encode()
HALF_A_REPORT = HEAD + b"Content-Length: 150\r\n\r\n{"
HALF_IN_CHUNKS = HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"
HALF_FOR_A_PAGE = HALF_A_REPORT.replace(b"POST", b"GET").replace(b"reports", b"")
HALF_FOR_NOTHING = HALF_A_REPORT.replace(at("doping").encode(), at("no-such").encode())


def begin(port: int, begun: bytes, stack: contextlib.ExitStack) -> socket.socket:
    """Send part of a request, and keep the connection."""
    client = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=40))
    client.sendall(begun)
    return client


def all_of(client: socket.socket) -> bytes:
    """Read until the server closes the connection."""
    pieces = []
    with contextlib.suppress(ConnectionResetError):
        while piece := client.recv(65536):
            pieces.append(piece)
    return b"".join(pieces)


@pytest.mark.promise("slow-senders")
def test_half_sent_bodies_time_out(tmp_path: Path, survey: Survey) -> None:
    # 256 files at most, unless the server asks for more: fewer than there are connections here.
    with (
        running(tmp_path, [survey], descriptors=(256, 1024)) as server,
        contextlib.ExitStack() as stack,
    ):
        begun = time.monotonic()
        clients = [
            begin(server.port, half, stack)
            for half in (HALF_A_REPORT, HALF_IN_CHUNKS, HALF_FOR_A_PAGE)
            for _ in range(100)
        ]
        refused = begin(server.port, HALF_FOR_NOTHING, stack)
        assert all_of(refused).startswith(b"HTTP/1.1 404 ")
        assert send_alone(server.port, report(survey)) == 201
        assert time.monotonic() < begun + 8, "the report was to be stored while they hold on"
        for client in clients:
            head, _, body = all_of(client).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 408 ")
            assert b"\r\nserver: deniable" in head
            assert b"\r\ncontent-security-policy: default-src 'none'" in head
            assert b"within 10 seconds" in body
        assert time.monotonic() < begun + 25
        assert server.stop() == 0
        assert server.output.read_bytes() == b""


@pytest.mark.promise("slow-senders")
@pytest.mark.slow
def test_too_many_connections_delay_only_the_rest(tmp_path: Path, survey: Survey) -> None:
    with (
        running(tmp_path, [survey], descriptors=(256, 256)) as server,
        contextlib.ExitStack() as stack,
    ):
        (worker,) = children_of(server.programs()["respondents_program"])
        for _ in range(280):
            begin(server.port, HALF_A_REPORT, stack)
        time.sleep(1)
        descriptors = Path(f"/proc/{worker}/fd")
        if descriptors.exists():  # as on Linux
            # With none left, the store could not open its files, and accepting would never rest.
            assert 128 < len(list(descriptors.iterdir())) < 256 - 40
        # Two rounds of them at most, of 10 seconds each.
        assert send_alone(server.port, report(survey)) == 201
        assert get(server.links[0]) == 200
        assert server.stop() == 0
        assert server.output.read_bytes() == b""


@pytest.mark.promise("in-its-place")
def test_a_moved_store_acknowledges_nothing(tmp_path: Path, survey: Survey) -> None:
    path, away = tmp_path / "store.db", tmp_path / "away.db"
    with running(tmp_path, [survey]) as server, contextlib.ExitStack() as stack:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        stack.callback(connection.close)
        assert send(connection, report(survey)) == 201
        path.rename(away)
        # The operator is told, whether reports come or not.
        end = time.monotonic() + 5
        while "deleted, moved or replaced" not in server.output.read_text():
            assert time.monotonic() < end
            time.sleep(0.05)
        mine = report(survey)
        for _ in range(20):
            assert send(connection, mine) == 503
        headers = {"Content-Type": "application/json"}
        connection.request("POST", at("doping", "reports"), mine.to_json(), headers)
        response = connection.getresponse()
        assert (response.status, response.getheader("Retry-After")) == (503, "5")
        response.read()
        away.rename(path)
        assert send(connection, mine) == 201
        assert server.stop() == 0
        told = server.output.read_text()
        assert told.count("deleted, moved or replaced") == 1
        assert told.count("reports are stored again; 21 were refused meanwhile") == 1
    with contextlib.closing(open_store(f"sqlite:///{path}")) as store:
        assert store.count("doping") == 2
        assert mine.id in reports_in(store)


def ask(port: int, request: bytes) -> tuple[str, str, bytes]:
    """Send bytes as they are; return the status line, the headers in lower case, some body."""
    with contextlib.ExitStack() as stack:
        answer = begin(port, request, stack).recv(65536)
    head, _, body = answer.partition(b"\r\n\r\n")
    status, _, headers = head.decode().partition("\r\n")
    return status, headers.lower(), body


@pytest.mark.promise("odd-requests")
@pytest.mark.parametrize("key", first_of([b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", b""]))
def test_web_sockets_get_a_plain_page(tmp_path: Path, survey: Survey, key: bytes) -> None:
    request = (
        b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\n" + key + b"\r\n"
    )
    with running(tmp_path, [survey]) as server:
        for port in (server.port, server.desk_port):
            status, headers, _ = ask(port, request)
            assert not status.startswith("HTTP/1.1 101")
            assert "content-security-policy: default-src 'none'" in headers
            assert "x-content-type-options: nosniff" in headers
            assert "server: deniable" in headers
        assert server.output.read_bytes() == b""


@pytest.mark.promise("odd-requests")
def test_a_request_names_one_host(tmp_path: Path, survey: Survey) -> None:
    # RFC 9112, section 3.2. A request of HTTP/1.0 need not have one.
    codes = {
        b"GET /health HTTP/1.1\r\n\r\n": "400",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n": "400",
        b"GET /health HTTP/1.0\r\nHost: localhost\r\nHost: localhost\r\n\r\n": "400",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n": "200",
        b"GET /health HTTP/1.0\r\n\r\n": "200",
    }
    with running(tmp_path, [survey]) as server:
        for port in (server.port, server.desk_port):
            for request, code in codes.items():
                status, headers, _ = ask(port, request)
                assert status.split()[1] == code, request
                assert "x-content-type-options: nosniff" in headers


@pytest.mark.promise("odd-requests")
def test_what_is_no_request_is_answered_with_nothing(tmp_path: Path, survey: Survey) -> None:
    refused = {
        "400": b"no request\r\n\r\n",
        "414": b"GET /?" + b"x" * 65_534 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        "431": b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"x" * 600_000,
    }
    with running(tmp_path, [survey]) as server:
        for port in (server.port, server.desk_port):
            for code, request in refused.items():
                # It may hang up before all was sent, and the answer is lost then.
                with contextlib.suppress(ConnectionError):
                    status, headers, body = ask(port, request)
                    assert not status or status.split()[1] == code
                    assert "server:" not in headers
                    assert "content-length: 0" in headers or not status
                    assert body == b""
        assert server.output.read_bytes() == b""


def test_no_request_of_a_respondent_is_written_down(tmp_path: Path, survey: Survey) -> None:
    """Neither good ones nor bad ones: each of these could name who came, and when."""
    with running(tmp_path, [survey], fresh=True) as server:
        files = {*tmp_path.rglob("*")}
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        assert send(connection, report(survey)) == 201
        answered = []
        for method, path in (
            *(("GET", path) for path in (at("doping"), "/person17", f"{at('doping')}?person17")),
            *(("POST", path) for path in (at("doping", "reports"), "/person17")),
        ):
            connection.request(method, path, b"person17" if method == "POST" else None)
            response = connection.getresponse()
            response.read()
            answered.append(response.status // 100)
        connection.close()
        assert answered == [2, 4, 2, 4, 4]
        assert server.stop() == 0
    assert server.output.read_bytes() == b""
    left = {*tmp_path.rglob("*")}
    assert left <= files
    assert not [one for one in left if one.is_file() and b"person17" in one.read_bytes()]


@pytest.mark.promise("rate-limit")
def test_one_network_s_flood_delays_no_other(tmp_path: Path, survey: Survey) -> None:
    with running(tmp_path, [survey], limit=(3, True)) as server, contextlib.ExitStack() as stack:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        stack.callback(connection.close)

        def send_by(*forwarded: str) -> http.client.HTTPResponse:
            # Anew each time: a refusal comes before the body is read, and may end the connection.
            connection.close()
            connection.putrequest("POST", at("doping", "reports"))
            for entry in forwarded:
                connection.putheader("X-Forwarded-For", entry)
            body = report(survey).to_json()
            connection.putheader("Content-Type", "application/json")
            connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            response = connection.getresponse()
            response.read()
            return response

        # What a sender writes before the proxy's own entry, or in a header before its, is nothing.
        forged = [("192.0.2.7",), ("10.0.0.1, 192.0.2.7",), ("10.0.0.2", "10.0.0.3, 192.0.2.7")]
        assert [send_by(*entries).status for entries in forged] == [201, 201, 201]
        for turn in (20, 40, 60, 60):
            refused = send_by("10.0.0.4", "192.0.2.7")
            assert refused.status == 429
            assert refused.getheader("Retry-After") == str(turn)
            assert "default-src 'none'" in (refused.getheader("Content-Security-Policy") or "")
        assert send_by("192.0.2.8").status == 201
        # Whoever the proxy says nothing of share one bucket.
        assert [send_by(), send_by("unknown"), send_by("")][0].status == 201
        assert send_by("192.0.2.7, nonsense").status == 429
        # Pages are never refused.
        assert {get(server.links[0]) for _ in range(20)} == {200}
        assert server.stop() == 0
        assert server.output.read_bytes() == b""
    with contextlib.closing(open_store(f"sqlite:///{tmp_path}/store.db")) as store:
        assert store.count("doping") == 7


def test_each_program_knows_no_page_of_the_other(tmp_path: Path, survey: Survey) -> None:
    with running(tmp_path, [survey]) as server:
        for url in (
            server.url + url_for("surveys.index"),
            f"{server.url}{server.sign_in.removeprefix(server.desk_url)}",
            f"{server.desk_url}{at('doping')}",
            f"{server.desk_url}{at('doping')}reports",
            f"{server.desk_url}/client/main.js",
        ):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                get(url)


@pytest.mark.parametrize(
    ("program", "number", "name"),
    [
        ("respondents_program", signal.SIGKILL, "the respondents' program"),
        ("desk_program", signal.SIGTERM, "the desk"),
        pytest.param("desk_program", signal.SIGKILL, "the desk", marks=pytest.mark.slow),
    ],
)
def test_when_one_program_ends_the_other_does_too(
    tmp_path: Path, survey: Survey, program: str, number: signal.Signals, name: str
) -> None:
    # Fresh once: what the starter hands its programs is what they live by.
    with running(tmp_path, [survey], fresh=number == signal.SIGKILL) as server:
        assert send_alone(server.port, report(survey)) == 201
        programs = server.programs()
        assert set(programs) == {"respondents_program", "desk_program"}
        os.kill(programs[program], number)
        assert server.process.wait(timeout=30) != 0
        assert f"{name} ended by itself" in server.output.read_text()
        wait_until_nobody_listens(server.port)
        wait_until_nobody_listens(server.desk_port)
    store = open_store(f"sqlite:///{tmp_path}/store.db")
    assert store.count("doping") == 1
    store.close()


def test_a_program_that_cannot_start_ends_the_other_and_says_so(
    tmp_path: Path, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Both are told to use a store that somebody has removed since it was made.
    path = tmp_path / "store.db"
    monkeypatch.setattr("deniable.server.serving.new_link", lambda *_: path.unlink())
    url = f"sqlite:///{path}"
    with pytest.raises(ServingError, match="ended by itself"):
        serve(url, [survey], on_ready=nothing, respondents=Place(), desk=Place())
    assert not path.exists()


def test_a_slow_desk_does_not_stall_the_intake(tmp_path: Path, survey: Survey) -> None:
    with running(tmp_path, [survey]) as server:
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
        assert server.stop() == 0


def test_the_limits_hold_on_a_real_connection(tmp_path: Path, survey: Survey) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(100):
            yield b" " * 10_000

    with running(tmp_path, [survey]) as server:
        for body in (chunks(), b" " * 200_000):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
            headers = {"Content-Type": "application/json"}
            # The server may hang up on the rest of a body that it has refused.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.request("POST", at("doping", "reports"), body, headers)
            with contextlib.suppress(ConnectionResetError):
                response = connection.getresponse()
                assert response.status == 413
                assert response.getheader("Server") == "deniable"
            connection.close()
        mine = report(survey)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        connection.request(
            "POST",
            at("doping", "reports"),
            iter([mine.to_json()[:50], mine.to_json()[50:]]),
            {"Content-Type": "application/json"},
        )
        assert connection.getresponse().status == 201
        connection.close()


def test_two_servers_on_one_store_count_every_report(tmp_path: Path, survey: Survey) -> None:
    with running(tmp_path, [survey]) as one, running(tmp_path, [survey]) as two:
        with (
            load(one.port, 4, lambda: report(survey)) as first,
            load(two.port, 4, lambda: report(survey)) as second,
        ):
            time.sleep(0.4)
        assert one.stop() == two.stop() == 0
    statuses = {**first, **second}
    assert set(statuses.values()) <= {201, 503}
    acknowledged = {sent.id for sent, status in statuses.items() if status == 201}
    store = open_store(f"sqlite:///{tmp_path}/store.db")
    assert reports_in(store).keys() == acknowledged
    store.close()


@pytest.mark.promise("deleted")
def test_reports_go_as_their_day_begins_while_the_server_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kept = replace(surveys.survey(slug="kept"), about=About(delete_reports="2999-01-01"))
    url = f"sqlite:///{tmp_path}/store.db"
    with contextlib.closing(open_store(url)) as store:
        store.register(kept)
        store.insert_batch([report(kept)])
    seen: list[tuple[State, int]] = []

    def tomorrow() -> None:
        with contextlib.closing(open_store(url)) as store:
            end = time.monotonic() + 30
            while store.state("kept") is State.OPEN and time.monotonic() < end:
                time.sleep(0.02)
            seen.append((store.state("kept"), store.count("kept")))
        os.kill(os.getpid(), signal.SIGTERM)

    def at_midnight(_: Ready) -> None:
        monkeypatch.setattr(retention, "utc_day", lambda: "2999-01-01")
        threading.Thread(target=tomorrow).start()

    monkeypatch.setattr(retention, "utc_day", lambda: "2998-12-31")
    monkeypatch.setattr(serving, "_LOOK", 0.05)
    serve(url, [kept], on_ready=at_midnight, respondents=Place(port=0), desk=Place())
    assert seen == [(State.CLOSED, 0)]
    assert [one.getMessage().count("the reports of 'kept'") for one in caplog.records] == [1]


def test_a_late_start_deletes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = replace(surveys.survey(slug="kept"), about=About(delete_reports="2999-01-01"))
    url = f"sqlite:///{tmp_path}/store.db"
    with contextlib.closing(open_store(url)) as store:
        store.register(kept)
        store.insert_batch([report(kept)])
    monkeypatch.setattr(retention, "utc_day", lambda: "2999-02-01")

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


@pytest.mark.parametrize(
    ("host", "port", "message"),
    [
        ("no.such.host.invalid", 0, "no address for the host"),
        ("192.0.2.200", 0, "cannot listen"),
        ("127.0.0.1", 70_000, "port"),
    ],
)
def test_an_address_that_cannot_be_is_refused(
    tmp_path: Path, survey: Survey, host: str, port: int, message: str
) -> None:
    with pytest.raises(ServingError, match=message):
        serve(
            f"sqlite:///{tmp_path}/s.db",
            [survey],
            on_ready=nothing,
            respondents=Place(host, port),
            desk=Place(),
        )


def test_a_store_that_cannot_be_used_is_refused(survey: Survey) -> None:
    with pytest.raises(StoreError):
        serve("postgresql://x", [survey], on_ready=nothing, respondents=Place(), desk=Place())


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
            assert serving._told(store, survey) == ""
            store.share("doping", name, Role.OWNER)
            serving._check_owner(store, one)
            assert serving._told(store, survey) == f"At the desk, the owner is {name}."
            store.share("doping", name, None)


@pytest.mark.promise("sessions")
def test_a_killed_server_signs_nobody_out(tmp_path: Path) -> None:
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with running(tmp_path, []) as server:
        sign_in(browser, server.sign_in)
        server.kill()
    with (
        running(tmp_path, []) as server,
        browser.open(server.desk_url + url_for("surveys.index"), timeout=60) as page,
    ):
        assert page.status == 200
