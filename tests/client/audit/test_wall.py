"""The wall around the audit's browser hears everything, lets nothing through, and ends."""

import socket
import threading

from deniable.client.audit.wall import wall


def test_it_hears_what_a_browser_asks_for_and_ends_with_it() -> None:
    before = {*threading.enumerate()}
    with wall() as (port, heard):
        (listening,) = {*threading.enumerate()} - before
        with socket.create_connection(("127.0.0.1", port), timeout=10) as browser:
            browser.sendall(b"GET http://elsewhere.example/told HTTP/1.1\r\n\r\n")
            assert browser.recv(100).startswith(b"HTTP/1.1 403 ")
        assert heard == ["GET http://elsewhere.example/told HTTP/1.1"]
    listening.join(10)
    assert not listening.is_alive()
