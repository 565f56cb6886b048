"""All pages of the lab, and the paths through them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from deniable.lab import (
    adversary,
    again,
    budget,
    central,
    choosing,
    coins,
    counts,
    harm,
    holdout,
    names,
    totals,
)
from deniable.lab.page import Page


@dataclass(frozen=True)
class Chapter:
    """Pages that belong together."""

    title: str
    what: str
    pages: tuple[Page, ...]


CHAPTERS: Final = (
    Chapter(
        "Why it takes more than removing names",
        "What goes wrong without noise.",
        (
            names.PAGE,
            totals.PAGE,
            harm.PAGE,
        ),
    ),
    Chapter(
        "Noise before you send",
        "How surveys of this project work: nobody has to be trusted.",
        (
            coins.PAGE,
            adversary.PAGE,
            again.PAGE,
        ),
    ),
    Chapter(
        "Noise by somebody who knows all",
        "How a census office does it.",
        (
            central.PAGE,
            counts.PAGE,
            choosing.PAGE,
        ),
    ),
    Chapter(
        "A budget for all answers",
        "What many answers cost together, and what may be done with them.",
        (
            budget.PAGE,
            holdout.PAGE,
        ),
    ),
)
"""All pages, in the order of a course."""

PAGES: Final[Mapping[str, Page]] = {
    page.slug: page for chapter in CHAPTERS for page in chapter.pages
}
"""Pages by slug, in the same order."""


@dataclass(frozen=True)
class Stop:
    """A page on a path."""

    slug: str
    what: str  # a task for the reader
    settings: Mapping[str, str] = field(default_factory=dict)  # of the page


@dataclass(frozen=True)
class Path:
    """A way through some of the pages."""

    title: str
    what: str  # whom it is for
    stops: tuple[Stop, ...]


PATHS: Final = (
    Path(
        "A quarter of an hour",
        "For those who want to see it once.",
        (
            Stop("names", "find the mayor’s illness. Then leave out the birthday."),
            Stop(
                "coins", "look at the table. Then turn the people up from 30 to 3,000.", {"n": "30"}
            ),
            Stop("adversary", "look at what a “yes” makes somebody believe."),
        ),
    ),
    Path(
        "A lecture",
        "45 minutes with a class. Let the class guess before you turn.",
        (
            Stop("totals", "find out with two counts whether Dot smokes."),
            Stop("coins", "find the lie that has the same table. Take classes as large as yours."),
            Stop("adversary", "let the class say a belief, and move the slider there."),
            Stop("again", "count a person’s answers until they are found out."),
            Stop("central", "ask whom the class would trust, and show what that is worth."),
            Stop("harm", "end with Cara: does ε promise what matters?"),
        ),
    ),
    Path(
        "For journalists",
        "How a survey can know the share and not the person, and what to ask of those who say so.",
        (
            Stop("names", "what to ask those who say “we removed the names”."),
            Stop("totals", "what to ask those who say “we publish totals only”."),
            Stop("coins", "a “yes” may be the coin’s."),
            Stop("adversary", "what a leaked answer would tell.", {"prior": "0.1"}),
            Stop("again", "what to ask a company that asks every day."),
            Stop("central", "what to ask a company that says “encrypted”."),
            Stop("harm", "what a promise such as “ε = 1” is worth to you.", {"what": "price"}),
        ),
    ),
)
"""Short ways through the pages."""
