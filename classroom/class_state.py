"""What a step is shown from."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from deniable.analysis.planning.widths import report_rates
from deniable.channel import Channel
from deniable.survey import Survey
from deniable.survey.items import Item

LEAST_DIRECT: Final = 10
"""People who must have answered directly before their totals are shown."""


@dataclass(frozen=True)
class Class:
    """What is known of a class: all that a step is shown from, besides which step it is."""

    survey: Survey  # with the one question that is played; it `can_be_shown`
    counts: tuple[int, ...]  # how often each report came from the phones
    joined: int = 0  # how many phones have joined
    paper: tuple[int, ...] = ()  # how often each report was written on paper; added to the others
    # What the class believes of anybody before: the chance that `focus` is true of them. Above 0
    # and below 1.
    prior: float = 0.5
    focus: int = 1  # the truth that is looked at, by its place among the answers
    chosen: int = -1  # the dot that is pointed at, by its place, or -1
    # How often each answer was given directly, once that question is closed.
    direct: tuple[int, ...] | None = None
    came: int | None = None  # how many have answered what is asked now, if anything is
    # Of all that is made up: simulated classes, the volunteer's coins, the places of the dots.
    seed: int = 1

    @property
    def item(self) -> Item:
        """What is randomised."""
        return self.survey.items[0]

    @property
    def channel(self) -> Channel:
        """The law of one report."""
        return self.item.channel

    @cached_property
    def totals(self) -> tuple[int, ...]:
        """How often each report came, from phones and on paper."""
        paper = self.paper or (0,) * len(self.counts)
        return tuple(phone + sheet for phone, sheet in zip(self.counts, paper, strict=True))

    @property
    def n(self) -> int:
        """How many reports there are."""
        return sum(self.totals)

    @property
    def truths(self) -> tuple[str, ...]:
        """What the answers are called, and the reports, which name them."""
        return tuple(one.text for one in self.item.truths)

    @property
    def looked_at(self) -> tuple[int, ...]:
        """The truths that have a bar of their own: of two, the one says all of the other."""
        truths = self.channel.truths
        return (self.focus,) if truths == 2 else tuple(range(truths))

    @property
    def beliefs(self) -> tuple[float, ...]:
        """What is believed of each truth before; those beside the focus are equally likely."""
        rest = (1 - self.prior) / (self.channel.truths - 1)
        return tuple(
            self.prior if truth == self.focus else rest for truth in range(self.channel.truths)
        )

    @property
    def answered_directly(self) -> int:
        """How many answered directly."""
        return sum(self.direct or ())


def can_be_shown(item: Item) -> bool:
    """Return whether the steps can be shown of an item.

    Its reports name its answers, and those that speak for an answer are one proportion.
    """
    channel = item.channel
    return (
        item.flips is not None
        and channel.identifiable
        and all(report_rates(channel, truth) for truth in range(channel.truths))
    )
