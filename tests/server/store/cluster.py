"""A PostgreSQL server of the tests' own: made when first asked for, gone when they end.

It listens on a Unix socket alone, in a folder of its own, and touches no other server of this
machine. It refuses to run as root, who therefore runs it as nobody.
"""

import atexit
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import psycopg

from tests.kit import needs

_SETTINGS = {
    "autovacuum": "off",  # so that what lies on disk depends on nothing but the test
    "jit": "off",
    "listen_addresses": "",
    "shared_buffers": "16MB",
    "wal_recycle": "off",
}


class Cluster:
    """A server with its databases.

    Parameters
    ----------
    environment : mapping of str to str, optional
        What its processes find in their environment besides, once it is made.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = {**os.environ, **(environment or {})}
        self._folder: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._admin: psycopg.Connection | None = None

    @property
    def data(self) -> Path:
        """The folder of all that it keeps."""
        assert self._folder is not None
        return self._folder / "data"

    def url(self, role: str, schema: str) -> str:
        """Return the address of a schema, as a role."""
        self.admin()
        return (
            f"postgresql://{role}@/postgres?host={self._folder}&options=-c%20search_path%3D{schema}"
        )

    def admin(self) -> psycopg.Connection:
        """Return a connection that may do everything, in autocommit mode."""
        if self._folder is None:
            self._make()
        if self._process is None:
            self.start()
        if self._admin is None:
            self._admin = self._connect()
        return self._admin

    def start(self) -> None:
        """Wait until it takes connections, also after a crash; start it where it has ended."""
        if self._admin is not None:
            self._admin.close()
        settings = {**_SETTINGS, "unix_socket_directories": self._folder}
        told = [f"--{name}={value}" for name, value in settings.items()]
        for _ in range(600):
            if self._process is None or self._process.poll() is not None:
                self._process = self._run("postgres", "-D", str(self.data), *told)
            with contextlib.suppress(psycopg.OperationalError):
                self._admin = self._connect()
                return
            time.sleep(0.05)
        raise AssertionError((self.data.parent / "log").read_text())

    def stop(self, number: signal.Signals = signal.SIGQUIT) -> None:
        """Stop it, as a crash does unless told otherwise; it can be started again."""
        if self._admin is not None:
            self._admin.close()
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait()
        self._admin = self._process = None

    def kill(self) -> None:
        """Kill all its processes at once, as a failing machine does; it can be started again."""
        assert self._process is not None
        listed = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self._process.pid)], capture_output=True, check=False
        )
        for pid in (self._process.pid, *map(int, listed.stdout.split())):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.stop()

    def end(self) -> None:
        """Stop it and remove all that it kept."""
        self.stop()
        if self._folder is not None:
            shutil.rmtree(self._folder)
            self._folder = None

    def _make(self) -> None:
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
        how = "scripts/install.sh postgres"
        self._programs = Path(needs.program("initdb", how, also=programs)).parent
        self._folder = Path(tempfile.mkdtemp(prefix="deniable-postgres-"))
        atexit.register(self.end)
        self.data.mkdir(mode=0o700)
        if os.getuid() == 0:
            for folder in (self._folder, self.data):
                shutil.chown(folder, "nobody")
        command = ["--username=admin", "--auth=trust", "--no-sync", "--wal-segsize=1"]
        command += ["--encoding=UTF8", "--locale=C", "--no-instructions"]
        made = self._run("initdb", "-D", str(self.data), *command)
        assert made.wait() == 0, (self._folder / "log").read_text()
        self.start()
        self.admin().execute("CREATE ROLE deniable LOGIN")
        self.admin().execute("CREATE EXTENSION pageinspect")

    def _run(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        assert self._folder is not None
        root = os.getuid() == 0
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(
                [self._programs / program, *arguments],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                env=self._environment,
                stdout=log,
                stderr=log,
                user="nobody" if root else None,
                extra_groups=[] if root else None,
            )

    def _connect(self) -> psycopg.Connection:
        return psycopg.connect(
            f"postgresql://admin@/postgres?host={self._folder}", autocommit=True, connect_timeout=5
        )


CLUSTER = Cluster()
