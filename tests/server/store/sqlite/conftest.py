"""A store in a SQLite file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deniable.server.store.sqlite.engine import open_file
from deniable.server.store.store import Store
from deniable.survey import Survey


@pytest.fixture
def store(tmp_path: Path, survey: Survey) -> Iterator[Store]:
    """Open ``store.db``, which holds that survey."""
    opened = open_file(tmp_path / "store.db")
    opened.register(survey)
    yield opened
    opened.close()
