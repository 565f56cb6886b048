"""What a thief of the files, and a reader of the logs, can learn about who answered: nothing."""

import contextlib
import http.client
import re
import secrets
import shutil
import socket
import sqlite3
from pathlib import Path

import pytest

from deniable import Report, Survey
from deniable.server.store import open_store
from deniable.survey.checks import BATCH
from tests.kit import adopt, at, report, running, send, surveys, until, url_for

pytestmark = pytest.mark.promise("no-sender")

ARRIVALS = 3000
PAGE = 1024
MARK = b"the mark"


def layout(folder: Path) -> list[tuple[str, int, bytes]]:
    """Return where each copy of a report lies, from first to last: file, place in its page, id."""
    return [
        (file.name, match.start() % PAGE, match[0])
        for file in sorted(folder.glob("store.db*"))
        for match in re.finditer(MARK + b".{8}", file.read_bytes(), re.DOTALL)
    ]


def settled(folder: Path) -> list[tuple[str, int, bytes]]:
    """Lay the reports of a store down as if they had come in the order of their keys, all at once.

    A store in which reports lie exactly like this holds nothing of when they came, but which of
    them the desk does not show yet.
    """
    (there := folder / "reference").mkdir()
    for file in folder.glob("store.db*"):  # as a crash left them, for the server to find
        shutil.copy(file, there / f"copy{file.name}")
    with (
        contextlib.closing(open_store(f"sqlite:///{there}/copystore.db")) as store,
        contextlib.closing(open_store(f"sqlite:///{there}/store.db")) as reference,
    ):
        adopt(reference, store)
    with contextlib.closing(sqlite3.connect(there / "store.db")) as db:
        db.execute("VACUUM")
    return layout(there)


def post_all(port: int, reports: list[Report]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for one in reports:
        assert send(connection, one) == 201
    connection.close()


@pytest.mark.slow
@pytest.mark.promise("order")
@pytest.mark.parametrize("batch", [1, BATCH])
def test_neither_crash_nor_stop_leaves_an_order(tmp_path: Path, batch: int) -> None:
    survey = surveys.survey(batch=batch)
    reports = [report(survey, id=MARK + secrets.token_bytes(8)) for _ in range(ARRIVALS)]
    with running(tmp_path, [survey]) as server:
        post_all(server.port, reports)
        server.kill()
    crashed = layout(tmp_path)
    in_order = settled(tmp_path)
    assert crashed != in_order
    with running(tmp_path, [survey]) as server:
        until(lambda: layout(tmp_path) == in_order)
        assert server.stop() == 0
    assert layout(tmp_path) == in_order
    # Beside the store, the key of the desk's cookies, which each start needs.
    left = {file.name for file in tmp_path.glob("store.db*")}
    assert left == {"store.db", "store.db.cookies"}


@pytest.mark.promise("networks")
@pytest.mark.slow
@pytest.mark.parametrize("behind_proxy", [False, True])
def test_no_file_says_who_was_here(
    tmp_path: Path, survey: Survey, monkeypatch: pytest.MonkeyPatch, behind_proxy: bool
) -> None:
    marker, address = "m4rk3r", "127.0.0.77"
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    mine = report(survey)
    headers = {
        "User-Agent": marker,
        "Cookie": f"desk={marker}; session={marker}",
        "Referer": f"http://{marker}/",
        "X-Forwarded-For": address,
        "Accept-Language": marker,
    }
    with running(tmp_path, [survey], host="0.0.0.0", limit=(3, behind_proxy)) as server:  # noqa: S104
        connection = http.client.HTTPConnection(
            "127.0.0.1", server.port, source_address=(address, 0)
        )

        def ask(method: str, path: str, body: bytes = b"", media_type: str = "") -> int:
            connection.request(method, path, body, {**headers, "Content-Type": media_type})
            response = connection.getresponse()
            response.read()
            connection.close()  # as the server does after what it refuses before the body came
            return response.status

        json_type = "application/json"
        assert ask("POST", at("doping", "reports"), mine.to_json(), json_type) == 201
        assert ask("POST", at("doping", "reports"), mine.to_json(), json_type) == 200
        assert ask("POST", at("doping", "reports"), marker.encode(), json_type) == 400
        assert ask("POST", at("doping", "reports"), marker.encode(), json_type) == 429
        assert ask("POST", at("doping", "reports"), marker.encode(), f"text/{marker}") == 415
        assert ask("POST", at(marker, "reports"), mine.to_json(), json_type) == 404
        assert ask("GET", f"{at('doping')}?{marker}") == 200
        assert ask("GET", f"{at('doping')}{marker}") == 404
        assert ask("GET", url_for("auth.sign_in_page", token=marker)) == 404
        assert ask("POST", f"/{marker}", b"x" * 200_000, json_type) in (404, 405, 413)
        connection.close()
        connection = http.client.HTTPConnection(
            "127.0.0.1", server.desk_port, source_address=(address, 0)
        )
        assert ask("GET", url_for("auth.sign_in_page", token=marker)) == 200
        assert ask("POST", url_for("auth.sign_in_page", token=marker), marker.encode()) == 403
        assert ask("GET", f"/{marker}") == 404
        assert ask("POST", url_for("surveys.set_state", slug=marker), marker.encode()) == 403
        connection.close()
        post = (
            f"POST {at('doping')}reports HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        )
        for raw in (
            f"{marker}\r\n\r\n",
            f"GET /{marker} HTTP/9.9\r\n\r\n",
            f"GET /{marker}\x00\xff HTTP/1.1\r\nHost: {marker}\r\n\r\n",
            f"{post}Content-Length: {marker}\r\n\r\n",
            f"{post}Content-Length: 99\r\n\r\n{marker}",
            f"{post}Transfer-Encoding: chunked\r\n\r\n{marker}\r\n",
            f"GET / HTTP/1.1\r\nX-{marker}: {'x' * 600_000}\r\n\r\n",
        ):
            _send_raw(server.port, address, raw.encode("latin-1"))
        assert server.stop() == 0
    written = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert tmp_path / "output.txt" in written
    assert tmp_path / "store.db" in written
    for file, content in written.items():
        assert marker.encode() not in content, file
        assert address.encode() not in content, file
        assert socket.inet_aton(address) not in content, file
    # Only the store knows of the report, and it is the only thing that it knows.
    assert [file.name for file, content in written.items() if mine.id in content] == ["store.db"]
    assert written[tmp_path / "output.txt"] == b""


def _send_raw(port: int, address: str, raw: bytes) -> None:
    client = socket.create_connection(("127.0.0.1", port), 10, source_address=(address, 0))
    # The server may close the connection at any point of what is no request.
    with client, contextlib.suppress(OSError):
        client.sendall(raw)
        client.shutdown(socket.SHUT_WR)
        while client.recv(65_536):
            pass
