"""Our own programs, forked from a process that has loaded them instead of started anew.

A server is three interpreters, and each spends most of its start on loading the same modules. Here
one process loads them once for all tests of a pytest process, and forks for each start. What comes
of it is real: processes, groups, signals, exit codes, ports and files of their own. What a fresh
interpreter adds to it (the command line, what is loaded, how it ends) is seen by the tests that ask
for one (`fresh=True`).
"""

import atexit
import gc
import json
import os
import resource
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Final, NoReturn

_ROOT: Final = Path(__file__).parents[1]

_LARGEST: Final = 1 << 17
"""Bytes of a request to start something, most of them its environment."""

_FORKING: Final = "import sys; from tests import forking; forking.main(int(sys.argv[1]))"

_SETTINGS: Final = {"PYTHONPATH": str(_ROOT), "PYTHONUTF8": "1", "OPENBLAS_NUM_THREADS": "1"}

POSSIBLE: Final = sys.platform == "linux"
"""Elsewhere, libraries of the system may break in a process that is forked."""

PROGRAMS: Final[dict[str, int]] = {}
"""In a process that serves: the programs that it has started, by module, and their ids."""


class Forked:
    """A process that was forked: as much of `subprocess.Popen` as the tests need."""

    def __init__(
        self, pid: int, ended: int, stdout: IO[str] | None = None, stderr: IO[str] | None = None
    ) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdout = stdout
        self.stderr = stderr
        self._ended = ended

    def poll(self) -> int | None:
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._look(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
        return code

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait until it has ended, and return what it printed since it was last read."""
        said = ["", ""]

        def read(place: int, file: IO[str] | None) -> None:
            if file is not None and not file.closed:
                with file:
                    said[place] = file.read()

        readers = [
            threading.Thread(target=read, args=(place, file), daemon=True)
            for place, file in enumerate((self.stdout, self.stderr))
        ]
        for reader in readers:
            reader.start()
        self.wait(timeout)
        for reader in readers:
            reader.join(timeout)
        return said[0], said[1]

    def _look(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._ended], [], [], timeout)[0]:
            told = os.read(self._ended, 16)
            os.close(self._ended)
            # Nothing is told only if the process that forks was killed.
            self.returncode = int(told or -signal.SIGKILL)
        return self.returncode


class _Forker:
    """The process that forks, started when something is first to be forked."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None

    def start(
        self,
        module: str,
        arguments: Sequence[str],
        *,
        output: int | None = None,
        environment: Mapping[str, str] | None = None,
        descriptors: tuple[int, int] | None = None,
    ) -> Forked:
        """Run a module as a program, as leader of a process group of its own.

        It finds this process's folder and environment, and nothing on its standard input. Of its
        environment, only what is read after its start has an effect.
        """
        told, telling = os.pipe()
        nothing = os.open(os.devnull, os.O_RDONLY)
        pipes = [] if output is not None else [os.pipe(), os.pipe()]
        files = [nothing, *([writing for _, writing in pipes] or [output or 0] * 2), telling]
        request = {
            "module": module,
            "arguments": list(arguments),
            "folder": str(Path.cwd()),
            "environment": {**os.environ, **(environment or {})},
            "descriptors": descriptors,
        }
        line = self._connected()
        socket.send_fds(line, [json.dumps(request).encode()], files)
        pid = int(line.recv(16))
        for descriptor in (nothing, telling, *(writing for _, writing in pipes)):
            os.close(descriptor)
        printed = [open(reading, encoding="utf-8") for reading, _ in pipes]  # noqa: PTH123, SIM115
        return Forked(pid, told, *printed)

    def end(self) -> None:
        """End it; what it has forked goes on."""
        if self._line is not None:
            self._line.close()
        if self._process is not None:
            self._process.wait()
        self._line = self._process = None

    def _connected(self) -> socket.socket:
        if self._line is None:
            self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _FORKING, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={**os.environ, **_SETTINGS},
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
            theirs.close()
        return self._line


_forker = _Forker()
start = _forker.start
end = _forker.end
atexit.register(end)  # for what is no test: pictures and screenshots


def _load() -> None:
    """Load what the programs load, so that what is forked has it."""
    from deniable.cli import main  # noqa: F401, PLC0415
    from deniable.server import desk_program, respondents_program, serving  # noqa: F401, PLC0415
    from deniable.server.desk import app  # noqa: F401, PLC0415
    from deniable.server.respondent.program import BROWSER_FOLDER, load  # noqa: PLC0415
    from tests.server import running  # noqa: F401, PLC0415

    # Each server would write what its pages load, in all languages, anew.
    load(BROWSER_FOLDER)
    # Where a server starts its programs, it forks them as well.
    forking = SimpleNamespace(Popen=_Program)
    vars(serving)["subprocess"] = forking


def _fork_as_told(line: socket.socket) -> None:
    """Fork whatever is asked for, and say how it ended, until nobody can ask any more."""
    bell, ringing = os.pipe()
    os.set_blocking(bell, False)
    os.set_blocking(ringing, False)
    signal.set_wakeup_fd(ringing)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    children: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([line.fileno(), bell], [], [])
        if bell in ready:
            os.read(bell, 1024)
            _tell_of_the_dead(children)
        if line.fileno() in ready:
            message, files, _, _ = socket.recv_fds(line, _LARGEST, 4)
            if not message:
                return
            pid = os.fork()
            if pid == 0:
                _become(files[:3], **json.loads(message))
            *others, children[pid] = files
            for file in others:
                os.close(file)
            line.send(str(pid).encode())


def _tell_of_the_dead(children: dict[int, int]) -> None:
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            pid, status = found
            telling = children.pop(pid)
            with suppress(BrokenPipeError):
                os.write(telling, str(os.waitstatus_to_exitcode(status)).encode())
            os.close(telling)


def _become(
    files: Sequence[int],
    *,
    module: str,
    arguments: Sequence[str],
    folder: str,
    environment: Mapping[str, str],
    descriptors: tuple[int, int] | None,
) -> NoReturn:
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if descriptors is not None:
        soft, hard = descriptors
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    _run(module, arguments, files)


def _run(module: str, arguments: Sequence[str], files: Sequence[int]) -> NoReturn:
    """Be a program from its first line to its end, in a process that was just forked."""
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        for number in signal.valid_signals():
            if callable(signal.getsignal(number)):  # as for a program that is started
                signal.signal(number, signal.SIG_DFL)
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        for place, file in enumerate(files):
            os.dup2(file, place)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        # Anew, for these remember what kind of file they had.
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", 1, "utf-8", "backslashreplace", closefd=False)  # noqa: SIM115
        sys.argv[1:] = arguments
        sys.modules.pop(module, None)
        code = _code_of(module)
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _code_of(module: str) -> int:
    """Run a module, and return its exit code."""
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        sys.stderr.write(f"{end.code}\n")
        return 1
    except BaseException:  # noqa: BLE001  as the interpreter does
        traceback.print_exc()
        return 1
    return 0


class _Program:
    """What a process that serves uses in place of `subprocess.Popen`."""

    def __init__(self, command: Sequence[str], *, stdin: int, env: Mapping[str, str]) -> None:
        self._code: int | None = None
        module = command[-1]
        self.pid = os.fork()
        if self.pid == 0:
            _run(module, [], [stdin])
        PROGRAMS[module] = self.pid

    def poll(self) -> int | None:
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code

    def wait(self) -> int:
        while (code := self.poll()) is None:
            time.sleep(0.01)
        return code


def main(line: int) -> None:
    """Load all, and fork whatever is asked for on a line, until nobody can ask any more."""
    _load()
    gc.collect()
    gc.freeze()
    _fork_as_told(socket.socket(fileno=line))
