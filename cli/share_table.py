"""The table of shares and means that `estimate` and `analyse` print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.table import Table

from deniable.analysis.results import MEAN_METHOD, ItemResults, Mean, Share
from deniable.cli.output import table
from deniable.server.wording import percent, quantity

_NUMBERS: Final = ("Noisy", "Estimate", "Interval", "Error", "Likeliest")


def make(first: str) -> Table:
    """Make a table without rows; its first column, of the items, is called `first`."""
    return table(first, "Answer", *_NUMBERS, numbers=_NUMBERS)


def add(printed: Table, item: ItemResults) -> None:
    """Add the rows of an item, and a line below them."""
    for place, line in enumerate(_lines(item)):
        printed.add_row("" if place else _name(item), *line)
    for place, share in enumerate(item.applicable):
        cells = ["–", *_share_cells(item, share)[1:]]
        printed.add_row("" if place else "  if it applies", share.answer.text, *cells)
    printed.add_section()


def _name(item: ItemResults) -> str:
    return f"{item.item.id} (direct)" if item.direct else item.item.id


def _lines(item: ItemResults) -> list[list[str]]:
    """Return the cells of an item: of its mean, if it is a number, and of its shares."""
    lines = [] if item.mean is None else [["Mean", *_mean_cells(item.mean)]]
    if item.tells_shares or not lines:
        lines += [[share.answer.text, *_share_cells(item, share)] for share in item.shares]
    return lines


def _share_cells(item: ItemResults, share: Share) -> list[str]:
    return [
        "–" if item.direct else percent(share.observed),
        percent(share.estimate) + (" *" if share.outside else ""),
        "–"
        if share.low is None
        else f"{percent(share.low).removesuffix(' %')} to {percent(share.high)}",
        percent(share.standard_error),
        percent(share.maximum_likelihood),
    ]


def _mean_cells(mean: Mean) -> list[str]:
    def written(value: float | None) -> str:
        return quantity(value, mean.span)

    return [
        "–",
        written(mean.estimate) + (" *" if mean.outside else ""),
        f"{written(mean.low)} to {written(mean.high)}",
        written(mean.standard_error),
        written(mean.maximum_likelihood),
    ]


def notes(items: Sequence[ItemResults], level: float) -> Iterator[str]:
    """Say what stands in the table.

    Parameters
    ----------
    items : sequence of ItemResults
        The table's.
    level : float
        Of the intervals.

    Yields
    ------
    str
        A sentence a line.
    """
    written = f"{100 * level:g} %"
    methods = " or ".join(dict.fromkeys(item.method for item in items if item.tells_shares))
    yield "Noisy: share of the reports."
    yield (
        f"Estimate: with the noise taken out; its {written} interval "
        f"({methods or MEAN_METHOD}) and error."
    )
    yield "Likeliest: the shares inside 0 to 100 % under which these reports are most likely."
    means = [(item, item.mean) for item in items if item.mean is not None]
    if means:
        yield (
            "Mean: of the numbers that were given, in their own units, with its "
            f"{written} interval ({MEAN_METHOD})."
        )
    if not all(item.tells_shares for item, _ in means):
        yield "Mean alone: the design of that question does not tell the shares of its answers."
    applicable = [item for item in items if item.applicable]
    if applicable:
        methods = " or ".join(dict.fromkeys(item.applicable_method for item in applicable))
        yield (
            "If it applies: among the people who are asked the question, after what they answered "
            f"before; a ratio of two estimates, with its {written} interval ({methods})."
        )
    if any(
        share.low is None and share.estimate is not None
        for i in applicable
        for share in i.applicable
    ):
        yield "–: too few may be asked the question to say more."
    if any(share.outside for item in items for share in (*item.shares, *item.applicable)):
        yield "* below 0 or above 100 %, by chance, and left so: cutting it off would bias it."
    if any(mean.outside for _, mean in means):
        yield "* of a mean: beyond all of the answers, by chance, and left so."
    for item in items:
        for share in (*item.shares, *item.applicable):
            if share.misses_range:
                yield (
                    f"{item.item.id}, {share.answer.text}: the whole interval is outside 0 to "
                    "100 %. Was the design followed?"
                )
    for item, mean in means:
        if mean.misses_range:
            yield (
                f"{item.item.id}: no mean of its answers is inside the interval. Was the design "
                "followed?"
            )
    yield from _lacking(items)
    if any(item.direct for item in items):
        yield "direct: asked without noise; an ordinary proportion."


def _lacking(items: Sequence[ItemResults]) -> Iterator[str]:
    """Say why something is a dash although there are reports."""
    for item in items:
        if item.no_interval is not None:
            yield f"{item.item.id}: no intervals: {item.no_interval}."
        if item.lacks_likeliest:
            yield f"{item.item.id}: the likeliest shares could not be found for certain."
