"""All pages of the lab, and the paths through them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from deniable.lab import (
    adversary,
    again,
    central,
    coins,
    estimator,
    groups,
    harm,
    holdout,
    membership,
    names,
    participation,
    questions,
    totals,
)
from deniable.lab.page import Page

PAGES: Final[Mapping[str, Page]] = {
    one.slug: one
    for one in (
        coins.PAGE,
        estimator.PAGE,
        adversary.PAGE,
        questions.PAGE,
        again.PAGE,
        central.PAGE,
        participation.PAGE,
        holdout.PAGE,
        names.PAGE,
        groups.PAGE,
        totals.PAGE,
        membership.PAGE,
        harm.PAGE,
    )
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
            Stop("coins", "look at the table, and draw new data for the 100 people a few times."),
            Stop("estimator", "turn the number of people up from 30 to 3,000."),
            Stop("adversary", "look at what a “yes” makes somebody believe."),
        ),
    ),
    Path(
        "A lecture",
        "45 minutes with a class. Use the full screen, and let the class guess before you turn.",
        (
            Stop("coins", "start with two coins, and find the lie that has the same table."),
            Stop("adversary", "let the class say a belief, and move the slider there."),
            Stop("estimator", "begin with the size of your class.", {"n": "30"}),
            Stop("again", "count a person’s answers until they are found out."),
            Stop("central", "ask whom the class would trust, and show what that is worth."),
        ),
    ),
    Path(
        "A course",
        "Each page with its exercises, in the order in which one needs the other.",
        (
            Stop("coins", "randomised response, and ε as a ratio of chances."),
            Stop("estimator", "unbiased estimates, their error, and what an interval promises."),
            Stop("adversary", "beliefs, mistakes and the privacy loss. Why chance is needed."),
            Stop("questions", "composition: how ε adds up, and how to share it out."),
            Stop("again", "the same question many times, and the ledger."),
            Stop("central", "Laplace noise, clipping, and the two models of trust."),
        ),
    ),
    Path(
        "For journalists",
        "How a survey can know the share and not the person, in four stops.",
        (
            Stop("coins", "a “yes” may be the coin’s."),
            Stop("adversary", "what a leaked answer would tell.", {"prior": "0.1"}),
            Stop("again", "what to ask a company that asks every day."),
            Stop("central", "what to ask a company that says “encrypted”."),
        ),
    ),
)
"""The ways through the pages; each page is on at least one."""
