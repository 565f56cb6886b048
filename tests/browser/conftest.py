"""A real browser and a real server, shared by the tests of a module."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver

from tests.browser import chromium as browsers
from tests.browser.page import Page
from tests.browser.serving import Served, serving

HERE = Path(__file__).parent
DESIGN = HERE.parent / "vectors" / "survey.yaml"
KINDS = HERE / "kinds.yaml"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder, so that ``-m "not browser"`` leaves them out."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("browser")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve the survey of the design, and one with a question of every kind."""
    with serving(tmp_path_factory.mktemp("store"), DESIGN, KINDS) as running:
        yield running


@pytest.fixture(scope="module")
def chromium() -> Iterator[webdriver.Chrome]:
    with browsers.chromium() as driver:
        yield driver


@pytest.fixture
def design(served: Served, chromium: webdriver.Chrome) -> Page:
    """Open the page of the design's survey, on a device that remembers nothing."""
    page = Page(chromium, served.links[0])
    page.open_afresh()
    return page


@pytest.fixture
def kinds(served: Served, chromium: webdriver.Chrome) -> Page:
    """Open the page with a question of every kind, on a device that remembers nothing."""
    page = Page(chromium, served.links[1])
    page.open_afresh()
    return page
