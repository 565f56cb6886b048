"""At every page of the desk and the lab: what a list of checks can see, in every look."""

import pytest

from tests.browser.checks import axe_problems, problems
from tests.browser.desk_stations import DESK_LOOKS, desks, pages
from tests.browser.looks import show_as_usual, show_on

CHECKED = ("no wider than the screen", "headings in order", "targets of 24 pixels")


@pytest.mark.slow
def test_every_page_of_the_desk_in_every_look() -> None:
    found, visited = [], 0
    with desks() as desk:
        for visited, name in enumerate(pages(desk), start=1):  # noqa: B007
            # Colours do not depend on the width: dark ones are seen once.
            for look in DESK_LOOKS[:3]:
                show_on(desk.driver, look)
                seen = axe_problems(desk.driver, colours_alone=look.scheme == "dark")
                seen += [one for some in problems(desk.driver, *CHECKED).values() for one in some]
                found += [f"{name}, {look}: {one}" for one in seen]
            show_as_usual(desk.driver)
        log = desk.driver.get_log("browser")  # type: ignore[no-untyped-call]  # selenium's gap
    assert found == []
    assert [entry for entry in log if entry["level"] == "SEVERE"] == []
    assert visited > 30
