"""The command as a whole: help that teaches, errors without tracebacks, exit codes."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing

import click
import pytest
from click.testing import CliRunner

from deniable.cli.main import commands
from deniable.client.simulation import CHUNK
from deniable.server.store import open_store
from tests.cli.conftest import ROOT, Process, Run, Server, names

COMMANDS = list(commands.list_commands(click.Context(commands)))
PRINTING = [sys.executable, "-m", "deniable.cli.main", "simulate", "doping.yaml", "-o-", "-n"]


def test_help_lists_every_command_once_in_groups(run: Run) -> None:
    said = run("--help").stdout
    groups = re.findall(r"^(\w+):\n((?:  \S.*\n)+)", said, re.MULTILINE)
    assert [name for name, _ in groups] == [
        *("Design", "Collect", "Analyse", "Teach", "Trust", "Operate"),
        "Options",
    ]
    listed = [line.split(maxsplit=1) for _, lines in groups[:-1] for line in lines.splitlines()]
    assert [name for name, _ in listed] == COMMANDS
    for name, summary in listed:
        command = commands.get_command(click.Context(commands), name)
        assert command is not None
        assert summary == command.get_short_help_str(limit=100), "also if it takes two lines"
        assert summary.endswith(".")
    assert said.index("  open ") < said.index("  --version ")


def test_a_group_s_help_lists_commands_first(run: Run) -> None:
    said = run("user", "--help").stdout
    assert said.index("Commands:\n") < said.index("Options:\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_has_example_and_exit_codes(run: Run, command: str) -> None:
    said = run(command, "--help").stdout
    assert f"\n    deniable {command}" in said
    assert "Exit codes:\n    0    done\n" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_explained(command: str) -> None:
    found = commands.get_command(click.Context(commands), command)
    assert found is not None
    for parameter in found.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name


def test_python_runs_it_as_a_module() -> None:
    said = subprocess.run(
        [sys.executable, "-m", "deniable", "chek"], capture_output=True, text=True, check=False
    )
    assert said.returncode == 2
    assert said.stderr.startswith("Usage: deniable [OPTIONS]")


@pytest.mark.parametrize(
    ("typed", "example"),
    [
        (("tally", "--store", "s.db", "--survey", "doping"), "tally study.db --survey doping"),
        (("tally", "doping", "s.db"), "tally study.db --survey doping"),
        (("tally",), "tally study.db --survey doping"),
        (("backup", "--store", "s.db", "all"), "backup study.db study.backup"),
        (("estimate", "doping.yaml", "noise.csv"), "estimate doping.yaml --reports noise.csv"),
        (("user", "add"), "user add ada"),
    ],
)
def test_unknown_words_get_an_example(run: Run, typed: tuple[str, ...], example: str) -> None:
    said = run(*typed, exits=2).stderr
    assert f"\nFor example: deniable {example}" in said
    assert "--force" not in said  # alike, and dangerous


def test_errors_go_to_standard_error_alone(run: Run) -> None:
    result = run("estimate", "doping", exits=1)
    assert result.stdout == ""
    assert result.stderr.startswith("Error: deniable.db: ")
    assert names(result.stderr, "--store", "DENIABLE_STORE", "'deniable serve'")


def test_ctrl_c_leaves_one_word(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("deniable.survey_file.json_schema", interrupted)
    result = CliRunner().invoke(commands, ["schema"])
    assert (result.exit_code, result.output) == (130, "Stopped.\n")


def test_a_closed_pipe_is_quiet() -> None:
    process = subprocess.Popen(
        [*PRINTING, "60000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"doped_noisy\r\n"
    process.stdout.close()
    _, said = process.communicate(timeout=60)
    assert said == b""
    assert process.returncode == 1


@pytest.mark.slow
def test_a_pipe_gets_all_of_a_long_output() -> None:
    """An unbuffered stream takes 64 KiB at once, and says so only to those who listen."""
    process = subprocess.run(
        [*PRINTING, "30000"],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout.count(b"\r\n") == 30_001


@pytest.mark.slow
def test_ctrl_c_stops_sending(start: Callable[..., Process], serve: Callable[..., Server]) -> None:
    server = serve("doping.yaml", "--store", "sqlite:///real.db", "--reports-per-minute", 0)
    sender = start("simulate", "doping.yaml", "-n", 2_000_000, "--add", "--url", server.origin)
    with closing(open_store("sqlite:///real.db")) as store:
        end = time.monotonic() + 60
        while not store.count("doping"):
            assert time.monotonic() < end
            time.sleep(0.1)
    assert sender.poll() is None
    sender.send_signal(signal.SIGINT)
    out, said = sender.communicate(timeout=120)
    assert (sender.returncode, out) == (130, "")
    assert re.search(r"^\S+ of 2,000,000 reports are stored\. With -n ", said, re.MULTILINE)
    # It did not go on to the end of what it was sending together.
    with closing(open_store("sqlite:///real.db")) as store:
        assert store.count("doping") < CHUNK


def test_runs_where_the_terminal_knows_no_greek() -> None:
    process = subprocess.run(
        [sys.executable, "-m", "deniable.cli.main", "check", "doping.yaml"],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"},
    )
    assert b"1.0986" in process.stdout
    assert process.stderr == b""


def test_the_schema_is_json(run: Run) -> None:
    schema = json.loads(run("schema").stdout)
    assert schema["properties"]["questions"]["type"] == "array"
