"""What the differences of groups show: in a sentence, and two groups beside each other."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from deniable.analysis.findings import Contrast, Mean, Share
from deniable.analysis.results import ItemResults
from deniable.results.estimate import name_of
from deniable.results.headlines import Headline, Move
from deniable.results.table import POINTS
from deniable.survey.items import Item
from deniable.text.wording import percent, quantity


@dataclass(frozen=True)
class Comparison:
    """The differences of every two groups, by answer, or of their means.

    `test`: of equal groups; None where a single difference tells it. `method`: the kind of interval
    that was asked for.
    """

    differences: tuple[Contrast, ...]
    test: Mapping[str, float | None] | None
    method: str

    @property
    def is_of_means(self) -> bool:
        """Whether they are the differences of means."""
        return self.differences[0].answer is None


@dataclass(frozen=True)
class Told:
    """A difference with the estimates of its two groups; `items`: the item in each of them."""

    difference: Contrast
    estimates: tuple[Share | Mean, Share | Mean]
    items: tuple[Item, Item]

    @property
    def is_beyond_chance(self) -> bool:
        """Whether its interval leaves 0 out."""
        ends = self.difference.interval
        return ends is not None and not ends.low <= 0 <= ends.high

    @property
    def groups(self) -> tuple[str, str]:
        """The names of the two groups."""
        return self.difference.first.text, self.difference.second.text

    @property
    def said(self) -> str:
        """The two estimates, such as “Yes: 20 % of “North” and 23 % of “South””."""
        write = partial(quantity, span=self.estimates[0].span) if self._is_mean else percent
        values = (write(one.estimate or 0) for one in self.estimates)
        of_each = (f"{one} of “{name}”" for one, name in zip(values, self.groups, strict=True))
        return f"{name_of(self.difference)}: {' and '.join(of_each)}"

    @property
    def ends(self) -> str:
        """Where the difference lies, in words."""
        low, high = self.difference.interval or (0.0, 0.0)
        if self._is_mean:
            write = partial(quantity, span=self.estimates[0].span)
            return f"between {write(low)} and {write(high)}"
        return f"between {POINTS.write(low)} and {POINTS.write(high)} points"

    @property
    def _is_mean(self) -> bool:
        return self.difference.answer is None


def told_of(compared: Comparison, groups: Sequence[ItemResults], yes_at: int) -> list[Told]:
    """Return the differences of groups with their estimates; of two answers only the yes."""
    pairs = itertools.combinations(groups, 2)
    each = [
        ((a, b), (first.item, second.item))
        for first, second in pairs
        for a, b in zip(*(_estimates(one, compared) for one in (first, second)), strict=True)
    ]
    told = [Told(one, *both) for one, both in zip(compared.differences, each, strict=True)]
    # With two answers, one difference is the negative of the other.
    has_two = not compared.is_of_means and len(groups[0].shares) == 2
    return told[yes_at::2] if has_two else told


def _estimates(group: ItemResults, compared: Comparison) -> Sequence[Share | Mean]:
    return [group.mean] if compared.is_of_means and group.mean is not None else group.shares


def lead_of(told: Sequence[Told]) -> str:
    """Say the greatest difference, and whether it is more than chance.

    Empty if a group's estimate is impossible, or if an interval is unknown.
    """
    unknown = any(one.difference.interval is None for one in told)
    if not told or unknown or any(each.outside for one in told for each in one.estimates):
        return ""
    beyond = [one for one in told if one.is_beyond_chance]
    most = max(beyond or told, key=lambda one: abs(one.difference.estimate or 0))
    if not beyond:
        what = f"the greatest of {len(told)}" if len(told) > 1 else "it"
        return f"No difference can be seen: {what} lies {most.ends}. {most.said}."
    count = f" {len(beyond)} of {len(told)} differences are more than chance." * (len(told) > 1)
    return f"{most.said}. This is more than chance: the difference lies {most.ends}.{count}"


def moves_of(told: Sequence[Told]) -> tuple[Move, ...]:
    """Return the estimates of two groups beside each other, where they are known."""
    return tuple(
        Move(
            Headline(one.items[0], one.difference.answer, name_of(one.difference), first),
            Headline(one.items[1], one.difference.answer, name_of(one.difference), second),
            one.difference,
            one.groups,
        )
        for one in told
        for first, second in [one.estimates]
        if None not in (one.difference.estimate, first.estimate, second.estimate)
    )
