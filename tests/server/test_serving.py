import contextlib
import http.client
import os
import signal
import socket
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from deniable.server import serving
from deniable.server.serving import ServingError, serve
from deniable.server.store import StoreError, open_store
from deniable.survey import Survey
from tests import surveys
from tests.server.calling import report
from tests.server.running import running
from tests.server.sending import load, send


def get(url: str) -> int:
    with urllib.request.urlopen(url, timeout=20) as response:
        return int(response.status)


def nothing(ready: object) -> None:
    """Hear that the server is ready, which these tests never come to."""


def test_it_says_where_to_go_and_answers_there(tmp_path: Path, survey: Survey) -> None:
    second = surveys.survey(slug="second", title="Second")
    with running(tmp_path, [survey, second]) as server:
        assert server.links == (f"{server.url}/s/doping", f"{server.url}/s/second")
        for link in server.links:
            assert get(link) == 200
        assert server.sign_in.startswith(f"{server.url}/desk/sign-in/")
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with opener.open(server.sign_in, timeout=20) as response:
            assert response.url == f"{server.url}/desk"
            assert b"Second" in response.read()
        assert server.stop() == 0


def test_on_every_address_phones_get_one_that_they_can_reach(
    tmp_path: Path, survey: Survey
) -> None:
    with running(tmp_path, [survey], host="0.0.0.0") as server:  # noqa: S104
        assert "0.0.0.0" not in server.links[0]  # noqa: S104
        assert get(server.links[0]) == 200
        assert server.sign_in.startswith("http://127.0.0.1:")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_clean_stop_under_load_loses_nothing(
    tmp_path: Path, survey: Survey, number: signal.Signals
) -> None:
    with running(tmp_path, [survey]) as server:
        with load(server.port, 8, lambda: report(survey)) as sent:
            time.sleep(0.5)
            assert server.stop(number) == 0
        # Settled: the log is gone, and nothing else was left behind.
        assert {file.name for file in tmp_path.glob("store.db*")} == {"store.db"}
        assert server.output.read_bytes() == b""
    store = open_store(f"sqlite:///{tmp_path}/store.db")
    with store._connections.lend() as db:
        stored = {id for (id,) in db.execute("SELECT id FROM reports")}
    store.close()
    acknowledged = {one.id for one, status in sent.items() if status == 201}
    assert acknowledged
    assert acknowledged <= stored


def test_a_worker_whose_parent_was_killed_stops_by_itself(tmp_path: Path, survey: Survey) -> None:
    with running(tmp_path, [survey]) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        assert send(connection, report(survey)) == 201
        connection.close()
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait()
        end = time.monotonic() + 20
        while (tmp_path / "store.db-wal").exists():
            assert time.monotonic() < end
            time.sleep(0.05)


def test_half_open_connections_stop_nobody_else(tmp_path: Path, survey: Survey) -> None:
    head = b"POST /s/doping/reports HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    with running(tmp_path, [survey]) as server, contextlib.ExitStack() as stack:
        for begun in (b"POST", head, head + b"Content-Length: 150\r\n\r\n{"):
            for _ in range(60):
                client = socket.create_connection(("127.0.0.1", server.port), timeout=10)
                stack.enter_context(client).sendall(begun)
        time.sleep(0.5)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        stack.callback(connection.close)
        assert send(connection, report(survey)) == 201
        assert get(server.links[0]) == 200


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
                connection.request("POST", "/s/doping/reports", body, headers)
            with contextlib.suppress(ConnectionResetError):
                response = connection.getresponse()
                assert response.status == 413
                assert response.getheader("Server") == "deniable"
            connection.close()
        mine = report(survey)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        connection.request(
            "POST",
            "/s/doping/reports",
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
            time.sleep(1)
        assert one.stop() == two.stop() == 0
    statuses = {**first, **second}
    assert set(statuses.values()) <= {201, 503}
    acknowledged = {sent.id for sent, status in statuses.items() if status == 201}
    store = open_store(f"sqlite:///{tmp_path}/store.db")
    with store._connections.lend() as db:
        assert {id for (id,) in db.execute("SELECT id FROM reports")} == acknowledged
    store.close()


def test_a_port_in_use_is_refused_before_anything_is_touched(
    tmp_path: Path, survey: Survey
) -> None:
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
                port=taken.getsockname()[1],
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
        serve(f"sqlite:///{tmp_path}/s.db", [survey], on_ready=nothing, host=host, port=port)


def test_a_store_that_cannot_be_used_is_refused(survey: Survey) -> None:
    with pytest.raises(StoreError):
        serve("postgresql://x", [survey], on_ready=nothing, port=0)


@pytest.mark.parametrize(
    ("address", "network", "base", "only_here"),
    [
        ("127.0.0.1", "198.51.100.7", "http://127.0.0.1:80", True),
        ("::1", None, "http://[::1]:80", True),
        ("198.51.100.7", None, "http://198.51.100.7:80", False),
        ("0.0.0.0", "198.51.100.7", "http://198.51.100.7:80", False),  # noqa: S104
        ("0.0.0.0", None, "http://127.0.0.1:80", True),  # noqa: S104
    ],
)
def test_the_address_for_respondents(
    address: str,
    network: str | None,
    base: str,
    only_here: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(serving, "_address_on_network", lambda: network)
    assert serving._respondents_base(address, 80) == (base, only_here)
