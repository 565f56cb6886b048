"""At every page that a respondent can come to: what a list of checks can see, in every look."""

from collections.abc import Iterator, Mapping, Sequence

import pytest

from tests.browser.checks import (
    CHECKS,
    axe_problems,
    forced_colour_problems,
    nameless,
    parts,
    problems,
    spacing_problems,
    zoom_problems,
)
from tests.browser.looks import DESKTOP, LOOKS, PHONE, Look, show_as_usual, show_on
from tests.browser.stations import (
    LANGUAGES,
    Way,
    a_number_is_typed,
    a_part_is_drawn,
    all_on_one_page,
    around_a_survey,
    asked_again,
    before_it_starts,
    by_a_spinner,
    in_a_class,
    long_texts,
    of_one_question,
    of_other_surveys,
    stations,
    ways,
)

pytestmark = pytest.mark.promise("everyone")

Findings = Mapping[str, list[str]]
"""By what was checked, what was found, and where."""

QUICK = {"en": LOOKS[:1]}
"""The language and the looks of the quick walk: the others take all looks.

What another language changes is its texts and their direction, which `test_languages.py` looks at.
"""

WHEN = {"ar": pytest.mark.slow}
"""When a language is walked in every look, if not in the campaign before a release."""

MANY = 8
"""How many kinds of parts must be new at a station for the quick walk to look at it by axe.

Fewer wait for a later station, or for the slow walks.
"""

LONG = (
    a_part_is_drawn,
    around_a_survey,
    before_it_starts,
    by_a_spinner,
    of_one_question,
    long_texts,
    a_number_is_typed,
    in_a_class,
    all_on_one_page,
    asked_again,
    of_other_surveys,
)
"""The walks that the quick walk leaves out: they come to screens of the same kinds as others, or
take long, or are looked at by a test of their own."""

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
        *((language, looks) for language, looks in QUICK.items()),
        *(
            pytest.param((language, LOOKS), marks=WHEN.get(language, pytest.mark.campaign))
            for language in LANGUAGES
        ),
    ],
    ids=[*QUICK, *(f"{language} in every look" for language in LANGUAGES)],
)
def findings(way: Way, request: pytest.FixtureRequest) -> Findings:
    """Make every walk once, and check each station: a walk for each check would take hours."""
    way.language, looks = request.param
    left_out = () if looks == LOOKS else LONG
    found: dict[str, list[str]] = {what: [] for what in CHECKED}
    visited, seen = 0, set[str]()
    for visited, name in enumerate(stations(way, left_out), start=1):  # noqa: B007
        shown = parts(way.driver)
        new = looks == LOOKS or len(shown - seen) >= MANY
        if new:
            seen |= shown
        for what, where in at_station(way, looks, new=new):
            found[what].extend(f"{name}: {one}" for one in where)
        show_as_usual(way.driver)
    assert visited > 20
    return found


def at_station(way: Way, looks: Sequence[Look], *, new: bool) -> Iterator[tuple[str, list[str]]]:
    """Check the page as it stands, by axe in some looks, and last of all by moving the focus.

    What axe, a desk, zoom and a system's own colours tell depends on the kinds of parts, and hardly
    on any text.
    """
    driver = way.driver
    yield "names", nameless(driver)
    for look in looks if new else ():
        show_on(driver, look)
        found = axe_problems(driver, colours_alone=look.scheme == "dark")
        yield "axe", [f"{look}: {problem}" for problem in found]
    if new:
        show_on(driver, Look(DESKTOP, "light"))
        (wider,) = problems(driver, "no wider than the screen").values()
        yield "no wider than a desk", wider
    show_on(driver, Look(PHONE, "light"), height=480)
    for scheme in ("light", "dark") if new else ():
        yield f"forced colours {scheme}", forced_colour_problems(driver, scheme)
    yield from problems(driver).items()
    if new:
        yield "text spacing", spacing_problems(driver)
        yield "zoom", zoom_problems(driver)


@pytest.mark.parametrize("what", CHECKED)
def test_at_every_station(findings: Findings, what: str) -> None:
    assert findings[what] == []
