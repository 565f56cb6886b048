"""The command line itself: what it loads, how it ends, and where it prints."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from deniable.cli.main import commands
from deniable.client.simulation import CHUNK
from deniable.server.desk.editor.starters import examples
from deniable.server.store import open_store
from deniable.survey_file import read
from tests.cli.conftest import DOPING, ROOT, Process, Run, Server, in_process, names
from tests.kit import until

COMMANDS = list(commands.list_commands(click.Context(commands)))
PRINTING = ["-m", "deniable.cli.main", "simulate", "doping.yaml", "-o-", "-n"]


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


def test_every_help_has_an_example_and_explains_options(run: Run) -> None:
    for command in COMMANDS:
        said = run(command, "--help").stdout
        (example,) = re.findall(rf"^  Example: deniable {command} \S.*$", said, re.MULTILINE)
        assert len(example) < 80
        (page,) = re.findall(r"^  In the manual: /desk/help/(\S+)$", said, re.MULTILINE)
        assert (ROOT / f"{page}.md").is_file()
        found = commands.get_command(click.Context(commands), command)
        assert found is not None
        for parameter in found.params:
            assert not isinstance(parameter, click.Option) or parameter.help, parameter.name
        # An example of ours is written by the command that stands before it.
        assert "examples/" not in said
        for name in re.findall(r"(\S+)\.yaml", said):
            if name in examples():
                first = said.index(f"{name}.yaml")
                assert said[:first].endswith(f"deniable new {name} -o "), (command, name)


def test_python_runs_it_as_a_module() -> None:
    said = in_process("-m", "deniable", "chek")
    assert said.returncode == 2
    assert said.stderr.startswith(b"Usage: deniable [OPTIONS]")


@pytest.mark.parametrize(
    ("typed", "example"),
    [
        (("tally", "--store", "s.db", "--survey", "doping"), "tally study.db --survey doping"),
        (("tally", "doping", "s.db"), "tally study.db --survey doping"),
        (("tally",), "tally study.db --survey doping"),
        (("backup", "--store", "s.db", "all"), "backup study.db study.backup"),
        (("estimate", "doping.yaml", "noise.csv"), "estimate survey.yaml --reports noise.csv"),
        (("user", "add"), "user add olu --role analyst"),
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


@pytest.mark.slow
def test_a_closed_pipe_is_quiet() -> None:
    process = subprocess.Popen(
        [sys.executable, *PRINTING, "60000"],
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
    process = in_process(*PRINTING, 30_000, PYTHONUNBUFFERED="1")
    assert (process.returncode, process.stdout.count(b"\r\n")) == (0, 30_001)


@pytest.mark.slow
def test_ctrl_c_stops_sending(start: Callable[..., Process], serve: Callable[..., Server]) -> None:
    server = serve("doping.yaml", "--store", "sqlite:///real.db", "--reports-per-minute", 0)
    sender = start("simulate", "doping.yaml", "-n", 2_000_000, "--add", "--url", server.origin)
    with closing(open_store("sqlite:///real.db")) as store:
        until(lambda: store.count("doping"))
    assert sender.poll() is None
    sender.send_signal(signal.SIGINT)
    out, said = sender.communicate(timeout=120)
    assert (sender.returncode, out) == (130, "")
    assert re.search(
        r"^\S+ of 2,000,000 reports are known to be stored\. With -n ", said, re.MULTILINE
    )
    # It did not go on to the end of what it was sending together.
    with closing(open_store("sqlite:///real.db")) as store:
        assert store.count("doping") < CHUNK


@pytest.mark.slow
def test_runs_where_the_terminal_knows_no_greek() -> None:
    words = ("-m", "deniable.cli.main", "check", "doping.yaml")
    process = in_process(*words, PYTHONIOENCODING="ascii")
    assert b"1.10" in process.stdout
    assert (process.returncode, process.stderr) == (0, b"")


HEAVY = {"deniable.analysis", "scipy", "pandas", "matplotlib", "flask", "granian"}

LIGHT = {
    "schema": "",
    "sheet": "doping.yaml",
    "sign-in": "--store study.db",
    "user": "add ada --store study.db",
    "close": "doping --store study.db",
    "open": "doping --store study.db",
    "wave": "doping 2 --yes --store study.db",
    "plan": "doping.yaml",
}
"""The commands that load none of it, neither at import nor as they run, each with arguments that
lead it to its end; the last one estimates, and is seen to load it."""

RUN = """
import sys
from deniable.cli.main import commands
for words in " ".join(sys.argv[1:]).split(" then "):
    commands(words.split(), standalone_mode=False)
    print("loaded", *sys.modules, file=sys.stderr)
"""


@pytest.fixture
def store(folder: Path) -> None:
    with closing(open_store("sqlite:///study.db")) as store:
        store.register(read(f"{DOPING}waves: {{count: 2, redraw: 1/10}}\n").survey)


@pytest.mark.promise("clear-errors")
def test_a_command_without_estimates_loads_no_analysis(store: None) -> None:
    ended = in_process("-c", RUN, " then ".join(" ".join(line) for line in LIGHT.items()))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout
    # One after the other in one process: whoever loads it first is the one.
    said = (line.split() for line in ended.stderr.decode().splitlines())
    loaded = [{*modules} & HEAVY for word, *modules in said if word == "loaded"]
    assert {"deniable.analysis", "scipy"} <= loaded.pop()
    assert dict(zip(LIGHT, loaded, strict=False)) == {command: set() for command in [*LIGHT][:-1]}


OUTSIDE = {*("matplotlib", "flask", "granian", "pandas", "pyarrow", "babel", "jinja2", "pydantic")}
OUTSIDE |= {"scipy.special", "scipy.stats", "scipy.optimize", "scipy.linalg"}
"""What no help needs, of any command."""


@pytest.mark.promise("clear-errors")
def test_helps_load_nothing_heavy() -> None:
    names = commands.list_commands(click.Context(commands))
    words = " then ".join(["--help", *(f"{name} --help" for name in names)])
    told = in_process("-c", RUN, words).stderr.decode().splitlines()
    first, *others = (line.split()[1:] for line in told if line.startswith("loaded "))
    needed = {"deniable", "deniable.cli", "deniable.lazy", "deniable.text"}
    needed |= {
        *(f"deniable.text.{name}" for name in ("doors", "safety")),
        *(f"deniable.cli.{name}" for name in ("failures", "help", "main")),
    }
    assert {name for name in first if name.startswith("deniable")} == needed
    assert not {*first} & {*OUTSIDE, "numpy", "rich", "yaml"}
    # One after the other in one process: whoever loads it first is the one.
    assert len(others) == len(names)
    loaded = {name: {*modules} & OUTSIDE for name, modules in zip(names, others, strict=True)}
    assert loaded == {name: set() for name in names}
