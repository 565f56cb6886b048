"""``serve``, ``sign-in``, ``close``, ``open`` and ``export``, against a server that runs."""

import json
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import DOPING, Run, Server

Serve = Callable[..., Server]


def browser() -> urllib.request.OpenerDirector:
    """Return somebody who keeps cookies, as the desk needs."""
    return urllib.request.build_opener(urllib.request.HTTPCookieProcessor())


def test_serves_surveys_and_prints_links_that_work(serve: Serve) -> None:
    server = serve("doping.yaml", "every-type.yaml")
    printed = "".join(server.printed)
    assert "Doping in [bold]your[/bold] sport :smile:\n" in printed
    assert "work on this machine only" in printed
    for slug in ("doping", "every-type"):
        assert f"    {server.origin}/s/{slug}\n" in printed
        with urllib.request.urlopen(f"{server.origin}/s/{slug}") as page:
            assert page.status == 200
    (link,) = [line.strip() for line in server.printed if "/desk/sign-in/" in line]
    with browser().open(link) as desk:
        assert desk.url == f"{server.origin}/desk"


def test_stops_quietly_at_ctrl_c(serve: Serve) -> None:
    server = serve("doping.yaml")
    server.process.send_signal(signal.SIGINT)
    assert server.process.communicate(timeout=30) == ("", "")
    assert server.process.returncode == 0


def test_a_public_address_is_printed_in_place_of_the_own(serve: Serve) -> None:
    printed = "".join(serve("doping.yaml", "--url", "https://survey.example.org/").printed)
    assert "    https://survey.example.org/s/doping\n" in printed
    assert "  https://survey.example.org/desk/sign-in/" in printed
    assert "this machine only" not in printed


def test_a_mistake_in_any_file_keeps_the_server_from_starting(run: Run, folder: Path) -> None:
    (folder / "broken.yaml").write_text(DOPING.replace("flip", "flipp"))
    said = run("serve", "doping.yaml", "broken.yaml", exits=1).stderr
    assert "broken.yaml:9:5: unknown key 'flipp': did you mean 'flip'?" in said
    assert not (folder / "deniable.db").exists()


def test_two_surveys_cannot_share_an_address(run: Run, folder: Path) -> None:
    (folder / "draft.yaml").write_text(DOPING.replace("1/4", "1/3"))
    said = run("serve", "doping.yaml", "draft.yaml", exits=1).stderr
    assert "draft.yaml: the name 'doping' is that of the survey in doping.yaml too" in said


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--port", "70000"], 2, "70000 is not in the range"),
        (["--url", "https://a.example/path"], 2, "has a path"),
        (["--store", "sqlite:deniable.db"], 1, "expected sqlite:///PATH"),
        (["--host", "no.such.host.invalid"], 1, "found no address for the host"),
    ],
)
def test_what_cannot_be_served_is_explained(
    run: Run, arguments: list[str], code: int, message: str
) -> None:
    assert message in run("serve", "doping.yaml", *arguments, exits=code).stderr


def test_a_port_in_use_is_explained(run: Run, serve: Serve) -> None:
    port = serve("doping.yaml").origin.rsplit(":", 1)[1]
    said = run("serve", "doping.yaml", "--port", port, exits=1).stderr
    assert f"port {port} of 127.0.0.1 is in use" in said


def test_a_new_sign_in_link_works_once(run: Run, serve: Serve) -> None:
    server = serve("doping.yaml")
    link = run("sign-in", "--url", server.origin + "/").stdout.strip()
    assert link.startswith(f"{server.origin}/desk/sign-in/")
    with browser().open(link) as desk:
        assert desk.url == f"{server.origin}/desk"
    with pytest.raises(urllib.error.HTTPError, match="401") as refusal:
        browser().open(link)
    refusal.value.close()


def test_closing_and_opening_take_effect_on_a_server_that_runs(run: Run, serve: Serve) -> None:
    server = serve("doping.yaml")
    send = ("simulate", "doping.yaml", "-n", 5, "--add", "--url", server.origin)
    run(*send)
    assert run("close", "doping").stdout == "doping is closed, with 5 reports.\n"
    said = run(*send, exits=1).stderr
    assert "answered 410: This survey is closed" in said
    assert said.endswith("0 of 5 reports are stored.\n")
    assert run("open", "doping").stdout == "doping is open, with 5 reports.\n"
    run(*send)
    assert run("export", "doping").stdout.count("\n") == 11
    assert "did you mean 'doping'?" in run("close", "dopping", exits=1).stderr


def test_simulate_sends_to_the_survey_of_the_file_only(
    run: Run, serve: Serve, folder: Path
) -> None:
    server = serve("doping.yaml")
    run("simulate", "doping.yaml", "-n", 2, "--add", "--url", f"{server.origin}/s/doping/")

    def said(file: str, url: str) -> str:
        return run("simulate", file, "-n", 2, "--add", "--url", url, exits=1).stderr

    assert "ends in /s/other" in said("doping.yaml", f"{server.origin}/s/other")
    assert "answered 404" in said("every-type.yaml", server.origin)
    (folder / "draft.yaml").write_text(DOPING.replace("1/4", "1/3"))
    assert "another revision than this file's" in said("draft.yaml", server.origin)
    server.process.send_signal(signal.SIGINT)
    server.process.wait(timeout=30)
    assert "nothing answers there: connection refused" in said("doping.yaml", server.origin)


def test_export_needs_a_survey_of_the_store(run: Run) -> None:
    run("simulate", "doping.yaml", "-n", 3, "--store", "sqlite:///s.db")
    assert run("export", "--store", "sqlite:///s.db").stdout.count("\n") == 4
    assert (
        "there is no survey 'age'"
        in run("export", "age", "--store", "sqlite:///s.db", exits=1).stderr
    )


def test_a_store_of_a_newer_version_is_refused(run: Run, folder: Path) -> None:
    import sqlite3  # noqa: PLC0415

    run("simulate", "doping.yaml", "-n", 3, "--store", "sqlite:///s.db")
    with sqlite3.connect(folder / "s.db") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    said = run("export", "--store", "sqlite:///s.db", exits=1).stderr
    assert "written by a newer deniable" in said


def test_serving_goes_on_where_it_stopped(run: Run, serve: Serve) -> None:
    server = serve("doping.yaml")
    run("simulate", "doping.yaml", "-n", 20, "--add", "--url", server.origin)
    server.process.send_signal(signal.SIGTERM)
    server.process.wait(timeout=30)
    again = serve("doping.yaml")
    run("simulate", "doping.yaml", "-n", 20, "--add", "--url", again.origin)
    assert json.loads(run("estimate", "doping", "--format", "json").stdout)["n"] == 40


def test_the_installed_command_is_this_one(start: Callable[..., subprocess.Popen[str]]) -> None:
    said, _ = start("--version").communicate(timeout=30)
    assert said.startswith("deniable, version ")
