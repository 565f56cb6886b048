"""Parts that the tests of the server share: a store on disk, and the whole application on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deniable.server.app import create_wsgi
from deniable.server.group_commit import GroupCommit
from deniable.server.store import Store, open_store
from deniable.survey import Survey
from tests import surveys
from tests.server.calling import Caller


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
def commit(store: Store) -> Iterator[GroupCommit]:
    """Start the writer to that store."""
    writer = GroupCommit(store)
    yield writer
    writer.close()


@pytest.fixture
def call(store: Store, commit: GroupCommit) -> Caller:
    """Compose the whole server, to be called as granian calls it."""
    return Caller(create_wsgi(store, commit))
