"""All pages of the lab, and the paths through them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from deniable.lab import adversary, coins, estimator
from deniable.lab.page import Page

PAGES: Final[Mapping[str, Page]] = {
    one.slug: one for one in (coins.PAGE, estimator.PAGE, adversary.PAGE)
}
"""By slug, in the order of a course."""


@dataclass(frozen=True)
class Stop:
    """A page on a path.

    Parameters
    ----------
    slug : str
    what : str
        What to do there.
    settings : dict of (str: str)
        How the page is set.
    """

    slug: str
    what: str
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Path:
    """A way through some of the pages.

    Parameters
    ----------
    title, what : str
    stops : tuple of Stop
    """

    title: str
    what: str
    stops: tuple[Stop, ...]


PATHS: Final = (
    Path(
        "A quarter of an hour",
        "For whoever wants to see it once.",
        (
            Stop("coins", "toss the coins, and look at the table and at 100 people."),
            Stop("estimator", "turn the number of people up from 30 to 3,000."),
            Stop("adversary", "look at what a “yes” makes somebody believe."),
        ),
    ),
)
