"""A store of each engine in turn, with a survey in it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from deniable.server.store import Store, open_store
from deniable.survey import Survey
from tests.server.store.engines import ENGINES, POSTGRES, Engine

HEAVY = (
    "test_settling_loses_nothing_and_disturbs_nobody",
    "test_the_snapshot_grows_by_whole_batches",
    "test_a_stage_end_settles",
)
"""What is slow on PostgreSQL, and holds there by what both engines share, or by other tests too."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.Function) and item.originalname in HEAVY:
            callspec = getattr(item, "callspec", None)
            if callspec is not None and callspec.params.get("engine") is POSTGRES:
                item.add_marker("slow")


@pytest.fixture(params=ENGINES, ids=lambda engine: engine.name)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Return an engine."""
    engine: Engine = request.param
    return engine


@pytest.fixture
def second(engine: Engine, tmp_path: Path) -> Iterator[Store]:
    """Open another store of that engine, in which nothing is."""
    with closing(open_store(engine.url(tmp_path, "second"))) as opened:
        yield opened


@pytest.fixture
def store(engine: Engine, tmp_path: Path, survey: Survey) -> Iterator[Store]:
    """Open a store of that engine that holds that survey."""
    opened = open_store(engine.url(tmp_path))
    opened.register(survey)
    yield opened
    opened.close()
