"""The socket of the audit's browser hears everything, lets nothing through, and ends."""

import itertools
import socket
import threading

import numpy as np

from deniable.client.audit.manners import manners
from deniable.client.audit.wire import Arrival, wire
from deniable.client.connection import Response


def test_it_hears_what_a_browser_asks_for_and_ends_with_it() -> None:
    before = {*threading.enumerate()}
    with wire() as out:
        (listening,) = {*threading.enumerate()} - before
        with socket.create_connection(("127.0.0.1", out.port), timeout=10) as browser:
            browser.sendall(b"GET http://elsewhere.example/told HTTP/1.1\r\n\r\n")
            assert browser.recv(100).startswith(b"HTTP/1.1 403 ")
        assert out.heard == ["GET http://elsewhere.example/told HTTP/1.1"]
    listening.join(10)
    assert not listening.is_alive()


def test_it_answers_what_may_be_asked_for_and_keeps_the_head_as_it_came() -> None:
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
    assert [(one.is_shared, one.body) for one in came] == [(False, "ok"), (True, "ok")]
    assert came[0].head[1:3] == ("b: 1", "A: 2")


def test_every_two_manners_meet_all_that_may_go_wrong() -> None:
    drawn = [*itertools.islice(manners(np.random.default_rng(1)), 24)]
    for one, other in zip(drawn[::2], drawn[1::2], strict=True):
        both = zip(vars(one).values(), vars(other).values(), strict=True)
        assert all(bool(a) != bool(b) for a, b in both if isinstance(a, bool))
    assert {one.trouble for one in drawn} == {"", "429", "503", "silence", "offline"}
    assert {one.once_more for one in drawn} == {"", "reload", "return", "back"}
