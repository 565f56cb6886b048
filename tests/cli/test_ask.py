"""``deniable ask`` and ``deniable classroom``: from a question to a server and an estimate."""

import re
import shlex
import signal
import socket
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from deniable.cli.options import PORT
from deniable.server.addresses import Place
from deniable.server.serving import Ready
from deniable.server.store import open_store
from deniable.survey.address import PATTERN
from deniable.survey_file import read
from tests.cli.conftest import Process, Run, names
from tests.kit import at, running, until

CHEATED = "Have you ever cheated in an exam?"


def asking(start: Callable[..., Process], *arguments: object) -> tuple[Process, str]:
    """Ask a question; return the process, and the link that it prints."""
    process = start("ask", *arguments, "--host", "127.0.0.1")
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if "Ctrl-C" in line:
            (link,) = re.findall(rf"http://[^/\s]+{PATTERN}\S+", said)
            assert "█" in said  # the square
            return process, link
    assert process.stderr is not None
    raise AssertionError(process.stderr.read())


@pytest.mark.slow
def test_questions_lead_to_estimates(run: Run, start: Callable[..., Process], folder: Path) -> None:
    (folder / "cheated-exam.db").write_text("somebody else's")
    process, link = asking(start, CHEATED, "--port", 0)
    text = (folder / "cheated-exam-2.yaml").read_text()
    survey = read(text).survey
    assert link.endswith(f"{at('cheated-exam-2')}#{survey.check_numbers[-1][:16]}")
    assert survey.questions[0].text == CHEATED
    assert survey.batch == 10
    # 20 reports: 10 are shown, and no more before the end.
    assert process.stdout is not None
    people = ("simulate", "cheated-exam-2.yaml", "--url", link, "--add", "-r", "answer.yes=100%")
    run(*people, "-n", 20)
    assert names(process.stdout.readline(), "10 reports", "say Yes", "95 % interval")
    run(*people, "-n", 3)
    process.send_signal(signal.SIGINT)
    told = process.stdout.read()
    assert process.wait() == 0
    assert re.findall(r"^[\d,]+ reports", told, re.MULTILINE) == ["23 reports"]
    # The commands that it prints work, and the first says the same number.
    commands = [
        shlex.split(line, comments=True)[1:]
        for line in told.splitlines()
        if line.startswith("  deniable ")
    ]
    assert [words[0] for words in commands] == ["estimate", "open", "serve"]
    (estimate,) = re.findall(r"estimate ([\d.]+ %)", told)
    assert names(run(*commands[0]).stdout, "23 respondents", estimate)
    assert names(run(*commands[1]).stdout, "cheated-exam-2", "23 reports", "Open")
    run("check", "cheated-exam-2.yaml")
    assert (folder / "cheated-exam.db").read_text() == "somebody else's"


@pytest.mark.slow
def test_names_and_ports_are_chosen(run: Run, start: Callable[..., Process], folder: Path) -> None:
    run("simulate", "doping.yaml", "-n", 1, "--store", "own.db")
    with ExitStack() as held:
        with suppress(OSError):  # then it is taken already
            held.enter_context(socket.create_server(("127.0.0.1", PORT)))
        here = ("--host", "127.0.0.1", "--port", PORT)
        assert f"{PORT}" in run("ask", "Why?", *here, exits=1).stderr
        assert not [*folder.glob("why*")]
        # A survey of the store is never asked something else under its name.
        process, link = asking(start, "Did it?", "-o", "own.yaml", "--store", "own.db")
    assert f":{PORT}/" not in link
    assert at("it-question") in link
    process.send_signal(signal.SIGINT)
    assert process.stdout is not None
    assert "Fewer than 10 reports" in process.stdout.read()
    assert process.wait() == 0
    refused = run("ask", "Why?", "-o", "own.yaml", exits=1).stderr
    assert "own.yaml: exists already; expected the name of a new file" in refused


@pytest.mark.slow
def test_an_early_stop_keeps_file_and_store(start: Callable[..., Process], folder: Path) -> None:
    process = start("ask", "Why?", "--host", "127.0.0.1", "--port", 0)
    until(lambda: [*folder.glob("why*")])
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, "")
    assert names(out, "The survey is closed", "why-question.yaml", "deniable open", "serve")
    assert "deniable estimate" not in out  # which would print one of no reports
    assert {"why-question.yaml", "why-question.db"} <= {one.name for one in folder.iterdir()}


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


@pytest.mark.slow
def test_beside_a_server_it_leads_to_the_desk(run: Run, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    with running(tmp_path, []), closing(open_store(url, create=False)) as store:
        assert "press Class at its desk" in run("classroom", "--store", url, exits=1).stderr
        assert store.meetings() == []


@pytest.mark.parametrize(
    ("options", "host"),
    [
        ((), "0.0.0.0"),  # noqa: S104  phones come from outside
        (("--host", "127.0.0.1"), "127.0.0.1"),
    ],
)
def test_it_listens_where_it_is_told(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], host: str
) -> None:
    listening: list[Place] = []
    ready = Ready("http://10.0.0.2:8000", "http://127.0.0.1:8001", (), None, False, (), ())

    def serve(
        *_: object, on_ready: Callable[[Ready], None], respondents: Place, **__: object
    ) -> None:
        listening.append(respondents)
        on_ready(ready)

    monkeypatch.setattr("deniable.cli.classroom.serve", serve)
    url = f"sqlite:///{tmp_path}/store.db"
    said = run("classroom", "snooze", "--store", url, *options).stdout
    assert listening == [Place(host, 8000, None)]
    with closing(open_store(url, create=False)) as store:
        (meeting,) = store.meetings()
    found = links(said)
    assert found["join"] == f"{ready.respondents_url}/join/{meeting.code}"
    assert found["sign in"].endswith(f"?meeting={meeting.id}")
    assert found["lead"].endswith(meeting.id)
    assert found["show"].endswith(meeting.id)
    assert found["read"] == f"{ready.desk_url}/desk/help/"
    assert "█" in said  # the square
    # A file, a survey of the store, or a question that is ready.
    for name in ("nothing", "examples/none.yaml"):
        assert "snooze" in run("classroom", name, "--store", url, exits=1).stderr
