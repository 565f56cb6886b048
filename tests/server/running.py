"""Running the real server, as a process group of its own, for tests that need one."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deniable.server.serving import Ready, serve
from deniable.survey import Survey

_ROOT = Path(__file__).parents[2]


@dataclass
class Running:
    """A server that answers.

    Parameters
    ----------
    process : Popen
        Leader of a process group of its own.
    port : int
    sign_in : str
        The researcher's link.
    output : Path
        All that it printed.
    """

    process: subprocess.Popen[bytes]
    port: int
    sign_in: str
    output: Path
    links: tuple[str, ...] = field(default=())

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        """Kill every process of it at once, as a failing machine does."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to stop, and return its exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout=60)


@contextlib.contextmanager
def running(
    folder: Path, surveys: Sequence[Survey], *, host: str = "127.0.0.1", port: int = 0
) -> Iterator[Running]:
    """Start a server on the store ``folder/store.db``, and kill what is left of it at the end."""
    documents = folder / "surveys.json"
    documents.write_text(json.dumps([survey.document for survey in surveys]))
    told = folder / "ready.json"
    told.unlink(missing_ok=True)
    output = folder / "output.txt"
    with output.open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.server.running", str(folder), host, str(port)],
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=_ROOT,
            start_new_session=True,
        )
    try:
        end = time.monotonic() + 60
        while not told.exists():
            assert process.poll() is None, output.read_text()
            assert time.monotonic() < end, output.read_text()
            time.sleep(0.02)
        ready = json.loads(told.read_text())
        yield Running(process, ready["port"], ready["sign_in"], output, tuple(ready["links"]))
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


class _Tell:
    """Leaves what the server says when it is ready in a file; a class, so that it pickles."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, ready: Ready) -> None:
        part = self._folder / "ready.part"
        fields = {
            "port": int(ready.sign_in.split("/")[2].rsplit(":", 1)[1]),
            "sign_in": ready.sign_in,
            "links": [link for _, link in ready.surveys],
        }
        part.write_text(json.dumps(fields))
        part.rename(self._folder / "ready.json")


def _main(folder: Path, host: str, port: int) -> None:
    documents = json.loads((folder / "surveys.json").read_text())
    serve(
        f"sqlite:///{folder}/store.db",
        [Survey.from_document(document) for document in documents],
        on_ready=_Tell(folder),
        host=host,
        port=port,
    )


if __name__ == "__main__":
    _main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
