"""The page is small: what a phone has to load before it can ask, all told and as it is sent."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from selenium import webdriver

from deniable.server.loopback import loopback
from deniable.survey_file import read
from tests.browser.chromium import chromium as started
from tests.browser.page import Page
from tools import weight

ROOT = Path(__file__).parents[2]

SENT = """
const sizes = performance.getEntriesByType("resource").map((entry) => [
  new URL(entry.name).pathname, entry.encodedBodySize,
]);
const [page] = performance.getEntriesByType("navigation");
return Object.fromEntries([[location.pathname, page.encodedBodySize], ...sizes]);
"""


def bytes_loaded(driver: webdriver.Chrome) -> dict[str, int]:
    """Return how many bytes of each file came over the wire to the page that is open."""
    found: dict[str, int] = driver.execute_script(SENT)
    return {urlsplit(address).path: size for address, size in found.items()}


def test_a_first_visit_stays_within_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is measured is what a browser loads."""
    monkeypatch.chdir(ROOT)
    survey = read(Path(weight.EXAMPLE).read_text()).survey
    measured = weight.weights(survey)
    assert 25_000 < sum(measured.values()) < weight.on_the_wire(survey) < weight.BUDGET
    with started() as driver, loopback(survey) as link:
        Page(driver, link).open()
        loaded = bytes_loaded(driver)
    assert loaded == measured


@pytest.mark.parametrize(
    "example", sorted((ROOT / "examples").glob("*.yaml")), ids=lambda path: path.stem
)
def test_no_example_goes_above_the_budget_of_all(example: Path) -> None:
    """All languages are loaded, so that nobody learns which was read."""
    assert weight.on_the_wire(read(example.read_text()).survey) < weight.MOST


def test_what_only_some_surveys_need_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = weight.parts()
    assert {"waves.js", "number.js", "comprehension.js", "language.js"} <= found.keys()
    assert all(300 < size < weight.PART for size in found.values()), found
