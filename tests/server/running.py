"""Running the real server, as a process group of its own, for tests that need one."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from deniable.server.addresses import Place
from deniable.server.serving import Ready, serve
from deniable.server.store import open_store
from deniable.survey import Survey
from tests import forking

_ROOT = Path(__file__).parents[2]


def make_store(path: Path, surveys: Sequence[Survey]) -> None:
    """Make what a server would make itself, which takes a new process half a second to load."""
    if not path.exists():
        with contextlib.closing(open_store(f"sqlite:///{path}")) as store:
            for survey in surveys:
                store.register(survey)


@dataclass
class Running:
    """A server that answers."""

    process: subprocess.Popen[bytes] | forking.Forked
    port: int
    desk_port: int
    sign_in: str
    output: Path
    links: tuple[str, ...] = field(default=())
    forked: dict[str, int] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def desk_url(self) -> str:
        return f"http://127.0.0.1:{self.desk_port}"

    def programs(self) -> dict[str, int]:
        """Return the processes of the two programs: the module that each runs, and its id."""
        if self.forked:
            return {name.removeprefix("deniable.server."): id for name, id in self.forked.items()}
        listed = subprocess.run(
            ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(self.process.pid)],
            capture_output=True,
            text=True,
            check=True,
        )
        rows = [line.split() for line in listed.stdout.splitlines()]
        return {row[-1].removeprefix("deniable.server."): int(row[0]) for row in rows}

    def kill(self) -> None:
        """Kill every process of it at once, as a failing machine does."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to stop, and return its exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout=60)


class Starting:
    """A server that may not answer yet."""

    def __init__(
        self, process: subprocess.Popen[bytes] | forking.Forked, told: Path, output: Path
    ) -> None:
        self.process = process
        self.output = output
        self._told = told

    def ready(self) -> Running:
        """Wait until it answers."""
        end = time.monotonic() + 60
        while not self._told.exists():
            assert self.process.poll() is None, self.output.read_text()
            assert time.monotonic() < end, self.output.read_text()
            time.sleep(0.02)
        ready = json.loads(self._told.read_text())
        return Running(
            self.process,
            ready["port"],
            ready["desk_port"],
            ready["sign_in"],
            self.output,
            tuple(ready["links"]),
            ready["forked"],
        )


@contextlib.contextmanager
def running(folder: Path, surveys: Sequence[Survey], **options: Any) -> Iterator[Running]:
    """Start a server as `starting` does, and wait until it answers."""
    with starting(folder, surveys, **options) as server:
        yield server.ready()


@contextlib.contextmanager
def starting(
    folder: Path,
    surveys: Sequence[Survey],
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    limit: tuple[int, bool] = (0, False),
    descriptors: tuple[int, int] | None = None,
    store: str = "",
    environment: Mapping[str, str] | None = None,
    fresh: bool = False,
) -> Iterator[Starting]:
    """Start a server on the store ``folder/store.db``, and kill what is left of it at the end.

    Or on another store, by its address, and with more in its environment.

    With a `limit` it takes so many reports a minute from a network, and believes a proxy or not.
    With `descriptors` it may have so many files and connections open: the soft limit and the hard.
    Its processes are forked (`tests.forking`), unless they are to be `fresh`, or to find something
    in their environment.
    """
    documents = folder / "surveys.json"
    documents.write_text(json.dumps([survey.document for survey in surveys]))
    if not store:
        make_store(folder / "store.db", surveys)
    told = folder / "ready.json"
    told.unlink(missing_ok=True)
    output = folder / "output.txt"
    words = [str(folder), host, str(port), *(str(int(part)) for part in limit), store]
    with output.open("ab") as log:
        if forking.POSSIBLE and not fresh and not environment:
            process: subprocess.Popen[bytes] | forking.Forked = forking.start(
                "tests.server.running", words, output=log.fileno(), descriptors=descriptors
            )
        else:
            process = _started(words, log, environment or {}, descriptors)
    try:
        yield Starting(process, told, output)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _started(
    words: Sequence[str],
    log: IO[bytes],
    environment: Mapping[str, str],
    descriptors: tuple[int, int] | None,
) -> subprocess.Popen[bytes]:
    """Start a server in a fresh interpreter."""
    command = [sys.executable, "-m", "tests.server.running", *words]
    if descriptors is not None:
        soft, hard = descriptors
        limits = f'ulimit -S -n {soft} && ulimit -H -n {hard} && exec "$@"'
        command = ["/bin/sh", "-c", limits, "sh", *command]
    return subprocess.Popen(
        command,
        stdout=log,
        stderr=subprocess.STDOUT,
        cwd=_ROOT,
        env={**os.environ, **environment},
        start_new_session=True,
    )


class _Tell:
    """Leaves what the server says when it is ready in a file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, ready: Ready) -> None:
        part = self._folder / "ready.part"
        fields = {
            "port": int(ready.respondents_url.rsplit(":", 1)[1]),
            "desk_port": int(ready.desk_url.rsplit(":", 1)[1]),
            "sign_in": ready.sign_in,
            "forked": forking.PROGRAMS,
            # For most tests without the fingerprint, which `Survey.path` tells.
            "links": [link.partition("#")[0] for *_, link in ready.surveys],
        }
        part.write_text(json.dumps(fields))
        part.rename(self._folder / "ready.json")


def _main(folder: Path, host: str, numbers: Sequence[str], store: str) -> None:
    port, limit, proxy = map(int, numbers)
    documents = json.loads((folder / "surveys.json").read_text())
    serve(
        store or f"sqlite:///{folder}/store.db",
        [Survey.from_document(document) for document in documents],
        on_ready=_Tell(folder),
        respondents=Place(host, port),
        desk=Place(),
        reports_per_minute=limit,
        behind_proxy=bool(proxy),
    )


if __name__ == "__main__":
    _main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:-1], sys.argv[-1])
