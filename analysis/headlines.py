"""What is told of a question before all else: a few lines, each an estimate with its interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from deniable.analysis.results import ItemResults, Mean, QuestionResults, Share
from deniable.items import Item
from deniable.questions import Answer

MOST: Final = 6
"""A question with more answers than these tells those that most people gave."""

_OF_MANY: Final = 3

MANY: Final = 12
"""The table of more answers than these is folded, and their figure, if they are numbers, is a
histogram."""


@dataclass(frozen=True)
class Headline:
    """A line: a share or a mean.

    Parameters
    ----------
    item : Item
    answer : Answer or None
        Whose share it is; None for a mean.
    label : str
        What it is of.
    told : Share or Mean
    """

    item: Item
    answer: Answer | None
    label: str
    told: Share | Mean

    def at(self, value: float | None) -> float | None:
        """Return where a value stands between the least that is possible, 0, and the greatest, 100.

        What lies beyond stands at the end.
        """
        if value is None:
            return None
        place = (value - self.told.least) / ((self.told.greatest - self.told.least) or 1)
        return 100 * min(max(place, 0.0), 1.0)


def headlines(question: QuestionResults) -> tuple[Headline, ...]:
    """Return what is told first of a question.

    Parameters
    ----------
    question : QuestionResults

    Returns
    -------
    tuple of Headline
        The mean of a number; of each option of a `many`, the share of yes; of each row of a `grid`,
        the answer that most people gave; of two answers the second; of up to `MOST` all; of more
        those that most people gave.
    """
    if question.question.offers_yes_no or question.question.has_several_items:
        return tuple(_of_row(question, item) for item in question.items)
    (item,) = question.items
    if item.mean is not None:
        return (Headline(item.item, None, "Mean", item.mean),)
    shares = item.shares[1:] if len(item.shares) == 2 else item.shares
    return tuple(_line(item, share) for share in _told(shares))


def _of_row(question: QuestionResults, item: ItemResults) -> Headline:
    if question.question.offers_yes_no:
        chosen = next(share for share in item.shares if share.answer.code == "yes")
        return Headline(item.item, chosen.answer, item.item.text, chosen)
    most = max(item.shares, key=_size)
    return Headline(item.item, most.answer, f"{item.item.text}: {most.answer.text}", most)


def _line(item: ItemResults, share: Share) -> Headline:
    return Headline(item.item, share.answer, share.answer.text, share)


def _told(shares: tuple[Share, ...]) -> Iterator[Share]:
    if len(shares) <= MOST:
        yield from shares
        return
    chosen = sorted(shares, key=_size, reverse=True)[:_OF_MANY]
    yield from (share for share in shares if share in chosen)


def _size(share: Share) -> float:
    return -1.0 if share.estimate is None else share.estimate
