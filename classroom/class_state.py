"""The state of a class, from which each step is computed."""

from dataclasses import dataclass
from typing import Final

from deniable.analysis.planning.reach import report_rates
from deniable.channel import Channel
from deniable.survey import Survey
from deniable.survey.items import Item

EVEN: Final = 0.5
"""What is believed of anybody before a report, through the lesson: 50:50, as phones count."""

LEAST_DIRECT: Final = 10
"""The fewest direct answers whose totals are shown."""


@dataclass(frozen=True)
class Class:
    """The state of a class, from which each step is computed."""

    survey: Survey  # with the lesson's one question, which `can_be_taught`
    counts: tuple[int, ...]  # how often each report came
    joined: int = 0  # how many phones have joined
    focus: int = 1  # the truth in focus, as `GUESSED` of meetings
    chosen: int = -1  # the place of the dot that the presenter points at, or -1
    # How often each answer was given directly, once that is closed; () if nobody was asked.
    direct: tuple[int, ...] | None = None
    came: int | None = None  # how many have answered the open question; None if none is open
    # What people guessed of the answer in focus, in percent and in order of size.
    guesses: tuple[int, ...] = ()
    # The share of people of whom `focus` is true, where everybody knows it beforehand.
    expected: float | None = None
    # Seed of everything random: simulated classes, the volunteer's coins, the places of the dots.
    seed: int = 1

    @property
    def item(self) -> Item:
        """The randomised item."""
        return self.survey.items[0]

    @property
    def channel(self) -> Channel:
        """The channel of one report."""
        return self.item.channel

    @property
    def n(self) -> int:
        """The number of reports."""
        return sum(self.counts)

    @property
    def truths(self) -> tuple[str, ...]:
        """The texts of the answers, which the reports name too."""
        return tuple(one.text for one in self.item.truths)

    @property
    def looked_at(self) -> tuple[int, ...]:
        """The truths that have their own bars: of two, one alone, as it determines the other."""
        truths = self.channel.truths
        return (self.focus,) if truths == 2 else tuple(range(truths))

    @property
    def other(self) -> int:
        """The first truth besides the focus."""
        return 0 if self.focus else 1

    @property
    def beliefs(self) -> tuple[float, ...]:
        """What is believed of each truth; those besides the focus are equally likely."""
        truths = self.channel.truths
        rest = (1 - EVEN) / (truths - 1)
        return tuple(EVEN if truth == self.focus else rest for truth in range(truths))

    @property
    def answered_directly(self) -> int:
        """The number of people who answered directly."""
        return sum(self.direct or ())


def can_be_taught(item: Item) -> bool:
    """Return whether a lesson can use an item.

    It is randomised, its reports have the names of its answers, and the share of each answer
    follows from one proportion of the reports.
    """
    channel = item.channel
    return (
        item.flips is not None
        and channel.identifiable
        and all(report_rates(channel, truth) for truth in range(channel.truths))
    )
