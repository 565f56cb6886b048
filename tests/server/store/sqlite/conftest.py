"""A store in a SQLite file."""

import pytest

from tests.server.store.engines import SQLITE, Engine


@pytest.fixture
def engine() -> Engine:
    """Return the engine of ``store.db``."""
    return SQLITE
