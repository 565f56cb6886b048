"""The socket of the audit's browser hears everything, lets nothing through, and ends."""

import socket
import threading

from deniable.client.audit.wire import Arrival, wire
from deniable.client.connection import Response


def test_it_hears_requests_and_ends() -> None:
    before = {*threading.enumerate()}
    with wire() as out:
        (listening,) = {*threading.enumerate()} - before
        with socket.create_connection(("127.0.0.1", out.port), timeout=10) as browser:
            browser.sendall(b"GET http://elsewhere.example/told HTTP/1.1\r\n\r\n")
            assert browser.recv(100).startswith(b"HTTP/1.1 403 ")
        assert out.heard == ["GET http://elsewhere.example/told HTTP/1.1"]
    listening.join(10)
    assert not listening.is_alive()


def test_it_answers_only_what_is_allowed() -> None:
    came: list[Arrival] = []
    with wire() as out, socket.create_connection(("127.0.0.1", out.port), timeout=10) as browser:

        def answer(arrival: Arrival) -> Response:
            came.append(arrival)
            return Response(201, b"{}")

        out.answer = answer
        for path in ("page", "reports"):
            out.expect("POST", f"http://a.example/{path}")
            head = f"POST http://a.example/{path} HTTP/1.1\r\nb: 1\r\nA: 2\r\nContent-Length: 2"
            browser.sendall(f"{head}\r\n\r\nok".encode())
            assert browser.recv(1000).startswith(b"HTTP/1.1 201 ")
    assert [one.body for one in came] == ["ok", "ok"]
    assert came[0].head[1:3] == ("b: 1", "A: 2")
