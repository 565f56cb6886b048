"""Other systems than Linux: what analyses runs on any, and a server uses nothing of Linux alone."""

import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from deniable.server import worker
from deniable.server.store import durable, open_store
from deniable.server.store.sql.tables import VERSION
from deniable.server.store.sqlite import examining
from deniable.server.store.sqlite.connections import SqliteConnections
from tests.kit import first_of, until

ROOT = Path(__file__).parents[1]

DICE = "{truth: 2/3, yes: 1/2}"

ANALYSES = (
    (("new", "doping", "-o", "doping.yaml"), "Wrote doping.yaml"),
    (("check", "doping.yaml"), "ε: 1.10"),
    (("plan", "doping.yaml", "-n", "500"), "planned for 500 respondents"),
    (("simulate", "doping.yaml", "-n", "400", "--seed", "1", "-o", "noise.csv"), "Share"),
    (("estimate", "doping.yaml", "--reports", "noise.csv"), "400 respondents"),
    (("new", "interviews", "-o", "said.csv"), "Wrote said.csv"),
    (
        ("analyse", "said.csv", "--column", "doped", "--design", f"forced_response: {DICE}"),
        "95 % interval",
    ),
)
"""Commands that need no server, one after the other, and what each says."""

Python = Callable[..., subprocess.CompletedProcess[str]]


def environment(system: str, folder: Path) -> dict[str, str]:
    """Return the environment of a Python that lacks what another system lacks."""
    (folder / "python").mkdir()
    shutil.copy(ROOT / "tests" / "elsewhere" / f"{system}.py", folder / "python/sitecustomize.py")
    paths = os.pathsep.join([str(folder / "python"), str(ROOT)])
    return {**os.environ, "PYTHONPATH": paths, "PYTHONUNBUFFERED": "1"}


@pytest.fixture
def on_windows(tmp_path: Path) -> Python:
    """Run Python without the modules that only POSIX, or only a server, has."""
    given = environment("windows", tmp_path)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words],
            cwd=tmp_path,
            env=given,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.slow
def test_all_that_analyses_runs_without_a_server_s_modules(on_windows: Python) -> None:
    assert "there is no fcntl here" in on_windows("-c", "import fcntl").stderr
    for command, found in ANALYSES:
        ended = on_windows("-m", "deniable", *command)
        assert ended.returncode == 0, (command, ended.stderr)
        assert found in ended.stdout + ended.stderr, command
    told = "import deniable; print(deniable.open('doping.yaml', 'noise.csv').shares())"
    assert "400 respondents" in on_windows("-c", told).stdout


@pytest.mark.parametrize("command", first_of(["serve", "ask", "classroom", "lab"]))
def test_commands_without_a_server_say_so(on_windows: Python, command: str) -> None:
    ended = on_windows("-m", "deniable", command)
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"Error: {command} runs a server, which needs Linux or macOS")


@contextmanager
def on_macos(folder: Path, *command: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a server without what Linux alone has, and yield it with what it says at first."""
    shutil.copy(ROOT / "examples" / "doping.yaml", folder)
    server = subprocess.Popen(
        [sys.executable, "-m", "deniable", *command, "--port", "0"],
        cwd=folder,
        env=environment("macos", folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert server.stdout is not None
        said = ""
        for line in server.stdout:
            said += line
            if "Ctrl-C" in line:
                break
        yield server, said
    finally:
        server.kill()
        server.communicate()


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    first_of([["serve", "doping.yaml"], ["ask", "Have you doped?"], ["classroom"], ["lab"]]),
)
def test_a_server_uses_nothing_that_linux_alone_has(command: list[str], tmp_path: Path) -> None:
    """And its workers are started afresh and not forked, as on macOS."""
    with on_macos(tmp_path, *command) as (server, said):
        if command[0] == "serve":
            (link,) = re.findall(r"http\S+#\S+", said)
            sending = ["simulate", "doping.yaml", "-n", "30", "--add", "--url", link]
            path = {**os.environ, "PYTHONPATH": str(ROOT)}
            words = [sys.executable, "-m", "deniable", *sending]
            subprocess.run(words, cwd=tmp_path, env=path, check=True)
        server.send_signal(signal.SIGINT)
        rest, _ = server.communicate(timeout=60)
        assert server.returncode == 0, said + rest
        assert "Traceback" not in said + rest


@pytest.mark.slow
def test_unforked_programs_end_with_their_starter(tmp_path: Path) -> None:
    with on_macos(tmp_path, "serve", "doping.yaml") as (server, said):
        ports = {int(port) for port in re.findall(r"http://127\.0\.0\.1:(\d+)", said)}
        assert len(ports) == 2
        server.kill()
        until(lambda: not any(map(answers, ports)))


def answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def test_on_macos_sync_reaches_the_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    asked: list[object] = []
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda _, what: asked.append(what))
    monkeypatch.setattr(os, "fsync", lambda _: asked.append("fsync"))
    durable.sync(3)
    assert asked == [51]

    def unknown(*_: object) -> None:
        raise OSError(45, "not supported")

    monkeypatch.setattr(fcntl, "fcntl", unknown)
    durable.sync(3)
    assert asked == [51, "fsync"]


def test_sqlite_synchronises_as_far_as_a_system_can(tmp_path: Path) -> None:
    open_store(f"sqlite:///{tmp_path}/store.db").close()
    with closing(SqliteConnections(tmp_path / "store.db", VERSION)) as opened, opened.lend() as db:
        assert db.execute("PRAGMA fullfsync").fetchone() == (1,)
        assert db.execute("PRAGMA synchronous").fetchone() == (2,)


def test_unlimited_descriptors_are_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, resource.RLIM_INFINITY))

    def as_macos(_: int, wanted: tuple[int, int]) -> None:
        if wanted[0] == resource.RLIM_INFINITY:
            raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "setrlimit", as_macos)
    assert worker.raise_descriptors() == worker.CONNECTIONS + 96


def test_memory_is_bound_without_a_system_s_limit() -> None:
    program = """
import resource, sys, time
from deniable.server.desk.editor.lint import bound_memory
sys.platform = "elsewhere"
used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
bound_memory(used + 100 * 2**20)
kept = [b"x" * 20 * 2**20]
time.sleep(0.3)
print("within", flush=True)
kept += [b"x" * 20 * 2**20 for _ in range(8)]
time.sleep(30)
print("beyond")
"""
    began = time.monotonic()
    # A process begins with the peak of the one that started it: a shell's is small.
    shell = ["/bin/sh", "-c", '"$0" -c "$1"; exit $?', sys.executable, program]
    ended = subprocess.run(shell, capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.returncode) == ("within\n", 128 + signal.SIGABRT)
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [("apfs, local, journaled", ""), ("smbfs, nodev, nosuid", "smbfs"), ("tmpfs, local", "tmpfs")],
)
def test_macos_is_heard_on_a_store_s_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str, wrong: str
) -> None:
    told = tmp_path / "mount"
    told.write_text(
        f"#!/bin/sh\necho '/dev/disk3s1s1 on / (apfs, sealed, local, read-only)'\n"
        f"echo '//ada@nas/my studies on {tmp_path.resolve()} ({kind})'\n"
    )
    told.chmod(0o700)
    monkeypatch.setattr(examining, "_MOUNTS", tmp_path / "none")
    monkeypatch.setattr(examining, "_MOUNT", str(told))
    said = [*examining._mount_faults(tmp_path / "store.db")]
    assert len(said) == bool(wrong)
    assert wrong in "".join(said)
    assert examining.is_over_network(tmp_path / "store.db") == (wrong == "smbfs")
