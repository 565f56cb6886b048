"""One real server for the tests of a process, which finds it empty whoever had it before.

Starting the two programs takes longer than most tests do. A test that stops the server or looks at
its files has one of its own, by `tests.server.running`.
"""

import atexit
import dataclasses
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from deniable.server.desk.auth.login_links import new_link
from deniable.server.store import open_store
from deniable.server.store.registering import register
from deniable.survey import Survey
from tests.addresses import at
from tests.server.running import Running, running


class _Shared:
    """The server, started when first lent."""

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

    def end(self) -> None:
        """End it; it starts again if it is lent again."""
        self._stack.close()
        self._server = None

    def _running(self) -> tuple[Running, Path]:
        if self._server is not None and self._server.process.poll() is not None:
            self.end()  # a test that broke it has failed; the next ones need not
        if self._server is None or self._folder is None:
            self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
            self._server = self._stack.enter_context(running(self._folder, []))
        return self._server, self._folder / "store.db"


def empty(path: Path) -> None:
    """Take every survey, report and account out of a store, which no command does."""
    with closing(sqlite3.connect(path, timeout=20)) as db, db:
        for table in (
            "reports",
            "held",
            "tallies",
            "users",
            "shares",
            "sessions",
            "sign_ins",
            "drafts",
            "invitations",
            "issued",
            "meetings",
        ):
            db.execute(f"DELETE FROM {table}")  # noqa: S608  a name from above
        db.execute("DELETE FROM surveys")


_shared = _Shared()
lent = _shared.lent
end = _shared.end
atexit.register(end)  # for what is no test: pictures and screenshots
