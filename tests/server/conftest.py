"""Parts that the tests of the server share: a store on disk, and the whole application on it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from deniable.server.gateway import create_gateway
from deniable.server.group_commit import GroupCommit
from deniable.server.store import Store, open_store
from deniable.survey import Survey
from tests import surveys
from tests.server.calling import Caller, Start, event_loop


@pytest.fixture
def survey() -> Survey:
    """Build a survey of one yes-or-no question."""
    return surveys.survey()


@pytest.fixture
def store(tmp_path: Path, survey: Survey) -> Iterator[Store]:
    """Open a store that holds that survey."""
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
def start(store: Store, commit: GroupCommit, loop: asyncio.AbstractEventLoop) -> Start:
    """Give a function that composes the whole server, to be called as granian calls it."""

    def compose(public_url: str | None = None) -> Caller:
        return Caller(create_gateway(store, commit, public_url=public_url), loop)

    return compose


@pytest.fixture
def call(start: Start) -> Caller:
    """Compose the whole server."""
    return start()
