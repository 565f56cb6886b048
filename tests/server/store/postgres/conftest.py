"""A store in a schema of the tests' PostgreSQL."""

import pytest

from tests.server.store.engines import POSTGRES, Engine


@pytest.fixture
def engine() -> Engine:
    """Return the engine of that schema."""
    return POSTGRES
