"""One desk for all of its tests, with its store and its event loop."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.kit.calling import event_loop
from tests.kit.fixtures import House, new_house


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with new_house(tmp_path_factory) as made:
        yield made


@pytest.fixture(scope="session")
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    with event_loop() as running:
        yield running
