"""Running the command line: in this process for speed, in one of its own where that matters."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

import pytest
from click.testing import CliRunner, Result

from deniable.cli.main import commands
from deniable.server.store import open_store
from deniable.survey.address import PATTERN
from deniable.survey_file import read
from tests.kit import Running, draw_no_keys, lent

ROOT = Path(__file__).parents[2]

Run = Callable[..., Result]

Process = subprocess.Popen[str]


def names(text: str, *facts: str) -> bool:
    """Whether a text names all of these facts, whatever it says of them."""
    words = " ".join(text.split())
    return all(re.search(rf"(?<![\w.,]){re.escape(fact)}(?!\w|[.,]\d)", words) for fact in facts)


DOPING = """\
version: 1
survey: doping
title: "Doping in [bold]your[/bold] sport :smile:"
questions:
  - {id: doped, text: Have you doped?, type: single, answers: [No, Yes], flip: 1/4}
"""

EVERY_TYPE = """\
version: 1
survey: every-type
title: One question of every type
epsilon: 12
questions:
  - {id: doped, text: Doped, type: single, answers: [No, Yes]}
  - {id: substances, text: Which, type: many, answers: [Steroids, EPO]}
  - {id: mood, text: Mood, type: single, answers: [Low, Fair, Good], prefer_not_to_say: true}
  - {id: knew, text: Who, type: grid, rows: [Coach, Doctor], answers: [No, Unsure, Yes]}
  - {id: hours, text: Hours, type: number, min: 0, max: 2, step: 0.5, family: k_ary}
  - {id: forced, text: Forced, type: single, answers: [No, Yes],
     design: {forced_response: {truth: 2/3, yes: 1/4}}}
  - {id: age, text: Age, type: single, answers: [Young, Old], protection: direct}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of its own, with two surveys in it."""
    monkeypatch.chdir(tmp_path)
    draw_no_keys(monkeypatch)
    (tmp_path / "doping.yaml").write_text(DOPING)
    (tmp_path / "every-type.yaml").write_text(EVERY_TYPE)
    return tmp_path


@pytest.fixture
def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for command in ("delete", "state", "upgrade"):
        monkeypatch.setattr(f"deniable.cli.{command}.somebody_is_there", lambda: True)


@pytest.fixture
def stored(folder: Path) -> None:
    """Put the survey into a store of its own, ``real.db``."""
    with contextlib.closing(open_store("sqlite:///real.db")) as store:
        store.register(read(DOPING).survey)


@pytest.fixture
def run() -> Run:
    """Run a command, and check its exit code; its output may not hold a traceback."""

    def run(*arguments: object, exits: int = 0, typed: str | bytes | None = None) -> Result:
        words = [str(argument) for argument in arguments]
        result = CliRunner().invoke(commands, words, input=typed, prog_name="deniable")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == exits, result.output
        return result

    return run


def in_process(
    *words: object, typed: BinaryIO | None = None, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run Python in a process of its own, with the packages of this tree."""
    return subprocess.run(
        [sys.executable, *map(str, words)],
        stdin=typed,
        capture_output=True,
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )


@pytest.fixture
def announce(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``serve`` as far as to what it prints, and start no program."""
    monkeypatch.setattr("deniable.server.serving._run", lambda _, __, on_ready, ___: on_ready())
    return partial(run, "serve", "--port", 0)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """Run a server of the survey, on the store that commands use unless told another."""
    with lent([read(DOPING).survey]) as (server, store):
        monkeypatch.setenv("DENIABLE_STORE", f"sqlite:///{store}")
        yield server


@dataclass
class Server:
    """A server that was started from the command line, and what it printed."""

    process: Process
    printed: list[str]

    @property
    def origin(self) -> str:
        """Of the respondents' program."""
        found = re.search(rf"(http://[^/]+){PATTERN}", "".join(self.printed))
        assert found is not None
        return found[1]


@pytest.fixture
def start() -> Iterator[Callable[..., Process]]:
    """Start a command in a process of its own; what is left at the end is killed."""
    processes: list[Process] = []

    def start(*arguments: object) -> Process:
        process = subprocess.Popen(
            [sys.executable, "-m", "deniable.cli.main", *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
            start_new_session=True,
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture
def serve(start: Callable[..., Process]) -> Callable[..., Server]:
    """Start a server at any free port, and wait until it says that it is ready."""

    def serve(*arguments: object) -> Server:
        process = start("serve", *arguments, "--port", 0)
        assert process.stdout is not None
        printed: list[str] = []
        for line in process.stdout:
            printed.append(line)
            if "Ctrl-C" in line:
                return Server(process, printed)
        assert process.stderr is not None
        raise AssertionError(f"no server: {process.stderr.read()}")

    return serve
