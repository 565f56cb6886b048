"""At every page that a respondent can come to: what a list of checks can see, in every look."""

from collections.abc import Iterator, Mapping

import pytest

from tests.browser.checks import (
    CHECKS,
    axe_problems,
    forced_colour_problems,
    nameless,
    problems,
    spacing_problems,
    zoom_problems,
)
from tests.browser.looks import DESKTOP, LOOKS, PHONE, Look, show_as_usual, show_on
from tests.browser.stations import LANGUAGES, Way, stations, ways

pytestmark = pytest.mark.promise("everyone")

Findings = Mapping[str, list[str]]
"""By what was checked, what was found, and where."""

WHEN = {"ar": pytest.mark.slow}
"""When a language is walked in every look, if not in the campaign before a release."""

CHECKED = [
    "axe",
    "no wider than a desk",
    *CHECKS,
    "names",
    "text spacing",
    "forced colours light",
    "forced colours dark",
    "zoom",
]
"""All that is checked at every station."""


@pytest.fixture(scope="module")
def way() -> Iterator[Way]:
    with ways() as way:
        yield way


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(language, marks=WHEN.get(language, pytest.mark.campaign))
        for language in LANGUAGES
    ],
)
def findings(way: Way, request: pytest.FixtureRequest) -> Findings:
    """Make every walk once, and check each station: a walk for each check would take hours."""
    way.language = request.param
    found: dict[str, list[str]] = {what: [] for what in CHECKED}
    visited = 0
    for visited, name in enumerate(stations(way), start=1):  # noqa: B007
        for what, where in at_station(way):
            found[what].extend(f"{name}: {one}" for one in where)
        show_as_usual(way.driver)
    assert visited > 20
    return found


def at_station(way: Way) -> Iterator[tuple[str, list[str]]]:
    """Check the page as it stands, by axe in each look, and last of all by moving the focus."""
    driver = way.driver
    yield "names", nameless(driver)
    # Colours do not depend on the width: dark ones are seen once.
    for look in LOOKS[:3]:
        show_on(driver, look)
        found = axe_problems(driver, colours_alone=look.scheme == "dark")
        yield "axe", [f"{look}: {problem}" for problem in found]
    show_on(driver, Look(DESKTOP, "light"))
    (wider,) = problems(driver, "no wider than the screen").values()
    yield "no wider than a desk", wider
    show_on(driver, Look(PHONE, "light"), height=480)
    for scheme in ("light", "dark"):
        yield f"forced colours {scheme}", forced_colour_problems(driver, scheme)
    yield from problems(driver).items()
    yield "text spacing", spacing_problems(driver)
    yield "zoom", zoom_problems(driver)


@pytest.mark.parametrize("what", CHECKED)
def test_at_every_station(findings: Findings, what: str) -> None:
    assert findings[what] == []
