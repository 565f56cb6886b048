"""A store in a schema of the tests' PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deniable.server.store.postgres.engine import open_database
from deniable.server.store.store import Store
from deniable.survey import Survey
from tests.server.store.engines import POSTGRES


@pytest.fixture
def store(tmp_path: Path, survey: Survey) -> Iterator[Store]:
    """Open a store that holds that survey."""
    opened = open_database(POSTGRES.url(tmp_path))
    opened.register(survey)
    yield opened
    opened.close()
