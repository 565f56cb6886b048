"""The first estimates of a question: a few lines, each an estimate with its interval."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from deniable.analysis.findings import SET, Change, Contrast, Mean, Share
from deniable.analysis.results import ItemResults, QuestionResults
from deniable.results.table import POINTS
from deniable.roles import asked_for
from deniable.survey.items import Item
from deniable.survey.questions import FIXED, Answer
from deniable.text.wording import quantity

MOST: Final = 6
"""A question with more answers than this has headlines of the `_OF_MANY` largest shares alone."""

_OF_MANY: Final = 3

MARGIN: Final = 10
"""Percent of a figure's width on each side, for values beyond the least and the greatest."""

MANY: Final = 12
"""Above this number of answers their table is folded, and the figure of numbers is a histogram."""


@dataclass(frozen=True)
class Headline:
    """A line: a share or a mean.

    `answer`: None for a mean. `label`: the text of the answer or row. `unknown`: why the estimate
    is missing, where it is. `if_applies`: whether it is a share of those to whom the item applies.
    """

    item: Item
    answer: Answer | None
    label: str
    told: Share | Mean
    unknown: str = ""
    if_applies: bool = False

    @property
    def ticks(self) -> tuple[float, float, float]:
        """The least possible value, the middle and the greatest, which the axis names."""
        least, greatest = self.told.least, self.told.greatest
        return least, (least + greatest) / 2, greatest

    @property
    def observed(self) -> float | None:
        """The share of the reports; None for a mean or a direct question."""
        return None if self.item.epsilon is None else self.told.observed

    @property
    def possible(self) -> tuple[float, float] | None:
        """What is possible of the interval of an impossible estimate; None if nothing is."""
        told = self.told
        if not told.outside or told.low is None or told.high is None:
            return None
        low, high = max(told.low, told.least), min(told.high, told.greatest)
        return (low, high) if low < high else None

    def at(self, value: float) -> float:
        """Return the place of a value in this line's figure, in percent of the width."""
        return min(max(self._position(value), 0.0), 100.0)

    def beyond(self, value: float) -> int:
        """Return -1 or 1 if a value lies left or right of the figure, else 0."""
        return (self._position(value) > 100) - (self._position(value) < 0)

    def _position(self, value: float) -> float:
        part = (value - self.told.least) / ((self.told.greatest - self.told.least) or 1)
        return MARGIN + (100 - 2 * MARGIN) * part


@dataclass(frozen=True)
class Move:
    """A headline of a question in two waves or groups, and how these differ.

    `names`: of the two. `of`: of whom it is, in words, where that is not said elsewhere.
    """

    before: Headline
    after: Headline
    change: Change | Contrast
    names: tuple[str, str]
    of: str = ""

    @property
    def said(self) -> str:
        """The difference, in percentage points or in the mean's units, with its sign."""
        sign = "+" if (self.change.estimate or 0) > 0 else ""
        return sign + self.write(self.change.estimate or 0)

    @property
    def ends(self) -> str:
        """The interval of the difference; empty if there is none."""
        low, high = self.change.low, self.change.high
        if low is None or high is None:
            return ""
        return f"{self.write(low)} to {self.write(high)}"

    @property
    def may_be_chance(self) -> bool:
        """Whether 0 lies in the interval, or there is none."""
        low, high = self.change.low, self.change.high
        return low is None or high is None or low <= 0 <= high

    def write(self, value: float) -> str:
        """Write a difference, in percentage points or in the mean's units."""
        return POINTS.write(value) if self.after.answer else quantity(value, self.after.told.span)


def headlines(question: QuestionResults, *, both: bool = True) -> tuple[Headline, ...]:
    """Return the headlines of a question, in the order of its rows or answers.

    Of a yes and a no that is the yes alone. Of two other answers, whose shares add up to 100 %, it
    is the second one alone unless `both`.
    """
    shares = {one.item.id: one.told_first for one in question.items}
    if question.question.offers_yes_no or question.question.has_several_items:
        return tuple(_row_headline(question, one, shares[one.item.id]) for one in question.items)
    (item,) = question.items
    if item.mean is not None:
        return (Headline(item.item, None, "Mean", item.mean, item.unknown),)
    (told,) = shares.values()
    is_told_by_one = len(told) == 2 and (asked_for(question.question) or not both)
    wanted = _wanted(question, told) if is_told_by_one else told
    return tuple(_headline(item, share) for share in _chosen_shares(wanted))


def in_a_sentence(question: QuestionResults) -> str:
    """Say what a question asks for, with its interval, and of whom that is.

    That is the yes of a question with a yes and a no, a mean, and of several answers or options the
    most frequent one. If people gave one answer each, chance may explain that it comes before the
    next: then both are named.

    Parameters
    ----------
    question : QuestionResults
        With the estimates of all its items.

    Returns
    -------
    str
        Such as ``Yes: about 21 in 100, between 17 and 25.``; of an impossible estimate what is
        possible, such as ``Yes: 0 to 3 in 100.``. Empty if nothing is estimated, or possible.
    """
    known = sorted(
        (line for line in _lines(question) if line.told.estimate is not None),
        key=lambda one: -(one.told.estimate or 0),
    )
    if not known or (known[0].told.outside and (len(known) > 1 or not known[0].possible)):
        return ""
    first, some = known[0], " of those to whom it applies" * question.items[0].is_told_of_some
    if len(known) == 1:
        return _line_said(first, first.label, some)
    if not question.question.has_several_items:
        lead = question.items[0].lead
        if lead is None:
            return ""
        if lead.low <= 0:
            return _equal_said(first, known[1], some)
    return _line_said(first, f"Most often “{first.label}”", some)


def _equal_said(first: Headline, second: Headline, some: str) -> str:
    names = f"“{first.label}” and “{second.label}”"
    share, next_share = (in_100(max(one.told.estimate or 0, 0)) for one in (first, second))
    if first.told.is_set and second.told.is_set:
        return f"{names}: {share} in 100 each, {SET}."
    return f"{names} may be equally frequent: about {share} and {next_share} in 100{some}."


def _line_said(line: Headline, subject: str, some: str) -> str:
    told = line.told
    estimate = told.estimate or 0
    if line.answer is None:
        write: Callable[[float], str] = partial(quantity, span=told.span)
        unit = ""
    else:
        write, unit = in_100, f" in 100{some}"
    if told.is_set:
        return f"{subject}: {write(estimate)}{unit}, {SET}."
    said = f"{subject}: about {write(estimate)}{unit}"
    if told.low is None or told.high is None:
        return f"{said}."
    # Where one end is beyond what is possible, the other one says all that is known.
    low, high = max(told.low, told.least), min(told.high, told.greatest)
    if (low, high) == (told.least, told.greatest):
        return f"{subject}: anything between {write(low)} and {write(high)}{unit} is possible."
    if told.outside:
        return f"{subject}: {write(low)} to {write(high)}{unit}."
    if low == told.least:
        ends = f"at most {write(high)}"
    elif high == told.greatest:
        ends = f"at least {write(low)}"
    else:
        ends = f"between {write(low)} and {write(high)}"
    return f"{said}, {ends}."


def _lines(question: QuestionResults) -> Iterator[Headline]:
    """Yield the lines of which the greatest is told in a sentence."""
    for item in question.items:
        if question.question.has_several_items:
            yield _row_headline(question, item, item.told_first)
        elif item.mean is not None:
            yield from headlines(question)
        else:
            yield from (_headline(item, share) for share in _compared(question, item))


def _compared(question: QuestionResults, item: ItemResults) -> Sequence[Share]:
    """Return both of two answers that are no yes and no, if it is known which comes first."""
    both = item.told_first
    is_choice = len(both) == 2 and not asked_for(question.question)
    if is_choice and item.lead is not None and not any(one.outside for one in both):
        return both
    return _wanted(question, both)


def _wanted(question: QuestionResults, shares: Sequence[Share]) -> Sequence[Share]:
    """Return the share of the yes; without one, of two shares the second, of others the answers."""
    yes = asked_for(question.question)
    if not yes and len(shares) == 2:
        return shares[1:]
    codes = {yes} if yes else {one.answer.code for one in shares} - {*FIXED}
    return [one for one in shares if one.answer.code in codes]


def in_100(share: float) -> str:
    """Write a share as so many in 100; near 0 and 100, where it matters, with a decimal."""
    hundredths = 100 * share
    rounded = f"{hundredths:.1f}" if min(hundredths, 100 - hundredths) < 1 else f"{hundredths:.0f}"
    return rounded.removesuffix(".0").replace("-", "−")


def are_whole(question: QuestionResults) -> bool:
    """Return whether the headlines of a question hold everything that its figure draws."""
    if question.question.offers_yes_no or question.question.has_several_items:
        return question.question.offers_yes_no
    (item,) = question.items
    return len(item.shares) <= MOST if item.mean is None else not item.tells_shares


def are_many(question: QuestionResults) -> bool:
    """Return whether a question has so many answers that the table of their shares is folded."""
    return len(question.items[0].shares) > MANY


def _row_headline(
    question: QuestionResults, item: ItemResults, shares: Sequence[Share]
) -> Headline:
    most = max(_wanted(question, shares), key=_size)
    is_named = most.estimate is not None and not question.question.offers_yes_no
    return _headline(item, most, item.item.text + f": {most.answer.text}" * is_named)


def _headline(item: ItemResults, share: Share, label: str = "") -> Headline:
    name, some = label or share.answer.text, item.is_told_of_some
    return Headline(item.item, share.answer, name, share, item.unknown, some)


def _chosen_shares(shares: Sequence[Share]) -> Iterator[Share]:
    if len(shares) <= MOST:
        yield from shares
        return
    chosen = sorted(shares, key=_size, reverse=True)[:_OF_MANY]
    yield from (share for share in shares if share in chosen)


def _size(share: Share) -> float:
    return -1.0 if share.estimate is None else share.estimate
