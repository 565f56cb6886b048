"""What a server does with odd, slow, many and half-sent requests."""

import contextlib
import http.client
import socket
import time
from pathlib import Path

import pytest

from deniable.server import worker
from deniable.survey import Survey
from tests.cli.conftest import names
from tests.kit import at, first_of, lent, report, running, send_alone, until
from tests.server.test_serving import children_of, get

pytestmark = pytest.mark.promise("intake-apart")


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
        for head in (b"POST", HEAD):
            begin(server.port, head, stack)
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
        assert server.output.read_text().count("\n") <= 2  # that they wait, and that it ended


def test_no_descriptor_left_is_logged_once(tmp_path: Path, survey: Survey) -> None:
    """As under ``ulimit -n 64``: silent connections take all, and nobody knew why others wait."""
    with running(tmp_path, [survey], descriptors=(64, 64)) as server:
        with contextlib.ExitStack() as stack:
            for _ in range(200):
                begin(server.port, b"", stack)
            until(server.output.read_bytes)
            time.sleep(2.5 * worker.LOOK)
            (line,) = server.output.read_text().splitlines()
            assert names(line, "ERROR 32 connections are open", "wait", "(ulimit -n), which is 64")
        until(lambda: server.output.read_bytes().count(b"\n") == 2)
        assert server.output.read_text().endswith("no more of them wait\n")
        assert send_alone(server.port, report(survey)) == 201
        assert server.stop() == 0
        assert server.output.read_bytes().count(b"\n") == 2


def ask(port: int, request: bytes) -> tuple[str, str, bytes]:
    """Send bytes as they are; return the status line, the headers in lower case, some body."""
    with contextlib.ExitStack() as stack:
        answer = begin(port, request, stack).recv(65536)
    head, _, body = answer.partition(b"\r\n\r\n")
    status, _, headers = head.decode().partition("\r\n")
    return status, headers.lower(), body


@pytest.mark.promise("odd-requests")
@pytest.mark.parametrize("key", first_of([b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", b""]))
def test_web_sockets_get_a_plain_page(survey: Survey, key: bytes) -> None:
    request = (
        b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\n" + key + b"\r\n"
    )
    with lent([survey]) as (server, _):
        for port in (server.port, server.desk_port):
            status, headers, _ = ask(port, request)
            assert not status.startswith("HTTP/1.1 101")
            assert "content-security-policy: default-src 'none'" in headers
            assert "x-content-type-options: nosniff" in headers
            assert "server: deniable" in headers
        assert server.output.read_bytes() == b""


@pytest.mark.promise("odd-requests")
def test_a_request_names_one_host(survey: Survey) -> None:
    # RFC 9112, section 3.2. A request of HTTP/1.0 need not have one.
    codes = {
        b"GET /health HTTP/1.1\r\n\r\n": "400",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n": "400",
        b"GET /health HTTP/1.0\r\nHost: localhost\r\nHost: localhost\r\n\r\n": "400",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n": "200",
        b"GET /health HTTP/1.0\r\n\r\n": "200",
    }
    with lent([survey]) as (server, _):
        for port in (server.port, server.desk_port):
            for request, code in codes.items():
                status, headers, _ = ask(port, request)
                assert status.split()[1] == code, request
                assert "x-content-type-options: nosniff" in headers


@pytest.mark.promise("odd-requests")
def test_a_header_that_decides_comes_once(survey: Survey) -> None:
    def post(*more: str) -> str:
        """Send a fresh report with these lines in its head."""
        body = report(survey).to_json()
        lines = [
            f"POST {at(survey.slug, 'reports')} HTTP/1.1",
            "Host: localhost",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
            "Sec-Fetch-Site: same-origin",
        ]
        head = "\r\n".join([*lines, *more]).encode()
        return ask(server.port, head + b"\r\n\r\n" + body)[0].split()[1]

    with lent([survey]) as (server, _):
        assert post() == "201"
        for line in ("Sec-Fetch-Site: cross-site", "sec-fetch-site: same-origin"):
            assert post(line) == "400"
        assert post("Content-Type: text/plain") == "400"
        for name in ("Survey-Pin", "Survey-Token", "Content-Encoding", "Authorization", "Origin"):
            assert post(f"{name}: x", f"{name}: x") == "400"
        # A header that decides nothing may come in several lines, as HTTP/2 splits cookies.
        assert post("Cookie: a=b", "Cookie: c=d", "Content-Encoding: identity") == "201"
        assert post("Content-Encoding: gzip") == "415"
        assert server.output.read_bytes() == b""


@pytest.mark.promise("odd-requests")
def test_what_is_no_request_is_answered_with_nothing(survey: Survey) -> None:
    refused = {
        "400": b"no request\r\n\r\n",
        "414": b"GET /?" + b"x" * 65_534 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        "431": b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"x" * 600_000,
    }
    with lent([survey]) as (server, _):
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
        refused = send_by("10.0.0.4", "192.0.2.7")
        assert refused.status == 429
        assert "default-src 'none'" in (refused.getheader("Content-Security-Policy") or "")
        assert send_by("192.0.2.8").status == 201
