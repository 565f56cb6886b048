"""What a page of the lab shows, for the tests of its numbers."""

from typing import Any

from deniable.lab.page import Page
from deniable.lab.pictures import Picture


def values(page: Page, **given: str) -> dict[str, float]:
    return {value.name: value.number for value in page.shown(page.read(given)).values}


def picture(page: Page, id: str, **given: str) -> Picture:
    (found,) = (one for one in page.shown(page.read(given)).pictures if one.id == id)
    return found


def found(page: Page, **given: str) -> dict[str, Any]:
    """Return all that its lines find, by name."""
    return page.lines(**page.read(given))
