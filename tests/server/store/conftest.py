"""A store of each engine in turn, with a survey in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deniable.server.store import Store, open_store
from deniable.survey import Survey
from tests.server.store.engines import ENGINES, Engine


@pytest.fixture(params=ENGINES, ids=lambda engine: engine.name)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Return an engine."""
    engine: Engine = request.param
    return engine


@pytest.fixture
def store(engine: Engine, tmp_path: Path, survey: Survey) -> Iterator[Store]:
    """Open a store of that engine that holds that survey."""
    opened = open_store(engine.url(tmp_path))
    opened.register(survey)
    yield opened
    opened.close()
