"""Parts that the tests of the server share: a store on disk, and both programs on it."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deniable.server.desk.auth.login_links import new_link
from deniable.server.desk_program import create_desk_program
from deniable.server.intake.group_commit import GroupCommit
from deniable.server.respondents_program import create_respondents_program
from deniable.server.store import Store, open_store
from deniable.server.store.keys import KeyFile
from deniable.survey import Survey
from tests import surveys
from tests.blind_keys import DrawnBefore
from tests.server.calling import RESPONDENTS, Caller, Start, event_loop
from tests.server.desk.test_pages import Browser


@pytest.fixture
def survey() -> Survey:
    """Build a survey of one yes-or-no question."""
    return surveys.survey()


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a store once: a copy of it is as good as another one, and far cheaper."""
    path = tmp_path_factory.mktemp("empty") / "store.db"
    open_store(f"sqlite:///{path}").close()
    return path


@pytest.fixture
def store(tmp_path: Path, survey: Survey, empty_store: Path) -> Iterator[Store]:
    """Open a store that holds that survey."""
    shutil.copy(empty_store, tmp_path / "store.db")
    opened = open_store(f"sqlite:///{tmp_path}/store.db")
    opened.register(survey)
    yield opened
    opened.close()


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """Run an event loop in another thread."""
    with event_loop() as running:
        yield running


@pytest.fixture
def commit(store: Store, loop: asyncio.AbstractEventLoop) -> Iterator[GroupCommit]:
    """Start the writer to that store; it ends before the loop does."""
    writer = GroupCommit(store)
    yield writer
    writer.close()


@pytest.fixture
def keys(tmp_path: Path) -> KeyFile:
    """Write private keys of tokens beside the store."""
    return DrawnBefore(tmp_path / "store.db.keys")


@pytest.fixture
def start(
    store: Store, commit: GroupCommit, loop: asyncio.AbstractEventLoop, keys: KeyFile
) -> Start:
    """Give a function that composes the respondents' program, to be called as granian calls it."""

    def compose(url: str | None = None, **settings: Any) -> Caller:
        return Caller(create_respondents_program(store, commit, keys, url=url, **settings), loop)

    return compose


@pytest.fixture
def call(start: Start) -> Caller:
    """Compose the respondents' program."""
    return start()


@pytest.fixture
def start_desk(store: Store, loop: asyncio.AbstractEventLoop, keys: KeyFile) -> Start:
    """Give a function that composes the desk, to be called as granian calls it."""

    def compose(url: str | None = None) -> Caller:
        return Caller(create_desk_program(store, RESPONDENTS, keys, url=url), loop)

    return compose


@pytest.fixture
def desk(start_desk: Start) -> Caller:
    """Compose the desk."""
    return start_desk()


@pytest.fixture
def visitor(desk: Caller) -> Browser:
    """Open a browser that is not signed in."""
    return Browser(desk)


@pytest.fixture
def researcher(store: Store, desk: Caller) -> Browser:
    """Open a browser and sign in."""
    browser = Browser(desk)
    browser.sign_in(new_link(store, "http://localhost"))
    return browser
