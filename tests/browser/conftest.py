"""A real browser and a real server, shared by the tests of a module."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

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


class _ByFile(LoadScopeScheduling):  # type: ignore[misc]  # xdist ships no types
    """Keeps together what shares a server's surveys: a file, or of the stations a language."""

    def _split_scope(self, nodeid: str) -> str:
        file, _, test = nodeid.partition("::")
        return file + test.partition("[")[2][:2] if file.endswith("test_stations.py") else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> _ByFile:
    return _ByFile(config, log)


def serves(*files: Path | str) -> Any:
    """Make a fixture of a server for a module, to which every link of these surveys leads."""

    @pytest.fixture(scope="module")
    def served() -> Iterator[Served]:
        with serving(*files) as running:
            yield running

    return served


def opened(place: int) -> Any:
    """Make a fixture of the page of that survey, on a device that remembers nothing."""

    @pytest.fixture
    def page(served: Served, chromium: webdriver.Chrome) -> Page:
        return Page(chromium, served.links[place]).open_afresh()

    return page


ONE = DESIGN.read_text().replace("survey: doping", "pages: one\nsurvey: doping-one")
EACH = KINDS.read_text().replace("pages: one", "pages: each")

served = serves(DESIGN, KINDS, ONE, EACH.replace("survey: kinds", "survey: kinds-each"))
"""The survey of the design, one with a question of every kind, and each the other way.

The design's stands on several pages, and as `doping-one` on one; the other on one, and as
`kinds-each` on several.
"""

design, kinds, paged = opened(0), opened(1), opened(3)
"""The page of the design's survey, that with every kind of question, the first of several."""


@pytest.fixture(scope="session", autouse=True)
def end_of_the_shared_browser() -> Iterator[None]:
    yield
    browsers.end_shared()


@pytest.fixture(scope="module")
def chromium() -> Iterator[webdriver.Chrome]:
    with browsers.chromium() as driver:
        yield driver


@pytest.fixture
def fresh() -> Iterator[webdriver.Chrome]:
    """Open a browser that a test may alter."""
    with browsers.chromium() as driver:
        yield driver
