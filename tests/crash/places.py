"""Where a campaign takes place: a store of one engine, and what of it can be killed."""

import contextlib
import os
import random
import signal
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import ClassVar

import psycopg

from deniable.server.store import Store, open_store
from tests.crash.harm import Harm, can_be_compiled
from tests.kit import Running, Starting, starting, surveys
from tests.server.store.cluster import Cluster

SURVEY = surveys.survey(*(surveys.single(f"q{number}") for number in range(4)), batch=10)


class Site(ABC):
    """A store that exists as long as the block lasts, and the servers on it."""

    name: ClassVar[str]
    away_means: ClassVar[str]

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.harm = Harm(folder) if can_be_compiled() else None
        self._stack = ExitStack()
        self.server: Running | None = None

    @property
    @abstractmethod
    def url(self) -> str:
        """The address of the store."""

    @property
    def environment(self) -> Mapping[str, str]:
        """What every program of the campaign finds in its environment."""
        return {} if self.harm is None else self.harm.environment

    def begin(self) -> None:
        """Make an empty place; a file is made by the first server."""
        return

    def end(self) -> None:
        self._stack.close()

    def serve(self, *, harmed: bool = True) -> int:
        self._stack.close()
        self.server = self._stack.enter_context(self.another(harmed=harmed))
        return self.server.port

    @contextmanager
    def another(self, name: str = "server", *, harmed: bool = True) -> Iterator[Running]:
        """Start a server in a folder of its own, and wait until it answers."""
        with self.begun(name, harmed=harmed) as server:
            yield server.ready()

    @contextmanager
    def begun(self, name: str = "server", *, harmed: bool = True) -> Iterator[Starting]:
        """Start a server in a folder of its own, and do not wait until it answers."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        environment = self.environment if harmed else {}
        with starting(folder, [SURVEY], store=self.url, environment=environment) as server:
            yield server

    @contextmanager
    def opened(self) -> Iterator[Store]:
        with closing(open_store(self.url, create=False)) as store:
            yield store

    @property
    def victims(self) -> Mapping[str, Callable[[random.Random], None]]:
        return {"server": self._kill_server, "writer": self._kill_writer}

    def revive(self) -> None:
        """Bring back the database after harm, if there is one."""
        return

    @abstractmethod
    @contextmanager
    def away(self) -> Iterator[None]:
        """Take the store away, or restart its database, and bring it back."""

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Write to the store from elsewhere, so that nobody else can."""
        with self.opened() as store, store._engine.transaction():
            yield

    def _kill_server(self, chance: random.Random) -> None:
        assert self.server is not None
        self.server.kill()

    def _kill_writer(self, chance: random.Random) -> None:
        """Kill the one program that writes reports; the server then ends by itself."""
        assert self.server is not None
        os.kill(self.server.programs()["respondents_program"], signal.SIGKILL)
        self.server.starter.wait(timeout=60)


class SqliteSite(Site):
    name = "SQLite"
    away_means = "the file is moved away for 2 s"

    @property
    def url(self) -> str:
        return f"sqlite:///{self.folder}/store.db"

    @contextmanager
    def away(self) -> Iterator[None]:
        path = self.folder / "store.db"
        path.rename(path.with_name("away"))
        try:
            yield
        finally:
            path.with_name("away").rename(path)


class PostgresSite(Site):
    name = "PostgreSQL"
    away_means = "the database stops, and starts after 2 s"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._cluster = Cluster(self.environment)

    @property
    def url(self) -> str:
        return self._cluster.url("deniable", "crash")

    def begin(self) -> None:
        self._cluster.admin().execute(b"CREATE SCHEMA crash AUTHORIZATION deniable")

    def end(self) -> None:
        super().end()
        self._cluster.end()

    @property
    def victims(self) -> Mapping[str, Callable[[random.Random], None]]:
        return {
            **super().victims,
            "database": self._kill_database,
            "a process of the database": self._kill_backend,
        }

    def revive(self) -> None:
        self._cluster.start()

    @contextmanager
    def away(self) -> Iterator[None]:
        self._cluster.stop(signal.SIGINT)
        try:
            yield
        finally:
            self._cluster.start()

    def cut(self) -> None:
        self._cluster.admin().execute(
            b"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'deniable'"
        )

    def _kill_database(self, chance: random.Random) -> None:
        self._cluster.kill()
        time.sleep(chance.uniform(0, 0.3))
        self._cluster.start()

    def _kill_backend(self, chance: random.Random) -> None:
        """Kill one process that works for the server: PostgreSQL then stops all, and recovers."""
        pids = self._cluster.admin().execute(
            b"SELECT pid FROM pg_stat_activity WHERE usename = 'deniable'"
        )
        (pid,) = chance.choice(pids.fetchall())
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        # The connection of this program is cut as well, once the server has noticed.
        with contextlib.suppress(psycopg.Error):
            while True:
                self._cluster.admin().execute(b"SELECT 1")
                time.sleep(0.01)
        self.revive()


SITES: dict[str, type[Site]] = {"sqlite": SqliteSite, "postgres": PostgresSite}


@contextmanager
def site(name: str) -> Iterator[Site]:
    """Make an empty store of an engine, and remove it in the end."""
    # Not below a folder that only root may enter: the database runs as somebody else.
    with tempfile.TemporaryDirectory(prefix="deniable-crash-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        place = SITES[name](Path(folder))
        try:
            place.begin()
            yield place
        finally:
            place.end()
