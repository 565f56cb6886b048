"""``deniable verify``: a server of this release passes, and one that differs in anything fails."""

import json
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from deniable import __version__
from deniable.client.audit.engine import BROWSER_FOLDER
from deniable.client.connection import Connection, Response
from deniable.server.loopback import loopback
from deniable.server.respondent import pages
from deniable.server.respondent.program import load
from deniable.survey_file import read
from tests.cli.conftest import DOPING, ROOT, Run, Server

SURVEY = read(DOPING).survey
FILES = load(BROWSER_FOLDER).files


@pytest.fixture
def link() -> Iterator[str]:
    """Serve the survey by this release; what a test alters is altered after the start."""
    with loopback(SURVEY) as link:
        yield link


def test_the_server_of_this_release_passes(run: Run, serve: Callable[..., Server]) -> None:
    server = serve("doping.yaml", "--store", "sqlite:///real.db")
    lines = run("verify", f"{server.origin}/s/doping").stdout.splitlines()
    verdicts = [re.split(r"  +", line)[-1].strip() for line in lines[4:-2]]
    assert set(verdicts) == {"the same"}
    assert len(verdicts) == 2 + len(FILES)
    assert lines[-1] == f"This is the program of deniable {__version__}."
    run("close", "doping", "--store", "sqlite:///real.db")
    assert "the same" in run("verify", f"{server.origin}/s/doping").stdout


def other(
    monkeypatch: pytest.MonkeyPatch, origin: str, change: Callable[[str, Response], Response]
) -> None:
    """Let the server at an origin answer otherwise."""
    get = Connection.get

    def changed(self: Connection, path: str) -> Response:
        answer = get(self, path)
        return change(path, answer) if self.origin == origin else answer

    monkeypatch.setattr(Connection, "get", changed)


def replaced(path: str, old: bytes, new: bytes) -> Callable[[str, Response], Response]:
    def change(asked: str, answer: Response) -> Response:
        if asked != path:
            return answer
        assert old in answer.body
        return Response(answer.status, answer.body.replace(old, new), None, answer.policy)

    return change


DIFFERENCES = {
    "a module": (
        replaced("/client/main.js", b"sum > word", b"sum >= word"),
        "main.js",
        "return sums.findIndex((sum) => sum > word);",
    ),
    "a script more": (
        replaced("/s/doping", b"</body>", b'<script src="/x.js"></script></body>'),
        "the page",
        'found “<script src="/x.js"></script></body>”',
    ),
    "no hash": (
        replaced("/s/doping", b" integrity=", b" data-integrity="),
        "the page",
        "the page: line ",
    ),
    "no module": (
        lambda path, answer: Response(404, b"") if path.endswith("device.js") else answer,
        "device.js",
        "device.js: expected status 200, found 404",
    ),
    "other bytes": (
        lambda path, answer: Response(200, b"\x1b[2J") if path.endswith("sheet.css") else answer,
        "sheet.css",
        "found “\N{REPLACEMENT CHARACTER}[2J”",
    ),
    "weaker rules": (
        lambda _, answer: Response(
            answer.status, answer.body, None, (answer.policy or "").replace("'none'", "*", 1)
        ),
        "its Content-Security-Policy",
        "found default-src *; ",
    ),
    "no rules": (
        lambda path, answer: Response(answer.status, answer.body),
        "its Content-Security-Policy",
        "found none",
    ),
}


@pytest.mark.parametrize("difference", DIFFERENCES)
def test_any_difference_is_named_and_fails(
    run: Run, link: str, monkeypatch: pytest.MonkeyPatch, difference: str
) -> None:
    change, name, said = DIFFERENCES[difference]
    other(monkeypatch, link.removesuffix("/s/doping"), change)
    printed = run("verify", link, exits=1).stdout
    (row,) = [line for line in printed.splitlines() if line.rstrip().endswith("DIFFERS")]
    assert row.startswith(f"{name} ")
    assert said in printed
    assert "\x1b" not in printed
    assert f"1 of {2 + len(FILES)} differ: this is not the program of deniable" in printed
    found = json.loads(run("verify", link, "--format", "json", exits=1).stdout)
    assert not found["same"]
    (wrong,) = [one for one in found["compared"] if one["difference"]]
    assert wrong["name"] == name
    assert wrong["expected"] != wrong["found"]


def test_a_server_with_other_files_fails(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it names the hashes of what it serves."""
    copy = tmp_path / "browser"
    shutil.copytree(BROWSER_FOLDER, copy)
    (copy / "style.css").write_text("p { color: red }\n")
    with monkeypatch.context() as patched:
        patched.setattr(pages, "BROWSER_FOLDER", copy)
        with loopback(SURVEY) as link:
            patched.setattr(pages, "BROWSER_FOLDER", BROWSER_FOLDER)
            printed = run("verify", link, exits=1).stdout
    assert printed.count("DIFFERS") >= 1
    assert 'integrity="' in printed


def test_json_of_the_same(run: Run, link: str) -> None:
    found = json.loads(run("verify", link, "--format", "json").stdout)
    assert found["same"]
    assert found["release"] == __version__
    files = {one["name"]: one["found"] for one in found["compared"]}
    hashes = load(BROWSER_FOLDER).hashes
    assert {name: files[name] for name in hashes} == hashes


def test_the_hashes_of_the_release(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = load(BROWSER_FOLDER).hashes
    lines = run("verify", "--hashes").stdout.splitlines()
    assert [line.split() for line in lines[4:]] == [list(one) for one in hashes.items()]
    found = json.loads(run("verify", "--hashes", "--format", "json").stdout)
    assert found == {"release": __version__, "files": hashes}


def test_one_of_the_two_is_asked_for(run: Run) -> None:
    said = "expected either the link of a survey or --hashes."
    assert said in run("verify", exits=2).stderr
    assert said in run("verify", "--hashes", "http://127.0.0.1:9/s/x", exits=2).stderr


def test_nothing_answers(run: Run) -> None:
    error = run("verify", "http://127.0.0.1:9/s/doping", exits=1).stderr
    assert "http://127.0.0.1:9/s/doping/survey.json: nothing answers there" in error


class _Other(BaseHTTPRequestHandler):
    """Another server, which answers everything in its own way."""

    def __init__(self, status: int, body: bytes, *arguments: object) -> None:
        self._status, self._body = status, body
        super().__init__(*arguments)  # type: ignore[arg-type]  # as the server calls it

    def do_GET(self) -> None:
        self.send_response(self._status)
        self.send_header("Content-Length", str(len(self._body)))
        self.end_headers()
        self.wfile.write(self._body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def another_server(status: int, body: bytes) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Other, status, body))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/s/doping"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (404, b"", "answered 404"),
        (200, b"<!doctype html><p>Hello", "survey.json: "),
        (200, b'{"survey": "doping"}', "expected a protocol document"),
        (503, b"", "answered 503"),
    ],
)
def test_what_is_no_survey_is_said_to_be_none(
    run: Run, status: int, body: bytes, said: str
) -> None:
    with another_server(status, body) as link:
        error = run("verify", link, exits=1).stderr
    assert said in error
    assert link in error


def test_the_documentation_names_the_command() -> None:
    for page in ("README.md", "docs/respondents.md"):
        assert "deniable verify" in (ROOT / page).read_text()
