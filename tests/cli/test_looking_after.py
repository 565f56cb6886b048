"""``serve``, ``sign-in``, ``close``, ``open`` and ``export``, against a server that runs."""

import os
import socket
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import click
import pytest

from deniable.cli.serve import _announce, serve_command
from deniable.server.desk.editor.preview import begin_trial
from deniable.server.serving import Ready
from deniable.server.store import open_store
from deniable.server.web.tls import WITHOUT_TLS
from deniable.survey_file import read
from tests.cli.conftest import DOPING, Run, Server, names
from tests.kit import Running, at, free_ports

Serve = Callable[..., Server]

ON_TLS = ("--url", "https://survey.example.org/", "--desk-url", "https://desk.example.org")


def first_of_two_free_ports() -> int:
    """Return a free port whose next one is free, too."""
    while True:
        (port,) = free_ports(1)
        # The next may be taken by somebody else, or this may be the last one.
        with socket.socket() as second, suppress(OSError, OverflowError):
            second.bind(("127.0.0.1", port + 1))
            return port


@pytest.mark.promise("program")
def test_without_tls_it_says_that_nothing_is_sure(announce: Run) -> None:
    told = announce("doping.yaml", "--url", "http://192.0.2.1:8000").stdout
    assert WITHOUT_TLS in " ".join(told.split())
    ways = ((), (*ON_TLS, "--store", "other.db"))
    here, printed = (announce("doping.yaml", *more).stdout for more in ways)
    assert "TLS" not in here + printed
    assert "--store" not in here
    assert "--desk-url https://desk.example.org --store sqlite:///other.db'" in printed
    # A public address is printed in place of the own.
    assert f"    https://survey.example.org{read(DOPING).survey.path}\n" in printed
    assert "  https://desk.example.org/desk/sign-in/" in printed
    assert "this machine only" not in printed


@pytest.mark.parametrize(
    ("options", "warned"),
    [(["--url"], True), (["--url", "--behind-proxy"], False), (["--url", "0"], False)],
)
def test_a_shared_limit_is_told(run: Run, folder: Path, options: list[str], warned: bool) -> None:
    (folder / "broken.yaml").write_text(DOPING.replace("flip", "flipp"))
    words = {"--url": [*ON_TLS], "0": ["--reports-per-minute", "0"]}
    arguments = [word for option in options for word in words.get(option, [option])]
    # A mistake of the file ends it at once.
    said = run("serve", "broken.yaml", *arguments, exits=1).stderr
    assert ("--behind-proxy counts each network on its own" in said) is warned
    assert names(said, "300 a minute") is warned


def test_a_mistake_in_any_file_stops_the_start(run: Run, folder: Path) -> None:
    (folder / "broken.yaml").write_text(DOPING.replace("flip", "flipp"))
    said = run("serve", "doping.yaml", "broken.yaml", exits=1).stderr
    assert names(said, "broken.yaml:5:74", "'flipp'", "'flip'")
    assert not (folder / "deniable.db").exists()


def test_no_password_of_a_database_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    here = "http://127.0.0.1:8001"
    for store in ("postgresql://ann:secret@db/study", "postgresql:///study?password=secret"):
        with click.Context(serve_command) as context:
            context.params["store"] = store
            _announce(Ready(here, here, (), f"{here}/desk/sign-in/x", True, (), ()))
        said = capsys.readouterr().out
        assert "sign-in' makes another link" in said
        assert "secret" not in said


def test_a_port_in_use_is_explained(run: Run, stored: None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for store, is_new in (("real.db", False), ("other.db", True)):
            words = ("doping.yaml", "--port", port, "--store", store)
            said = run("serve", *words, exits=1).stderr
            assert f"port {port} of 127.0.0.1 is in use" in said
            assert ("A new store is made" in said) is is_new


def test_the_desk_takes_the_next_port_unless_told(announce: Run) -> None:
    port = first_of_two_free_ports()
    printed = announce("doping.yaml", "--port", port).stdout
    assert f"http://127.0.0.1:{port}{at('doping')}" in printed
    assert f"http://127.0.0.1:{port + 1}/desk/sign-in/" in printed


def test_a_running_server_closes_and_opens(run: Run, server: Running) -> None:
    send = ("simulate", "doping.yaml", "-n", 5, "--add", "--url", server.url)
    run(*send)
    assert names(run("pause", "doping").stdout, "doping", "Paused", "5 reports")
    assert names(run("close", "doping").stdout, "doping", "Closed", "5 reports")
    said = run(*send, exits=1).stderr
    assert "the survey is closed, so it takes no reports now" in said
    assert names(run("open", "doping").stdout, "doping", "Open", "5 reports")
    run(*send)
    assert run("export", "doping").stdout.count("\n") == 11
    assert names(run("close", "dopping", exits=1).stderr, "'dopping'", "'doping'")


def test_only_the_file_s_survey_is_simulated(run: Run, server: Running, folder: Path) -> None:
    with closing(open_store(os.environ["DENIABLE_STORE"])) as store:
        for draft in ("", "a1"):
            trial = begin_trial(store, store.survey("doping"), draft)
            # In a trial there is nobody whose reports made-up ones could be mixed with.
            run("simulate", "doping.yaml", "-n", 7, "--url", server.url + trial.path)
            assert (store.count(trial.slug), store.count("doping")) == (7, 0)
    run("simulate", "doping.yaml", "-n", 2, "--add", "--url", f"{server.url}{at('doping')}")

    def said(file: str, url: str) -> str:
        return run("simulate", file, "-n", 2, "--add", "--url", url, exits=1).stderr

    assert f"ends in {at('other')}" in said("doping.yaml", f"{server.url}{at('other')}")
    assert "answered 404" in said("every-type.yaml", server.url)
    (folder / "draft.yaml").write_text(DOPING.replace("1/4", "1/3"))
    revised = said("draft.yaml", server.url)
    assert "another revision of the survey 'doping'" in revised
    assert "“Download the survey file”" in revised
    gone = f"http://127.0.0.1:{free_ports(1)[0]}"
    assert "nothing answers there: connection refused" in said("doping.yaml", gone)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "told"),
    [(("1/4", "1/3"), "earlier revision"), (("Have you doped", "Did you dope"), "corrected since")],
)
def test_serving_an_earlier_file_again_is_warned_of(
    folder: Path, serve: Serve, change: tuple[str, str], told: str
) -> None:
    assert change[0] in DOPING
    with closing(open_store("sqlite:///deniable.db")) as store:
        for text in (DOPING, DOPING.replace(*change)):
            store.register(read(text).survey, text)
        corrected = store.survey("doping")
    server = serve("doping.yaml", "every-type.yaml")
    server.process.terminate()
    _, said = server.process.communicate(timeout=30)
    assert [line.split(":")[1] for line in said.splitlines() if told in line] == [" doping"]
    with closing(open_store("sqlite:///deniable.db")) as store:
        # A corrected word is not taken back by a file that lies there since.
        assert (store.survey("doping") == corrected) == (told == "corrected since")


def test_export_copies_a_survey_into_another_store(run: Run) -> None:
    run("simulate", "doping.yaml", "-n", 30, "--store", "s.db")
    run("simulate", "every-type.yaml", "-n", 5, "--store", "s.db")
    run("close", "doping", "--store", "s.db")
    said = run("export", "doping", "--store", "s.db", "--into", "copy.db").stdout
    assert names(said, "doping", "copy.db", "30 reports", "1 revision")
    rows = run("export", "doping", "--store", "s.db").stdout
    assert run("export", "--store", "copy.db").stdout == rows
    run("export", "every-type", "--store", "s.db", "--into", "copy.db")
    said = run("export", "--store", "copy.db", exits=1).stderr
    assert names(said, "doping", "every-type")


def test_exporting_nothing_makes_no_store(run: Run, folder: Path) -> None:
    run("simulate", "doping.yaml", "-n", 3, "--store", "s.db")
    run("export", "none", "--store", "s.db", "--into", "copy.db", exits=1)
    assert not (folder / "copy.db").exists()
