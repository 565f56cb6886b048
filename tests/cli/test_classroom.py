"""``deniable classroom``: a meeting beside a server that runs, or on one that it starts."""

import re
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest

from deniable.server.addresses import Place
from deniable.server.store import open_store
from tests.cli.conftest import Run
from tests.server.running import running
from tests.server.signing_in import sign_in


def links(said: str) -> dict[str, str]:
    """Return the links that were printed, by what they lead to."""
    found = re.findall(r"https?://\S+", said)
    kinds = {
        "/join/": "join",
        "/sign-in/": "sign in",
        "/meetings/": "lead",
        "/projector/": "show",
        "/help/": "read",
    }
    return {name: link for link in found for part, name in kinds.items() if part in link}


def test_beside_a_server_that_runs_it_only_begins_a_meeting(run: Run, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    with running(tmp_path, []) as server, closing(open_store(url, create=False)) as store:
        where = ("--store", url, "--url", server.url, "--desk-url", server.desk_url)
        said = run("classroom", "snooze", *where).stdout
        (meeting,) = store.meetings()
        found = links(said)
        assert found["join"] == f"{server.url}/join/{meeting.code}"
        assert found["lead"].endswith(meeting.id)
        assert found["show"].endswith(meeting.id)
        assert found["read"] == f"{server.desk_url}/desk/help/"
        assert "█" in said  # the square
        jar = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        assert sign_in(jar, found["sign in"]).url == found["lead"]
        assert urllib.request.urlopen(found["join"]).status == 200
        # A file, a survey of the store, or a question that is ready.
        for name in ("nothing", "examples/none.yaml"):
            assert "snooze" in run("classroom", name, *where, exits=1).stderr
        assert (
            "--url" in run("classroom", *where[:2], "--url", "http://127.0.0.1:9", exits=1).stderr
        )


@pytest.mark.parametrize(
    ("options", "host"),
    [
        ((), "0.0.0.0"),  # noqa: S104  phones come from outside
        (("--host", "127.0.0.1"), "127.0.0.1"),
    ],
)
def test_it_listens_where_it_is_told(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    host: str,
) -> None:
    listening: list[Place] = []

    def serve(*_: object, respondents: Place, **__: object) -> None:
        listening.append(respondents)

    monkeypatch.setattr("deniable.cli.classroom.serve", serve)
    run("classroom", "--store", f"sqlite:///{tmp_path}/store.db", *options)
    assert listening == [Place(host, 8000, None)]


@pytest.mark.slow
def test_it_starts_a_server_until_ctrl_c(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/store.db"
    command = [sys.executable, "-m", "deniable.cli.main", "classroom", "--port", "0"]
    with subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--store", store], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        said, end = "", time.monotonic() + 60
        while "Ctrl-C" not in said:
            said += process.stdout.readline()
            assert time.monotonic() < end, said
        found = links(said)
        for name in ("join", "show", "sign in"):
            assert urllib.request.urlopen(found[name]).status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
