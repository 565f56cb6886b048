"""The fixtures of the kit: a store, both programs on it, and people who use them.

The desk and its store are made once a module, and the store is emptied for each test: to make a
desk takes longer than most tests do. The desk's own tests share one, see their ``conftest.py``.
"""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from deniable.server.desk.auth.login_links import new_link
from deniable.server.desk_program import create_desk_program
from deniable.server.intake.group_commit import GroupCommit
from deniable.server.respondents_program import create_respondents_program
from deniable.server.store import Store, open_store
from deniable.server.store.accounts import NOBODY
from deniable.server.store.clock import Clock
from deniable.server.store.keys import KeyFile
from deniable.server.web.gateway import Gateway
from deniable.survey import Survey
from tests.kit import surveys
from tests.kit.calling import ORIGIN, RESPONDENTS, Browser, Caller, Start, event_loop
from tests.kit.clocks import Clocks
from tests.kit.keys import DrawnBefore


@pytest.fixture
def survey() -> Survey:
    """Make a survey of one protected question: ``survey.slug == "doping"``."""
    return surveys.survey()


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a store in which nothing is, to be copied."""
    path = tmp_path_factory.mktemp("empty") / "store.db"
    open_store(f"sqlite:///{path}").close()
    return path


@dataclass
class House:
    """What the tests of a module share, or those of the desk."""

    path: Path
    store: Store
    keys: DrawnBefore
    desk: Gateway

    def empty(self, empty_store: Path) -> None:
        with (
            closing(sqlite3.connect(empty_store)) as source,
            closing(sqlite3.connect(self.path, timeout=20)) as target,
        ):
            source.backup(target)


@contextmanager
def new_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    path = tmp_path_factory.mktemp("house") / "store.db"
    keys = DrawnBefore(path.with_suffix(".db.keys"))
    with closing(open_store(f"sqlite:///{path}")) as store:
        yield House(path, store, keys, create_desk_program(store, RESPONDENTS, keys))


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with new_house(tmp_path_factory) as made:
        yield made


@pytest.fixture
def store(house: House, empty_store: Path, survey: Survey) -> Store:
    """Empty the module's store, put `survey` in: ``store.insert_reports([report(survey)])``."""
    house.empty(empty_store)
    house.store.clock = Clock()
    house.store.register(survey)
    return house.store


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    """Move the machine's clocks: ``clocks.go_on(3600)``, ``clocks.jump(-3600)``."""
    return Clocks(monkeypatch)


@pytest.fixture
def keys(house: House) -> KeyFile:
    """Write the file of keys beside that store: ``invite(store, keys, "doping", codes)``."""
    return DrawnBefore(house.path.with_suffix(".db.keys"))


@pytest.fixture
def held() -> Iterator[ExitStack]:
    """Hold what is given to it until the test ends, such as ports: ``choose(one, other, held)``."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    with event_loop() as running:
        yield running


@pytest.fixture
def commit(store: Store, loop: asyncio.AbstractEventLoop) -> Iterator[GroupCommit]:
    """Start the writer to that store; it ends before the loop does."""
    with closing(GroupCommit(store)) as writer:
        yield writer


@pytest.fixture
def start(
    store: Store, commit: GroupCommit, loop: asyncio.AbstractEventLoop, keys: KeyFile
) -> Start:
    """Compose the respondents' program as granian calls it: ``start(url="https://a.example")``."""

    def compose(url: str | None = None, **settings: Any) -> Caller:
        return Caller(create_respondents_program(store, commit, keys, url=url, **settings), loop)

    return compose


@pytest.fixture
def respondents(start: Start) -> Caller:
    """Send what a device sends: ``respondents.send(report(survey)).status == 201``."""
    return start()


@pytest.fixture
def start_desk(store: Store, loop: asyncio.AbstractEventLoop, keys: KeyFile) -> Start:
    """Compose a desk of the test's own: ``start_desk("https://a.example/")``."""

    def compose(url: str | None = None) -> Caller:
        return Caller(create_desk_program(store, RESPONDENTS, keys, url=url), loop)

    return compose


@pytest.fixture
def desk(store: Store, house: House, loop: asyncio.AbstractEventLoop) -> Caller:
    """Ask the desk without cookies: ``desk(url_for("surveys.index")).status == 401``."""
    return Caller(house.desk, loop)


@pytest.fixture
def visitor(desk: Caller) -> Browser:
    """Open a browser in which nobody signed in: ``visitor.see("results.page").status == 401``."""
    return Browser(desk)


def signed_in(store: Store, desk: Caller, name: str = NOBODY) -> Browser:
    """Open a browser, and sign somebody in by a link."""
    browser = Browser(desk)
    assert browser.sign_in(new_link(store, ORIGIN, name)).status == 303
    return browser


@pytest.fixture
def researcher(store: Store, desk: Caller) -> Browser:
    """Open a browser and sign in: ``researcher.see("results.page").status == 200``."""
    return signed_in(store, desk)
