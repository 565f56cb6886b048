"""Real servers: one that the tests of a process share, and those that a test has for itself."""

import atexit
import contextlib
import dataclasses
import http.client
import json
import multiprocessing
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPResponse
from importlib import import_module
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

from deniable.report import Report
from deniable.server import worker
from deniable.server.addresses import Listening, Place, choose
from deniable.server.desk.auth.login_links import new_link
from deniable.server.intake.access_word import SECONDS
from deniable.server.serving import Ready, serve
from deniable.server.settings import Settings
from deniable.server.store import open_store
from deniable.server.store.registering import register
from deniable.server.worker import HEAD_TIMEOUT
from deniable.survey import Survey
from tests.kit.calling import at
from tests.kit.stores import empty, has_access_word

_ROOT = Path(__file__).parents[2]

_PROGRAMS = ("respondents_program", "desk_program")

_FRESH = "import sys; from tests.kit import servers; servers.main(*sys.argv[1:])"

LOST = (OSError, http.client.HTTPException)
"""What a client sees of a server that dies while it answers."""

# What the programs load is loaded once for all that are forked: three seconds of each start.
_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload([f"deniable.server.{name}" for name in (*_PROGRAMS, "desk.app")])


@dataclass
class Running:
    port: int
    desk_port: int
    sign_in: str
    output: Path
    links: tuple[str, ...]
    process: subprocess.Popen[bytes] | None = None
    forked: tuple[ForkServerProcess, ...] = ()
    is_due: Any = None  # an event that has the process that takes reports replaced

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def desk_url(self) -> str:
        return f"http://127.0.0.1:{self.desk_port}"

    @property
    def starter(self) -> subprocess.Popen[bytes]:
        """The process that started the two programs, of a server that `starting` started."""
        assert self.process is not None
        return self.process

    def programs(self) -> dict[str, int]:
        """Return the processes of the two programs: the module that each runs, and its id."""
        if self.process is None:
            return {one.name: one.pid or 0 for one in self.forked}
        listed = subprocess.run(
            ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(self.process.pid)],
            capture_output=True,
            text=True,
            check=True,
        )
        rows = [line.split() for line in listed.stdout.splitlines()]
        return {row[-1].removeprefix("deniable.server."): int(row[0]) for row in rows}

    def worker(self) -> int:
        """Return the process that takes reports, or the older one of two."""
        listed = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self.programs()["respondents_program"])],
            capture_output=True,
            text=True,
            check=True,
        )
        return int(listed.stdout.split()[0])

    def replace_worker(self) -> None:
        """Have the process that takes reports replaced, and wait until the old one is gone."""
        old = self.worker()
        self.is_due.set()
        until(lambda: self.worker() != old)

    def kill(self) -> None:
        """Kill every process of it at once, as a failing machine does."""
        for one in (self.process, *self.forked):
            if one is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(one.pid or 0, signal.SIGKILL)
        self._wait()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to stop, and return its exit code, or the first that is not 0."""
        for one in (self.process, *self.forked):
            if one is not None:
                os.kill(one.pid or 0, number)
        return self._wait()

    def _wait(self) -> int:
        for one in self.forked:
            one.join(60)
        codes = [-1 if one.exitcode is None else one.exitcode for one in self.forked]
        if self.process is not None:
            codes.append(self.process.wait(timeout=60))
        return next((code for code in codes if code), 0)


def until(condition: Callable[[], object]) -> None:
    """Wait until a condition holds. On a busy machine that takes long, and a minute is too long."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


@contextmanager
def running(
    folder: Path,
    surveys: Sequence[Survey],
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    limit: tuple[int, bool] = (0, False),
    descriptors: tuple[int, int] | None = None,
    head_timeout: float = HEAD_TIMEOUT,
) -> Iterator[Running]:
    """Run both programs on the store ``folder/store.db``, and kill what is left at the end.

    They are forked from a process that has loaded them, and nothing watches over them: for what
    `serve` does there is `starting`.

    With a `limit` it takes so many reports a minute from a network, and believes a proxy or not.
    With `descriptors` it may have so many files and connections open: the soft limit and the hard.
    A worker that is replaced has `head_timeout` until connections that send nothing are closed.
    """
    url, output = f"sqlite:///{folder}/store.db", folder / "output.txt"
    with ExitStack() as stack:
        places = choose(Place(host, port), Place(), stack)
        bases = [one.base for one in places]
        with closing(open_store(url)) as store:
            links = tuple(f"{bases[0]}{at(register(store, one).slug)}" for one in surveys)
            sign_in = new_link(store, bases[1])
        server = Running(
            *(places[0].port, places[1].port, sign_in, output, links), is_due=_forks.Event()
        )
        for name, place in zip(_PROGRAMS, places, strict=True):
            settings = Settings(
                *(url, place.address, place.port, place.base, bases[0], bases[1]),
                reports_per_minute=limit[0],
                behind_proxy=limit[1],
            )
            told, telling = multiprocessing.Pipe(duplex=False)
            due = server.is_due if name == "respondents_program" else None
            stack.enter_context(telling)  # whose end is how the program learns that it is to stop
            program = _forks.Process(
                target=_run,
                args=(name, told, output, descriptors, head_timeout, due),
                name=name,
                daemon=False,
            )
            program.start()
            told.close()
            stack.callback(server.kill)
            server.forked += (program,)
            os.write(telling.fileno(), json.dumps(dataclasses.asdict(settings)).encode() + b"\n")
        for place in places:
            _wait_for(place, server)
        yield server


def _run(
    name: str,
    told: Connection,
    output: Path,
    descriptors: tuple[int, int] | None,
    head_timeout: float,
    due: Any,
) -> None:
    """Be one of the two programs, in a process that was just forked."""
    os.setsid()
    # A program of a fresh interpreter forks its worker, as the oldest granian relies on.
    multiprocessing.set_start_method(None, force=True)
    log = os.open(output, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    for here, there in ((told.fileno(), 0), (log, 1), (log, 2)):
        os.dup2(here, there)
    if descriptors is not None:
        resource.setrlimit(resource.RLIMIT_NOFILE, descriptors)
    program = import_module(f"deniable.server.{name}")
    worker.HEAD_TIMEOUT = head_timeout  # type: ignore[misc]

    def wait_until_due() -> None:
        due.wait()
        due.clear()

    program.run(program.open_program, *([] if due is None else [wait_until_due]))


def _wait_for(place: Listening, server: Running) -> None:
    end = time.monotonic() + 60
    while True:
        with contextlib.suppress(OSError), socket.create_connection(place.here, 1) as asked:
            asked.sendall(b"HEAD // HTTP/1.0\r\n\r\n")
            if asked.recv(1):
                return
        assert all(one.is_alive() for one in server.forked), server.output.read_text()
        assert time.monotonic() < end, server.output.read_text()
        time.sleep(0.01)


class Starting:
    """A server in a fresh interpreter, which may not answer yet."""

    def __init__(self, process: subprocess.Popen[bytes], told: Path, output: Path) -> None:
        self.process = process
        self.output = output
        self._told = told

    def ready(self) -> Running:
        until(lambda: self._told.exists() or self.process.poll() is not None)
        assert self._told.exists(), self.output.read_text()
        ports, sign_in, links = json.loads(self._told.read_text())
        return Running(ports[0], ports[1], sign_in, self.output, tuple(links), self.process)


@contextmanager
def starting(
    folder: Path,
    surveys: Sequence[Survey],
    *,
    store: str = "",
    environment: Mapping[str, str] | None = None,
) -> Iterator[Starting]:
    """Start `serve` in a fresh interpreter, on the store ``folder/store.db`` or another."""
    (folder / "surveys.json").write_text(json.dumps([survey.document for survey in surveys]))
    told, output = folder / "ready.json", folder / "output.txt"
    told.unlink(missing_ok=True)
    with output.open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", _FRESH, str(folder), store],
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=_ROOT,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
        )
    try:
        yield Starting(process, told, output)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def started(folder: Path, surveys: Sequence[Survey], **options: Any) -> Iterator[Running]:
    """Start a server as `starting` does, and wait until it answers."""
    with starting(folder, surveys, **options) as server:
        yield server.ready()


def main(place: str, store: str) -> None:
    """Serve, in a fresh interpreter, what lies in a folder."""
    folder = Path(place)
    documents = json.loads((folder / "surveys.json").read_text())

    def tell(ready: Ready) -> None:
        """Leave what the server says when it is ready in a file."""
        ports = [int(url.rsplit(":", 1)[1]) for url in (ready.respondents_url, ready.desk_url)]
        # For most tests without the check number, which `Survey.path` tells.
        links = [link.partition("#")[0] for *_, link in ready.surveys]
        part = folder / "ready.part"
        part.write_text(json.dumps([ports, ready.sign_in, links]))
        part.rename(folder / "ready.json")

    serve(
        store or f"sqlite:///{folder}/store.db",
        [Survey.from_document(document) for document in documents],
        on_ready=tell,
        respondents=Place(),
        desk=Place(),
        settings=Settings(),
    )


class _Shared:
    """One real server for the tests of a process, which finds it empty whoever had it before."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._folder: Path | None = None
        self._server: Running | None = None
        self._is_lent = False

    @contextmanager
    def lent(self, surveys: Sequence[Survey]) -> Iterator[tuple[Running, Path]]:
        """Lend a server with these surveys and no report, and the path of its store."""
        if self._is_lent:
            with tempfile.TemporaryDirectory() as folder, running(Path(folder), surveys) as server:
                yield server, Path(folder) / "store.db"
            return
        server, path = self._running()
        self._is_lent = True
        try:
            empty(path)
            with closing(open_store(f"sqlite:///{path}")) as store:
                for survey in surveys:
                    register(store, survey)
                sign_in = new_link(store, server.desk_url)
            links = tuple(f"{server.url}{at(survey.slug)}" for survey in surveys)
            yield dataclasses.replace(server, links=links, sign_in=sign_in), path
        finally:
            self._is_lent = False
            if has_access_word(path):
                time.sleep(SECONDS)  # the server remembers it for so long

    def end(self) -> None:
        """End it; it starts again if it is lent again."""
        self._stack.close()
        self._server = None
        # Waits for what has forked, so that its time counts as the tests'.
        forkserver._forkserver._stop()  # type: ignore[attr-defined]

    def _running(self) -> tuple[Running, Path]:
        if self._server and not all(one.is_alive() for one in self._server.forked):
            self.end()  # a test that broke it has failed; the next ones need not
        if self._server is None or self._folder is None:
            self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
            self._server = self._stack.enter_context(running(self._folder, []))
        return self._server, self._folder / "store.db"


_shared = _Shared()
lent = _shared.lent
end_shared = _shared.end
atexit.register(end_shared)  # for what is no test: pictures and screenshots


_held = ExitStack()


def free_ports(count: int) -> list[int]:
    """Return free ports, which nobody else gets by chance as long as this process runs."""
    return [choose(Place(), Place(), _held, only="respondents")[0].port for _ in range(count)]


def send(connection: http.client.HTTPConnection, report: Report) -> int:
    connection.request(
        "POST", at(report.survey, "reports"), report.to_json(), {"Content-Type": "application/json"}
    )
    response = connection.getresponse()
    response.read()
    return response.status


def send_alone(port: int, report: Report) -> int:
    """Post a report over a connection of its own, and return the status."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        return send(connection, report)


@contextmanager
def load(port: int, threads: int, make: Callable[[], Report]) -> Iterator[dict[Report, int]]:
    """Send reports from so many threads until the server dies or the block ends."""
    statuses: dict[Report, int] = {}
    stop = threading.Event()

    def keep_sending() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        try:
            while not stop.is_set():
                mine = make()
                statuses[mine] = 0
                statuses[mine] = send(connection, mine)
        except LOST:
            return
        finally:
            connection.close()

    senders = [threading.Thread(target=keep_sending) for _ in range(threads)]
    for sender in senders:
        sender.start()
    try:
        yield statuses
    finally:
        stop.set()
        for sender in senders:
            sender.join()


def sign_in(opener: urllib.request.OpenerDirector, link: str) -> HTTPResponse:
    """Open a sign-in link, and press the button on its page."""
    with opener.open(link, timeout=60) as page:
        found = re.search(r'name="csrf_token" value="([^"]+)"', page.read().decode())
    assert found
    address = urllib.parse.urlsplit(link)
    request = urllib.request.Request(
        link,
        urllib.parse.urlencode({"csrf_token": found[1]}).encode(),
        {"Origin": f"{address.scheme}://{address.netloc}"},
    )
    response: HTTPResponse = opener.open(request, timeout=60)
    return response
